"""The holonomy of a closed loop in the base of a generalized Chaplygin system: how far its horizontal lift has moved.

The lift of r(t) obeys s' = -gamma, that is q' = r'^a X_a^h; it need not close when the loop does. For an Abelian group
the displacement along the generators is also an integral of the curvature over a disc that the loop bounds,

    Delta^i = -integral of Gamma^i along the loop = -integral of Omega^i over the disc,

and both must meet. The disc is the cone from the middle of the loop; a loop that winds around an angle bounds none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dalembert.errors import EvaluationError, ExpressionError, expect
from dalembert.expr.calculus import define, diff
from dalembert.expr.graph import Expr, as_expr, symbol, total
from dalembert.expr.readers.floats import Arrays
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.text import parse, text
from dalembert.expr.truth import Verdict
from dalembert.expr.walk import evaluate, postorder, substitute, symbols
from dalembert.mechanics.chaplygin.reduction import ChaplyginReduction
from dalembert.mechanics.common import equations_of
from dalembert.model.claim import Claim
from dalembert.model.trajectory import Array
from dalembert.numerics.simulate import simulate
from dalembert.records import dataclass
from dalembert.shown import Shown

_CLOSES = 1e-9
_MEETS = 1e-8
_NEARLY = 1e-3
_FINEST = 10
"""How often the panels of the quadrature are halved before it gives up."""


@dataclass(frozen=True, slots=True)
class Holonomy(Shown):
    """What a loop does to the fibre."""

    start: Mapping[str, float]
    """Fibre coordinates where the lift begins,"""
    end: Mapping[str, float]
    """and where it ends."""
    winding: Mapping[str, int]
    """How often the loop goes around each angle of the base."""
    displacement: Mapping[str, float] | None
    """Of an Abelian group: how far along each generator, by integration along the loop."""
    flux: Mapping[str, float] | None
    """The same by the curvature, where the loop bounds a disc."""
    claims: tuple[Claim, ...]

    @property
    def shift(self) -> dict[str, float]:
        """How far each fibre coordinate has moved."""
        return {name: self.end[name] - value for name, value in self.start.items()}


def holonomy(
    reduction: ChaplyginReduction,
    loop: Mapping[str, Any] | str,
    period: Any = "2*pi",
    *,
    start: Mapping[str, float] | None = None,
    values: Mapping[str, float] | None = None,
    tolerance: float = 1e-13,
    engine: str | None = None,
) -> Holonomy:
    """Return the holonomy of a loop, given by its base coordinates as functions of ``t`` between 0 and ``period``.

    It may also be the name of a loop of ``[bundle]``, whose coordinates that are not said are held at 0.
    ``start`` has the fibre coordinates at the begin (0 where not said), ``values`` those of parameters that are not
    the default ones.

    >>> from dalembert.mechanics.chaplygin.chaplygin import reduce
    >>> from dalembert.model.system import System
    >>> particle = System.of(name="particle", coordinates="x y z", lagrangian="(x'^2 + y'^2 + z'^2)/2",
    ...     constraints={"slope": "z' = y*x'"}, symmetry={"e1": {"z": 1}})
    >>> found = holonomy(reduce(particle), {"x": "cos(t)", "y": "sin(t)"})
    >>> round(found.shift["z"]/np.pi, 9), round(found.flux["e1"]/np.pi, 9)
    (-1.0, -1.0)
    """
    expect(reduction, ChaplyginReduction, "holonomy takes what chaplygin.reduce found")
    path = _Path(reduction, _stated(reduction, loop) if isinstance(loop, str) else loop, period, values or {})
    names = reduction.action.names
    abelian = reduction.action.algebra.is_abelian
    equations = path.equations(abelian)
    begin = {s.data.label: float((start or {}).get(s.data.label, 0.0)) for s in reduction.bundle.fibre}
    unknown = [name for name in start or {} if name not in begin]
    if unknown:
        raise ExpressionError(f"'{unknown[0]}' is not a fibre coordinate; these are {', '.join(begin)}.")
    extra = {v.data.label: 0.0 for v in equations.kinematics if v.data.label not in begin}
    run = simulate(
        equations, {**begin, **extra}, (0, path.period), values=values, tolerance=tolerance, engine=engine, samples=2
    )
    if run.status < 0:
        raise EvaluationError(f"the lift could not be followed: {run.message}")
    end = {name: float(run[name][-1]) for name in begin}
    winding = path.winding()
    displacement = {n: float(run[f"along {n}"][-1]) for n in names} if abelian else None
    flux, error = path.flux() if abelian and not any(winding.values()) else (None, 0.0)
    claims = () if displacement is None or flux is None else (_meeting(displacement, flux, error, path.hole()),)
    return Holonomy(begin, end, winding, displacement, flux, claims)


def _stated(reduction: ChaplyginReduction, name: str) -> dict[str, Any]:
    """Return a loop of [bundle] by its name."""
    bundle = reduction.system.bundle
    loops = bundle.loops if bundle is not None else {}
    if name not in loops:
        raise ExpressionError(f"[bundle] has no loop '{name}'; it has {', '.join(loops) or 'none'}.")
    return {r.data.label: loops[name].get(r, 0) for r in reduction.bundle.base}


def _meeting(displacement: Mapping[str, float], flux: Mapping[str, float], error: float, hole: str = "") -> Claim:
    """Say whether integration and curvature agree, as they must where the connection is smooth on the disc."""
    gap = max(abs(displacement[n] - flux[n]) for n in flux)
    size = 1 + max(abs(v) for v in flux.values())
    said = f"they differ by {gap:.1e}, where the quadrature is good to {error:.1e}."
    verdict = Verdict("measured", said)
    if gap > _MEETS * size + 10 * error:  # a number refutes nothing
        over = f"The disc goes over a hole: {hole} comes to zero, and divides." if hole else "That is more than errors."
        verdict = Verdict("undecided", f"{said} {over}")
    return Claim("holonomy", "the displacement along the loop is the flux of the curvature", "check", verdict)


class _Path:
    """A loop in the base, with numbers for all parameters."""

    def __init__(
        self, reduction: ChaplyginReduction, loop: Mapping[str, Any], period: Any, values: Mapping[str, float]
    ) -> None:
        self.reduction = reduction
        system = reduction.system
        self.definitions = dict(system.definitions)
        self.numbers = {p: float(v) for p, v in system.defaults.items()}
        self.numbers |= {p: float(values[p.data.name]) for p in system.parameters if p.data.name in values}
        base = reduction.bundle.base
        missing = {r.data.label for r in base} ^ set(loop)
        if missing:
            labels = ", ".join(r.data.label for r in base)
            raise ExpressionError(f"a loop must give each of {labels}, and nothing else; check {min(missing)}.")
        self.places = [self._read(loop[r.data.label]) for r in base]
        self.period = float(self._at([self._read(period)], {})[0])
        if not self.period > 0:
            raise ExpressionError(f"the period of a loop must be positive, not {self.period}.")
        for r, turn in zip(base, self._turns(), strict=True):
            whole = 2 * np.pi * round(turn / (2 * np.pi)) if r.data.domain == "angle" else 0.0
            if abs(turn - whole) > _CLOSES:
                raise ExpressionError(f"the loop is not closed: {r.data.label} changes by {turn:.6g}.")

    def _read(self, told: Any) -> Expr:
        expression = parse(told, self.reduction.system.vocabulary) if isinstance(told, str) else as_expr(told)
        loose = [s.label for s in symbols([expression]) if s.role == "variable"]
        if loose:
            raise ExpressionError(f"a loop must be a function of t and parameters; '{loose[0]}' is neither.")
        return expression

    def _at(self, expressions: Sequence[Expr], point: Mapping[Expr, Any]) -> list[Any]:
        concrete = define(list(expressions), self.definitions)
        return evaluate(concrete, Arrays({**self.numbers, **point}))

    def _turns(self) -> list[float]:
        now = symbol(TIME)
        first, last = (self._at(self.places, {now: t}) for t in (0.0, self.period))
        return [float(b - a) for a, b in zip(first, last, strict=True)]

    def winding(self) -> dict[str, int]:
        """Return how often the loop goes around each angle."""
        base = self.reduction.bundle.base
        pairs = zip(base, self._turns(), strict=True)
        return {r.data.label: round(turn / (2 * np.pi)) for r, turn in pairs if r.data.domain == "angle"}

    def _put(self) -> dict[Expr, Expr]:
        base = self.reduction.bundle.base
        now = symbol(TIME)
        put = dict(zip(base, self.places, strict=True))
        return put | {r.dot: diff(place, now) for r, place in zip(base, self.places, strict=True)}

    def equations(self, abelian: bool) -> Any:
        """Return the equations of the lift, and for an Abelian group of the displacement along each generator."""
        reduction = self.reduction
        motion = dict(zip(reduction.bundle.chart.coordinates, reduction.horizontal_velocities, strict=True))
        rates = {s: motion[s] for s in reduction.bundle.fibre}
        if abelian:
            speeds = list(zip(reduction.bundle.places, reduction.velocities, strict=True))
            for name, form in zip(reduction.action.names, reduction.connection.forms, strict=True):
                rates[symbol(Symbol(f"along {name}"))] = total([(-1, form.component(A) * v) for A, v in speeds])
        lifted = dict(zip(rates, substitute(list(rates.values()), self._put()), strict=True))
        return equations_of(reduction.system, "horizontal lift", kinematics=lifted)

    def hole(self) -> str:
        """Return what comes to zero on the disc while the connection is divided by it; nothing where nothing does."""
        reduction, now, depth = self.reduction, symbol(TIME), symbol(Symbol("depth in the disc"))
        places = reduction.bundle.places
        gamma = reduction.on_base([form.component(A) for form in reduction.connection.forms for A in places])
        below = {
            base
            for node in postorder(gamma)
            if node.op == "product"
            for base, power in zip(node.args, node.data, strict=True)
            if power < 0 and base.op != "number"
        }
        t, u = np.linspace(0, self.period, 257)[:, None], np.linspace(0, 1, 129)[None, :]
        disc, point = self._disc(depth)
        put = dict(zip(reduction.bundle.base, disc, strict=True))
        for base in sorted(below, key=text):
            (value,) = self._at(substitute([base], put), {now: t, depth: u, **point})
            size = np.abs(np.broadcast_to(value, (t.size, u.size)))
            if np.ptp(np.sign(value)) > 1 or size.min() < _NEARLY * size.max():
                return text(base)
        return ""

    def _disc(self, depth: Expr) -> tuple[list[Expr], dict[Expr, float]]:
        """Return the cone from the middle of the loop, and numbers for the middle."""
        base = self.reduction.bundle.base
        middle = [symbol(Symbol(f"middle of {r.data.label}")) for r in base]
        even = self._at(self.places, {symbol(TIME): np.linspace(0, self.period, 64, endpoint=False)})
        point = {c: float(np.mean(v)) for c, v in zip(middle, even, strict=True)}
        return [c + depth * (place - c) for c, place in zip(middle, self.places, strict=True)], point

    def flux(self) -> tuple[dict[str, float], float]:
        """Return minus the integral of the curvature over the cone from the middle of the loop, and its error."""
        reduction = self.reduction
        now, depth = symbol(TIME), symbol(Symbol("depth in the disc"))
        disc, point = self._disc(depth)
        outward = [place - c for c, place in zip(point, self.places, strict=True)]
        onward = [depth * diff(place, now) for place in self.places]
        size = range(len(disc))
        integrands = []
        for i in range(len(reduction.action.names)):
            parts = reduction.on_base([reduction.curvature[a][b][i] for a in size for b in size])
            values = substitute(parts, dict(zip(reduction.bundle.base, disc, strict=True)))
            pairs = [outward[a] * onward[b] for a in size for b in size]
            integrands.append(total([(-1, w * p) for w, p in zip(values, pairs, strict=True)]))
        found, error = self._quadrature(integrands, now, depth, point)
        return dict(zip(reduction.action.names, found.tolist(), strict=True)), error

    def _quadrature(
        self, integrands: Sequence[Expr], now: Expr, depth: Expr, point: Mapping[Expr, float]
    ) -> tuple[Array, float]:
        """Integrate over 0 < depth < 1 and a period: Gauss's rule on panels that are halved until nothing changes."""
        nodes, weights = np.polynomial.legendre.leggauss(12)
        last, error = np.full(len(integrands), np.inf), np.inf
        for level in range(2, _FINEST):
            panels = 2**level
            t, wt = _panels(nodes, weights, panels, self.period)
            u, wu = _panels(nodes, weights, max(1, panels // 8), 1.0)
            grid = {now: t[:, None], depth: u[None, :], **point}
            fields = [np.broadcast_to(v, (t.size, u.size)) for v in self._at(integrands, grid)]
            sums = np.array([wt @ field @ wu for field in fields])
            last, error = sums, float(np.max(np.abs(sums - last)))
            if error <= 1e-13 * (1 + float(np.max(np.abs(sums)))):
                break
        return last, error


def _panels(nodes: Array, weights: Array, panels: int, length: float) -> tuple[Array, Array]:
    """Return nodes and weights of a rule repeated on panels of equal length."""
    width = length / panels
    places = (np.arange(panels)[:, None] + (nodes[None, :] + 1) / 2) * width
    return places.ravel(), np.tile(weights * width / 2, panels)
