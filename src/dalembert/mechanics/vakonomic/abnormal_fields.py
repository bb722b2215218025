"""Abnormal extremals of distributions of rank 2, found: the curves of a characteristic field.

Let X_1, X_2 span D, the kernel of the constraint forms omega^a. A costate lambda_a omega^a is abnormal along a curve
with velocity u^1 X_1 + u^2 X_2 only if H_12 = lambda_a omega^a([X_1, X_2]) stays zero, so that

    u^1 H_112 + u^2 H_212 = 0,    H_i12 = lambda_a omega^a([X_i, [X_1, X_2]]),

which gives the direction u = (-H_212, H_112) wherever these do not both vanish. With one constraint that is a field on
the surface where omega([X_1, X_2]) = 0 (Martinet); with two a field on Q (Engel), as H_12 = 0 gives lambda up to a
factor; with more a field on Q and the lambda. Its curves satisfy the strong generalised Legendre condition (Liu,
Sussmann): lambda_a omega^a([X_v, [X_u, X_v]]) = -(H_112^2 + H_212^2)^2 for v = (H_112, H_212), not zero on them.

That they are abnormal is decided by other means: lambda_a E_f^a - lambda_a' Omega_f^a = 0 with the Euler operators of
the constraints along them, and H_12 stays zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import combinations
from typing import Any

from dalembert.errors import Fault
from dalembert.expr.calculus import diff, jacobian, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.field import tidy
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Verdict, Where, depends_on, never_zero, vanish
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import divisors, substitute
from dalembert.geometry.fields import Chart, VectorField, bracket
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.common import equations_of, facts_of
from dalembert.mechanics.nonholonomic.constraint_manifold import ConstraintManifold, constraint_manifold
from dalembert.mechanics.vakonomic.densities import fresh
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.records import dataclass

_RANK = 2
_SHOWN = 60
"""The longest formula of the exceptional set that a sentence shows."""
_CLEARED = 8
"""How often functions are multiplied by what they are divided by."""
_EFFORT = 0.4
"""Work for the short form of one formula."""
_MARTINET, _ENGEL = 1, 2
"""How many constraints leave a surface, and how many a field on Q."""


@dataclass(frozen=True)
class AbnormalField:
    """The field whose curves are the regular abnormal extremals of a distribution of rank 2."""

    system: System
    frame: tuple[VectorField, VectorField]
    forms: tuple[tuple[Expr, ...], ...]
    """omega^a, by coordinates."""
    multipliers: tuple[Expr, ...]
    """lambda_a: symbols; for two constraints functions on Q, and 1 for one."""
    condition: Expr
    """H_12, which has to vanish: for two constraints it is 0."""
    controls: tuple[Expr, Expr]
    """(-H_212, H_112)."""
    dependent: tuple[int, ...]
    """The places of as many coordinates as there are constraints, in which the forms are independent."""

    @cached_property
    def field(self) -> tuple[Expr, ...]:
        """The velocity q' along the abnormal extremals, up to their speed."""
        first, second = (one.components for one in self.frame)
        u, w = self.controls
        return tuple(tidy(u * a + w * b, _EFFORT) for a, b in zip(first, second, strict=True))

    @property
    def exists(self) -> bool:
        """Whether the field is not zero everywhere, nor asked for on a surface without points."""
        return not (self.nowhere.holds or vanish(list(self.field)))

    @cached_property
    def nowhere(self) -> Verdict:
        """Whether H_12 vanishes nowhere, so that there are no abnormal extremals but points: of one constraint."""
        if len(self.forms) != _MARTINET:
            return Verdict("undecided", "H_12 is not a function on Q that has to vanish.")
        return never_zero(self.condition)

    @cached_property
    def pulled(self) -> list[Expr]:
        """lambda_a E_f^a along the field, by coordinates."""
        return _pulled(self.system.q, self.forms, self.multipliers, self.field)

    @cached_property
    def rates(self) -> tuple[Expr, ...]:
        """The lambda_a' that the equations of as many coordinates as there are constraints give."""
        square = [[form[j] for form in self.forms] for j in self.dependent]
        return tuple(tidy(rate, _EFFORT) for rate in solve(square, [self.pulled[j] for j in self.dependent]))

    @property
    def equations(self) -> Equations:
        """The field as equations, to be followed by ``simulate``."""
        kinematics = dict(zip(self.system.q, self.field, strict=True))
        if len(self.forms) > _ENGEL:
            kinematics |= dict(zip(self.multipliers, self.rates, strict=True))
        return equations_of(self.system, "abnormal", kinematics=kinematics, monitors={"condition": self.condition})

    def objects(self) -> dict[str, Any]:
        """Return what was found by the names of the JSON."""
        names = [q.data.name for q in self.system.q]
        found: dict[str, Any] = {"field": dict(zip(names, self.field, strict=True))}
        if len(self.forms) != _ENGEL:
            found["where_zero"] = self.condition
        found["exceptional_set"] = list(self.exceptional_set)
        if len(self.forms) > _ENGEL:
            found["multipliers"] = {m.data.name: r for m, r in zip(self.multipliers, self.rates, strict=True)}
        return found

    # -- theorems ------------------------------------------------------------------------------------------------
    def claims(self, proofs: ProofBudget) -> list[Claim]:
        """Say where abnormal extremals are, or that there are none."""
        name = "abnormal extremals of rank 2"
        if self.nowhere.holds:
            said = "there are no abnormal extremals but points: [X_1, X_2] is nowhere in D"
            return [Claim(name, said, "question", self.nowhere)]
        everywhere = self.everywhere(proofs)
        if everywhere.holds:
            said = "every curve that the constraints allow is an abnormal extremal, near generic points"
            return [Claim(name, said, "question", everywhere)]
        if not self.exists:
            why = "the characteristic field vanishes identically, so that it says nothing of abnormal extremals."
            return [Claim(name, "abnormal extremals are the curves of a field", "question", Verdict("undecided", why))]
        where = {_MARTINET: f"on the surface {self.condition!r} = 0", _ENGEL: "on Q"}.get(
            len(self.forms), "on Q and the multipliers"
        )
        said = f"abnormal extremals are the curves of a field {where}, {self._told_exception()}"
        return [Claim(name, said, "check", self.is_abnormal(proofs))]

    def everywhere(self, proofs: ProofBudget) -> Verdict:
        """Decide whether all curves that the constraints allow are abnormal.

        So they are where [X_1, X_2] lies in D, with any lambda at the begin; and of two constraints where it adds a
        direction, and further brackets none: what annihilates these directions is carried along by every curve.
        """
        parts = {"H_12": self.condition}
        if len(self.forms) == _ENGEL:  # lambda is made of [X_1, X_2], and is 0 where that lies in D
            inside = vanish(list(self.multipliers))
            more = self.multipliers if inside else self.controls
            parts = {f"{'lambda' if inside else 'H_i12'}, {n}": one for n, one in enumerate(more, 1)}
        return proofs.all_vanish(parts, facts_of(self.system))

    @cached_property
    def exceptional_set(self) -> tuple[Expr, ...]:
        """What vanishes together where the field says nothing: H_112 and H_212; empty where they never do.

        >>> flat = System.of(name="flat", coordinates="x y z", lagrangian="(x'^2 + y'^2)/2",
        ...                  constraints={"slope": "z' = (x^3 + y^2*x)*y'"})
        >>> abnormal_field(flat).exceptional_set
        (2*y, 6*x)
        """
        both = [part for part in (-self.controls[0], self.controls[1]) if not vanish([part])]
        free = [part for part in both if never_zero(part).holds]
        if free or never_zero(total([(1, part**2) for part in both])).holds:
            return ()
        return tuple(both)

    def _told_exception(self) -> str:
        """Say where the field is zero."""
        where = self.exceptional_set
        if not where:
            return "which is zero nowhere"
        shown = [repr(part) for part in where]
        if any(len(one) > _SHOWN for one in shown):
            return "but for where it is zero (exceptional_set)"
        return f"but for where {' = '.join(shown)} = 0"

    def is_abnormal(self, proofs: ProofBudget) -> Verdict:
        """Decide lambda_a E_f^a - lambda_a' Omega_f^a = 0 along the field, where H_12 = 0."""
        q, facts = self.system.q, facts_of(self.system)
        if len(self.forms) > _ENGEL:
            lost = [dot(self.rates, [form[j] for form in self.forms]) for j in range(len(q))]
            gaps = {f"along {x.data.name}": a - b for x, a, b in zip(q, self.pulled, lost, strict=True)}
            gaps["the rate of H_12"] = tangent([self.condition], self.equations.kinematics)[0]
            put = self._on_condition()
            return proofs.all_vanish(dict(zip(gaps, substitute(list(gaps.values()), put), strict=True)), facts)
        # here lambda is known up to a factor, so that what is left has to be a multiple of lambda_a omega^a
        carried = [dot([diff(m, x) for x in q], self.field) for m in self.multipliers]
        left = [e - dot(carried, [form[j] for form in self.forms]) for j, e in enumerate(self.pulled)]
        costate = [dot(self.multipliers, [form[j] for form in self.forms]) for j in range(len(q))]
        minors = {
            f"along {q[i].data.name}, {q[j].data.name}": left[i] * costate[j] - left[j] * costate[i]
            for i, j in combinations(range(len(q)), 2)
        }
        if len(self.forms) == _ENGEL:
            return proofs.all_vanish(minors, facts)
        minors["the rate of H_12"] = tangent([self.condition], self.equations.kinematics)[0]
        return proofs.all_vanish(minors, (*facts, Where(self.condition)))

    def _on_condition(self) -> dict[Expr, Expr]:
        """Return the multiplier that H_12 = 0 gives by the others."""
        slopes = [diff(self.condition, m) for m in self.multipliers]
        place = next(k for k, slope in enumerate(slopes) if not vanish([slope]))
        rest = dot([ZERO if k == place else slope for k, slope in enumerate(slopes)], self.multipliers)
        return {self.multipliers[place]: -rest / slopes[place]}


def _pulled(
    q: Sequence[Expr], forms: Sequence[Sequence[Expr]], multipliers: Sequence[Expr], velocity: Sequence[Expr]
) -> list[Expr]:
    """Return lambda_a (d_j omega^a_i - d_i omega^a_j) q'^i."""
    slopes = [jacobian(list(form), list(q)) for form in forms]
    size = range(len(q))
    return [
        total(
            [
                (1, m * (slope[i][j] - slope[j][i]) * velocity[i])
                for m, slope in zip(multipliers, slopes, strict=True)
                for i in size
            ]
        )
        for j in size
    ]


def abnormal_field(system: System) -> AbnormalField:
    """Return the field of the abnormal extremals of linear constraints that leave two velocities free.

    >>> engel = System.of(name="engel", coordinates="x y z w", lagrangian="(x'^2 + y'^2)/2",
    ...                   constraints={"first": "z' = x*y'", "second": "w' = x^2*y'/2"})
    >>> abnormal_field(engel).field
    (0, 1, x, x^2/2)
    """
    faults = check(system)
    if faults:
        raise refusal("abnormal extremals", faults)
    manifold = constraint_manifold(system)
    chart = Chart(system.q)
    stated = [c.expression for c in system.constraints.values()]
    forms = tuple(tuple(row) for row in jacobian(stated, list(system.v)))
    first, second = _frame(chart, manifold)
    crossed = bracket(first, second)
    twice = [bracket(one, crossed) for one in (first, second)]
    one, left, right = ([tidy(dot(form, x.components), _EFFORT) for form in forms] for x in (crossed, *twice))
    lambdas = _multipliers(system, one)
    condition = ZERO if len(forms) == _ENGEL else dot(lambdas, one)
    controls = (tidy(-dot(lambdas, right), _EFFORT), tidy(dot(lambdas, left), _EFFORT))
    if len(forms) == _ENGEL:  # lambda is known up to a factor
        controls = _without_common_factor(*controls)
    return AbnormalField(system, (first, second), forms, lambdas, condition, controls, manifold.dependent)


def _multipliers(system: System, crossed: Sequence[Expr]) -> tuple[Expr, ...]:
    """Return 1, or what omega^a([X_1, X_2]) lambda_a = 0 gives up to a factor, or symbols."""
    if len(crossed) == _MARTINET:
        return (ONE,)
    if len(crossed) == _ENGEL:
        return _without_common_factor(crossed[1], -crossed[0])
    return fresh([f"lambda_{name}" for name in system.constraints], system.vocabulary)


def _without_common_factor(first: Expr, second: Expr) -> tuple[Expr, Expr]:
    """Return two functions up to a factor: a fraction in lowest terms has what is left of them."""
    if vanish([first]) or vanish([second]):
        return (ZERO if vanish([first]) else ONE), (ZERO if vanish([second]) else ONE)
    one, other = _cleared([first / second, ONE])
    return one, other


def _frame(chart: Chart, manifold: ConstraintManifold) -> tuple[VectorField, VectorField]:
    """Return two fields that span D, without denominators where there is one that all components share."""
    one, other = (VectorField(chart, tuple(_cleared(direction))) for direction in manifold.directions())
    return one, other


def _cleared(parts: Sequence[Expr]) -> list[Expr]:
    """Return functions times what they are divided by, as far as that ends in functions that are not divided."""
    given = [tidy(part, _EFFORT) for part in parts]
    found = given
    for _ in range(_CLEARED):
        below = divisors(found)
        if not below:
            return found
        found = [tidy(below[0] * part, _EFFORT) for part in found]
    return given


def check(system: System) -> tuple[Fault, ...]:
    """Return what forbids the search: it is for two free velocities under linear constraints without time."""
    faults = []
    rank = len(system.q) - len(system.constraints)
    if system.points:
        faults.append(
            Fault(
                "[coordinates]",
                "there are rotations or directions, and the brackets of fields are taken in a chart",
                "state it by angles",
            )
        )
    elif rank != _RANK:
        what = f"the constraints leave {rank} velocities free, and a field is found where they leave 2"
        faults.append(Fault("[constraints]", what, "ask for a curve with mechanics.vakonomic.abnormal"))
    stated = [c.expression for c in system.constraints.values()]
    rows = [entry for row in jacobian(stated, list(system.v)) for entry in row]
    bent = depends_on(rows, [*system.v, symbol(TIME)])  # such may have no value at rest
    if bent or not vanish(substitute(stated, dict.fromkeys(system.v, ZERO))):
        faults.append(Fault("[constraints]", "they are not linear in the velocities, or contain time"))
    return tuple(faults)
