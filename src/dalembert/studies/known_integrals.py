"""What is known to be constant along the motions of a formalism: what it says itself, what claims and a look add."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from dalembert.analysis.discovery.first_integrals import Integral
from dalembert.analysis.discovery.glance import Glance, glance
from dalembert.expr.graph import Expr
from dalembert.expr.truth import Verdict, vanish
from dalembert.expr.walk import substitute, tree_size
from dalembert.mechanics.dependence import Surface
from dalembert.mechanics.nonholonomic.symmetry_search import first_integrals_of
from dalembert.mechanics.registry import Result, formalism, obvious_formalism
from dalembert.mechanics.second_order.search.first_integrals import FirstIntegral
from dalembert.model.claim import Claim
from dalembert.present.conserved import kept_momenta
from dalembert.present.integrals import without_polynomials

_Known = TypeVar("_Known", FirstIntegral, Integral)


def known_integrals(result: Result, decided: Sequence[Claim]) -> tuple[tuple[FirstIntegral, ...], Glance | None]:
    """Return the integrals of a result, each once with its surest verdict, and the short look, if it had one.

    Of the formalism that a statement means there is a look at what nobody stated.

    >>> from dalembert import System, claims, derive
    >>> fall = derive(System.of(name="fall", coordinates="x z", lagrangian="(x'^2 + z'^2)/2 - z"), "euler-lagrange")
    >>> [one.name for one in known_integrals(fall, claims(fall))[0]]
    ['momentum of d/dx', 'momentum of d/dz', 'energy']
    """
    name = result.equations.formalism
    found = tuple(formalism(name).integrals(result)) or first_integrals_of(result)
    look = glance(result.system, derived=result.equations) if name == obvious_formalism(result.system) else None
    proved = _proved(result, decided)
    found = tuple(_surest(one, proved, result) for one in found)
    if look is not None:
        proved += [(one.expression, one.verdict) for one in found if one.verdict.kind == "proved"]
        look = replace(look, integrals=tuple(_surest(one, proved, result) for one in look.integrals))
        found = tuple(_as_seen(one, look, result) for one in found)
        found += _besides(look, result, decided, found)
    return without_polynomials(found), look


def _proved(result: Result, decided: Sequence[Claim]) -> list[tuple[Expr, Verdict]]:
    """Return what claims prove to be constant, each with its proof."""
    monitors = result.equations.monitors
    kept = [*kept_momenta(decided), *(c for c in decided if c.name == "energy conserved")]
    named = [(c.name.removesuffix(" conserved"), c.verdict) for c in kept if c.verdict.kind == "proved"]
    return [(monitors[name], verdict) for name, verdict in named if name in monitors]


def _surest(one: _Known, proved: Sequence[tuple[Expr, Verdict]], result: Result) -> _Known:
    """Return what is constant with the surest verdict on it: a claim may have proved what a search is certain of."""
    if one.verdict.kind == "proved":
        return one
    better = next((verdict for known, verdict in proved if _is_same(known, one.expression, result)), None)
    return one if better is None else replace(one, verdict=better)


def _is_same(one: Expr, other: Expr, result: Result) -> bool:
    """Decide that two functions are the same on what the constraints allow."""
    rates = {q.dot: rate for q, rate in result.equations.kinematics.items()}
    return vanish(substitute(substitute([one - other], result.equations.named), rates))


def _as_seen(one: FirstIntegral, look: Glance, result: Result) -> FirstIntegral:
    """Return an integral in the form in which a short look has it, if that is shorter: in the speeds of the state."""
    seen = next((other for other in look.integrals if one.name and other.name == one.name), None)
    if seen is None or tree_size(seen.shown) >= tree_size(one.expression):
        return one
    same = _is_same(seen.shown, one.expression, result)
    return FirstIntegral(seen.shown, one.verdict, one.name) if same else one


def _besides(
    look: Glance, result: Result, decided: Sequence[Claim], found: Sequence[FirstIntegral]
) -> tuple[FirstIntegral, ...]:
    """Return what a short look found beyond the momenta that are claimed to be kept, and beyond what is known.

    Components of a vector are told although its length is known. But where there would be more than the state has
    variables, what has no name is told if it is no function of what is told before it.
    """
    monitors = result.equations.monitors
    momenta = [monitors[claim.name] for claim in kept_momenta(decided) if claim.name in monitors]
    known = [*(one.expression for one in found), *momenta]
    fresh = [FirstIntegral(one.shown, one.verdict, one.name) for one in look.besides(known)]
    equations, told = result.equations, [one for one in fresh if one.name]
    if len(found) + len(fresh) <= len(equations.state):
        return tuple(fresh)
    there = Surface.of(equations, result.system)
    seen = [there.seen(e, equations) for e in (*known, *(one.expression for one in told))]
    before = [e for e in seen if e is not None]
    for one in (one for one in fresh if not one.name):
        new = there.seen(one.expression, equations)
        if new is None:
            told.append(one)
        elif not there.are_functions([new], before):
            before.append(new)
            told.append(one)
    return tuple(told)
