"""What holds along all motions of a system, decided: functions that stay constant or vanish, fields, volumes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import jacobian, tangent, time_derivative
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Facts, Verdict, all_hold, depends_on, full_rank, generic_rank, is_zero, vanish
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import substitute, symbols
from dalembert.mechanics.closed_loops import Branch, closed_loops
from dalembert.mechanics.common import facts_of, points_of
from dalembert.mechanics.derivation import derive
from dalembert.mechanics.lagrangian.jets import energy
from dalembert.mechanics.registry import obvious_formalism
from dalembert.mechanics.vanishing_on import Held
from dalembert.model.equations import Equations
from dalembert.model.parts import Generator
from dalembert.model.system import System
from dalembert.numerics.wording import NameResolver
from dalembert.records import dataclass, field, replace


@dataclass(frozen=True)
class Motions:
    """The motions of a system in a formalism, derived once something is asked of them.

    >>> fall = Motions(System.of(name="fall", coordinates="z", lagrangian="z'^2/2 - z"))
    >>> fall.keep("z'^2/2 + z").kind, fall.keep("z'").kind, fall.vanishes("z'' + 1").kind
    ('proved', 'refuted', 'proved')
    """

    system: System
    formalism: str | None = None
    """The one in which motions are meant; the obvious one where it is not said."""
    derived: Equations | None = field(default=None, compare=False)
    """Its equations, where they were derived before."""

    @cached_property
    def names(self) -> NameResolver:
        """What the names of the system are along its motions; multipliers of vakonomic ones are lambda_NAME."""
        formalism = self.formalism or obvious_formalism(self.system)
        equations: Equations = self.derived or derive(self.system, formalism).equations
        if formalism == "vakonomic":
            named = {
                symbol(f"lambda_{name}"): equations.monitors[f"multiplier {name}"] for name in self.system.constraints
            }
            equations = replace(equations, configuration={**equations.configuration, **named})
        return NameResolver(equations, self.system)

    @cached_property
    def _held(self) -> Held:
        residuals = (*self.names.equations.implicit.values(), *self.beside)
        return Held(residuals, self.names.variables, points_of(self.system))

    @cached_property
    def beside(self) -> tuple[Expr, ...]:
        """What constraints say is zero of a state that has more velocities than they leave, as in saddle form.

        >>> skate = {"n": "direction", "x": "real"}
        >>> energy, held = "n.x'^2 + n.y'^2 + n.z'^2 + x'^2", {"c": "x' = n.x'"}
        >>> tied = System.of(name="tied", coordinates=skate, lagrangian=energy, constraints=held)
        >>> Motions(tied).beside, Motions(tied).vanishes("x' - n.x'").holds
        ((x' - n.x',), True)
        """
        if self.names.equations.saddle is None or self.closing or self.names.equations.configuration:
            return ()
        stated = [c.expression for name, c in self.system.constraints.items() if name not in self.system.units]
        return tuple(self.names.expression(one) for one in stated)

    @cached_property
    def allowed(self) -> Mapping[Expr, Expr] | None:
        """Some velocities by the others where those constraints hold; None where these are not solved so."""
        if not self.beside:
            return {}
        return Held(self.beside, tuple(self.names.equations.velocities), facts_of(self.system)).sheet()

    def on_states(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return expressions by variables that are independent on the states, as far as these were solved for.

        >>> energy, held = "n.x'^2 + n.y'^2 + n.z'^2 + x'^2", {"c": "x' = n.x'"}
        >>> tied = Motions(System.of(
        ...     name="tied", coordinates={"n": "direction", "x": "real"}, lagrangian=energy, constraints=held))
        >>> on_sphere = total([(1, symbol(f"n.{k}") * symbol(f"n.{k}").dot) for k in "xyz"])
        >>> vanish(tied.on_states([*tied.beside, on_sphere]))
        True
        """
        written = Facts.of(facts_of(self.system)).apply(list(expressions))
        if self._apart:
            written = substitute(written, dict(self._apart))
        return self.sheet.apply(written) if self.sheet is not None else written

    @cached_property
    def _apart(self) -> Mapping[Expr, Expr] | None:
        """The same beside independent values for what lies on spheres."""
        if not self.beside:
            return {}
        held = Facts.of(facts_of(self.system)).apply(list(self.beside))
        moving = {v.data for v in self.names.equations.velocities}
        places = [symbol(s) for s in sorted(symbols(held), key=repr) if s.order or s in moving]
        return Held(tuple(held), tuple(places)).sheet()

    @cached_property
    def unsolved_relations(self) -> list[Expr]:
        """What is zero on the states, and was not solved for: known to be kept, and no news."""
        return [*(self.closing if self.sheet is None else ()), *(self.beside if self._apart is None else ())]

    @cached_property
    def sheet(self) -> Branch | None:
        """Some coordinates by the others where constraints on positions hold; None where these are not solved so.

        >>> rod = System.of(name="rod", coordinates="x y", lagrangian="x'^2 + y'^2", holonomic={"rod": "x = 2*y"})
        >>> Motions(rod).sheet.given
        {x: 2*y}
        """
        if not self.closing:
            return Branch()
        places = tuple(self.names.equations.kinematics)
        solved = Held(tuple(self.closing), places, facts_of(self.system)).sheet()
        if solved is not None:
            return Branch(solved)
        return next(iter(self._branches), None)

    def unsolved(self) -> Motions:
        """Return the same motions, taken for all values of what constraints on positions set to zero."""
        other = replace(self)
        vars(other).update({**vars(self), "sheet": None})
        return other

    @cached_property
    def closing(self) -> list[Expr]:
        """What constraints on positions say is zero."""
        return [e.left - e.right for name, e in self.system.holonomic.items() if name not in self.system.units]

    @property
    def tied(self) -> bool:
        """Whether the variables of the states obey equations, beside those of rotations: there are fewer dimensions."""
        return bool(self.closing) or not all(point.is_rotation for point in self.system.points)

    @cached_property
    def _branches(self) -> list[Branch]:
        """The ways in which loops of angles close."""
        return closed_loops(self.closing, tuple(self.names.equations.kinematics), facts_of(self.system))

    @cached_property
    def reversible(self) -> bool:
        """Whether motions that are run backwards are motions, with all speeds turned around."""
        equations, drive = self.names.equations, self.names.drive
        turned = {w: -w for w in equations.velocities}
        rates = [drive[s] for s in equations.state]
        signs = [1 if s in equations.kinematics else -1 for s in equations.state]
        back = [a + k * b for k, a, b in zip(signs, rates, substitute(rates, turned), strict=True)]
        return vanish(back, facts_of(self.system))

    @cached_property
    def kinetic(self) -> bool:
        """Whether velocities of positions are linear in the speeds and the rates of speeds quadratic.

        >>> Motions(System.of(name="x", coordinates="x", lagrangian="(1 + x^2)*x'^2")).kinetic
        True
        >>> Motions(System.of(name="x", coordinates="x", lagrangian="x'^2 - x")).kinetic
        False
        """
        equations, drive = self.names.equations, self.names.drive
        if depends_on(list(drive.values()), [symbol(TIME)]):
            return False
        w = equations.velocities
        one, two = ([symbol(f"{v.data.name} {k}") for v in w] for k in ("one", "two"))

        def at(values: Sequence[Expr], some: Sequence[Expr]) -> list[Expr]:
            return substitute(list(some), dict(zip(w, values, strict=True)))

        plus, minus = ([a + s * b for a, b in zip(one, two, strict=True)] for s in (1, -1))
        positions = [drive[q] for q in equations.kinematics]
        rates = [drive[v] for v in w]
        linear = zip(at(plus, positions), at(one, positions), at(two, positions), strict=True)
        # a function is a quadratic form where f(a + b) + f(a - b) = 2 f(a) + 2 f(b)
        square = zip(*(at(values, rates) for values in (plus, minus, one, two)), strict=True)
        defects = [s - a - b for s, a, b in linear] + [s + d - 2 * a - 2 * b for s, d, a, b in square]
        return vanish(defects, facts_of(self.system))

    def vanishes(self, function: str | Expr) -> Verdict:
        """Decide whether a function is zero along all motions."""
        return self._vanishes(self.names.expression(function))

    def rate(self, function: str | Expr) -> Expr:
        """Return the rate of a function along the motions."""
        return tangent([self.names.expression(function)], self.names.drive)[0]

    def keep(self, function: str | Expr, proofs: ProofBudget | None = None) -> Verdict:
        """Decide whether a function is constant along each motion; with an effort for proofs, one may be ``proved``."""
        rate = self.rate(function)
        found = self._vanishes(rate)
        if proofs is None or found.kind != "certain":
            return found
        better = proofs.is_zero(rate, facts_of(self.system))
        return better if better.kind == "proved" else found

    def _vanishes(self, function: Expr) -> Verdict:
        """Decide whether a function of the state is zero along all motions; if need be, where loops close."""
        decided = self._held.vanishes(function)
        if decided.holds is not None or not self.closing or self.names.equations.implicit or not self._branches:
            return decided
        values = {
            f"on branch {k} of the closed loop": is_zero(branch.apply([function])[0], facts_of(self.system))
            for k, branch in enumerate(self._branches, 1)
        }
        found = all_hold(values)
        if found.holds is not True:  # what is zero elsewhere than at points that are sought is no witness
            return decided
        aside = " Positions are aside where what is divided by is zero." if self._branches[0].divided else ""
        return replace(found, evidence=f"{found.evidence}{aside}")

    def keep_energy(self) -> Verdict:
        """Decide whether the energy is."""
        if self.system.bracket is not None:
            return self.keep(self.system.bracket.hamiltonian)
        if self.system.lagrangian is None:
            raise ExpressionError("there is no Lagrangian.")
        return self.keep(energy(self.system.lagrangian, self.system.q, self.system.order))

    def carried_by(self, generator: Generator) -> Verdict:
        """Decide whether the flow of a generator takes every motion to a motion.

        Motions obey constraints on positions, so that these have to be kept too, and constraints on velocities that
        the state does not know.
        """
        rest = zip(self.names.equations.state, self.commutator(generator), strict=True)
        parts = {f"the equation of {s!r}": self._held.vanishes(e) for s, e in rest}
        held = {name: e.left - e.right for name, e in self.system.holonomic.items() if name not in self.system.units}
        moved = tangent(list(held.values()), {symbol(TIME): generator.time, **generator.components})
        parts |= {f"the constraint {name}": self._held.vanishes(e) for name, e in zip(held, moved, strict=True)}
        if self.beside:
            parts["the constraints on velocities"] = self.keep_constraints(generator)
        return all_hold(parts)

    def commutator(self, generator: Generator) -> list[Expr]:
        """Return by state variable what is zero where the flow of a generator takes every motion to a motion.

        With the characteristic u = xi - q' tau, a motion is moved by u and Du; that its equations are kept is that this
        field Y on the states commutes with the field of the motions.
        """
        moved, drive = self.pushed(generator), self.names.drive
        after = tangent(list(moved.values()), drive)
        used = [(k, e) for k, e in enumerate(moved.values()) if e is not ZERO]
        along = [total([(1, row[k] * e) for k, e in used]) for row in self._slopes]
        return [a - b for a, b in zip(along, after, strict=True)]

    @cached_property
    def _slopes(self) -> list[list[Expr]]:
        """How the rates of the state variables change with these: written down once, for all fields."""
        state = self.names.equations.state
        return jacobian([self.names.drive[s] for s in state], state)

    def pushed(self, generator: Generator) -> dict[Expr, Expr]:
        """Return the field Y on the states by which the flow of a generator moves the motions."""
        equations, drive = self.names.equations, self.names.drive
        if equations.configuration or equations.implicit or equations.reconstruction or self.system.order > 1:
            raise ExpressionError(
                f"the {equations.formalism} equations are not equations in the stated coordinates; "
                "symmetries are decided of euler-lagrange and nonholonomic ones."
            )
        speeds = {q.dot: speed for q, speed in equations.kinematics.items()}
        xi = {
            q: generator.components.get(q, ZERO) - speed * generator.time for q, speed in equations.kinematics.items()
        }
        moved = dict(zip(xi, substitute(list(xi.values()), speeds), strict=True))
        rates = dict(zip(moved, tangent(list(moved.values()), drive), strict=True))
        push = {**moved, **{q.dot: rate for q, rate in rates.items()}}
        stated = tangent([equations.speeds.get(w, w) for w in equations.velocities], push)
        return moved | dict(zip(equations.velocities, substitute(stated, speeds), strict=True))

    def keep_constraints(self, generator: Generator) -> Verdict:
        """Decide whether a generator takes positions and velocities that the constraints allow to such."""
        return all_hold({name: self.vanishes(change) for name, change in self.constraint_changes(generator).items()})

    def constraint_changes(self, generator: Generator) -> dict[str, Expr]:
        """Return how a generator changes what each constraint says is zero, by coordinates and velocities."""
        lifted: dict[Expr, Expr] = {symbol(TIME): generator.time}
        for q in self.system.q:
            part = generator.components.get(q, ZERO)
            lifted |= {q: part, q.dot: time_derivative(part) - q.dot * time_derivative(generator.time)}
        stated = {
            f"the rate of {name}" if c.origin == "holonomic" else name: c.expression
            for name, c in self.system.constraints.items()
            if name not in self.system.units
        }
        stated |= {name: e.left - e.right for name, e in self.system.holonomic.items() if name not in self.system.units}
        return dict(zip(stated, tangent(list(stated.values()), lifted), strict=True))

    def preserve(self, density: str | Expr, variables: Sequence[str]) -> Verdict:
        """Decide whether motions preserve a density times dv1 dv2 ... of variables v: Gamma(rho) + rho dv'/dv = 0.

        >>> fall = Motions(System.of(name="drag", coordinates="z", lagrangian="z'^2/2", forces={"z": "-z'"}))
        >>> fall.preserve("1", ["z", "z'"]).kind, fall.preserve("1/z'", ["z", "z'"]).kind
        ('refuted', 'proved')
        """
        equations = self.names.equations
        # rotations and directions move along all spheres: their divergence in the space around is that on the sphere
        round_ = {point.name: point.components for point in self.system.points}
        places = [one for name in variables for one in round_.get(name, (name,))]
        chart = [*equations.state, *equations.reconstruction]
        if len(places) == len(equations.state):
            chart = list(equations.state)
        if len(places) != len(chart):
            named = dict.fromkeys(repr(s).partition(".q")[0] if round_ else repr(s) for s in chart)
            what = f"a volume of the states has {len(named)} factors ({', '.join(named)})"
            raise ExpressionError(f"{what}, not {len(variables)}.")
        rho, *values = (self.names.expression(one) for one in (density, *places))
        slopes = jacobian(values, chart)
        if full_rank(generic_rank(slopes), len(chart), "").holds is not True:
            raise ExpressionError(f"{', '.join(variables)} are no coordinates of the states.")
        if vanish([rho]):
            raise ExpressionError("a density that is zero is kept by every motion; give one that is not.")
        rate, *speeds = tangent([rho, *values], self.names.drive)
        bent = jacobian(speeds, chart)
        # the trace of dv'/dv = (dv'/ds)(ds/dv)
        spread = total((1, solve(list(zip(*slopes, strict=True)), row)[k]) for k, row in enumerate(bent))
        return self._held.vanishes(rate + rho * spread)
