"""What is written of equations, whatever the language: named functions of time, variables, parameters and unknowns.

``code`` is the face: equations in, source text out.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from dalembert.errors import DalembertError, EvaluationError
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import excludes_zero, is_constant
from dalembert.expr.walk import postorder, symbols, unroll
from dalembert.model.equations import Equations, equations_and_system
from dalembert.model.system import System
from dalembert.numerics.codegen.body import Dialect, Lines, Names, write_lines
from dalembert.numerics.compile.linear import WEAK_SADDLE
from dalembert.numerics.forms import fails_somewhere, in_form, in_ranks, what_ends
from dalembert.numerics.outcome import listed
from dalembert.numerics.specialise import expressions_of, specialise
from dalembert.records import dataclass, replace

_NO_CHOICE = "No independent velocities are chosen: all velocities are state variables."
_BY_SIZE = "_by_size"
_WATCHED = (
    "What is divided by is watched: where it is weak, 'field_by_size' solves the linear system, "
    "its pivots chosen by size."
)
_LOSES = (
    "Where the constraints nearly lose rank digits are lost that a linear system with pivots by size would keep: "
    "this is not watched here."
)
_ENDS = (
    "The variables end where {} vanishes: 'ends' gives that. The motion goes on there in others, which this code does "
    "not have ('simulate' does): stop where one of these changes its sign or becomes small."
)
_HOLDS = (
    "These equations hold only while {}: 'holds' gives what has to keep its sign for that. They say nothing beyond: "
    "stop where one of these values vanishes."
)
_KEPT_BESIDE = (
    "Constraints give rows for the accelerations: they hold as well as the start and the integrator keep them."
)


@dataclass(frozen=True, slots=True)
class Function:
    """A function to be written: what its results are called in the model, and their expressions."""

    name: str
    says: str
    results: dict[str, Expr]
    guards: tuple[tuple[Expr, Expr], ...] = ()
    """Pairs of which the first must not be small beside the second; where one is, ``instead`` is called."""

    @property
    def instead(self) -> str:
        """The function that gives the same with pivots chosen by size."""
        return f"{self.name}{_BY_SIZE}"


@dataclass(frozen=True, slots=True)
class Source:
    """Equations ready to be written in a language."""

    title: str
    """What it is, in one line."""
    provenance: str
    name: str
    """An identifier for the system."""
    state: int
    """How many of the variables are state variables; the others are those of the lift."""
    variables: dict[str, str]
    """Identifier by label, in the order of the arguments; likewise below."""
    parameters: dict[str, str]
    defaults: dict[str, float]
    """By label."""
    unknowns: dict[str, str]
    functions: tuple[Function, ...]
    symbols: dict[Expr, str]
    names: Names
    notes: tuple[str, ...] = ()

    def sizes(self, used: set[str]) -> dict[str, tuple[str, list[int]]]:
        """Return what a function is given, by argument: what it is called, and how many values there may be.

        A function that takes no part of the lift can be given the state alone.
        """
        whole = [len(self.variables)]
        lift = set(list(self.variables.values())[self.state :])
        found = {"y": ("VARIABLES", whole if used & lift or not lift else [*whole, self.state])}
        return found | ({"u": ("UNKNOWNS", [len(self.unknowns)])} if self.unknowns else {})

    def lines(self, function: Function, dialect: Dialect) -> tuple[Lines, set[str]]:
        """Return the code of a function, and which identifiers it uses."""
        roots = [*function.results.values(), *(one for pair in function.guards for one in pair)]
        names = Names(self.names.taken)
        used = {self.symbols[node] for node in _leaves(roots) if node in self.symbols}
        written = write_lines(roots, self.symbols, dialect, names)
        texts = written.results[len(function.results) :]
        weak = [
            dialect.weak.format(small=small, large=large, bound=WEAK_SADDLE)
            for small, large in zip(texts[::2], texts[1::2], strict=True)
        ]
        return replace(written, results=written.results[: len(function.results)], weak=weak), used


def _leaves(roots: list[Expr]) -> list[Expr]:
    return [node for node in postorder(roots) if node.op == "symbol"]


def source_of(
    result: Any, dialect: Dialect, tables: Mapping[str, Mapping[str, Expr]] | None = None, form: str | None = None
) -> Source:
    """Return what is to be written of equations, or of what a formalism derived; ``tables`` are more functions of it.

    What is in them is said by time, variables and parameters of the equations.
    """
    given, system = equations_and_system(result, "code")
    equations = in_form(given, form)
    said = _said(equations)
    if ends := _ends(equations):
        said = [*said, _ENDS.format(listed(list(ends.values())))]
        tables = {**(tables or {}), "ends": ends}
    if holds := {
        h.condition: h.expression
        for h in equations.holds_where
        if h.power is None and h.expression not in ends.values()
    }:
        said = [*said, _HOLDS.format(", ".join(holds))]
        tables = {**(tables or {}), "holds": holds}
    more = {(name, label): e for name, table in (tables or {}).items() for label, e in table.items()}
    keys = {f"{name}\n{label}": (name, label) for name, label in more}  # no monitor has such a name
    watched = {**equations.monitors, **{key: more[pair] for key, pair in keys.items()}}
    plain, defaults, controls = _plain(replace(equations, monitors=watched), system)
    found: dict[str, dict[str, Expr]] = {name: {} for name in tables or {}}
    for key, (table, label) in keys.items():
        found[table][label] = plain.monitors[key]
    plain = replace(plain, monitors={name: e for name, e in plain.monitors.items() if name not in keys})
    names = Names(dialect.keywords | dialect.library)
    own = Names(dialect.keywords | dialect.library)
    name = own.give(equations.system or "system")
    variables = {v: names.give(v.data.label) for v in (*plain.state, *plain.reconstruction)}
    parameters = {p: names.give(p.data.label) for p in plain.parameters}
    unknowns = {u: names.give(u.data.label) for u in plain.implicit}
    functions = _functions(plain, found, dialect)
    if plain.guards and (plain.sure or dialect.weak):
        said = [*said, _WATCHED if dialect.weak else _LOSES]
    origin = str(system.metadata.get("source") or "") if system is not None else ""
    cites = f"; the system: {' '.join(origin.split())}" if origin else ""
    notes = [*said, *(f"'{c}' is a control; here it is a parameter, 0 unless you say otherwise." for c in controls)]
    return Source(
        f"{equations.system or 'a system'}: {equations.formalism or 'given'} equations",
        f"written by dalembert {_version()}{cites}",
        name,
        len(plain.state),
        {v.data.label: n for v, n in variables.items()},
        {p.data.label: n for p, n in parameters.items()},
        defaults,
        {u.data.label: n for u, n in unknowns.items()},
        functions,
        {symbol(TIME): "t", **variables, **parameters, **unknowns},
        names,
        tuple(notes),
    )


def robust_form(equations: Equations) -> Equations:
    """Return equations that fail nowhere by their choice of velocities, if there are any; a page moves by these.

    Where what that choice divides by may vanish this is the saddle form, which makes no choice; in the place of a
    reduction, where it is decided to vanish.
    """
    saddle = equations.saddle_form is not None and (not equations.reconstruction or fails_somewhere(equations))
    return in_ranks(equations) if saddle and _pivots(equations) else equations


def _said(equations: Equations) -> list[str]:
    """Return what is to be said of equations: what they divide by, and which constraints nothing keeps."""
    if pivots := _pivots(equations):
        other = equations.saddle_form is not None
        more = "; code(..., form='saddle') writes all velocities and makes no such choice." if other else "."
        return [f"These equations divide by {listed(pivots)}: where that vanishes there are no numbers{more}"]
    return [] if equations.saddle is None else [_NO_CHOICE, _KEPT_BESIDE]


def _ends(equations: Equations) -> dict[str, Expr]:
    """Return what vanishes where variables end and the motion goes on in others, by its text."""
    return {} if equations.atlas is None else {repr(e): e for e in what_ends(equations)}


def _pivots(equations: Equations) -> list[Expr]:
    """Return what the choice of velocities divides by, as far as it is not shown to vanish nowhere."""
    return [e for e in equations.pivots if not (is_constant(e) or excludes_zero(e) is not None)]


def _plain(equations: Equations, system: System | None) -> tuple[Equations, dict[str, float], list[str]]:
    """Return equations with values for functions and default values of parameters; open controls become parameters."""
    open_controls = [u for u, v in (system.controls.items() if system is not None else ()) if v is None]
    inputs: Mapping[str, Expr] = {u.data.name: symbol(u.data.name, role="parameter") for u in open_controls}
    present = _occurring(equations, open_controls)
    inputs = {name: e for name, e in inputs.items() if name in present}
    try:
        plain, numbers, _ = specialise(equations, system, dict.fromkeys(inputs, 0.0), inputs)
    except EvaluationError as fault:
        raise EvaluationError(f"code needs a value for everything that is not a variable: {fault}") from None
    values = dict(zip(plain.parameters, map(float, numbers), strict=True))
    declared = [*(system.parameters if system is not None else ()), *equations.parameters, *inputs.values()]
    order = dict.fromkeys([p for p in declared if p in values] + list(values))
    plain = replace(plain, parameters={p: plain.parameters[p] for p in order})
    return plain, {p.data.label: values[p] for p in order}, list(inputs)


def _occurring(equations: Equations, controls: list[Expr]) -> set[str]:
    found = symbols(expressions_of(equations))
    return {u.data.name for u in controls if u.data in found}


def _functions(equations: Equations, more: Mapping[str, dict[str, Expr]], dialect: Dialect) -> tuple[Function, ...]:
    """Return the functions that there are, linear systems written out together so that they share.

    Rates without a linear system are watched as the native engine does it, where the language can branch.
    """
    guards = equations.guards if dialect.weak else ()
    unsure = bool(equations.by_size) and not equations.sure
    rates = equations.straight if guards else equations.rates_by_size() if unsure else equations.rates()
    field = {v.data.label: e for v, e in rates.items()}
    lift = {v.data.label: e for v, e in equations.reconstruction.items()}
    own = {*equations.state, *equations.reconstruction}
    by_size = equations.rates_by_size() if guards else {}
    sized = {v.data.label: e for v, e in by_size.items()}
    said = "the same, the linear system solved with pivots chosen by size"
    tables = [
        Function(f"field{_BY_SIZE}", said, sized),
        Function("field", "the rates of the state variables", field, guards),
        Function("lift", "the rates of the lift variables (reconstruction)", lift),
        Function(f"rates{_BY_SIZE}", said, {**sized, **lift} if lift and sized else {}),
        Function("rates", "the rates of all variables", {**field, **lift} if lift else {}, guards),
        Function(
            "configuration",
            "the coordinates as stated, where they are not variables",
            {q.data.label: e for q, e in equations.configuration.items() if q not in own},
        ),
        Function("monitors", "what is worth watching", dict(equations.monitors)),
        Function(
            "residuals",
            "what the unknowns must make zero",
            {u.data.label: e for u, e in equations.implicit.items()},
        ),
    ]
    if dialect.keeps:
        back = "what is added to variables to bring them back to where constraints hold"
        tables += [
            Function(
                f"correction_{k}", back, {v.data.label: e for v, e in table.items()}, () if equations.sure else guards
            )
            for k, table in enumerate(equations.projection)
        ]
    known = {"ends": "what vanishes where the variables end", "holds": "what has to keep its sign"}
    tables += [Function(name, known.get(name, "as asked for"), results) for name, results in more.items()]
    kept = [table for table in tables if table.results]
    plain = iter(unroll([e for table in kept for e in table.results.values()], sure=True))
    return tuple(replace(f, results={label: next(plain) for label in f.results}) for f in kept)


def _version() -> str:
    try:
        return version("dalembert")
    except PackageNotFoundError:
        return "(not installed)"


# -- the face ------------------------------------------------------------------------------------------------
LANGUAGES = ("c", "jax", "casadi", "julia", "js")


def code(equations: Any, language: str = "c", *, form: str | None = None) -> str:
    """Return equations of motion as source code: ``c`` (C99), ``jax``, ``casadi``, ``julia`` or ``js`` (JavaScript).

    ``equations`` is an ``Equations`` or what a formalism derived. The state is that of the equations, and parameters
    and inputs come in the order in which they are declared; all targets but C check the lengths of what they are
    given. Linear systems are written out, L D L^T where the matrix is symmetric, if no pivot vanishes where the matrix
    is regular; else they are solved with pivots chosen by size. With ``form="saddle"`` all velocities are state
    variables, for equations whose choice of independent velocities fails somewhere; a note in the code names where.

    >>> from dalembert.expr.graph import ONE, symbol
    >>> from dalembert.model.equations import Equations
    >>> x, k = symbol("x"), symbol("k", role="parameter")
    >>> spring = Equations("spring", "by hand", {x: x.dot}, (x.dot,), ((ONE,),), (-k * x,), parameters={k: 4})
    >>> [line.strip() for line in code(spring, "c").splitlines() if "dy[" in line]
    ['dy[0] = x_dot;', 'dy[1] = -k*x;']
    """
    if language not in LANGUAGES:
        raise DalembertError(f"there is no code for '{language}'; use one of {', '.join(LANGUAGES)}.")
    writer = import_module(f"dalembert.numerics.codegen.{language}")
    written: str = writer.write(source_of(equations, writer.DIALECT, form=form))
    return written
