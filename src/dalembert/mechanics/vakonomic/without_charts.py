"""Vakonomic mechanics with rotations and directions: the Hamiltonian form in momenta of velocities, without charts.

With u the velocities of the tangent frame, w for a rotation, l and f^a what Lagrangian and constraints are in them, and
P = dl/du + lambda_a df^a/du, critical curves obey

    P' = P x w + X(l + lambda_a f^a)  for a rotation,    p' = d(l + lambda_a f^a)/dx  elsewhere,    f = 0,

and H = P u - l is constant where nothing depends on time. Of a direction n the costates are those of its rate, with
n n' = 0 as a further constraint f and its multiplier nu such that n P = 0: P = T d(l + lambda f)/dn', T = 1 - n n^T,

    P' = T d(l + lambda_a f^a + nu n n')/dn - n (P n').

Where l is not quadratic or f not affine in u, u and lambda stay unknowns of P = dl/du + lambda df/du and f = 0.

The rows of (8) are Omega_f = df/du and E_f = X(f) + df/du x w - d/dt df/du. What it has to meet is the Euler operator
of L + lambda f in the space around the spheres, on fields that are tangent to them: that knows nothing of brackets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from dalembert.errors import Fault
from dalembert.expr.calculus import gradient, hessian, jacobian, tangent
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Fact, Rank, Verdict, Where, depends_on, generic_rank, vanish
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import substitute
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.common import Derived, equations_of
from dalembert.mechanics.lagrangian.on_spheres import costate_projection
from dalembert.mechanics.lagrangian.tangent_frame import TangentFrame
from dalembert.mechanics.vakonomic.costate_form import CostateForm
from dalembert.mechanics.vakonomic.densities import fresh
from dalembert.mechanics.vakonomic.hamiltonian import by_schur
from dalembert.mechanics.vakonomic.noether import ConstrainedMomentum, momentum_map
from dalembert.mechanics.vakonomic.projector import MainHypothesis, main_hypothesis_by_rows
from dalembert.model.equations import Equations
from dalembert.model.parts import Generator
from dalembert.model.system import System
from dalembert.records import dataclass

_EFFORT = 1.0
"""The work that goes into short formulas."""


@dataclass(frozen=True, repr=False)
class VakonomicWithoutCharts(Derived):
    """The variational problem with constraints on rotations and directions: its equations, its geometry, its momenta.

    >>> rolling = System.of(name="rolling", coordinates={"R": "rotation"}, lagrangian="R.w1^2 + R.w2^2 + R.w3^2",
    ...                     constraints={"no spin": "R.w3 = 0"})
    >>> list(derive_without_charts(rolling).equations.kinematics.values())[4:]
    [-p_R_w2*p_R_w3/2, p_R_w1*p_R_w3/2, 0]
    """

    system: System
    form: FormWithoutCharts
    momenta: tuple[ConstrainedMomentum, ...]
    equations: Equations

    @cached_property
    def _hypothesis(self) -> MainHypothesis:
        form = self.form
        rows = [form.on_motions(row) for row in form.rows_of_constraints()]
        return main_hypothesis_by_rows(rows, linear=form.homogeneous, facts=form.facts)

    def decide_main_hypothesis(self) -> MainHypothesis:
        """Decide whether there are fields N_a; once."""
        return self._hypothesis

    @property
    def formulations(self) -> FormWithoutCharts:
        """The form knows the other formulations."""
        return self.form

    @property
    def hamiltonian(self) -> Expr:
        """H in the state."""
        return self.form.state([self.form.hamiltonian])[0]

    @property
    def multipliers(self) -> dict[str, Expr]:
        """The lambda of each constraint, in the same."""
        return dict(zip(self.form.held, self.form.state(self.form.multipliers), strict=True))

    def objects(self) -> dict[str, Any]:
        """Return the geometric objects by the names of the JSON."""
        noether = self.form.state([m.momentum for m in self.momenta])
        named = dict(zip([m.name for m in self.momenta], noether, strict=True))
        return {**objects_without_charts(self.form), "noether_momenta": named}


def derive_without_charts(system: System) -> VakonomicWithoutCharts:
    """Return the vakonomic equations of a system with rotations, or raise ``HypothesisError`` with every reason."""
    form = form_without_charts(system)
    momenta = momentum_map(form)
    watched = form.watched({m.name: m.momentum for m in momenta if m.is_symmetry})
    equations = equations_of(system, "vakonomic", monitors=watched, **form.parts_of_equations())
    return VakonomicWithoutCharts(system, form, momenta, equations)


@dataclass(frozen=True)
class FormWithoutCharts(CostateForm):
    """The Hamiltonian form with the velocities u of a tangent frame as unknowns, entries of rotations by name."""

    frame: TangentFrame

    @property
    def lagrangian(self) -> Expr:
        """L by coordinates, entries and u."""
        return self.frame.lagrangian

    @property
    def top(self) -> tuple[Expr, ...]:
        """The velocities u."""
        return self.frame.velocities

    @property
    def last(self) -> tuple[Expr, ...]:
        """The costates P."""
        return self.costates

    @cached_property
    def hamiltonian(self) -> Expr:
        """H = P u - l."""
        return dot(self.costates, self.top) - self.lagrangian

    @cached_property
    def rates(self) -> dict[Expr, Expr]:
        """The rates of coordinates, entries and costates, in state and unknowns."""
        pulls = [tangent([self.joined], field)[0] for field in self.frame.fields]
        turned = self.frame.turned(self.costates, self.top)
        kept = self.frame.kept_on_tangents(self.costates, self.top)
        parts = zip(self.frame.on_tangents(pulls), turned, kept, strict=True)
        pushed = [total([(1, pull), (1, turn), (1, keep)]) for pull, turn, keep in parts]
        moved = {z: rate for z, rate in self.frame.drive.items() if z.data.role != "time"}
        return moved | dict(zip(self.costates, pushed, strict=True))

    @cached_property
    def bent(self) -> bool:
        """Whether L is not quadratic in u, or a constraint not affine: u and lambda then are found by iteration."""
        entries = [*hessian(self.lagrangian, self.top), *jacobian(self.prolonged, self.top)]
        return depends_on([e for row in entries for e in row], self.top, self.frame.facts)

    @cached_property
    def solved(self) -> dict[Expr, Expr] | None:
        """The velocities and multipliers as functions of the state, where they follow from linear equations."""
        if self.bent:
            return None
        mass, border, slopes, rest = self._at_rest
        right = [p - s for p, s in zip(self.costates, slopes, strict=True)]
        found = by_schur(mass, border, right, rest, self._short.all)
        return dict(zip(self.unknowns, self._short.all(found), strict=True))

    @cached_property
    def _short(self) -> SimplificationBudget:
        right = [dot(row, self.costates) for row in self.frame.unit_rows]
        return SimplificationBudget(_EFFORT, modulo=(*self.frame.relations, *right))

    @cached_property
    def _tangents(self) -> dict[Expr, Expr]:
        """The costates of directions by free variables, so that n P = 0."""
        pairs = zip(self.costates, self.frame.on_tangents(self.costates), strict=True)
        return {p: e for p, e in pairs if p is not e}

    @property
    def facts(self) -> tuple[Fact, ...]:
        """What holds along the motions: unit lengths, and constraints that no velocity is eliminated by."""
        return (*super().facts, *map(Where, self.frame.opened(list(self.prolonged)))) if self.bent else super().facts

    @cached_property
    def _by_unknowns(self) -> dict[Expr, Expr]:
        """The costates by velocities and multipliers, and the nu with which n P = 0."""
        own = self.multiplier_names[len(self.held) :]
        slopes = substitute(list(self.momenta), dict.fromkeys(own, ZERO))
        along = [-dot(row, slopes) for row in self.frame.unit_rows]
        costates = self.frame.opened(self.frame.on_tangents(slopes))
        return dict(zip((*self.costates, *own), (*costates, *self.frame.opened(along)), strict=True))

    def _pushed(self) -> list[Expr]:
        """Return the rates of the costates by the state, what is zero as 0."""
        if self.solved is None:
            return [self.rates[p] for p in self.costates]
        found = substitute([self.rates[p] for p in self.costates], self.solved)
        there = substitute(found, self._tangents)
        pairs = zip(found, there, strict=True)
        return [ZERO if vanish([at], self.frame.facts) else self._short(rate) for rate, at in pairs]

    @cached_property
    def _at_rest(self) -> tuple[list[list[Expr]], list[list[Expr]], list[Expr], list[Expr]]:
        """The Hessian of l, df/du, dl/du and f where u = 0."""
        still = dict.fromkeys(self.top, ZERO)
        mass, border = hessian(self.lagrangian, self.top), jacobian(self.prolonged, self.top)
        inner, rows = ([substitute(row, still) for row in part] for part in (mass, border))
        return inner, rows, substitute(gradient(self.lagrangian, self.top), still), substitute(self.prolonged, still)

    @property
    def homogeneous(self) -> bool:
        """Whether the constraints are linear in velocities, with no part that is free of them, and without time."""
        if self.bent or depends_on(self.prolonged, [symbol(TIME)]):
            return False
        *_, rest = self._at_rest
        return vanish(rest, self.frame.facts)

    @property
    def open_branches(self) -> bool:
        """No: they are affine in u, or hold as they are."""
        return False

    def on_motions(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return expressions in state and unknowns by the state, entries written out, where n P = 0.

        Where the unknowns are not known by the state, it is by coordinates and these.
        """
        if self.solved is None:
            return substitute(self.frame.opened(expressions), self._by_unknowns)
        return substitute(self.state(expressions), self._tangents)

    def state(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return expressions in state and unknowns by the state, as far as that is in closed form."""
        return self.frame.opened(substitute(expressions, self.solved or {}))

    def on_constraint(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return expressions in coordinates and velocities where the constraints hold, by the state."""
        return self.on_motions(self.frame.put(expressions))

    def moved(self, generator: Generator) -> list[Expr]:
        """Return the components of a generator along the costates."""
        return self.frame.along(generator)

    # -- other formulations --------------------------------------------------------------------------------------
    def rows_of_constraints(self) -> list[list[Expr]]:
        """Return Omega_f = df/du, then E_f, in coordinates, entries, u and u'."""
        frame, u = self.frame, list(self.top)
        stated = self.prolonged[: len(self.held)]
        slopes = jacobian(stated, u)
        drive = {**frame.drive, **{one: one.dot for one in u}}
        found = [list(row) for row in slopes]
        for f, row in zip(stated, slopes, strict=True):
            pulls = [tangent([f], field)[0] for field in frame.fields]
            parts = zip(pulls, frame.turned(row, u), tangent(row, drive), strict=True)
            found.append([total([(1, pull), (1, turn), (-1, rate)]) for pull, turn, rate in parts])
        return [frame.on_tangents(row) for row in found]

    def euler_on_tangents(self) -> dict[str, Expr]:
        """Return X(E) for the Euler operator E of L + lambda f in the space around, along the motions.

        E = d(L + lambda f)/dq - d/dt d(L + lambda f)/dq' is taken with q'' and lambda' along the motions; X are the
        fields of the frame, of directions what of them is tangent to the spheres.
        """
        system, frame = self.system, self.frame
        assert system.lagrangian is not None
        terms = [(1, lam * f) for lam, f in zip(self.multipliers, self.held.values(), strict=True)]
        joined = total([(1, system.lagrangian), *terms])
        flow = self.flow
        places = frame.kinematics
        rates = tangent(list(places.values()), flow)
        put = {q.dot: v for q, v in places.items()}
        drive = {q: q.dot for q in system.q} | dict(zip(system.v, rates, strict=True))
        drive |= {lam: flow[lam] for lam in self.multipliers} | {symbol(TIME): ONE}
        pulls = gradient(joined, system.q)
        moved = tangent(gradient(joined, system.v), drive)
        operators = substitute([a - b for a, b in zip(pulls, moved, strict=True)], put)
        found = [total([(1, e * field[q]) for q, e in zip(system.q, operators, strict=True)]) for field in frame.fields]
        labels = [u.data.label for u in frame.velocities]
        return dict(zip(labels, self.on_motions(frame.on_tangents(found)), strict=True))

    def by_multipliers(self, proofs: ProofBudget) -> Verdict:
        """Decide E_L + lambda E_f - lambda' Omega_f = 0 on tangent fields, in the space around."""
        parts = {f"the equation along {name}": e for name, e in self.euler_on_tangents().items()}
        return proofs.all_vanish(parts, self.facts)

    def legendre(self, proofs: ProofBudget) -> Verdict:
        """Decide whether velocities and multipliers solve the equations that they are given by."""
        values = self.on_motions(list(self.residuals.values()))
        named = {f"the equation for {one.data.label}": v for one, v in zip(self.residuals, values, strict=True)}
        return proofs.all_vanish(named, self.facts)

    def constraints_watched(self) -> dict[str, Expr]:
        """Return the constraints by name, by coordinates, entries and u."""
        return dict(zip(self.held, self.prolonged, strict=False))

    def by_velocities(self) -> list[Expr]:
        """Return what the costates are, in coordinates, entries, u and lambda."""
        nothing = dict.fromkeys(self.multiplier_names[len(self.held) :], ZERO)
        return self.frame.on_tangents(substitute(self.momenta, nothing))

    def parts_of_equations(self) -> dict[str, Any]:
        """Return kinematics, and what belongs to rotations, for the record of equations."""
        frame = self.frame
        kept = (*frame.kinematics, *self.costates)
        turned = [w for point in frame.rotations for w in point.body]
        flat = self.state([*frame.kinematics.values(), *self._pushed(), *turned])
        open_ones = dict(zip(self.unknowns, frame.opened(list(self.residuals.values())), strict=True))
        return {
            "implicit": open_ones if self.solved is None else {},
            "kinematics": dict(zip(kept, flat, strict=False)),
            "projection": costate_projection(frame, self.costates),
            "named": frame.entries,
            "turning": dict(zip(turned, flat[len(kept) :], strict=True)),
        }


def form_without_charts(system: System) -> FormWithoutCharts:
    """Return the Hamiltonian form, or raise ``HypothesisError`` with every reason why there is none."""
    faults = _faults(system)
    if faults:
        raise refusal("vakonomic", faults)
    frame = TangentFrame(system)
    names = [name for name in system.constraints if name not in system.units]
    costates = fresh([f"p_{u.data.name}" for u in frame.velocities], system.vocabulary)
    taken = [*system.vocabulary, *(p.data.name for p in costates)]
    own = [f"nu_{point.name}" for point in frame.directions]
    multipliers = fresh([*(f"lambda_{name}" for name in names), *own], taken)
    prolonged = frame.put([system.constraints[name].expression for name in names])
    prolonged += [dot(row, frame.velocities) for row in frame.unit_rows]
    form = FormWithoutCharts(system, system.q, costates, multipliers, tuple(prolonged), frame)
    rank = _rank(form)
    if rank.rank < len(form.unknowns):
        what = f"the bordered Hessian of L + lambda f has rank {rank.rank} of {len(form.unknowns)}"
        remedy = "L has to be regular along the constraints; see whether a coordinate is missing in it"
        raise refusal("vakonomic", [Fault("lagrangian", what, remedy)])
    return form


def _faults(system: System) -> list[Fault]:
    if system.order == 1:
        return []
    what = f"it is of order {system.order}"
    return [
        Fault("lagrangian", what, "with rotations and directions vakonomic mechanics here is for order 1", kind="order")
    ]


def _rank(form: FormWithoutCharts) -> Rank:
    rows = [form.frame.opened(row) for row in form.bordered]
    return generic_rank(rows, form.facts)


def objects_without_charts(form: FormWithoutCharts) -> dict[str, Any]:
    """Return the geometric objects by the names of the JSON, by velocities and costates of the frame."""
    frame, names = form.frame, list(form.held)
    labels = [u.data.label for u in frame.velocities]
    rows = form.rows_of_constraints()
    k = len(names)

    def by_velocity(row: Sequence[Expr]) -> Mapping[str, Expr]:
        return dict(zip(labels, frame.opened(row), strict=True))

    whole, *lams = form.state([form.hamiltonian, *form.multipliers])
    return {
        "momentum_forms": {
            "lagrangian": [by_velocity(gradient(form.lagrangian, form.top))],
            **{name: by_velocity(row) for name, row in zip(names, rows, strict=False)},
        },
        "constraint_euler_operators": {n: by_velocity(row) for n, row in zip(names, rows[k:], strict=True)},
        "multipliers": dict(zip(names, lams, strict=True)),
        "cartan_form": by_velocity(form.by_velocities()),
        "hamiltonian": whole,
        "costates": dict(zip([p.data.name for p in form.costates], frame.opened(form.by_velocities()), strict=True)),
        "energy": whole,
    }
