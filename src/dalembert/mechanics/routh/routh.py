"""Routh's procedure for any symmetry group and any regular Lagrangian (Crampin and Mestdag).

A regular Lagrangian L is invariant under a free action; its momenta p_a are constant, mu_a. On the level set N_mu the
velocities along the group are functions of the others, and the Routhian R^mu = L - v^a mu_a gives the equations of the
rest; what is left of the symmetry, G_mu, is divided out, and reconstruction gives it back. The parts are in files of
their own: ``hypotheses``, ``adapted_coordinates`` (coordinates), ``frame`` (section II), ``level_set`` and
``identities`` (section III), ``reduced`` (section VI, and the moving frame).
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import Any

from dalembert.errors import DalembertError, Fault, HypothesisError, expect
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.linear.cases import Case
from dalembert.expr.text import text
from dalembert.expr.truth import Verdict, never_zero
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import substitute, symbols
from dalembert.geometry.fields import VectorField, combination
from dalembert.geometry.groups.actions import Action
from dalembert.geometry.groups.invariant_frame import InvariantFields, checked_fields, invariant_fields
from dalembert.geometry.groups.isotropy_algebra import isotropy_cases
from dalembert.geometry.groups.matrices import inverse, multiply
from dalembert.geometry.straighten import carried
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.lagrangian.restated import Restated, in_stated_speeds
from dalembert.mechanics.routh.adapted_coordinates import NoAdaptedCoordinates
from dalembert.mechanics.routh.coadjoint_orbit import OnOrbit, on_orbit
from dalembert.mechanics.routh.cocycle import RouthWithCocycle, derive_with_cocycle
from dalembert.mechanics.routh.frame import SymmetricFrame, symmetric_frame
from dalembert.mechanics.routh.hypotheses import Symmetry, attained, momenta_of, symmetry_of
from dalembert.mechanics.routh.identities import principal_connection
from dalembert.mechanics.routh.level_set import LevelSet, Motion, level_set, motion_on_level_sets, routh_form
from dalembert.mechanics.routh.on_section.derived import RouthOnSection, derive_on_section, with_sections
from dalembert.mechanics.routh.reconstruction.summary import reconstruction_objects
from dalembert.mechanics.routh.reduced import body_form, reduce
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.records import dataclass, replace

_EFFORT = 1.5
"""The work that all expressions together may take to be written shorter."""
_ZERO = Fraction(0)
_TINY = 1e-12
"""A momentum at the start below this is zero but for rounding."""


@dataclass(frozen=True, repr=False)
class Routh(Restated):
    """The reduced equations of a system with symmetry, and the geometry on the way to them."""

    level: LevelSet
    """N_mu, iota, the Routhian, the barred fields (section III)."""
    equations: Equations
    """The field on N_mu/G_mu and the lift (section VI); in the speeds that are stated, as far as they live there."""
    reference: dict[Expr, Expr]
    """The value of each theta^A at which the reduced equations are written; empty where they do not contain them."""
    invariant: InvariantFields | None
    """The invariant fields E^_a = A_a^b E~_b of the adapted basis, where an ansatz finds them."""
    in_moving_frame: bool
    """Whether the equations were written in the moving frame of these."""
    hypotheses: tuple[Claim, ...]
    plain: Equations | None = None
    orbit: OnOrbit | None = None
    """The motion with Pi on the coadjoint orbit of mu, where G_mu could not be made straight."""

    form = "chart"

    @property
    def frame(self) -> SymmetricFrame:
        """The standard basis, quasi-velocities, momenta, Hessian, curvature (section II)."""
        return self.level.frame

    @property
    def system(self) -> System:
        """The system that it was derived from."""
        return self.frame.system

    @property
    def lifted(self) -> tuple[Expr, ...]:
        """The coordinates theta^A."""
        return () if self.orbit is not None else tuple(self.equations.reconstruction)

    @cached_property
    def motion(self) -> Motion:
        """The Euler-Lagrange field in quasi-velocities, by the generalised Routh equations (section III)."""
        return motion_on_level_sets(self.frame)

    def shortened_level(self) -> LevelSet:
        """Return the level set with its functions in short form, as they are shown."""
        return self.level.shortened(_shortening()) if self.in_moving_frame else self.level

    def cases(self) -> tuple[Case, ...]:
        """Return the values of the symbols in mu by the dimension of g_mu, the generic one first."""
        return _cases(self.frame.stated, self.frame.stated_momentum)

    def objects(self) -> dict[str, Any]:
        """Return the geometric objects by the names of the JSON."""
        level = self.shortened_level()
        frame = level.frame
        names = frame.action.names
        found: dict[str, Any] = {
            "structure_constants": [[list(row) for row in rows] for rows in frame.stated.algebra.constants],
            "momenta": dict(zip(frame.stated.names, momenta_of(frame.system, frame.stated), strict=True)),
            "isotropy_basis": [list(row) for row in frame.adapted.matrix[: frame.isotropy_dimension]],
            "isotropy_cases": [
                {"where": str(case).partition(" where ")[2], "basis": case.null_space} for case in self.cases()
            ],
            "adapted_basis": {a: list(row) for a, row in zip(names, frame.adapted.matrix, strict=True)},
            "adapted_momentum": dict(zip(names, frame.momentum, strict=True)),
            "adapted_coordinates": {
                "base": [q.data.name for q in frame.base],
                "fibre": [q.data.name for q in frame.fibre],
                "lifted": [q.data.name for q in self.lifted],
                "stated": {q.data.name: image for q, image in frame.coordinates.inverse.items()},
                "by_stated": {q.data.name: e for q, e in frame.coordinates.forward.items() if _is_by(e, frame.stated)},
            },
            "hessian": {"g_ab": frame.g_ab, "g_ai": frame.g_ai, "g_ij": frame.g_ij},
            "velocity_symbols": {a: v.data.name for a, v in zip(names, frame.v_fibre, strict=True)},
            "quasi_velocities": dict(zip(names, level.iota or frame.v_fibre, strict=True)),
            "connection": {"name": frame.connection_name, "coefficients": frame.coefficients},
            "routhian": level.routhian,
            "restricted_routhian": level.restricted_routhian(),
            "curvature": frame.curvature,
            "barred_coefficients": {
                "A": [level.restricted(row) for row in level.a_coefficients],
                "B": [level.restricted(row) for row in level.b_coefficients],
                "C": [level.restricted(row) for row in level.c_coefficients],
            },
        }
        return found | reconstruction_objects(self, level)


def _is_by(expression: Expr, action: Action) -> bool:
    """Say whether an expression is one of the coordinates of an action; not where [bundle] has the inverse alone."""
    moving = {symbol(s) for s in symbols([expression]) if s.role not in ("parameter", "time")}
    return moving <= {*action.chart.coordinates}


def _shortening() -> SimplificationBudget:
    return SimplificationBudget(_EFFORT, each=0.4, largest=400)


def check(system: System) -> tuple[Fault, ...]:
    """Return what forbids Routh's procedure."""
    try:
        derive(system)
    except HypothesisError as error:
        return error.faults
    return ()


def derive(system: System) -> Routh:
    """Return the reduced equations, or raise ``HypothesisError`` with every reason why there are none.

    >>> plane = System.of(name="plane", coordinates={"r": "positive", "phi": "angle"}, parameters={"k": 1, "l": 1},
    ...                   lagrangian="(r'^2 + r^2*phi'^2)/2 + k/r", symmetry={"turn": {"phi": 1}}, momentum=["l"])
    >>> found = derive(plane)
    >>> found.equations.state, found.equations.reconstruction
    ((r, r'), {phi: l/r^2})
    """
    expect(system, System, "a formalism takes a system")
    if system.points:
        what = f"'{system.points[0].name}' is a {system.points[0].kind}"
        raise refusal("routh", [Fault("[coordinates]", what, "use dalembert.derive, which takes it", kind="chart")])
    return _derive(system, _at_start(symmetry_of(system)))


def derive_with_group(system: System) -> Routh | RouthOnSection | RouthWithCocycle:
    """Return the reduced equations in coordinates adapted to the group, else by a section through its orbits.

    The latter where the group acts by affine maps, and no coordinates are known in which it is straight, or in which
    G_mu is. Coordinates in [bundle] are kept to.
    """
    return _with_group(system, _at_start(symmetry_of(system, up_to_derivatives=True)))


def _with_group(system: System, symmetry: Symmetry) -> Routh | RouthOnSection | RouthWithCocycle:
    if symmetry.gauges:
        return derive_with_cocycle(system, symmetry)
    try:
        found = _derive(system, symmetry)
    except NoAdaptedCoordinates as missing:
        embedded = derive_on_section(system, symmetry)
        if embedded is None:
            raise refusal("routh", missing.faults) from None
        return embedded
    if found.frame.coordinates.straight or system.bundle is not None:
        return replace(found, equations=with_sections(found.equations, system, symmetry))
    return derive_on_section(system, symmetry) or found


def derive_cases(system: System) -> list[Routh | RouthOnSection | RouthWithCocycle]:
    """Return one reduction for each case of g_mu that the symbols in mu make, the generic one first.

    In each the symbols have the values that its conditions give them, for instance 0.
    """
    symmetry = symmetry_of(system)
    found: list[Routh | RouthOnSection | RouthWithCocycle] = []
    for case in _cases(symmetry.action, symmetry.values):
        values = tuple(substitute(list(symmetry.values), dict(case.solved)))
        found.append(_with_group(system, Symmetry(symmetry.action, values, symmetry.hypotheses)))
    return found


def _cases(action: Action, momentum: tuple[Expr, ...]) -> tuple[Case, ...]:
    if not symbols(momentum):
        return ()
    try:
        return tuple(isotropy_cases(action.algebra, momentum))
    except DalembertError:  # mu is not rational in its symbols
        return ()


def _at_start(symmetry: Symmetry) -> Symmetry:
    """Return the momentum in the case that [start] belongs to, where none is stated and g_mu is larger there."""
    known = {p: _ZERO if abs(float(value)) < _TINY else Fraction(value) for p, value in symmetry.defaults.items()}
    cases = _cases(symmetry.action, symmetry.values) if known and not symmetry.gauges else ()
    case = next((case for case in cases[1:] if case.holds(known)), None)
    if case is None or not case.solved:
        return symmetry
    values = tuple(substitute(list(symmetry.values), dict(case.solved)))
    kept = {p: value for p, value in symmetry.defaults.items() if p.data in symbols(values)}
    met = ", ".join(sorted(f"{text(p)} = {text(value)}" for p, value in case.solved.items()))
    why = f"at [start] {met}, where the isotropy algebra is larger; for other values state [momentum]."
    claim = Claim("momentum", "the equations hold for all values of the momentum", "question", Verdict("refuted", why))
    return Symmetry(symmetry.action, values, (*symmetry.hypotheses, claim), kept)


def _derive(system: System, symmetry: Symmetry) -> Routh:
    shorten = _shortening()
    frame = symmetric_frame(system, symmetry.action, symmetry.values, shorten, symmetry.defaults)
    principal = principal_connection(frame)
    level = level_set(frame)
    invariant = _invariant(frame)
    body = body_form(level, invariant, shorten)
    embedded = body is not None and not frame.coordinates.straight
    if body is None:  # else nothing of the level set is in the equations
        level = level.shortened(shorten)
    hypotheses = (*symmetry.hypotheses, *attained(level, symmetry.defaults), principal)
    short = SimplificationBudget(0.0) if embedded else shorten  # then others are shown
    equations, reference = reduce(level, body or routh_form(level, motion_on_level_sets(level.frame)), short)
    equations = replace(equations, parameters={**equations.parameters, **symmetry.defaults})
    found = Routh(level, equations, reference, invariant, body is not None, hypotheses)
    if embedded:
        orbit = on_orbit(level, invariant, equations, _shortening())
        if orbit is not None:
            return replace(found, equations=orbit.equations, orbit=orbit)
    stated = in_stated_speeds(equations, system)
    return found if stated is None else replace(found, equations=stated, plain=equations)


def _invariant(frame: SymmetricFrame) -> InvariantFields | None:
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
        fields = [_on_chart(e, frame) for e in found.fields]
        return checked_fields(frame.action, matrix, [combination(zip(row, fields, strict=True)) for row in change])
    return None


def _on_chart(field: VectorField, frame: SymmetricFrame) -> VectorField:
    """Return a field, on stated or adapted coordinates, on the adapted ones in their order."""
    inverse = frame.coordinates.inverse
    if field.chart == frame.stated.chart and any(image is not q for q, image in inverse.items()):
        return carried(field, frame.chart, inverse)
    return VectorField.of(frame.chart, dict(zip(field.chart.coordinates, field.components, strict=True)))


# -- theorems ------------------------------------------------------------------------------------------------
def adapted_basis_everywhere(result: Routh, _: ProofBudget) -> list[Claim]:
    """Say for which values of the symbols in mu the adapted basis is one."""
    minor = result.frame.adapted.determinant
    if minor.op == "number":
        return []
    said = f"the adapted basis of the algebra is one for all values of mu; it is where {text(minor)} != 0"
    verdict = never_zero(minor)
    if verdict.holds is False:
        verdict = Verdict("refuted", f"{text(minor)} vanishes for some values; there another basis is needed.")
    return [Claim("adapted basis", said, "question", verdict)]
