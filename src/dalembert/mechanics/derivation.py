"""Deriving equations: a formalism by its name, and what comes out by its type."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, overload

from dalembert.errors import ExpressionError, Fault, HypothesisError, expect
from dalembert.mechanics.registry import Formalism, formalism

if TYPE_CHECKING:  # a formalism is read when it is asked for
    from dalembert.mechanics.chaplygin.chaplygin import Chaplygin
    from dalembert.mechanics.chaplygin.in_frame import ChaplyginInFrame
    from dalembert.mechanics.chaplygin.without_charts.derived import ChaplyginWithoutCharts
    from dalembert.mechanics.lagrangian.euler_lagrange import EulerLagrange
    from dalembert.mechanics.nonholonomic.general_constraints import ConstrainedMotion
    from dalembert.mechanics.nonholonomic.given_equations import StatedMotion
    from dalembert.mechanics.nonholonomic.linear_constraints import Nonholonomic
    from dalembert.mechanics.nonholonomic.on_spheres import MotionOnSpheres
    from dalembert.mechanics.nonholonomic.saddle_point_form import SaddlePointMotion
    from dalembert.mechanics.reduced.reduced import Reduced
    from dalembert.mechanics.routh.routh import Routh
    from dalembert.mechanics.routh.without_charts.derived import RouthWithoutCharts
    from dalembert.mechanics.semisymplectic.semisymplectic import SemiHamiltonian
    from dalembert.mechanics.semisymplectic.without_charts.derived import SemiHamiltonianWithoutCharts
    from dalembert.mechanics.vakonomic.vakonomic import Vakonomic
    from dalembert.mechanics.vakonomic.without_charts import VakonomicWithoutCharts
    from dalembert.model.system import System


_IN_FRAMES = frozenset({"chaplygin", "vakonomic", "semisymplectic", "reduced"})
"""Those that take the constraints to be independent."""


@overload
def derive(system: System, name: Literal["euler-lagrange"]) -> EulerLagrange: ...
@overload
def derive(
    system: System, name: Literal["nonholonomic"]
) -> Nonholonomic | ConstrainedMotion | StatedMotion | SaddlePointMotion | MotionOnSpheres: ...
@overload
def derive(system: System, name: Literal["chaplygin"]) -> Chaplygin | ChaplyginInFrame | ChaplyginWithoutCharts: ...
@overload
def derive(system: System, name: Literal["reduced"]) -> Reduced: ...
@overload
def derive(system: System, name: Literal["routh"]) -> Routh | RouthWithoutCharts: ...
@overload
def derive(system: System, name: Literal["vakonomic"]) -> Vakonomic | VakonomicWithoutCharts: ...
@overload
def derive(system: System, name: Literal["semisymplectic"]) -> SemiHamiltonian | SemiHamiltonianWithoutCharts: ...
@overload
def derive(system: System, name: str) -> Any: ...
def derive(system: System, name: str) -> Any:
    """Return what a formalism derives from a system, or raise ``HypothesisError`` with every reason why it cannot.

    Hypotheses are decided and equations and geometry written down; ``claims`` decides the theorems about them.

    >>> from dalembert import System
    >>> fall = System.of(name="fall", coordinates="z", parameters={"g": 9.81}, lagrangian="z'^2/2 - g*z")
    >>> derive(fall, "euler-lagrange").energy
    z'^2 - (z'^2/2 - g*z)
    """
    from dalembert.model.repeated import faults_of_repetition
    from dalembert.model.system import System

    expect(system, System, "derive takes a system")
    how = formalism(name)
    if system.points and not how.chart_free:
        what = f"'{system.points[0].name}' is a {system.points[0].kind}, and {name} takes coordinates of a chart"
        remedy = "use one that does not, as euler-lagrange or nonholonomic, or state it by angles"
        raise HypothesisError(name, [Fault("[coordinates]", what, remedy)])
    if system.balances and (name != "nonholonomic" or system.points):
        names = ", ".join(one.data.name for one in system.balances)
        what = f"they are not linear in {names}, which are found with the motion"
        remedy = "state orientations by angles" if name == "nonholonomic" else "use nonholonomic"
        raise HypothesisError(name, [Fault("[forces]", what, remedy)])
    if name in _IN_FRAMES and system.constraints and (faults := faults_of_repetition(system)):
        raise HypothesisError(name, faults)
    if how.needs_symmetry and system.mechanism is not None and not system.symmetry:
        return _by_evident_symmetries(how, system)
    return how.derive(system)


def _by_evident_symmetries(how: Formalism, system: System) -> Any:
    """Return what a formalism derives from a machine that states no symmetry, by its evident ones, and say so."""
    from dalembert.model.claim import Claim
    from dalembert.model.symmetries import found_symmetries

    try:
        found = found_symmetries(system)
    except ExpressionError:  # none can be found
        return how.derive(system)
    said = f"no symmetry is stated, and {f'the evident ones are taken: {found}' if found.words else 'none is evident'}"
    try:
        result = how.derive(replace(system, symmetry=found.generators))
    except HypothesisError as error:
        raise HypothesisError(how.name, [*error.faults, Fault("[symmetry]", said)]) from None
    taken = Claim("evident symmetries", said, "hypothesis", found.verdict)
    return replace(result, hypotheses=(taken, *result.hypotheses))


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
