"""Laws of what a formalism derives, whichever it is: the result is carried to the stated coordinates and judged there.

Nothing of the derivation is used: coordinates, velocities and accelerations of the stated coordinates are read off the
equations, and put into the Lagrangian, the constraints and the forces as they were stated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from itertools import count
from typing import Any

from dalembert.analysis.fields import in_stated_coordinates, spheres_of
from dalembert.expr.calculus import diff, gradient, tangent, time_derivative
from dalembert.expr.graph import ONE, ZERO, Expr, number, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.text import Limits, parse
from dalembert.expr.truth import Fact, Verdict, all_hold, vanish, vanishing
from dalembert.expr.truth.many import all_vanish
from dalembert.expr.vocabulary import Vocabulary
from dalembert.expr.walk import substitute
from dalembert.geometry.distributions import Distribution
from dalembert.mechanics.common import points_of
from dalembert.mechanics.registry import formalism, formalism_names
from dalembert.mechanics.semisymplectic.manifold import SemiSymplectic
from dalembert.mechanics.vanishing_on import Held
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.numerics.field import all_rates
from dalembert.numerics.wording import unknown_rates
from dalembert.present.json_export import answer, written_equations
from dalembert.records import dataclass, replace
from dalembert.testing.law import Law, spoilt
from dalembert.testing.objects import Objects
from dalembert.testing.values import code_values, compiled_values, near_exact

_WIDE = Limits(length=10**7)


@dataclass(frozen=True)
class Motion:
    """Equations of motion and the system they have to be judged by.

    >>> from dalembert import System, derive
    >>> fall = System.of(name="fall", coordinates="z", lagrangian="z'^2/2 - z")
    >>> Motion(fall, derive(fall, "euler-lagrange").equations).carried(3 * fall.q[0].dot.dot)
    -3
    """

    system: System
    equations: Equations

    @cached_property
    def put(self) -> dict[Expr, Expr]:
        """The stated coordinates, velocities and accelerations by the variables of the equations."""
        q = self.system.q
        rows = in_stated_coordinates(self.equations, q)
        symbols = (q, [x.dot for x in q], [x.dot.dot for x in q])
        return {x: e for names, row in zip(symbols, rows, strict=True) for x, e in zip(names, row, strict=True)}

    def carried(self, expression: Expr) -> Expr:
        """Return an expression in stated names along the motions."""
        return substitute([expression], self.put)[0]

    def vanishing(self, parts: Mapping[str, Expr]) -> Verdict:
        """Decide whether expressions in stated names are zero at every state."""
        return self.zero({name: self.carried(part) for name, part in parts.items()})

    def rate(self, expression: Expr) -> Expr:
        """Return how an expression in the variables of the equations changes along the motions."""
        rates = {**all_rates(self.equations), **unknown_rates(self.equations), symbol(TIME): ONE}
        return tangent([expression], rates)[0]

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """What holds where the motion goes, and which variables have unit length together."""
        return (*points_of(self.system), *spheres_of(self.equations))

    @cached_property
    def relations(self) -> tuple[Expr, ...]:
        """What is zero of the states that belong to motions, beside unit lengths, where rotations are variables.

        Rates of a row or column of a rotation are at right angles to it. Where a reduction keeps more velocities than
        the constraints leave, all three of a rotation, it is the constraints that relate them.
        """
        system, equations = self.system, self.equations
        entries = {x.data.label: x for x in equations.named if x.dot in equations.state}
        rows = [
            [entries.get(f"{name}.m{i}{j}" if by_rows else f"{name}.m{j}{i}") for j in (1, 2, 3)]
            for name in sorted({label.partition(".")[0] for label in entries})
            for by_rows in (True, False)
            for i in (1, 2, 3)
        ]
        whole = [[x for x in row if x is not None] for row in rows if None not in row]
        found = [total([(1, equations.named[x] * x.dot) for x in row]) for row in whole]
        own = [c.expression for name, c in system.constraints.items() if name not in system.units]
        if system.points and len(equations.velocities) > len(system.q) - len(system.points) - len(own):
            found += map(self.carried, own)
        known = vanishing(found, self.facts)
        return tuple(e for e, zero in zip(found, known, strict=True) if not zero)

    def zero(self, parts: Mapping[str, Expr]) -> Verdict:
        """Decide whether expressions in the variables of the equations are zero wherever their unknowns are right."""
        residuals = (*self.equations.implicit.values(), *self.relations)
        if not residuals:
            return all_vanish(parts, self.facts)
        held = Held(residuals, (*self.equations.state, *self.equations.implicit), self.facts)
        return all_hold({name: held.vanishes(part) for name, part in parts.items()})


def _motion(result: Any) -> Motion:
    return Motion(result.system, result.equations)


# -- which motions -----------------------------------------------------------------------------------------------
def _is_lagrangian(result: Any) -> bool:
    """Say whether the motion is that of d'Alembert's principle for a Lagrangian of first order."""
    system, name = result.system, result.equations.formalism
    variational = name in formalism_names() and formalism(name).variational
    return system.lagrangian is not None and system.order == 1 and not variational


def _is_constrained(result: Any) -> bool:
    """Say whether there are constraints that hold at every state; of higher order they hold where the start obeys."""
    return bool(result.system.constraints) and result.system.order == 1


def _is_virtual(result: Any) -> bool:
    """Say whether the velocity itself is a virtual displacement, so that constraints do no work on the motion."""
    system = result.system
    if not _is_lagrangian(result):
        return False
    power = [total((1, a * v) for a, v in zip(row, system.v, strict=True)) for row in system.virtual_matrix()]
    return not power or vanish([*map(_motion(result).carried, power)], points_of(system))


def _is_explicit(result: Any) -> bool:
    return not result.equations.implicit


# -- wrong twins -------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class _Other:
    """A result with other equations."""

    system: System
    equations: Equations

    def objects(self) -> dict[str, object]:
        return {}


def spoil_force(result: Any) -> Any:
    """Return a result whose velocities are pushed, each by an amount of its own; where there are none, all slip."""
    equations: Equations = result.equations
    if not equations.velocities:
        return _spoil_kinematics(result)
    force = tuple(f + more for f, more in zip(equations.force, _amounts(), strict=False))
    return _Other(result.system, replace(equations, force=force))


def _spoil_kinematics(result: Any) -> Any:
    """Return a result in which every variable with a given rate slips, each by an amount of its own."""
    equations: Equations = result.equations
    amounts = _amounts()
    kinematics = {q: e + next(amounts) for q, e in equations.kinematics.items()}
    lift = {q: e + next(amounts) for q, e in equations.reconstruction.items()}
    return _Other(result.system, replace(equations, kinematics=kinematics, reconstruction=lift))


def _amounts() -> Iterator[Expr]:
    """Yield numbers with few relations between them."""
    return (number(Fraction(k * k + 1, k + 6)) for k in count(1))


# -- the laws ----------------------------------------------------------------------------------------------------
def obeys_constraints(motion: Motion) -> Verdict:
    """Decide whether every constraint holds along the motions; one that relates variables has to be kept by them."""
    carried = {name: motion.carried(c.expression) for name, c in motion.system.constraints.items()}
    parts = {name: motion.rate(e) if e in motion.relations else e for name, e in carried.items()}
    return motion.zero({f"the constraint '{name}'": e for name, e in parts.items()})


def obeys_dalembert(motion: Motion) -> Verdict:
    """Decide whether d/dt(dL/dq') - dL/dq - Q vanishes on every virtual displacement."""
    system = motion.system
    assert system.lagrangian is not None
    slopes = gradient(system.lagrangian, [*system.q, *system.v])
    size = len(system.q)
    reaction = [
        time_derivative(p) - f - system.forces.get(q, ZERO)
        for q, f, p in zip(system.q, slopes[:size], slopes[size:], strict=True)
    ]
    rows = system.virtual_matrix()
    fields = Distribution.from_forms(system.chart, rows).fields if rows else ()
    directions = [field.components for field in fields] if rows else _units(size)
    works = [total((1, r * d) for r, d in zip(reaction, along, strict=True)) for along in directions]
    return motion.vanishing({f"the work on virtual displacement {k}": e for k, e in enumerate(works, 1)})


def _units(size: int) -> list[list[Expr]]:
    return [[ONE if i == j else ZERO for j in range(size)] for i in range(size)]


def _keeps_energy(result: Any) -> Verdict:
    """Decide E' = Q . q' - dL/dt for E = q' . dL/dq' - L, differentiated along the equations."""
    motion, system = _motion(result), result.system
    momenta = gradient(system.lagrangian, list(system.v))
    energy = total((1, v * p) for v, p in zip(system.v, momenta, strict=True)) - system.lagrangian
    power = total((1, force * q.dot) for q, force in system.forces.items()) - diff(system.lagrangian, symbol(TIME))
    rate = motion.rate(motion.carried(energy))
    return motion.zero({"the rate of the energy less the power": rate - motion.carried(power)})


def _computed_in_c(result: Any, other: Any) -> Verdict:
    """Decide whether the code of a result computes the field of another one."""
    return near_exact(result.equations, other.equations, code_values)


def _reads_back(result: Any) -> Verdict:
    """Decide whether the texts of the JSON are the expressions they were written for."""
    return _read(result, answer(result, {}, ()))


def _read(result: Any, shown: dict[str, Any]) -> Verdict:
    equations = written_equations(result)
    made = {
        "field": equations.rates(),
        "lift": equations.reconstruction,
        "implicit": equations.implicit,
        "configuration": {q: equations.configuration.get(q, q) for q in result.system.q},
        "monitors": equations.monitors,
    }
    wanted = {
        f"{part} {key}": e for part, table in made.items() for key, e in zip(shown[part], table.values(), strict=True)
    }
    words = Vocabulary.covering([*wanted.values(), *equations.state, *result.system.q])
    moving = {x.data.label: x for x in equations.named if x.dot in equations.state}
    put: dict[Expr, Expr] = {}
    for name, text in shown["let"]:
        said = substitute([parse(text, words, _WIDE)], put)[0]
        if name in moving:  # an entry of a rotation whose rate is a variable: its name is a coordinate's too
            put[moving[name]] = said
        else:
            words = words.with_let(name, said)
    texts = {f"{part} {key}": text for part in made for key, text in shown[part].items()}
    found = substitute([parse(texts[name], words, _WIDE) for name in wanted], put)
    return all_vanish({name: one - e for (name, e), one in zip(wanted.items(), found, strict=True)})


def _reads_something_else(result: Any) -> Verdict:
    shown = answer(result, {}, ())
    first = next(iter(shown["field"]))
    return _read(result, {**shown, "field": {**shown["field"], first: f"({shown['field'][first]}) + 1/7"}})


# -- brackets ----------------------------------------------------------------------------------------------------
_MOST_DIMENSIONS = 8
"""Nested brackets of functions on larger manifolds take longer than all other laws together."""


def _is_poisson(result: Any) -> bool:
    """Say whether there is a bracket of which Jacobi's identity is claimed."""
    manifold = getattr(result, "manifold", None)
    if not isinstance(manifold, SemiSymplectic) or manifold.chart.dimension > _MOST_DIMENSIONS:
        return False
    return manifold.jacobi().holds is True


def _cyclic(result: Any, terms: int) -> Verdict:
    """Decide whether {{f, g}, h} and its cyclic companions add up to nothing, for functions drawn at random."""
    manifold: SemiSymplectic = result.manifold
    some = Objects(1, manifold.chart)
    f, g, h = (some.function() for _ in range(3))
    nested = [manifold.bracket(manifold.bracket(a, b), c) for a, b, c in ((f, g, h), (g, h, f), (h, f, g))[:terms]]
    return all_vanish({"the sum of nested brackets": total((1, e) for e in nested)}, manifold.facts)


MOTION_LAWS: tuple[Law[Any], ...] = (
    Law(
        "constraints",
        "every constraint holds along the motions",
        lambda result: obeys_constraints(_motion(result)),
        lambda result: obeys_constraints(_motion(_spoil_kinematics(result))),
        "every coordinate slips a little",
        _is_constrained,
    ),
    Law(
        "virtual work",
        "d/dt(dL/dq') - dL/dq - Q vanishes on every virtual displacement",
        lambda result: obeys_dalembert(_motion(result)),
        lambda result: obeys_dalembert(_motion(spoil_force(result))),
        "every velocity is pushed a little",
        _is_lagrangian,
    ),
    Law(
        "energy balance",
        "the energy changes by the power of the forces and by the time in the Lagrangian",
        _keeps_energy,
        spoilt(_keeps_energy, spoil_force),
        "every velocity is pushed a little",
        _is_virtual,
    ),
    Law(
        "Jacobi's identity",
        "{{f, g}, h} + {{g, h}, f} + {{h, f}, g} = 0, where it is claimed, for functions drawn at random",
        lambda result: _cyclic(result, 3),
        lambda result: _cyclic(result, 2),
        "the last of the three terms is missing",
        _is_poisson,
    ),
    Law(
        "JSON",
        "the texts of the JSON are read back as the expressions that they were written for",
        _reads_back,
        _reads_something_else,
        "1/7 is added to the text of one rate",
    ),
    Law(
        "compiled field",
        "the compiled field is the exact one at random points, to 9 digits",
        lambda result: near_exact(result.equations, result.equations, compiled_values),
        lambda result: near_exact(result.equations, spoil_force(result).equations, compiled_values),
        "every velocity is pushed a little",
        _is_explicit,
    ),
    Law(
        "code in C",
        "the code in C computes the exact field of the equations that it is written of at random points, to 9 digits",
        lambda result: _computed_in_c(result, result),
        lambda result: _computed_in_c(result, spoil_force(result)),
        "every velocity is pushed a little",
        _is_explicit,
    ),
)
"""Laws of what a formalism derived."""
