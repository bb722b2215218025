"""Deriving equations: a formalism by its name, and what comes out by its type."""

from __future__ import annotations

from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, overload

from dalembert.errors import ExpressionError, Fault, HypothesisError, expect
from dalembert.garbage import unsearched
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.registry import Formalism, formalism, is_own
from dalembert.records import dataclass, replace

if TYPE_CHECKING:  # a formalism is read when it is asked for
    from dalembert.mechanics.chaplygin.chaplygin import Chaplygin
    from dalembert.mechanics.chaplygin.in_frame import ChaplyginInFrame
    from dalembert.mechanics.chaplygin.without_charts.derived import ChaplyginWithoutCharts
    from dalembert.mechanics.found_symmetries import Choice, FoundSymmetries
    from dalembert.mechanics.lagrangian.euler_lagrange import EulerLagrange
    from dalembert.mechanics.nonholonomic.general_constraints import ConstrainedMotion
    from dalembert.mechanics.nonholonomic.given_equations import StatedMotion
    from dalembert.mechanics.nonholonomic.linear_constraints import Nonholonomic
    from dalembert.mechanics.nonholonomic.on_spheres import MotionOnSpheres
    from dalembert.mechanics.nonholonomic.saddle_point_form import SaddlePointMotion
    from dalembert.mechanics.reduced.on_algebra import OnAlgebra
    from dalembert.mechanics.reduced.reduced import Reduced
    from dalembert.mechanics.reduced.without_charts.motion import ReducedWithoutCharts
    from dalembert.mechanics.routh.cocycle import RouthWithCocycle
    from dalembert.mechanics.routh.on_section.derived import RouthOnSection
    from dalembert.mechanics.routh.routh import Routh
    from dalembert.mechanics.routh.without_charts.derived import RouthWithoutCharts
    from dalembert.mechanics.semisymplectic.almost_poisson import AlmostPoissonSystem
    from dalembert.mechanics.semisymplectic.semisymplectic import SemiHamiltonian
    from dalembert.mechanics.semisymplectic.without_charts.derived import SemiHamiltonianWithoutCharts
    from dalembert.mechanics.vakonomic.on_algebra import VakonomicOnAlgebra
    from dalembert.mechanics.vakonomic.vakonomic import Vakonomic
    from dalembert.mechanics.vakonomic.without_charts import VakonomicWithoutCharts
    from dalembert.model.equations import Equations
    from dalembert.model.system import System


_IN_FRAMES = frozenset({"chaplygin", "vakonomic", "semisymplectic", "reduced"})
"""Those that take the constraints to be independent."""
_ON_ALGEBRAS = frozenset({"reduced", "vakonomic"})
"""Those that take the velocities of a Lie algebra."""
_MOST_GROUPS = 4
"""So many groups are tried, the largest first, until the hypotheses hold."""
_MOST_IDEALS = 2
"""And of what nothing was divided out of, so many ideals."""


@overload
def derive(system: System, name: Literal["euler-lagrange"], *, symmetry: Choice | None = None) -> EulerLagrange: ...
@overload
def derive(
    system: System, name: Literal["nonholonomic"], *, symmetry: Choice | None = None
) -> Nonholonomic | ConstrainedMotion | StatedMotion | SaddlePointMotion | MotionOnSpheres: ...
@overload
def derive(
    system: System, name: Literal["chaplygin"], *, symmetry: Choice | None = None
) -> Chaplygin | ChaplyginInFrame | ChaplyginWithoutCharts: ...
@overload
def derive(
    system: System, name: Literal["reduced"], *, symmetry: Choice | None = None
) -> Reduced | OnAlgebra | ReducedWithoutCharts: ...
@overload
def derive(
    system: System, name: Literal["routh"], *, symmetry: Choice | None = None
) -> Routh | RouthOnSection | RouthWithCocycle | RouthWithoutCharts: ...
@overload
def derive(
    system: System, name: Literal["vakonomic"], *, symmetry: Choice | None = None
) -> Vakonomic | VakonomicWithoutCharts | VakonomicOnAlgebra: ...
@overload
def derive(
    system: System, name: Literal["semisymplectic"], *, symmetry: Choice | None = None
) -> SemiHamiltonian | SemiHamiltonianWithoutCharts | AlmostPoissonSystem: ...
@overload
def derive(system: System, name: str, *, symmetry: Choice | None = None) -> Any: ...
def derive(system: System, name: str, *, symmetry: Choice | None = None) -> Any:
    """Return what a formalism derives from a system, or raise ``HypothesisError`` with every reason why it cannot.

    Hypotheses are decided and equations and geometry written down; ``claims`` decides the theorems about them.
    A reduction of a system that states no symmetry takes one that is found, and says so; ``symmetry`` chooses another:
    ``"none"``, ``"found"``, names of stated or found generators, a table of generators, or a path of a file with one.

    >>> from dalembert import System
    >>> fall = System.of(name="fall", coordinates="z", parameters={"g": 9.81}, lagrangian="z'^2/2 - g*z")
    >>> derive(fall, "euler-lagrange").energy
    z'^2 - (z'^2/2 - g*z)
    """
    from dalembert.model.system import System

    expect(system, System, "derive takes a system")
    how = formalism(name)
    if symmetry is not None:
        from dalembert.mechanics.found_symmetries import with_symmetry

        system = with_symmetry(system, symmetry)
    try:
        with unsearched():
            return _derive(how, system)
    except HypothesisError as error:
        raise how.refused(error) from None


def _derive(how: Formalism, system: System) -> Any:
    from dalembert.model.repeated import faults_of_repetition

    name = how.name
    if system.points and not how.chart_free:
        what = f"'{system.points[0].name}' is a {system.points[0].kind}, and {name} takes coordinates of a chart"
        remedy = "use one that does not, as euler-lagrange or nonholonomic, or state it by angles"
        raise refusal(name, [Fault("[coordinates]", what, remedy, kind="chart")])
    if system.algebra is not None and name not in _ON_ALGEBRAS:
        from dalembert.mechanics.common import faults_of_algebra

        raise refusal(name, faults_of_algebra(system))
    if system.bundle is not None and system.bundle.unsolved and how.needs_symmetry and name != "routh":
        what = f"'{system.bundle.unsolved[0].data.name}' is given by [bundle] inverse alone, which routh takes"
        raise refusal(name, [Fault("[bundle] adapted", what, "give it by the stated coordinates", kind="written")])
    if system.balances and (name != "nonholonomic" or system.points):
        names = ", ".join(one.data.name for one in system.balances)
        what = f"they are not linear in {names}, which are found with the motion"
        remedy = "state orientations by angles" if name == "nonholonomic" else "use nonholonomic"
        raise refusal(name, [Fault("[forces]", what, remedy, kind="force")])
    if name in _IN_FRAMES and system.constraints and (faults := faults_of_repetition(system)):
        raise refusal(name, faults)
    wanted = how.symmetry or ("all" if how.needs_symmetry else "")
    if wanted and not system.symmetry and system.found is None and not (system.algebra or system.bracket):
        return _by_found_symmetries(how, system, wanted)
    return how.derive(system)


def derived_once(system: System, name: str) -> Any:
    """Return what a formalism derives; where that was done before, the equations as they were kept, all else later.

    >>> from dalembert import System
    >>> fall = System.of(name="fall", coordinates="z", lagrangian="z'^2/2 - z")
    >>> derived_once(fall, "euler-lagrange").equations.formalism
    'euler-lagrange'
    """
    from dalembert.model.remembered import origin_of

    return _Derived(system, name) if is_own(name) and origin_of(system) is not None else derive(system, name)


@dataclass(frozen=True)
class _Derived:
    """A result of which the equations are known; it is derived when something else is asked of it."""

    stated: System
    name: str

    @cached_property
    def system(self) -> System:
        """The system that it was derived from: the one that is stated, or with symmetries that were found."""
        from dalembert.model.remembered import come_from, origin_of, remembered

        def taken() -> System | None:
            return None if self._whole.system is self.stated else self._whole.system

        other = remembered(self.stated, f"system of {self.name}", taken)
        return self.stated if other is None else come_from(other, str(origin_of(self.stated)), self.name)

    @cached_property
    def equations(self) -> Equations:
        """The equations of motion."""
        from dalembert.model.remembered import remembered_equations

        return remembered_equations(self.stated, self.name, lambda: self._whole.equations)

    @cached_property
    def _whole(self) -> Any:
        return derive(self.stated, self.name)

    def __getattr__(self, name: str) -> Any:
        """Ask the result itself."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._whole, name)


def _by_found_symmetries(how: Formalism, system: System, wanted: str) -> Any:
    """Return what a formalism derives from a system that states no symmetry, by those that are found.

    Nothing is searched where more than a symmetry is missing, or where there is nothing to reduce.
    """
    from dalembert.mechanics.found_symmetries import find_symmetries

    missing: list[Fault] = []
    if how.needs_symmetry:
        try:
            return how.derive(system)
        except HypothesisError as error:
            missing = list(error.faults)
            others = [fault for fault in missing if fault.where != "[symmetry]"]
            if others:  # a symmetry is the least of what is missing
                raise refusal(how.name, others) from None
    elif not system.stated_constraints:
        return how.derive(system)
    try:
        found = find_symmetries(system).strict if how.strict else find_symmetries(system)
    except ExpressionError as error:  # none can be found
        if not missing:
            return how.derive(system)
        raise refusal(how.name, [*missing, Fault("[symmetry]", str(error).removesuffix("."), kind="closure")]) from None
    if not found.generators:
        if not missing:
            return how.derive(system)
        what = f"no generators are stated, and none was found among {found.space}"
        raise refusal(how.name, [replace(missing[0], what=what)])
    groups = [tuple(found.generators)] if wanted == "all" else found.groups()
    first: list[Fault] = []
    most = 0
    for names in islice(groups, _MOST_GROUPS):
        most = max(most, len(names))
        why = "the largest group that acts freely is taken" if len(names) == most else "by more of them it is refused"
        taken = found.taken(names, why)
        try:
            whole = how.derive(taken)
            return _divided(how, found, names) or whole if getattr(whole, "undivided", False) else whole
        except HypothesisError as error:
            assert taken.found is not None
            by_it = how.needs_symmetry or any(fault.where.startswith("[symmetry]") for fault in error.faults)
            first = first or [*error.faults, *([_taken(taken.found.statement, error)] if by_it else [])]
    raise refusal(how.name, first or missing) from None


def _divided(how: Formalism, found: FoundSymmetries, names: tuple[str, ...]) -> Any:
    """Return what is derived by an ideal of all that was found, where by more generators nothing can be divided out."""
    for ideal in islice((other for other in found.ideals() if len(other) < len(names)), _MOST_IDEALS):
        try:
            result = how.derive(found.taken(ideal, "by more of them no coordinates of the quotient are known"))
        except HypothesisError:
            continue
        if not result.undivided:
            return result
    return None


def _taken(statement: str, error: HypothesisError) -> Fault:
    """Return the sentence on the symmetry that was taken, of the hypothesis that fails with it."""
    first = next((fault for fault in error.faults if fault.where.startswith("[symmetry]")), error.faults[0])
    return Fault("[symmetry]", statement, kind=first.kind, hypothesis=first.hypothesis)


def refusals(system: System, name: str) -> tuple[Fault, ...]:
    """Return every reason why a formalism does not apply to a system; none where it does.

    >>> from dalembert import System
    >>> ball = System.of(name="ball", coordinates="z", lagrangian="z'^2/2 - z")
    >>> [fault.what for fault in refusals(ball, "vakonomic")]
    ['there are none']
    """
    try:
        derive(system, name)
    except HypothesisError as error:
        return tuple(error.faults)
    return ()
