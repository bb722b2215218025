"""First integrals as they are shown: in letters that are defined where they stand, and each in one form only."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

from dalembert.errors import ExpressionError
from dalembert.expr.field import tidy
from dalembert.expr.graph import ONE, Expr, product, symbol, total
from dalembert.expr.text import text
from dalembert.expr.truth import vanish
from dalembert.expr.vocabulary import is_part
from dalembert.expr.walk import substitute, symbols, tree_size
from dalembert.geometry.constants import constant_combination
from dalembert.mechanics.dependence import Surface
from dalembert.mechanics.registry import formalism
from dalembert.mechanics.second_order.search.first_integrals import FirstIntegral
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.present.motion_equations import by_name

if TYPE_CHECKING:
    from dalembert.present.conserved import Sentence
    from dalembert.present.report import Part

_EVIDENT = 60
"""A formula in the speeds of the state with so few nodes, as a tree, is not compared with that in velocities."""
_ENERGY = "The energy is conserved."
_LONGEST = 160
"""What a speed is, is told in a sentence up to so many letters."""
_EFFORT = 0.5
"""Work for the short form of a speed."""
_FEW, _LONGEST_TRIED = 6, 300
"""Integrals, and nodes of all as trees, of which it is asked whether one is a polynomial in the others."""


def speeds_told_of(speeds: Mapping[Expr, Expr], formulas: Iterable[Expr]) -> str:
    """Return what the speeds in formulas are, in words; angular velocities have names of their own.

    >>> from dalembert.expr import symbol
    >>> u, x = symbol("u"), symbol("x")
    >>> speeds_told_of({u: x.dot / 2}, [u**2 + x]), speeds_told_of({u: x.dot / 2}, [x])
    ("u = x'/2", '')
    """
    told = []
    for u, meaning in speeds_in(speeds, formulas).items():
        try:
            written = text(meaning)
        except ExpressionError:  # too long for a line
            continue
        told += [f"{text(u)} = {written}"] if len(written) <= _LONGEST else []
    return ", ".join(told)


def speeds_in(speeds: Mapping[Expr, Expr], formulas: Iterable[Expr]) -> dict[Expr, Expr]:
    """Return the speeds in formulas that have no names of their own, as angular velocities do, and what they are.

    >>> from dalembert.expr import symbol
    >>> u, x = symbol("u"), symbol("x")
    >>> speeds_in({u: x.dot / 2}, [u**2 + x])
    {u: x'/2}
    """
    there = symbols(list(formulas))
    return {u: tidy(e, _EFFORT) for u, e in speeds.items() if u.data in there and not is_part(u.data.name)}


def momenta_told_of(equations: Equations, said: str) -> str:
    """Return what the momenta that a sentence names are, in words."""
    told = []
    short = by_name(equations, tidy)
    for p, (meaning, _) in equations.momenta.items():
        if p.data.name in re.findall(r"\w+", said):
            try:
                written = text(short(meaning))
            except ExpressionError:  # too long for a line
                continue
            told += [f"{p.data.name} = {written}"] if len(written) <= _LONGEST else []
            told += [one] if (one := speeds_told_of(equations.speeds, [meaning])) and one not in told else []
            told += [one for one in _straightened(equations, meaning) if one not in told]
    return ", ".join(told)


def _straightened(equations: Equations, meaning: Expr) -> list[str]:
    """Return what the base coordinates and body velocities in a momentum are, where coordinates were straightened."""
    held = {symbol(one) for one in symbols([meaning])}
    stated = {q: value for q, value in equations.configuration.items() if value is not q}
    if not held & {symbol(one) for one in symbols(list(stated.values()))}:
        return []
    rates = {s: rate for s, rate in equations.reconstruction.items() if held & {symbol(k) for k in symbols([rate])}}
    try:
        told = [f"{text(q)} = {text(value)}" for q, value in stated.items()]
        told += [f"{text(s)}' = {text(rate)}" for s, rate in rates.items()]
    except ExpressionError:  # too long for a line
        return []
    return told if sum(map(len, told)) <= _LONGEST else []


def without_polynomials(found: Sequence[FirstIntegral]) -> tuple[FirstIntegral, ...]:
    """Return integrals without those that have no name and are polynomials of degree 2 in others, the shorter first.

    Of components of a vector none is one in the others and its length, so they stay.

    >>> from dalembert.expr import symbol
    >>> from dalembert.expr.truth import Verdict
    >>> x, y, k = symbol("x"), symbol("y"), symbol("k", role="parameter")
    >>> given = {x.dot**2 + k * y.dot**2: "energy", y.dot: "", k * x.dot**2: "", x * y.dot - y * x.dot: ""}
    >>> kept = without_polynomials([FirstIntegral(e, Verdict("proved", ""), name) for e, name in given.items()])
    >>> [one.expression for one in kept]
    [k*y'^2 + x'^2, y', x*y' - x'*y]
    """
    kept = [one for one in found if one.name]
    for one in sorted((one for one in found if not one.name), key=lambda one: tree_size(one.expression)):
        if not _is_polynomial(one.expression, [other.expression for other in kept]):
            kept.append(one)
    return tuple(one for one in found if one in kept)


def _is_polynomial(formula: Expr, others: Sequence[Expr]) -> bool:
    """Decide that a formula is 1, others and products of two of them, with constants before them, added up."""
    if not others or len(others) > _FEW or sum(map(tree_size, [formula, *others])) > _LONGEST_TRIED:
        return False
    products = [ONE, *others, *(a * b for a, b in combinations_with_replacement(others, 2))]
    moving = [symbol(s) for s in symbols([formula, *others]) if s.role != "parameter"]
    return constant_combination([formula], [[e] for e in products], moving) is not None


def shown_of(integral: FirstIntegral, short: Callable[[Expr], Expr]) -> Expr:
    """Return the formula of what is constant: of energies and momenta as they are, of what has no name up to a factor.

    >>> from dalembert.expr import symbol
    >>> from dalembert.expr.truth import Verdict
    >>> shown_of(FirstIntegral(2 * symbol("x"), Verdict("proved", "")), tidy)
    x
    """
    shown = short(integral.expression)
    return shown if integral.name else without_constant_factor(shown)


def by_state(equations: Equations, short: Callable[[Expr], Expr]) -> Callable[[Expr], Expr]:
    """Return what makes a formula short in the speeds that are variables of the equations, if there are such.

    Velocities that are known by them are put in, if what comes out is not much longer: the energy of a skate is one of
    the speed along its blade, not of a velocity over the cosine of its heading.

    >>> from dalembert.expr import cos, symbol
    >>> u, x, a = symbol("u"), symbol("x"), symbol("a")
    >>> skate = Equations("skate", "nonholonomic", {x: u * cos(a)}, (u,), ((ONE,),), (x,), speeds={u: x.dot / cos(a)})
    >>> by_state(skate, tidy)(x.dot**2 / cos(a)**2)
    u^2
    """
    if all(is_part(u.data.name) for u in equations.speeds):
        return short
    rates = {q.dot: rate for q, rate in equations.kinematics.items() if rate is not q.dot}

    def shown(formula: Expr) -> Expr:
        (moved,) = substitute([formula], rates)
        one = short(moved)
        if moved is formula or tree_size(one) <= _EVIDENT:
            return one
        other = short(formula)
        return one if tree_size(one) <= 2 * tree_size(other) else other

    return shown


def without_constant_factor(formula: Expr) -> Expr:
    """Return a formula without a factor of numbers and parameters alone: what is constant is so without it.

    >>> from dalembert.expr import symbol
    >>> x, y, m, r = symbol("x"), symbol("y"), symbol("m", role="parameter"), symbol("r", role="parameter")
    >>> without_constant_factor(-2 * (m + r) * x.dot), without_constant_factor(x * (m + r) - 2 * y * (m + r))
    (x', x - 2*y)
    >>> without_constant_factor(m * x - r * y), without_constant_factor(m + r)
    (m*x - r*y, m + r)
    """
    if formula.op != "sum" or formula.data[0]:
        return _split_off(formula)[1]
    pieces = [_split_off(term) for term in formula.args]
    shared, numbers = pieces[0][0], formula.data[1]
    if any(own is not shared and not vanish([own - shared]) for own, _ in pieces):
        return formula
    rest = [piece for _, piece in pieces]
    if len(rest) == 1:
        return rest[0]
    return total(zip(numbers, rest, strict=True))


def _split_off(term: Expr) -> tuple[Expr, Expr]:
    """Return the factors of a term that are made of parameters, and the others; a constant is left whole."""
    pairs = list(zip(term.args, term.data, strict=True)) if term.op == "product" else [(term, 1)]
    moving = [one for one in pairs if any(s.role != "parameter" for s in symbols([one[0]]))]
    if not moving:
        return ONE, term
    return product([one for one in pairs if one not in moving]), product(moving)


def each_once(parts: Sequence[Part], system: System | None = None) -> dict[tuple[str, int], Sentence]:
    """Return the sentences on what is conserved, by formalism and place, without what others say better.

    Momenta that the first formalism names come first, then formulas: those without speeds that the statement does not
    know, then the shorter, then the earlier; then what other formalisms name. What is a function of that before it, of
    other formalisms with the same motions, is left out, then what is one of that behind it, and so is a sentence that
    keeps nothing. Formulas of one formalism stay together, as the components of a vector whose length is known. With
    the system functions are compared where its constraints hold.
    """
    told = {
        (part.formalism, place): one
        for part in parts
        for place, one in enumerate(part.sentences)
        if one.topic == "conserved"
    }
    equations = {part.formalism: part.equations for part in parts if part.equations is not None}
    whole = next((e for name, e in equations.items() if not formalism(name).variational and not e.reconstruction), None)
    if whole is None:
        return told
    same = {key: one for key, one in told.items() if key[0] in equations and not formalism(key[0]).variational}
    surface = Surface.of(whole, system)
    kept_by: list[tuple[str, Expr]] = []

    def known(values: Sequence[Expr | None], besides: str) -> bool:
        others = [e for name, e in kept_by if name != besides]
        there = [value for value in values if value is not None]
        return len(there) == len(values) and surface.are_functions(there, others)

    named = [(key, [surface.seen(e, equations[key[0]]) for e in one.meant]) for key, one in same.items() if one.meant]
    if any(one.text == _ENERGY for one in same.values()) and "energy" in whole.monitors:
        kept_by += [("", e)] if (e := surface.seen(whole.monitors["energy"], whole)) is not None else []
    kept_by += [(key[0], e) for key, values in named if equations[key[0]] is whole for e in values if e is not None]
    entries = [
        (key, k, formula, value)
        for key, one in same.items()
        for k, formula in enumerate(one.formulas)
        if (value := surface.seen(formula, equations[key[0]])) is not None
    ]
    entries.sort(key=lambda entry: _price(entry[2], equations[entry[0][0]]))
    stay = []
    for key, k, _, value in entries:
        if not known([value], key[0]):
            kept_by.append((key[0], value))
            stay.append((key, k, value))
    for entry in reversed(stay):
        key, k, value = entry
        if known([value], key[0]):  # three differences that were told one by one may say all that two others do
            kept_by.remove((key[0], value))
            stay.remove(entry)
    dropped = {(key, k) for key, k, _, _ in entries} - {(key, k) for key, k, _ in stay}
    again = set()
    first = [e for key, one in same.items() if equations[key[0]] is whole for e in (*one.meant, *one.formulas)]
    for key, values in named:
        own, one = equations[key[0]], same[key]
        if own is not whole and not one.formulas and (known(values, "") or surface.are_told(one.meant, own, first)):
            again.add(key)
        elif own is not whole:
            kept_by += [(key[0], e) for e in values if e is not None]
    return {
        key: _with_formulas(one, kept)
        for key, one in told.items()
        if key not in again
        if (kept := tuple(f for k, f in enumerate(one.formulas) if (key, k) not in dropped)) or not one.formulas
    }


def _with_formulas(one: Sentence, kept: tuple[Expr, ...]) -> Sentence:
    """Return a sentence with the formulas that are left; where it names more momenta, it says so."""
    fewer = len(kept) < len(one.formulas) and one.text.endswith("are conserved:")
    return replace(one, text=f"{one.text[:-1]}, among them:" if fewer else one.text, formulas=kept)


def _price(formula: Expr, equations: Equations) -> tuple[bool, int]:
    return bool(speeds_told_of(equations.speeds, [formula])), tree_size(formula)
