"""Reconstruction after Routh's reduction: the objects, claims and equations that a reduction gives back its motion by.

Two connections on N_mu -> N_mu/G_mu will do, the mechanical one Omega^m and that by the vertical lift Omega^N_mu. With
either, a horizontal lift of the reduced motion is carried to a motion by the curve g(t) in G_mu with

    g^-1 g' = Phi_m   (mechanical)          g^-1 g' = Phi   (vertical lift)

(Crampin and Mestdag, sections IV to VII). The parts are in files of their own: ``level`` (N_mu on TM),
``connections`` (section V), ``decomposition`` (Gamma taken apart), ``identities`` (what
is claimed), ``simple_systems`` (section VII).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from dalembert.errors import ExpressionError, Fault, expect
from dalembert.expr.calculus import gradient
from dalembert.expr.elementary import solve
from dalembert.expr.field import tidy
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.truth import Facts, Verdict, depends_on, freed_from, full_rank, generic_rank, vanishing
from dalembert.expr.truth.many import ProofBudget, all_vanish
from dalembert.expr.walk import substitute, symbols
from dalembert.geometry.fields import Chart, VectorField
from dalembert.geometry.flows import flow
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.straighten import fresh
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.lagrangian.momentum_map import amended_potential, simple_mechanical
from dalembert.mechanics.routh.level_set import LevelSet
from dalembert.mechanics.routh.reconstruction.connections import isotropy_form, level_of, sees_no_velocity
from dalembert.mechanics.routh.reconstruction.decomposition import Reconstruction, reconstruct, reconstruction_laws
from dalembert.mechanics.routh.reconstruction.simple_systems import (
    SimpleReconstruction,
    body_parts,
    simple_laws,
    simple_reconstruction,
)
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.records import dataclass, replace

if TYPE_CHECKING:
    from dalembert.mechanics.routh.routh import Routh

Connection = Literal["mechanical", "vertical lift"]

_EACH = 0.5
"""How many seconds each of the few functions that drive a reconstruction may take to be written shorter,"""
_SECONDS = 1.0
"""and how many all tables together."""


def _expect_routh(result: Any, verb: str) -> None:
    from dalembert.mechanics.routh.routh import Routh  # it builds on this file

    expect(result, Routh, f"{verb} takes what 'routh' derived in coordinates of a chart")


def split_of(result: Routh) -> Reconstruction:
    """Return the Euler-Lagrange field on N_mu as the connections see it, for what Routh's procedure found."""
    _expect_routh(result, "split_of")
    return reconstruct(level_of(result.frame), None if result.invariant is None else result.invariant.matrix)


# -- objects -------------------------------------------------------------------------------------------------
def reconstruction_objects(result: Routh, level: LevelSet | None = None) -> dict[str, Any]:
    """Return what belongs to reconstruction, by the names of the JSON.

    ``mechanical_vertical_part``, ``vertical_lift_vertical_part`` and ``reduced_theta_field`` are functions on N_mu by
    the names of the adapted basis; ``isotropy_connection`` is there where it is a connection on M. For L = T - V there
    are ``locked_inertia``, ``amended_potential``, and under ``relative_equilibria`` its slopes, which vanish at one,
    and the spin I_mu^-1(j^* mu) there. All is written in the adapted basis and coordinates.
    ``level`` is the level set in short form, where it is known.
    """
    found, frame = split_of(result), result.frame
    restricted = (level or result.shortened_level()).restricted
    shorten = SimplificationBudget(_SECONDS)
    names = frame.action.names

    def shown(functions: Sequence[Expr]) -> list[Expr]:
        return [tidy(e, _EACH) for e in restricted(substitute(list(functions), frame.velocities))]

    inner, outer = names[: frame.isotropy_dimension], names[frame.isotropy_dimension :]
    simple = _simple_objects(result, found, shorten)
    objects: dict[str, Any] = {}
    if found.isotropy is not None:
        objects["mechanical_vertical_part"] = dict(zip(inner, shown(found.phi_mechanical), strict=True))
        objects["vertical_lift_vertical_part"] = dict(zip(inner, shown(found.phi), strict=True))
    if found.adjoint is not None and found.psi is not None:
        objects["adjoint_matrix"] = [_all(shorten, row) for row in found.adjoint]
        objects["reduced_theta_field"] = dict(zip(outer, shown(found.psi), strict=True))
    forms = None if found.isotropy is None else isotropy_form(found.frame, found.mechanical)
    if forms is not None:
        coordinates = frame.chart.coordinates
        written = [{coordinates[i].data.name: shorten(value) for (i,), value in form.terms.items()} for form in forms]
        objects["isotropy_connection"] = {
            a: {q: value for q, value in form.items() if value is not ZERO}
            for a, form in zip(inner, written, strict=True)
        }
    return objects | simple


def _all(shorten: SimplificationBudget, expressions: Sequence[Expr]) -> list[Expr]:
    return [shorten(expression) for expression in expressions]


def _simple_objects(result: Routh, found: Reconstruction, shorten: SimplificationBudget) -> dict[str, Any]:
    """Return locked inertia, amended potential and the equations of relative equilibria, where L = T - V."""
    simple = simple_reconstruction(found)
    if simple is None:
        return {}
    frame, reference = result.frame, result.reference
    (amended,) = substitute([simple.potential + _short_amendment(found, simple, shorten)], reference)
    amended = tidy(amended, _EACH)
    slopes = _all(shorten, gradient(amended, frame.chart.coordinates))
    still: dict[str, Any] = {
        "vanish": {q.data.name: s for q, s in zip(frame.chart.coordinates, slopes, strict=True) if s is not ZERO}
    }
    if simple.rate is not None:
        still["spin"] = dict(zip(frame.action.names, _all(shorten, simple.rate), strict=False))
    return {
        "locked_inertia": [_all(shorten, row) for row in simple.locked_inertia],
        "amended_potential": amended,
        "relative_equilibria": still,
    }


def _short_amendment(found: Reconstruction, simple: SimpleReconstruction, shorten: SimplificationBudget) -> Expr:
    """Return C_mu, by the invariant fields where they are known: there the inertia depends on the base alone."""
    if found.adjoint is None:
        return simple.amendment
    inertia, momentum = body_parts(found.adjoint, simple)
    turned = _all(shorten, momentum)
    return dot(turned, solve([_all(shorten, row) for row in inertia], turned)) / 2


# -- theorems ------------------------------------------------------------------------------------------------
def mechanical_connection(result: Routh, _: ProofBudget) -> Verdict:
    """Decide whether the Hessian of L is regular on g_mu."""
    size, facts = result.frame.isotropy_dimension, Facts.of(result.system.facts)
    try:
        rank = generic_rank([facts.apply(row[:size]) for row in result.frame.g_ab[:size]])
    except ExpressionError as error:
        return Verdict("undecided", f"the rank of the matrix g_AB was not found: {error}")
    return full_rank(rank, size, "the Hessian of L on g_mu, the matrix g_AB,")


def isotropy_connection(result: Routh, _: ProofBudget) -> list[Claim]:
    """Decide whether Omega^m is a connection on M; nothing where there is none."""
    found = split_of(result)
    if found.isotropy is None:
        return []
    said = "the mechanical connection of the G_mu-action is one on M -> M/G_mu: Omega^m sees no velocities"
    return [Claim("isotropy connection", said, "question", sees_no_velocity(found.frame, found.mechanical))]


# -- identities ----------------------------------------------------------------------------------------------
def reconstruction_claims(result: Routh) -> tuple[Claim, ...]:
    """Return what sections V and VI claim, decided for a reduction."""
    if depends_on([c for x in result.frame.horizontal for c in x.components], [symbol(TIME)]):
        why = "the connection that was chosen depends on time, and what is claimed is for one that does not."
        said = "the connections on the level set give the motion back"
        return (Claim("reconstruction", said, "check", Verdict("undecided", why)),)
    point, rates = None, result.frame.velocities
    if result.level.iota is not None:
        point = dict(zip(rates, result.level.restricted(list(rates.values())), strict=True))
    return reconstruction_laws(split_of(result), point)


def simple_claims(result: Routh) -> tuple[Claim, ...]:
    """Return what section VII claims of L = T - V, decided for a reduction; nothing where L is something else."""
    found = split_of(result)
    simple = simple_reconstruction(found)
    if simple is None:
        return ()
    claims = [*simple_laws(found, simple)]
    if found.adjoint is not None:
        inertia, momentum = body_parts(found.adjoint, simple)
        defect = dot(momentum, solve(inertia, momentum)) / 2 - simple.amendment
        said = "C_mu by the invariant fields, with the momentum A_a^b mu_b, is the same"
        verdict = all_vanish({"C_mu": defect}, found.level.facts)
        claims.append(Claim("simple system, amendment in the body", said, "check", verdict))
    verdict = _amended_verdict(result, simple.amended_potential)
    said = "V_mu is the same in the stated basis and coordinates and in the adapted ones"
    return (*claims, Claim("simple system, amended potential", said, "check", verdict))


def _amended_verdict(result: Routh, adapted: Expr) -> Verdict:
    """Compare the amended potential of the stated basis and coordinates with that of the adapted ones."""
    parts, frame = simple_mechanical(result.system), result.frame
    if parts is None:
        return Verdict("undecided", "L was not seen to be T - V as stated.")
    stated = amended_potential(parts, frame.stated, frame.stated_momentum)
    (moved,) = substitute([stated], frame.coordinates.inverse)
    return all_vanish({"V_mu": moved - adapted}, result.system.facts)


# -- equations -----------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Lift:
    """The reduced equations with a horizontal lift of their motion and the curve in G_mu that carries it on."""

    equations: Equations
    """Their lift has first ``horizontal``, then ``group``."""
    horizontal: dict[Expr, Expr]
    """For each theta^A the variable that is its value on the horizontal lift."""
    group: tuple[Expr, ...]
    """The s^A in g = exp(s^1 E_1) exp(s^2 E_2) ..., in the order of the basis of g_mu."""


def horizontal_lift(result: Routh, by: Connection = "mechanical") -> Lift:
    """Return the equations of a horizontal lift and of g(t), beside the reduced ones that drive them."""
    _expect_routh(result, "horizontal_lift")
    frame, plain, moved, level = result.frame, result.in_coordinates, result.lifted, result.shortened_level()
    if len(moved) != frame.isotropy_dimension:
        what = "no coordinates are known in which G_mu moves theta^A alone, so there is nothing to reconstruct"
        raise refusal("reconstruction", [Fault("[bundle]", what, "give them in adapted and inverse")])
    found = split_of(result)
    phi = found.phi_mechanical if by == "mechanical" else found.phi
    taken = {s.name for s in symbols([*plain.kinematics.values(), *plain.force])}
    taken |= {q.data.name for q in (*frame.quasi_chart.coordinates, *frame.system.q, *frame.system.parameters)}
    here = {q: symbol(Symbol(fresh(f"{q.data.name}_h", taken), domain=q.data.domain)) for q in moved}
    group = tuple(symbol(Symbol(fresh(f"s_{a}", taken))) for a in frame.action.names[: len(moved)])
    rates = [
        total([(1, q.dot), *((-1, p * row[frame.fibre.index(q)]) for p, row in zip(phi, frame.moves, strict=False))])
        for q in moved
    ]
    flat = level.restricted(substitute([*rates, *phi], frame.velocities))
    own: dict[Expr, Expr] = {}
    if level.iota is None:
        own = {v: symbol(Symbol(fresh(f"{v.data.name}_h", taken))) for v in frame.v_fibre}
    written = substitute([tidy(entry, _EACH) for entry in flat], {**here, **own})
    pushed = developed(frame.action.algebra.constants, group, written[len(moved) :])
    implicit = dict(plain.implicit)
    implicit |= dict(zip(own.values(), substitute(level.residuals, {**here, **own}), strict=False))
    lift = {**dict(zip(here.values(), written[: len(moved)], strict=True)), **dict(zip(group, pushed, strict=True))}
    equations = replace(
        plain, formalism=f"routh, {by}", reconstruction=lift, implicit=implicit, configuration={}, monitors={}
    )
    return Lift(equations, here, group)


def developed(constants: Sequence[Sequence[Sequence[Expr]]], group: Sequence[Expr], xi: Sequence[Expr]) -> list[Expr]:
    """Return the rates of s^A for which g = exp(s^1 E_1) exp(s^2 E_2) ... obeys g^-1 g' = xi, in a subalgebra.

    g^-1 g' is the sum of s^j' Ad(exp(-s^k E_k) ... exp(-s^(j+1) E_(j+1))) E_j.
    """
    size = range(len(group))
    columns = []
    for j in size:
        vector = [ONE if b == j else ZERO for b in size]
        for k in range(j + 1, len(group)):
            vector = _turned_back(constants, k, group[k], vector)
        columns.append(vector)
    return solve([[columns[j][b] for j in size] for b in size], list(xi))


def _turned_back(
    constants: Sequence[Sequence[Sequence[Expr]]], k: int, time: Expr, vector: Sequence[Expr]
) -> list[Expr]:
    """Return Ad(exp(-s E_k)) of a vector: the flow of y' = -[E_k, y]."""
    size = range(len(vector))
    chart = Chart(tuple(symbol(Symbol(f"y{b + 1} of the algebra")) for b in size))
    rates = [total([(-1, constants[k][b][c] * chart.coordinates[b]) for b in size]) for c in size]
    moved = flow(VectorField(chart, tuple(rates)), time)
    if moved is None:
        what = f"the adjoint action of generator {k + 1} of g_mu has no closed form"
        raise refusal("reconstruction", [Fault("[symmetry]", what, kind="written")])
    return substitute(moved, dict(zip(chart.coordinates, vector, strict=True)))


def reconstruction_equations(result: Routh, by: Connection = "mechanical") -> Equations:
    """Return reduced equations whose configuration is the horizontal lift carried by g(t), all in closed form.

    A motion begins where the lifted coordinates are those of the start and all s^A are 0.

    >>> from dalembert.mechanics.routh.routh import derive
    >>> from dalembert.model.system import System
    >>> plane = System.of(name="plane", coordinates={"r": "positive", "phi": "angle"}, parameters={"l": 1},
    ...                   lagrangian="(r'^2 + r^2*phi'^2)/2", symmetry={"turn": {"phi": 1}}, momentum=["l"])
    >>> equations = reconstruction_equations(derive(plane))
    >>> equations.reconstruction, equations.configuration
    ({phi_h: 0, s_turn: l/r^2}, {phi: phi_h + s_turn})
    """
    _expect_routh(result, "reconstruction_equations")
    frame = result.frame
    parts = horizontal_lift(result, by)
    images = [parts.horizontal.get(q, q) for q in frame.chart.coordinates]
    inner = list(zip(frame.action.names, frame.action.generators, parts.group, strict=False))
    for name, field, time in reversed(inner):  # the last factor of g acts first
        moved = _flow(field, time)
        if moved is None:
            what = f"the flow of {name} has no closed form in these coordinates"
            raise refusal("reconstruction", [Fault("[symmetry]", what, "use the lift of routh itself", kind="written")])
        images = substitute(moved, dict(zip(frame.chart.coordinates, images, strict=True)))
    carried = dict(zip(frame.chart.coordinates, images, strict=True))
    stated = substitute(list(frame.coordinates.inverse.values()), carried)
    configuration = dict(zip(frame.coordinates.inverse, stated, strict=True))
    own = {q: image for q, image in configuration.items() if image is not q}
    return replace(parts.equations, configuration=own)


def _flow(field: VectorField, time: Expr) -> list[Expr] | None:
    """Return the flow of a field, looked for on the coordinates that it moves if it depends on no others."""
    moved = [k for k, still in enumerate(vanishing(field.components)) if not still]
    part = Chart(tuple(field.chart.coordinates[k] for k in moved))
    outside = [symbol(s) for s in symbols(field.components) if s.role != "parameter"]
    rates = freed_from([field.components[k] for k in moved], [s for s in outside if s not in part.coordinates])
    if rates is None:
        return flow(field, time)
    found = flow(VectorField(part, tuple(rates)), time)
    if found is None:
        return None
    images = dict(zip(part.coordinates, found, strict=True))
    return [images.get(q, q) for q in field.chart.coordinates]
