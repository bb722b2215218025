"""Invariant volumes: densities rho of the states with Gamma(ln rho) + div Gamma = 0.

A density is sought as a product of powers of functions that occur, times an exponential of a combination of letters:
its logarithmic rate is then linear in the unknown exponents, and one null space answers. The volume is that of the
state variables; on a rotation it is the invariant one of the group, for the field of a quaternion is tangent to all
spheres, so that its divergence in four dimensions is that on the sphere.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from dalembert.analysis.discovery.first_integrals import shorter
from dalembert.analysis.discovery.letters import Letters, as_power, in_words
from dalembert.analysis.discovery.position_densities import divergence, held_states
from dalembert.analysis.motions import Motions
from dalembert.errors import ExpressionError
from dalembert.expr.calculus import jacobian, tangent
from dalembert.expr.elementary import exp
from dalembert.expr.field import normal, tidy
from dalembert.expr.graph import ONE, ZERO, Expr, product, symbol, total
from dalembert.expr.linear.exact import determinant
from dalembert.expr.phases import factors
from dalembert.expr.readers.floats import value_somewhere
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Fact, Verdict, depends_on, never_zero
from dalembert.expr.truth.signs import never_zero_on_sphere
from dalembert.expr.truth.spheres import RotationMatrix
from dalembert.expr.walk import postorder, substitute, tree_size
from dalembert.geometry.distributions import choose_dependent
from dalembert.mechanics.common import facts_of
from dalembert.mechanics.second_order.search.linear_search import relations
from dalembert.records import dataclass

_MOST_NODES = 400
_MOST_ENTRIES = 1_500
"""Nodes of a determinant that is taken apart, and of a matrix whose determinant is looked at."""
_MOST_DEGREES = 6
"""Determinants of mass matrices up to this size are written down."""
_WORK = 1.0
_SHORT = 60
"""Nodes, as a tree, of what a velocity of a frame is, so that it is said."""


@dataclass(frozen=True, slots=True)
class InvariantVolume:
    """A density that every motion preserves, or the answer that none was found."""

    density: Expr | None
    variables: tuple[Expr, ...]
    """The state variables v of the volume rho dv1 dv2 ..."""
    verdict: Verdict
    tried: tuple[Sequence[Expr], Sequence[Expr]]
    """Of which functions powers were tried, and combinations in an exponential."""
    over: tuple[str, ...] = ()
    """Equations that the variables obey: the volume is over that of what they set to zero."""
    zeros: tuple[Expr, ...] = ()
    """Factors that could vanish: where one does, the density is not positive and smooth."""

    def space(self, most: int | None = None) -> str:
        """Say what was searched; functions longer than ``most`` are only described."""
        powers, combined = self.tried
        both = [one for one in powers if one in combined]
        others, meant = in_words([one for one in powers if one not in combined], most)
        first = ", ".join(map(repr, both))
        if not powers:
            return "constants"
        if not both:
            return f"products of powers of {', '.join(others)}{meant}"
        rest = f" and of {', '.join(others)}" if others else ""
        which = "the former" if others else "these"
        return f"products of powers of {first}{rest}, times the exponential of a combination of {which}{meant}"


def find_density(motions: Motions, letters: Letters) -> InvariantVolume:
    """Return an invariant volume of the states, if one is found.

    >>> from dalembert.analysis.discovery.letters import letters_of
    >>> from dalembert.model.system import System
    >>> drag = System.of(name="drag", coordinates="x y", lagrangian="(x'^2 + y'^2)/2", forces={"x": "-x'*y'"})
    >>> find_density(Motions(drag), letters_of(drag, Motions(drag).names.equations)).density
    exp(y)
    """
    return _density(motions, letters, _bases(motions, letters), letters.positions)


def other_densities(motions: Motions, letters: Letters) -> tuple[InvariantVolume, ...]:
    """Return invariant volumes that depend on time, or have zeros and poles where speeds vanish.

    >>> from dalembert.analysis.discovery.letters import letters_of
    >>> from dalembert.model.system import System
    >>> drag = System.of(name="drag", coordinates="x", lagrangian="x'^2/2", parameters="c", forces={"x": "-c*x'"})
    >>> [one.density for one in other_densities(Motions(drag), letters_of(drag, Motions(drag).names.equations))]
    [exp(c*t), 1/x']
    """
    bases, plain = _bases(motions, letters), letters.positions
    found = (
        _density(motions, letters, bases, (*plain, symbol(TIME))),
        _density(motions, letters, [*letters.speeds, *bases], plain),
    )
    return tuple(one for one in found if one.density is not None)


def _density(motions: Motions, letters: Letters, shown: Sequence[Expr], combined: Sequence[Expr]) -> InvariantVolume:
    """Return a product of powers of some functions, times an exponential of a combination of others."""
    equations, drive = motions.names.equations, motions.names.drive
    facts = facts_of(motions.system)
    spread = divergence(motions)
    opened = {name: letter for letter, name in letters.names.items()}
    bases = substitute(list(shown), opened)
    rates = tangent([*bases, *combined], drive)
    columns = [spread, *(rate / base for rate, base in zip(rates, bases, strict=False)), *rates[len(bases) :]]
    shown = [letters.called(one) for one in (*shown, *combined)]
    system = motions.system
    over = tuple(dict.fromkeys((*system.holonomic, *system.constraints))) if motions.tied else ()
    unknown = Verdict("undecided", "none was found in what was searched.")
    tried = (shown[: len(bases)], shown[len(bases) :])
    none = InvariantVolume(None, equations.state, unknown, tried, over)
    row = _exponents(columns, facts)
    if row is None and motions.sheet:  # where constraints on positions hold, if not everywhere
        row = _exponents(motions.sheet.apply(columns), facts)
    if row is None:
        return none
    weights = [weight / row[0] for weight in row[1:]]
    exponents = [w.value for w in weights[: len(bases)]]
    if None in exponents:  # an exponent that is no number is no power
        return none
    exponent = total([(1, w * one) for w, one in zip(weights[len(bases) :], shown[len(bases) :], strict=True)])
    factors = [(base, e) for base, e in zip(shown, exponents, strict=False) if e]
    density = shorter(product(factors)) * (exp(shorter(exponent)) if exponent is not ZERO else ONE)
    (rho,) = substitute([density], opened)
    (rate,) = tangent([rho], drive)
    verdict = motions.vanishes(rate + rho * spread)  # of what is shown, with what it changes by in time
    if verdict.holds is not True:
        return none
    roots = (as_power(one) for one in letters.special)
    poles = {base for base, e in roots if e < 0 or e != int(e)}  # where one of these is zero there are no equations
    poles |= {as_power(one)[0] for one in (*mass_factors(motions, letters), *equations.pivots)}
    taken = (as_power(base)[0] for base, _ in factors)
    zeros = tuple(base for base in taken if base not in poles and not never_zero(base).holds)
    return InvariantVolume(density, equations.state, verdict, tried, over, zeros)


@dataclass(frozen=True, slots=True)
class StatedVolume:
    """A density of the volume of stated coordinates, their velocities and angular velocities in bodies."""

    density: Expr
    variables: tuple[Expr, ...]
    """Those of positions, then those of velocities."""
    zeros: tuple[Expr, ...]
    """Where one of these vanishes, the velocities do not determine all others."""
    verdict: Verdict
    """That the motions keep this volume, by the rates of these variables."""


def stated_volume(motions: Motions, density: Expr) -> StatedVolume | None:
    """Return the same volume without velocities of a frame that nobody stated; None where these need no other name.

    >>> from dalembert.model.system import System
    >>> pen = System.of(name="pen", coordinates="x y z", lagrangian="(x'^2 + y'^2 + z'^2)/2",
    ...     constraints={"c": "z' = y*x' - x*y'"})
    >>> motions = Motions(pen)
    >>> stated_volume(motions, ONE) is None
    True
    """
    system, equations, words = motions.system, motions.names.equations, motions.names
    own = {*system.v, *system.speeds}
    foreign = [w for w in equations.velocities if w not in own]
    if not foreign or held_states(motions) or motions.tied or equations.configuration or equations.reconstruction:
        return None
    round_ = {q for point in system.points for q in point.components}
    candidates = [*(w for point in system.points for w in point.body), *(q.dot for q in system.q if q not in round_)]
    candidates.reverse()  # among equals the last ones are chosen
    slopes = jacobian([words.expression(one) for one in candidates], equations.velocities)
    units = [total([(1, q * q) for q in point.components], -1) for point in system.points]
    try:
        chosen = sorted(choose_dependent(list(zip(*slopes, strict=True))), reverse=True)
        square = [slopes[k] for k in chosen]
        volume = tidy(determinant(square), _WORK, modulo=units)
        volume = -volume if value_somewhere(volume) < 0 else volume
        velocities = [candidates[k] for k in chosen]
        changed = tidy(density / volume, _WORK, modulo=units)
        names = [*dict.fromkeys(repr(q).partition(".q")[0] for q in equations.kinematics), *map(repr, velocities)]
        verdict = motions.preserve(changed, names)
    except ExpressionError:
        return None
    if verdict.holds is not True:
        return None
    never = never_zero(volume).holds or never_zero_on_sphere(volume, [point.components for point in system.points])
    if not never and all(w in equations.speeds and tree_size(equations.speeds[w]) <= _SHORT for w in foreign):
        return None  # the frame is good everywhere, and what its velocities are is easily said
    return StatedVolume(changed, (*equations.kinematics, *velocities), () if never else (volume,), verdict)


def _exponents(columns: Sequence[Expr], facts: Sequence[Fact]) -> list[Expr] | None:
    """Return the relation between logarithmic rates that the divergence, which comes first, takes part in."""
    try:
        found = relations([[column] for column in columns], facts)
    except ExpressionError:
        return None
    return next((row for row in found.basis if row[0].value != 0), None)


def _bases(motions: Motions, letters: Letters) -> list[Expr]:
    """Return functions of which powers are tried: letters, and factors of the mass matrix's determinant.

    Liouville's density is that determinant, which need not depend on positions alone.
    """
    return list(dict.fromkeys([*letters.special, *letters.positions, *mass_factors(motions, letters)]))


def mass_factors(motions: Motions, letters: Letters) -> list[Expr]:
    """Return the factors of the mass matrix's determinant, with names for letters that have one.

    >>> from dalembert.analysis.discovery.letters import letters_of
    >>> from dalembert.model.system import System
    >>> pen = System.of(name="p", coordinates="x y z", lagrangian="(x'^2 + y'^2 + z'^2)/2",
    ...     constraints={"c": "z' = y*x'"})
    >>> mass_factors(Motions(pen), letters_of(pen, Motions(pen).names.equations))
    [y^2 + 1]
    """
    equations = motions.names.equations
    size = len(equations.mass)
    if not 0 < size <= _MOST_DEGREES:
        return []
    flat = substitute([e for row in equations.mass for e in row], dict(letters.names))
    rows = [flat[k : k + size] for k in range(0, size * size, size)]
    return determinant_factors(rows, equations.velocities, _orthogonality(letters))


def _orthogonality(letters: Letters) -> list[Expr]:
    """Return what is zero of the entries of rotations that have names."""
    entries: dict[str, list[Expr]] = {}
    for name in letters.names.values():
        whole, _, part = str(name.data.name).partition(".")
        if part.startswith("m"):
            entries.setdefault(whole, []).append(name)
    nine = [tuple(sorted(several, key=repr)) for several in entries.values() if len(several) == 9]
    return [relation for one in nine for relation in RotationMatrix(one).relations]


def determinant_factors(
    matrix: Sequence[Sequence[Expr]], speeds: Sequence[Expr], modulo: Sequence[Expr] = ()
) -> list[Expr]:
    """Return the factors of the determinant of a matrix that are more than parameters; none where it is too large.

    They are short where what is in ``modulo`` is zero.

    >>> from dalembert.expr import symbol
    >>> r = symbol("r")
    >>> determinant_factors([[ONE, ZERO], [ZERO, r**2]], ())
    [r]
    """
    if not too_large(matrix):
        with suppress(ExpressionError):
            return _factors(determinant(matrix), speeds, modulo)
    return []


def too_large(matrix: Sequence[Sequence[Expr]]) -> bool:
    """Say whether a matrix has so many nodes that its determinant is not looked at."""
    return len(postorder([entry for row in matrix for entry in row])) > _MOST_ENTRIES


def _factors(expression: Expr, speeds: Sequence[Expr], modulo: Sequence[Expr]) -> list[Expr]:
    """Return the factors of a function of positions; one that speeds take part in, as it is."""
    if len(postorder([expression])) > _MOST_NODES:
        return []
    if depends_on([expression], speeds):
        return [expression]
    try:
        short = tidy(normal(expression, _WORK), _WORK)
        short = tidy(short, _WORK, modulo=modulo) if modulo else short
    except ExpressionError:
        return [expression]
    return [part for part in factors(short)[1] if _moves(part)]


def _moves(part: Expr) -> bool:
    """Say whether a factor depends on anything but parameters."""
    return any(node.op == "symbol" and node.data.role == "variable" for node in postorder([part]))
