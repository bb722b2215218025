"""Discovery: the symmetries and first integrals of a system, from its statement alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from dalembert.analysis.discovery.alphabets import MOST_NODES, alphabets
from dalembert.analysis.discovery.brackets import BracketAlgebra, bracket_algebra
from dalembert.analysis.discovery.densities import too_large
from dalembert.analysis.discovery.field_ansatz import FieldAnsatz
from dalembert.analysis.discovery.first_integrals import Integral, IntegralSearch, search_integrals
from dalembert.analysis.discovery.gauge_momenta import GaugeMomenta, gauge_momenta
from dalembert.analysis.discovery.gauged_brackets import GaugedBracket, gauged_bracket
from dalembert.analysis.discovery.integrability import Integrability, integrability
from dalembert.analysis.discovery.letters import letters_of
from dalembert.analysis.discovery.measures import InvariantMeasures, measures_of
from dalembert.analysis.discovery.momenta import known_by_derivation, known_integrals
from dalembert.analysis.discovery.moving_energies import moving_energies
from dalembert.analysis.discovery.point_symmetries import (
    PointSymmetry,
    SymmetryAlgebra,
    affordable,
    besides,
    equation_symmetries,
    noether_symmetries,
    symmetries_of_parts,
    widest,
)
from dalembert.analysis.discovery.poisson_structures import RankTwo, rank_two
from dalembert.analysis.discovery.structure import Orbits, orbits_of
from dalembert.analysis.discovery.variational import Variational, variational
from dalembert.analysis.motions import Motions
from dalembert.errors import ExpressionError, expect
from dalembert.expr.calculus import gradient
from dalembert.expr.elementary import exp
from dalembert.expr.graph import PI, Expr, as_expr, symbol
from dalembert.expr.symbols import TIME
from dalembert.expr.text import text
from dalembert.expr.truth import depends_on, generic_rank, vanish
from dalembert.expr.walk import postorder, substitute, symbols
from dalembert.geometry.integrals import independent, integrals
from dalembert.mechanics.nonholonomic.integrable_part import allowed_directions, integrability_claim
from dalembert.model.claim import Claim
from dalembert.model.system import System
from dalembert.model.writing import tables_of
from dalembert.records import dataclass, field, replace
from dalembert.shown import Shown

_FEW, _MANY = 300, 1_200
"""How many unknown constants a search of integrals may have."""
_MOST_ROOTS = 4
_MOST_COORDINATES, _MOST_ROWS = 8, 150
"""Of so many coordinates, and constraints of so many nodes, the integrable part is looked for."""


@dataclass(frozen=True)
class Discovery(Shown):
    """What was found of a system, and what was searched."""

    system: str
    formalism: str
    noether: SymmetryAlgebra | None
    """The symmetries of L, of the constraints and of the forces."""
    more: tuple[PointSymmetry, ...]
    """Symmetries of the equations besides."""
    equations_space: str
    known: tuple[Integral, ...]
    """Momenta of the symmetries, the energy among them."""
    searches: tuple[IntegralSearch, ...]
    independent: tuple[Integral, ...]
    """Integrals on which, as functions, all that were found depend."""
    measures: InvariantMeasures
    """Volumes that the motions preserve, on all states and modulo the symmetries: found, absent or undecided."""
    variables: int
    """How many variables the states have; beside rotations and constraints on positions these are not independent."""
    notes: tuple[str, ...] = ()
    """What was not searched, and why."""
    alone: Mapping[str, tuple[PointSymmetry, ...]] = field(default_factory=dict)
    """What L alone ("L"), and the constraints alone ("constraints"), have besides."""
    orbits: Orbits | None = None
    """How the orbits of the symmetries lie that leave time alone and do not depend on it."""
    brackets: BracketAlgebra | None = None
    """The Poisson brackets of the integrals, where these are taken: unconstrained, in coordinates that are numbers."""
    variational: Variational | None = None
    """Whether the motions are those of a Lagrangian that nobody stated; None where it was not asked."""
    gauge: GaugeMomenta | None = None
    """Integrals whose coefficients obey a linear differential equation."""
    values: str = ""
    """Which values of the parameters the answer is for, in a sentence; empty where there are none."""
    integrability: Integrability | None = None
    """What integrals and measures say together of integrability."""
    poisson: RankTwo | None = None
    """A Poisson structure of rank 2 of the motion modulo symmetries, where integrals leave a curve."""
    gauged: GaugedBracket | None = None
    """A bracket of the motion modulo symmetries that is Poisson's after multiplication by a function of position."""
    speeds: Mapping[Expr, Expr] = field(default_factory=dict)
    """What the speeds are that stand in all this, by coordinates and velocities."""
    deep: bool = False
    """Whether the larger spaces were searched."""
    dependent: Mapping[Integral, tuple[Integral, ...]] = field(default_factory=dict)
    """Integrals that near generic states are functions of some of the independent ones, and of which."""
    integrable: Claim | None = None
    """How many of the constraints, linear in the velocities, are integrable, and what they keep; it may turn with
    angles, and then is no function that integrals are made of."""

    @property
    def stated(self) -> dict[str, str]:
        """The table [symmetry] that a model could state: those that leave time alone."""
        basis = self.noether.basis if self.noether is not None else ()
        lasting = [one for one in basis if not one.generator.moves_time]
        return {f"e{k}": one.stated for k, one in enumerate(lasting, 1)}

    def called(self, integral: Integral) -> str:
        """Return the letter of an integral, as in what is said of brackets: E of the energy, J1, J2, ... of others."""
        taken = self.brackets.integrals if self.brackets is not None else ()
        if integral.name == "energy" and integral not in taken:
            return "E"
        every = [*taken, *(one for one in (*self.known, *self.found) if one not in taken and one.name != "energy")]
        return f"J{every.index(integral) + 1}"

    @property
    def found(self) -> tuple[Integral, ...]:
        """The integrals that are more than polynomials in the known ones."""
        return tuple(one for search in self.searches for one in search.found)


def discover(
    system: System,
    formalism: str | None = None,
    *,
    deep: bool = False,
    exact_parameters: bool = False,
    progress: Callable[[str], None] | None = None,
) -> Discovery:
    """Search for the symmetries and first integrals of a system; whatever is returned has been decided.

    Parameters keep their names, and what is found holds for all values of them; with ``exact_parameters`` those that
    have a value are this number, and more may be found. ``progress`` is told what is searched for.

    >>> found = discover(System.of(name="spring", coordinates="x", lagrangian="(x'^2 - x^2)/2"))
    >>> [one.written for one in found.noether.basis], [one.written for one in found.more]
    (['d/dt'], ['x d/dx'])
    >>> [one.shown for one in found.known], len(found.found), found.measures.full.density, found.variables
    ([(x^2 + x'^2)/2], 0, 1, 2)
    """
    expect(system, System, "discover takes a system")
    stated = system
    if exact_parameters:
        system = with_given_values(system)
    motions = Motions(system, formalism)
    notes: list[str] = []
    progress = progress or (lambda _: None)
    progress("symmetries of the statement")
    ansatz = _ansatz(motions, notes, deep=deep)
    algebra = None if ansatz is None else noether_symmetries(motions, ansatz)
    integrable, of_constraints = _of_constraints(motions)
    known = (*(() if algebra is None else known_integrals(motions, algebra)), *of_constraints)
    known += known_by_derivation(motions, known)
    alone = {} if algebra is None else symmetries_of_parts(motions, algebra, ansatz)
    if algebra is not None and not any(one.name == "energy" for one in known):
        known += moving_energies(motions, (*algebra.basis, *alone.get("L", ())))
    progress("symmetries of the equations")
    more, space = _more(motions, algebra, notes, deep=deep)
    searches = _searches(motions, algebra, known, notes, progress, deep=deep)
    lasting = () if algebra is None else algebra.lasting
    generators = [one.generator for one in lasting]
    progress("invariant measures")
    measures = measures_of(motions, generators, [one.written for one in lasting])
    searches += _by_density(motions, measures, [*known, *(one for search in searches for one in search.found)])
    found = [*known, *(one for search in searches for one in search.found)]
    equations = motions.names.equations
    gauge = _gauge(motions, algebra)
    independent_ones, dependent = _independent(motions, found)
    return Discovery(
        system.name,
        equations.formalism,
        algebra,
        more,
        space,
        known,
        searches,
        independent_ones,
        measures,
        len(equations.state),
        tuple(notes),
        alone,
        None if algebra is None else orbits_of(motions, generators),
        bracket_algebra(motions, found),
        variational(motions),
        gauge,
        _values_said(stated, system),
        integrability(motions, generators, found, measures, gauge),
        rank_two(motions, generators, found) if measures.volume is not None and not motions.tied else None,
        gauged_bracket(motions, generators, found),
        dict(equations.speeds),
        deep,
        dependent,
        integrable,
    )


def _of_constraints(motions: Motions) -> tuple[Claim | None, tuple[Integral, ...]]:
    """Say of linear constraints how many are integrable, and return the functions on the states that they keep."""
    system = motions.system
    bound = list(system.stated_constraints.values())
    rows = [gradient(one.expression, system.v) for one in bound]
    flat = [e for row in rows for e in row]
    large = len(system.q) > _MOST_COORDINATES or len(postorder(flat)) > _MOST_ROWS
    if not bound or large or system.virtual or any(system.kind_of(one) != "linear" for one in bound):
        return None, ()
    if depends_on(flat, [symbol(TIME)]):
        return None, ()
    try:
        allowed = allowed_directions(system)
        kept = integrals(allowed)
        claim = integrability_claim(allowed, system.facts, kept)
        found = [one for one in kept.functions if _is_single_valued(system, one)]
        values = [motions.names.expression(one) for one in found]
        moving = [k for k, one in enumerate(motions.on_states(values)) if _varies(one)]
    except ExpressionError:
        return None, ()
    decided = [Integral(values[k], motions.keep(values[k]), found[k], "kept by the constraints") for k in moving]
    claim_or_none = claim if claim.verdict.holds is True and not system.points else None
    return claim_or_none, tuple(one for one in decided if one.verdict.holds is True)


def _is_single_valued(system: System, function: Expr) -> bool:
    """Say whether a function comes back to itself where angles go round."""
    angles = [q for q in system.q if q.data.domain == "angle"]
    return vanish([substitute([function], {q: q + 2 * PI})[0] - function for q in angles])


def _varies(function: Expr) -> bool:
    """Say whether a function depends on anything but parameters."""
    return not vanish(gradient(function, [symbol(s) for s in symbols([function]) if s.role != "parameter"]))


def _gauge(motions: Motions, algebra: SymmetryAlgebra | None) -> GaugeMomenta | None:
    """Return gauge momenta of constrained motions of moderate size; of others Noether's theorem says all there is."""
    equations = motions.names.equations
    large = len(postorder(list(motions.names.drive.values()))) > MOST_NODES
    if (
        large
        or algebra is None
        or not algebra.lasting
        or equations.formalism != "nonholonomic"
        or equations.configuration
    ):
        return None
    try:
        return gauge_momenta(motions, [one.generator for one in algebra.lasting])
    except ExpressionError:
        return None


def with_given_values(system: System) -> System:
    """Return a system with the numbers in place of those parameters that have a value.

    >>> fall = System.of(name="fall", coordinates="z", parameters={"g": 9.81, "m": None}, lagrangian="m*(z'^2/2 - g*z)")
    >>> with_given_values(fall).lagrangian, list(with_given_values(fall).parameters)
    (m*(z'^2/2 - 981*z/100), [m])
    """
    given = {p.data.name: value for p, value in system.defaults.items()}
    if not given:
        return system
    stated = tables_of(system)
    kept = {name: one for name, one in dict(stated.get("parameters", {})).items() if name not in given}
    lets = {name: text(as_expr(value)) for name, value in given.items()} | dict(stated.get("let", {}))
    return system.but(parameters=kept or None, let=lets)


def _values_said(stated: System, system: System) -> str:
    """Say which values of the parameters the answer is for."""
    named = ", ".join(p.data.name for p in system.parameters)
    given = ", ".join(
        f"{p.data.name} = {text(as_expr(v))}" for p, v in stated.defaults.items() if p not in system.parameters
    )
    if given:
        more = f", and for all values of {named}" if named else ""
        return f"The answer is for the given values {given}{more}."
    return f"The answer is for generic values of {named}; special values may have more." if named else ""


# -- symmetries ----------------------------------------------------------------------------------------------------
def _ansatz(motions: Motions, notes: list[str], *, deep: bool) -> FieldAnsatz | None:
    """Return which fields are tried; None where there is no statement to try them on."""
    try:
        found = widest(motions.system, *((2, 2) if deep and len(motions.system.q) <= 4 else (1, 0)))
    except ExpressionError as error:
        why = str(error).replace("symmetries of Noether's kind", "these")
        notes.append(f"Symmetries of Noether's kind were not searched: {why}")
        return None
    if not found.angles and any(q.data.domain == "angle" for q in found.plain):
        many = len(FieldAnsatz(motions.system).fields())
        notes.append(f"Fields with sines and cosines of angles were not tried as symmetries: they are {many:,}.")
    return found


def _more(
    motions: Motions, algebra: SymmetryAlgebra | None, notes: list[str], *, deep: bool
) -> tuple[tuple[PointSymmetry, ...], str]:
    """Return symmetries of the equations that are no combinations of those of Noether's kind."""
    size = len(postorder(list(motions.names.drive.values())))
    if size > MOST_NODES and not deep:
        notes.append(f"Symmetries of the equations were not searched: these have {size} nodes (--deep does).")
        return (), ""
    loops = motions.sheet is not None and bool(motions.sheet.turned)
    try:
        waves = int(deep or (affordable(motions) and not loops))
        found = equation_symmetries(motions, FieldAnsatz(motions.system, 1, 1, angles=waves))
    except ExpressionError as error:
        notes.append(f"Symmetries of the equations were not searched: {error}")
        return (), ""
    known = algebra.basis if algebra is not None else ()
    return besides(motions, known, found.basis), found.space


# -- integrals -------------------------------------------------------------------------------------------------------
def _searches(
    motions: Motions,
    algebra: SymmetryAlgebra | None,
    known: Sequence[Integral],
    notes: list[str],
    progress: Callable[[str], None],
    *,
    deep: bool,
) -> tuple[IntegralSearch, ...]:
    if motions.names.equations.implicit:
        notes.append("Integrals were not searched: implicit unknowns are not taken.")
        return ()
    if motions.sheet is None:
        notes.append(
            "Integrals were searched that are kept for all values of what the constraints on positions set to zero: "
            "these were not solved in closed form."
        )
    if too_large(motions.names.equations.mass):
        notes.append("Integrals and densities were not searched with roots of the determinant of the masses: too long.")
    found: list[IntegralSearch] = []
    have = list(known)
    for letters, degrees in alphabets(motions, algebra, deep=deep):
        for degree in degrees:
            progress(f"integrals of degree {degree}")
            most = _MANY if deep else _FEW
            try:
                one = search_integrals(motions, letters, degree, most, have)
            except ExpressionError:
                if not motions.sheet:
                    raise
                notes.append(
                    "Integrals were searched that are kept for all values of what the constraints on positions set to "
                    "zero: with the numbers that were tried for the parameters these are not met."
                )
                motions = motions.unsolved()
                one = search_integrals(motions, letters, degree, most, have)
            if not one.unknowns:
                notes.append(f"Integrals of degree {degree} were not searched: the smallest space is too large.")
                continue
            if one.missed:
                notes.append(
                    f"Of degree {degree} more was kept for numbers in place of the parameters than could be solved for "
                    "these: --exact-parameters may show it."
                )
            have += one.found
            found.append(one)
    return tuple(found)


def _by_density(motions: Motions, measures: InvariantMeasures, have: Sequence[Integral]) -> tuple[IntegralSearch, ...]:
    """Search with the exponentials of an invariant density, and their roots, which need not stand in the equations.

    Quadratic drag x'' = -k x'^2 has the density exp(2 k x) and the integral x' exp(k x); with n velocities that
    are dragged alike the density is a power of n + 1.
    """
    density = None if measures.volume is None else measures.volume.density
    letters = letters_of(motions.system, motions.names.equations)
    there = () if density is None else postorder([density])
    inside = dict.fromkeys(e.args[0] for e in there if e.op == "call" and e.data == "exp")
    roots = range(1, min(len(motions.names.equations.velocities) + 1, _MOST_ROOTS) + 1)
    powers = [exp(e * Fraction(sign, k)) for e in inside for k in roots for sign in (1, -1)]
    if not powers or any(one in letters.special for one in powers):
        return ()
    wide, found = replace(letters, special=tuple(powers)), list[IntegralSearch]()
    for degree in (1, 2):
        one = search_integrals(motions, wide, degree, _FEW, [*have, *(known for each in found for known in each.found)])
        found += [one] if one.unknowns else []
    return tuple(found)


def _independent(
    motions: Motions, found: Sequence[Integral]
) -> tuple[tuple[Integral, ...], dict[Integral, tuple[Integral, ...]]]:
    """Return integrals on which all others depend as functions, and of which of them each other is a function."""
    if not found:
        return (), {}
    written = motions.on_states([one.expression for one in found])
    variables = sorted({s for s in symbols(written) if s.role == "variable"}, key=str)
    places = [symbol(TIME), *(symbol(s) for s in variables if s != TIME)]
    chosen = independent(written, places)
    slopes = {k: gradient(written[k], places) for k in range(len(found))}
    dependent = {}
    for k in (
        slopes.keys() - chosen
    ):  # its differential is a combination of theirs; one takes part if none is without it
        needed = [
            j for j in chosen if generic_rank([slopes[k], *(slopes[i] for i in chosen if i != j)]).rank == len(chosen)
        ]
        dependent[found[k]] = tuple(found[j] for j in needed)
    return tuple(found[k] for k in chosen), dependent
