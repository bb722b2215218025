"""Routh's procedure for any symmetry group and any regular Lagrangian (Crampin and Mestdag).

A regular Lagrangian L is invariant under a free action; its momenta p_a are constant, mu_a. On the level set N_mu the
velocities along the group are functions of the others, and the Routhian R^mu = L - v^a mu_a gives the equations of the
rest; what is left of the symmetry, G_mu, is divided out, and reconstruction gives it back. The parts are in files of
their own: ``hypotheses``, ``adapted_coordinates`` (coordinates), ``frame`` (section II), ``level_set`` and
``identities`` (section III), ``reduced`` (section VI), ``body_frame`` (the moving frame).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from dalembert.errors import DalembertError, Fault, HypothesisError, expect
from dalembert.expr.calculus import gradient
from dalembert.expr.field.simplification_budget import Shortening
from dalembert.expr.graph import Expr, total
from dalembert.expr.linear.cases import Case
from dalembert.expr.text import text
from dalembert.expr.truth import Verdict, never_zero
from dalembert.expr.walk import substitute, symbols
from dalembert.geometry.fields import VectorField, combination
from dalembert.geometry.groups.actions import Action
from dalembert.geometry.groups.invariant_fields import InvariantFields, checked_fields, invariant_fields
from dalembert.geometry.groups.isotropy import isotropy_cases
from dalembert.geometry.groups.matrices import inverse, multiply
from dalembert.geometry.straighten import carried
from dalembert.mechanics.common import Derived
from dalembert.mechanics.routh.frame import SymmetricFrame, symmetric_frame
from dalembert.mechanics.routh.hypotheses import Symmetry, symmetry_of
from dalembert.mechanics.routh.identities import frame_claims, level_claims
from dalembert.mechanics.routh.level_set import LevelSet, Motion, level_set, motion_on_level_sets
from dalembert.mechanics.routh.momentum_values import attained
from dalembert.mechanics.routh.reconstruction.summary import reconstruction_claims, reconstruction_objects
from dalembert.mechanics.routh.reduced import Reduced, reduce
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.system import System

__all__ = ["CITES", "Routh", "check", "derive", "derive_cases", "reduction", "stated_momenta"]

CITES: tuple[str, ...] = ("crampin-mestdag-2008",)
"""Whom to cite."""

_SECONDS = 1.5
"""How long all expressions together may take to be written shorter."""
_ZERO = Fraction(0)
_TINY = 1e-12
"""A momentum at the start below this is zero but for rounding."""


@dataclass(frozen=True, slots=True, repr=False)
class Routh(Derived):
    """The reduced equations of a system with symmetry, and the geometry on the way to them."""

    system: System
    frame: SymmetricFrame
    """The standard basis, quasi-velocities, momenta, Hessian, curvature (section II)."""
    level: LevelSet
    """N_mu, iota, the Routhian, the barred fields (section III)."""
    motion: Motion
    reduced: Reduced
    """The field on N_mu/G_mu and the lift (section VI)."""
    cases: tuple[Case, ...]
    """The values of the symbols in mu by the dimension of g_mu, the generic one first."""
    invariant: InvariantFields | None
    """The invariant fields E^_a = A_a^b E~_b of the adapted basis, where an ansatz finds them."""
    claims: tuple[Claim, ...]

    @property
    def equations(self) -> Equations:
        """The equations of motion."""
        return self.reduced.equations

    def invariant_fields(self) -> InvariantFields | None:
        """Return the invariant fields, if they are known."""
        return self.invariant

    def objects(self) -> dict[str, Any]:
        """Return the geometric objects by the names of the JSON."""
        frame, level = self.frame, self.level
        names = frame.action.names
        found: dict[str, Any] = {
            "structure_constants": [[list(row) for row in rows] for rows in frame.stated.algebra.constants],
            "momenta": dict(zip(frame.stated.names, stated_momenta(frame), strict=True)),
            "isotropy_basis": [list(row) for row in frame.adapted.matrix[: frame.isotropy_dimension]],
            "isotropy_cases": [
                {"where": str(case).partition(" where ")[2], "basis": case.null_space} for case in self.cases
            ],
            "adapted_basis": {a: list(row) for a, row in zip(names, frame.adapted.matrix, strict=True)},
            "adapted_momentum": dict(zip(names, frame.momentum, strict=True)),
            "adapted_coordinates": {
                "base": [q.data.name for q in frame.base],
                "fibre": [q.data.name for q in frame.fibre],
                "lifted": [q.data.name for q in self.reduced.lifted],
                "stated": {q.data.name: image for q, image in frame.coordinates.inverse.items()},
                "by_stated": {q.data.name: image for q, image in frame.coordinates.forward.items()},
            },
            "hessian": {"g_ab": frame.g_ab, "g_ai": frame.g_ai, "g_ij": frame.g_ij},
            "velocity_symbols": {a: v.data.name for a, v in zip(names, frame.v_fibre, strict=True)},
            "quasi_velocities": dict(zip(names, level.iota or frame.v_fibre, strict=True)),
            "connection": {"name": frame.connection_name, "coefficients": frame.slopes},
            "routhian": level.routhian,
            "restricted_routhian": level.restricted_routhian(),
            "curvature": frame.curvature,
            "barred_coefficients": {
                "A": [level.restricted(row) for row in level.a_coefficients],
                "B": [level.restricted(row) for row in level.b_coefficients],
                "C": [level.restricted(row) for row in level.c_coefficients],
            },
        }
        if self.invariant is not None:
            found["adjoint_matrix"] = self.invariant.matrix
        return found | reconstruction_objects(self)


def stated_momenta(frame: SymmetricFrame) -> list[Expr]:
    """Return the momenta of the stated generators on the stated coordinates."""
    system = frame.system
    assert system.lagrangian is not None
    slopes = gradient(system.lagrangian, system.v)
    fields = [e.components for e in frame.stated.generators]
    return [total([(1, p * x) for p, x in zip(slopes, row, strict=True)]) for row in fields]


def check(system: System) -> tuple[Fault, ...]:
    """Return what forbids Routh's procedure."""
    expect(system, System, "a formalism takes a system")
    try:
        symmetry = _at_start(symmetry_of(system))
        frame = symmetric_frame(system, symmetry.action, symmetry.values, Shortening(0.0), symmetry.defaults)
        _refuse_connection(frame_claims(frame))
        attained(level_set(frame, Shortening(0.0)))
    except HypothesisError as error:
        return error.faults
    return ()


def derive(system: System) -> Routh:
    """Return the reduced equations, or raise ``HypothesisError`` with every reason why there are none.

    >>> plane = System.of(name="plane", coordinates={"r": "positive", "phi": "angle"}, parameters={"k": 1, "l": 1},
    ...                   lagrangian="(r'^2 + r^2*phi'^2)/2 + k/r", symmetry={"turn": {"phi": 1}}, momentum=["l"])
    >>> found = derive(plane)
    >>> found.equations.state, found.equations.lift
    ((r, r'), {phi: l/r^2})
    """
    expect(system, System, "a formalism takes a system")
    return _with_reconstruction(reduction(system))


def reduction(system: System, seconds: float = _SECONDS) -> Routh:
    """Return the reduced equations without what is claimed of their reconstruction.

    ``seconds`` is the time that all expressions together may take to be written shorter.
    """
    return _reduction(system, _at_start(symmetry_of(system)), seconds)


def derive_cases(system: System) -> list[Routh]:
    """Return one reduction for each case of g_mu that the symbols in mu make, the generic one first.

    In each the symbols have the values that its conditions give them, for instance 0.
    """
    symmetry = symmetry_of(system)
    found = []
    for case in _cases(symmetry):
        values = tuple(substitute(list(symmetry.values), dict(case.solved)))
        found.append(_reduction(system, Symmetry(symmetry.action, values, symmetry.claims), _SECONDS))
    return found


def _cases(symmetry: Symmetry) -> tuple[Case, ...]:
    if not symbols(symmetry.values):
        return ()
    try:
        return tuple(isotropy_cases(symmetry.action.algebra, symmetry.values))
    except DalembertError:  # mu is not rational in its symbols
        return ()


def _at_start(symmetry: Symmetry) -> Symmetry:
    """Return the momentum in the case that [start] belongs to, where none is stated and g_mu is larger there."""
    known = {p: _ZERO if abs(float(value)) < _TINY else Fraction(value) for p, value in symmetry.defaults.items()}
    cases = _cases(symmetry) if known else ()
    case = next((case for case in cases[1:] if case.holds(known)), None)
    if case is None or not case.solved:
        return symmetry
    values = tuple(substitute(list(symmetry.values), dict(case.solved)))
    kept = {p: value for p, value in symmetry.defaults.items() if p.data in symbols(values)}
    met = ", ".join(sorted(f"{text(p)} = {text(value)}" for p, value in case.solved.items()))
    why = f"at [start] {met}, where the isotropy algebra is larger; for other values state [momentum]."
    claim = Claim("momentum", "the equations hold for all values of the momentum", "question", Verdict("refuted", why))
    return Symmetry(symmetry.action, values, (*symmetry.claims, claim), kept)


def _reduction(system: System, symmetry: Symmetry, seconds: float) -> Routh:
    shorten = Shortening(seconds, each=0.4, largest=400)
    frame = symmetric_frame(system, symmetry.action, symmetry.values, shorten, symmetry.defaults)
    standard = frame_claims(frame)
    _refuse_connection(standard)
    level = level_set(frame, shorten)
    found = attained(level, symmetry.defaults)
    motion = motion_on_level_sets(frame)
    invariant = _invariant(frame, shorten)
    reduced = _with_defaults(reduce(level, motion, shorten, invariant), symmetry)
    claims = [
        *symmetry.claims,
        *found,
        *_basis_claims(frame),
        *standard,
        *level_claims(level, motion),
        *reduced.claims,
    ]
    return Routh(system, frame, level, motion, reduced, _cases(symmetry), invariant, tuple(claims))


def _refuse_connection(claims: list[Claim]) -> None:
    """Raise ``HypothesisError`` where the horizontal fields of the connection are not invariant."""
    (principal,) = (claim for claim in claims if claim.name == "principal connection")
    if principal.failed:
        what = f"it is not invariant under the group, so it is no principal connection: {principal.verdict.evidence}"
        raise HypothesisError(
            "routh", [Fault("[bundle] connection", what, "use trivial or mechanical, or another one")]
        )


def _with_reconstruction(result: Routh) -> Routh:
    """Return a result with the claims about reconstruction, which are those of autonomous Lagrangians."""
    if not result.frame.timed:
        return replace(result, claims=(*result.claims, *reconstruction_claims(result), *_special_form(result)))
    why = "L depends on time, and this is decided for autonomous Lagrangians only; the lift is right all the same."
    said = "the connections on the level set give the motion back"
    return replace(
        result, claims=(*result.claims, Claim("reconstruction", said, "question", Verdict("undecided", why)))
    )


def _special_form(result: Routh) -> tuple[Claim, ...]:
    """Return the claims about Wong's equations, a second road where they hold."""
    from dalembert.mechanics.routh.wong_equations import wong  # it builds on this file

    if result.frame.connection_name != "mechanical" or result.invariant is None:
        return ()
    try:
        return wong(result).claims
    except HypothesisError:  # the metric along the group is another one
        return ()


def _invariant(frame: SymmetricFrame, shorten: Shortening) -> InvariantFields | None:
    """Return invariant fields, found for the stated generators on the stated coordinates, or on the adapted ones."""
    coordinates = frame.coordinates
    adapted = Action(coordinates.chart, coordinates.generators, frame.stated.algebra, frame.stated.closure)
    for action in (frame.stated, adapted):
        try:
            found = invariant_fields(action)
        except DalembertError:  # these coordinates, or functions that are not looked for
            continue
        change = frame.adapted.matrix
        here = [substitute(row, coordinates.inverse) if action is frame.stated else row for row in found.matrix]
        matrix = multiply(multiply(change, here), inverse(change))
        short = tuple(tuple(shorten.all(row)) for row in matrix)
        here_fields = [_on_chart(e, frame) for e in found.fields]
        return checked_fields(frame.action, short, [combination(zip(row, here_fields, strict=True)) for row in change])
    return None


def _on_chart(field: VectorField, frame: SymmetricFrame) -> VectorField:
    """Return a field, on stated or adapted coordinates, on the adapted ones in their order."""
    inverse = frame.coordinates.inverse
    if field.chart == frame.stated.chart and any(image is not q for q, image in inverse.items()):
        return carried(field, frame.chart, inverse)
    return VectorField.of(frame.chart, dict(zip(field.chart.coordinates, field.components, strict=True)))


def _with_defaults(reduced: Reduced, symmetry: Symmetry) -> Reduced:
    """Return the equations with default values of momenta that are parameters made here."""
    if not symmetry.defaults:
        return reduced
    parameters = {**reduced.equations.parameters, **symmetry.defaults}
    return replace(reduced, equations=replace(reduced.equations, parameters=parameters))


def _basis_claims(frame: SymmetricFrame) -> list[Claim]:
    """Say for which values of the symbols in mu the adapted basis is one."""
    minor = frame.adapted.determinant
    if minor.op == "number":
        return []
    said = f"the adapted basis of the algebra is one for all values of mu; it is where {text(minor)} != 0"
    verdict = never_zero(minor)
    if verdict.holds is False:
        verdict = Verdict("refuted", f"{text(minor)} vanishes for some values; there another basis is needed.")
    return [Claim("adapted basis", said, "question", verdict)]
