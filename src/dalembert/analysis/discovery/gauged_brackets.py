"""Hamiltonian forms of reduced constrained motions: a bracket, changed by a 2-form, times a function.

In speeds w that the symmetries leave as they are the velocities allowed are w_i e_i, with p_i = dE/dw_i, and brackets

    {q, p_i} = e_i(q),   {p_i, p_j} = -C^k_ij(q) p_k

give the motion with the energy as Hamiltonian where p_i' = e_i(L) - C^k_ij p_k w_j. That leaves C open by a 3-form T on
the directions allowed, C^k_ij p_k + T_ijk w_k: gauge transformations by the 2-form i_w T, which the motion does not
feel (L. Garcia-Naranjo; P. Balseiro). The bracket times f(q) obeys Jacobi's identity where (f e_i, f C) is a Lie
algebroid,

    [e_i, e_j] - C^k_ij e_k + F_i e_j - F_j e_i = 0  on functions on the quotient,     F_i = e_i(ln f),
    sum over cyclic i, j, k of  e_i(C^l_jk) + F_i C^l_jk + C^m_jk C^l_im = 0.

The first line and the motion are linear in C and F at each point, so that these are solved for; f is then sought as a
product of powers, and the second line is decided. For two speeds this is Chaplygin's multiplier, for the ball of
Chaplygin the bracket of A. Borisov and I. Mamaev (2001).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from itertools import product as cartesian

from dalembert.analysis.discovery.alphabets import MOST_NODES, invariant_letters
from dalembert.analysis.discovery.densities import mass_factors
from dalembert.analysis.discovery.first_integrals import Integral
from dalembert.analysis.discovery.letters import kept_by, letters_of
from dalembert.analysis.motions import Motions
from dalembert.errors import ExpressionError
from dalembert.expr.calculus import gradient, hessian, jacobian, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, ZERO, Expr, product, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Verdict, all_hold, depends_on, generic_rank, vanish
from dalembert.expr.truth.many import all_vanish
from dalembert.expr.walk import postorder, substitute
from dalembert.mechanics.closed_loops import Branch
from dalembert.mechanics.common import facts_of
from dalembert.mechanics.second_order.search.linear_search import relations
from dalembert.model.parts import Generator
from dalembert.records import dataclass

_MOST = 4
"""So many speeds at most."""
Table = list[list[list[Expr]]]


@dataclass(frozen=True, slots=True)
class GaugedBracket:
    """A bracket of the reduced motion that is Poisson's after multiplication by a function of position."""

    speeds: tuple[Expr, ...]
    momenta: tuple[Expr, ...]
    """p_i = dE/dw_i."""
    functions: tuple[Expr, ...]
    """On the quotient of the positions, as they are called."""
    structure: tuple[tuple[tuple[Expr, ...], ...], ...]
    """C^k_ij by i, j and k."""
    factor: Expr
    """f, in the names of the functions."""
    dimension: int
    rank: int
    casimirs: tuple[Integral, ...]
    """Those of the integrals that commute with everything."""
    verdict: Verdict
    """That the motion is y' = {y, E}, and that f {., .} obeys Jacobi's identity."""


def gauged_bracket(
    motions: Motions, generators: Sequence[Generator], found: Sequence[Integral] = ()
) -> GaugedBracket | None:
    """Return a Hamiltonian form of the motion modulo symmetries; None where none of this kind was found.

    >>> from dalembert.analysis.discovery.point_symmetries import noether_symmetries
    >>> from dalembert.model.system import System
    >>> particle = System.of(name="particle", coordinates="x y z", lagrangian="(x'^2 + y'^2 + z'^2)/2",
    ...     constraints={"slope": "z' = y*x'"}, symmetry={"up": {"z": 1}})
    >>> motions = Motions(particle)
    >>> up = [one.generator for one in noether_symmetries(motions).lasting if one.written == "d/dz"]
    >>> form = gauged_bracket(motions, up)
    >>> form.factor, form.dimension, form.rank, form.verdict.holds
    (sqrt(y^2 + 1), 4, 4, True)
    """
    equations, system = motions.names.equations, motions.system
    count = len(equations.velocities)
    plain = equations.formalism == "nonholonomic" and not (equations.configuration or equations.implicit)
    if not plain or system.lagrangian is None or not 2 <= count <= _MOST or not generators:
        return None
    drive = list(motions.names.drive.values())
    if depends_on(drive, [symbol(TIME)]) or len(postorder(drive)) > MOST_NODES:
        return None
    try:
        frame = Frame(motions, generators)
        if len(kept_by(frame.speeds, frame.fields, frame.facts)) < count or not frame.letters or not frame.spans:
            return None
        return _answer(frame, found)
    except ExpressionError:  # too large, or what is not taken
        return None


class Frame:
    """The fields e_i of speeds, the Lagrangian where constraints hold, and functions on the quotient."""

    def __init__(self, motions: Motions, generators: Sequence[Generator]) -> None:
        system, equations = motions.system, motions.names.equations
        self.motions, self.facts, self.drive = motions, facts_of(system), motions.names.drive
        self.speeds = list(equations.velocities)
        self.places = list(equations.kinematics)
        self.whole = letters_of(system, equations)
        self.fields = [motions.pushed(one) for one in generators]
        kept = invariant_letters(motions, self.whole, generators) if generators else self.whole
        self.letters = list(kept.positions) if kept is not None else []
        rows = jacobian([equations.kinematics[q] for q in self.places], self.speeds)
        self.frame = [{q: rows[a][i] for a, q in enumerate(self.places)} for i in range(len(self.speeds))]
        assert system.lagrangian is not None
        self.lagrangian = motions.names.expression(system.lagrangian)
        self.momenta = gradient(self.lagrangian, self.speeds)
        self.mass = jacobian(self.momenta, self.speeds)
        sheet = motions.sheet or Branch()
        held = len(system.points) + len(sheet.given) + len(sheet.turned)
        self.dimension = len(equations.state) - held - len(generators)

    def along(self, functions: Sequence[Expr], i: int) -> list[Expr]:
        """Return e_i of functions."""
        return tangent(list(functions), self.frame[i])

    @property
    def spans(self) -> bool:
        """Whether q' = w_i e_i, and the Lagrangian is quadratic in speeds, but for a potential."""
        still = dict.fromkeys(self.speeds, ZERO)
        kinematics = self.motions.names.equations.kinematics
        moved = [
            kinematics[q] - total([(1, w * e[q]) for w, e in zip(self.speeds, self.frame, strict=True)])
            for q in self.places
        ]
        fixed = [e for one in self.frame for e in one.values()] + [e for row in self.mass for e in row]
        zero = [*moved, *substitute(self.momenta, still)]
        return vanish(zero, self.facts) and not depends_on(fixed, self.speeds, self.facts)

    @property
    def force(self) -> list[Expr]:
        """p_i' - e_i(L)."""
        rates = tangent(self.momenta, self.drive)
        return [rate - self.along([self.lagrangian], i)[0] for i, rate in enumerate(rates)]

    # -- decided ---------------------------------------------------------------------------------------------------
    def decided(self, table: Table, factor: Expr) -> Verdict:
        """Decide that brackets give the motion, and Jacobi's identity after multiplication by a factor."""
        size = range(len(self.speeds))
        growth = [self.along([factor], i)[0] / factor for i in size]
        moved, flat, closed = {}, {}, {}
        force = self.force
        for i in size:
            pull = [(1, table[i][j][k] * self.momenta[k] * self.speeds[j]) for j in size for k in size]
            moved[f"the rate of p{i + 1}"] = force[i] + total(pull)
        slopes = [self.along(self.letters, i) for i in size]
        for i, j in combinations(size, 2):
            there, back = self.along(slopes[j], i), self.along(slopes[i], j)
            for a, letter in enumerate(self.letters):
                rest = [(-1, table[i][j][k] * slopes[k][a]) for k in size]
                flat[f"Jacobi on p{i + 1}, p{j + 1}, {self.whole.called(letter)!r}"] = (
                    there[a] - back[a] + total(rest) + growth[i] * slopes[j][a] - growth[j] * slopes[i][a]
                )
        for i, j, k in combinations(size, 3):
            for n in size:
                terms = []
                for a, b, c in ((i, j, k), (j, k, i), (k, i, j)):
                    terms += [(1, self.along([table[b][c][n]], a)[0]), (1, growth[a] * table[b][c][n])]
                    terms += [(1, table[b][c][m] * table[a][m][n]) for m in size]
                closed[f"Jacobi on p{i + 1}, p{j + 1}, p{k + 1}, at p{n + 1}"] = total(terms)
        parts = {"motion": moved, "Jacobi with positions": flat, "Jacobi": closed}
        return all_hold({name: all_vanish(part, self.facts) for name, part in parts.items() if part})

    def commutes(self, function: Expr, table: Table) -> bool:
        """Say whether a function that the symmetries leave as it is commutes with everything."""
        size = range(len(self.speeds))
        if not kept_by([function], self.fields, self.facts):
            return False
        weights, turned = solve(self.mass, gradient(function, self.speeds)), self.momenta
        rest = []
        for i in size:
            bent = [self.along([e], i)[0] for e in turned]
            pulled = [(-1, table[i][j][k] * turned[k] * weights[j]) for j in size for k in size]
            held = [(1, g * e) for g, e in zip(weights, bent, strict=True)]
            rest.append(total([*pulled, *held, (-1, self.along([function], i)[0])]))
        rest += [total([(1, self.along([z], i)[0] * weights[i]) for i in size]) for z in self.letters]
        return vanish(rest, self.facts)

    def brackets(self, table: Table) -> list[list[Expr]]:
        """Return the brackets of positions and momenta with each other."""
        size, count = range(len(self.speeds)), len(self.letters)
        slopes = [self.along(self.letters, i) for i in size]
        top = [[ZERO] * count + [slopes[i][a] for i in size] for a in range(count)]
        low = []
        for i in size:
            pulled = [total([(-1, table[i][j][k] * self.momenta[k]) for k in size]) for j in size]
            low.append([-slopes[i][a] for a in range(count)] + pulled)
        return top + low


# -- solved for --------------------------------------------------------------------------------------------------------
def _answer(frame: Frame, found: Sequence[Integral]) -> GaugedBracket | None:
    size = range(len(frame.speeds))
    places: Places = {(*pair, k): n for n, (pair, k) in enumerate(cartesian(combinations(size, 2), size))}
    rows = [*_of_motion(frame, places), *_of_quotient(frame, places)]
    matrix, right = [row[:-1] for row in rows], [row[-1] for row in rows]
    rank = generic_rank(matrix, frame.facts)
    if rank.verdict.holds is None or not rank.rank:
        return None
    square = [[matrix[r][c] for c in rank.columns] for r in rank.rows]
    values = [ZERO] * len(matrix[0])
    for c, solved in zip(rank.columns, solve(square, [right[r] for r in rank.rows]), strict=True):
        values[c] = solved
    both = zip(matrix, right, strict=True)
    if not vanish([total([(1, e * v) for e, v in zip(row, values, strict=True)]) - r for row, r in both], frame.facts):
        return None
    table = [[[_entry(values, places, i, j, k) for k in size] for j in size] for i in size]
    slopes = values[len(places) :]
    growth = [total([(1, v * s) for v, s in zip(slopes, frame.along(frame.letters, i), strict=True)]) for i in size]
    factor = _factor(frame, growth)
    if factor is None or (verdict := frame.decided(table, factor[1])).holds is not True:
        return None
    return GaugedBracket(
        tuple(frame.speeds),
        tuple(frame.momenta),
        tuple(frame.whole.called(one) for one in frame.letters),
        tuple(tuple(map(tuple, row)) for row in table),
        factor[0],
        frame.dimension,
        generic_rank(frame.brackets(table), frame.facts).rank,
        tuple(one for one in found if frame.commutes(one.expression, table)),
        verdict,
    )


Places = Mapping[tuple[int, ...], int]


def _entry(values: Sequence[Expr], places: Places, i: int, j: int, k: int) -> Expr:
    return ZERO if i == j else values[places[i, j, k]] if i < j else -values[places[j, i, k]]


def _of_motion(frame: Frame, places: Places) -> Iterator[list[Expr]]:
    """Yield what the motion says of C, with the right-hand side behind: -C^k_ij p_k w_j = p_i' - e_i(L)."""
    size, width = range(len(frame.speeds)), len(places) + len(frame.letters)
    for i, force in enumerate(frame.force):
        for a, row in enumerate(hessian(force, frame.speeds)):
            for b in range(a, len(size)):
                line = [ZERO] * width
                for k in size:
                    for j, other in ((a, b), (b, a)):
                        if i != j:
                            place = places[(*sorted((i, j)), k)]
                            line[place] = line[place] - (1 if i < j else -1) * frame.mass[k][other]
                yield [*line, row[b]]


def _of_quotient(frame: Frame, places: Places) -> Iterator[list[Expr]]:
    """Yield what Jacobi's identity on p_i, p_j and a function z says of C and the slopes of ln f in the functions."""
    size, count = range(len(frame.speeds)), len(frame.letters)
    slopes = [frame.along(frame.letters, i) for i in size]
    for i, j in combinations(size, 2):
        there, back = frame.along(slopes[j], i), frame.along(slopes[i], j)
        for a in range(count):
            line = [ZERO] * len(places)
            for k in size:
                line[places[i, j, k]] = slopes[k][a]
            line += [slopes[j][b] * slopes[i][a] - slopes[i][b] * slopes[j][a] for b in range(count)]
            yield [*line, there[a] - back[a]]


def _factor(frame: Frame, growth: Sequence[Expr]) -> tuple[Expr, Expr] | None:
    """Return f as a product of powers with e_i(ln f) as given, by its names and written out."""
    if vanish(list(growth), frame.facts):
        return ONE, ONE
    names = {name: letter for letter, name in frame.whole.names.items()}
    named = list(dict.fromkeys([*mass_factors(frame.motions, frame.whole), *map(frame.whole.called, frame.letters)]))
    written = substitute(named, names)
    kept = kept_by(written, frame.fields, frame.facts)
    bases = [(n, e) for n, e in zip(named, written, strict=True) if e in kept]
    columns = [list(growth)] + [[frame.along([e], i)[0] / e for i in range(len(frame.speeds))] for _, e in bases]
    row = next((row for row in relations(columns, frame.facts).basis if row[0].value != 0), None)
    exponents = [] if row is None else [(-w / row[0]).value for w in row[1:]]
    if row is None or None in exponents:
        return None
    powers = [(pair, e) for pair, e in zip(bases, exponents, strict=True) if e is not None]
    return product([(n, e) for (n, _), e in powers]), product([(b, e) for (_, b), e in powers])
