"""The basis in which a Lie algebra has the brackets that its name is known by.

A basis is constructed for each direct summand, from its series, its Levi decomposition and its Killing form, and then
its brackets are compared with those of the books: what is returned has them. Square roots of numbers may occur.

=============  =================================================================================
name           brackets
=============  =================================================================================
aff(1)         [d, p] = p
heisenberg     [p_i, q_i] = z
se(2)          [j, p1] = p2, [j, p2] = -p1
e(1,1)         [d, p1] = p1, [d, p2] = -p2
so(3)          [j1, j2] = j3 and cyclic
sl(2,R)        [h, e] = 2 e, [h, f] = -2 f, [e, f] = h
se(3)          so(3), [j1, p2] = p3 and cyclic
so(4)          so(3), [j1, k2] = k3 and cyclic, [k1, k2] = j3 and cyclic
so(3,1)        so(3), [j1, k2] = k3 and cyclic, [k1, k2] = -j3 and cyclic
saff(2)        sl(2,R), [h, p1] = p1, [h, p2] = -p2, [e, p2] = p1, [f, p1] = p2
gal(2)         [j, p1] = p2, [j, p2] = -p1, the same of k, [h, k_i] = p_i
gal(3)         so(3), [j1, p2] = p3, [j1, k2] = k3 and cyclic, [h, k_i] = p_i
=============  =================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations

from dalembert.errors import ExpressionError
from dalembert.expr.elementary import sqrt
from dalembert.expr.field import tidy
from dalembert.expr.graph import ONE, ZERO, Expr, number
from dalembert.expr.truth import vanish
from dalembert.geometry.groups.algebra import LieAlgebra
from dalembert.geometry.groups.levi import levi_decomposition
from dalembert.geometry.groups.matrices import (
    Matrix,
    Vector,
    characteristic_polynomial,
    complement,
    dot,
    inverse,
    multiply,
    null_space,
    reduced,
    sign,
    span,
    transpose,
)
from dalembert.geometry.groups.names import UNKNOWN, centroid, name_of_part, summands
from dalembert.records import dataclass

Brackets = Mapping[tuple[str, str], Mapping[str, int]]
_CYCLIC = ((1, 2, 3), (2, 3, 1), (3, 1, 2))


@dataclass(frozen=True, slots=True)
class StandardBasis:
    """A direct summand of an algebra with its name, and vectors of the whole algebra that have its brackets."""

    name: str
    labels: tuple[str, ...]
    """What the vectors are called; empty where no standard basis was found."""
    vectors: Matrix


def standard_bases(algebra: LieAlgebra) -> tuple[StandardBasis, ...]:
    """Return the direct summands of an algebra, each with its name and its standard basis.

    >>> from dalembert.geometry.groups import lie_algebra
    >>> (plane,) = standard_bases(lie_algebra("abc", {("a", "c"): {"b": -2}, ("b", "c"): {"a": 2}}))
    >>> plane.name, plane.labels, plane.vectors
    ('se(2)', ('j', 'p1', 'p2'), ((0, 0, 1/2), (1, 0, 0), (0, 1, 0)))
    """
    return tuple(_of_summand(algebra.restricted(vectors), vectors) for vectors in summands(algebra))


def _of_summand(part: LieAlgebra, vectors: Matrix) -> StandardBasis:
    if part.is_abelian:
        size = part.dimension
        return StandardBasis(f"R^{size}" if size > 1 else "R", tuple(f"a{k + 1}" for k in range(size)), vectors)
    known = name_of_part(part)
    for name, find in _CONSTRUCTIONS.items():
        if known not in (name, *_ALSO.get(name, ())):
            continue
        try:
            rows = find(part)
        except ExpressionError:
            continue
        labels, brackets = _books(name, part.dimension)
        if rows is not None and len(labels) == part.dimension and _has(part, rows, labels, brackets):
            shown = f"{name}({part.dimension})" if name == "heisenberg" and part.dimension > 3 else name
            return StandardBasis(shown, labels, _tidied(multiply(rows, vectors)))
    return StandardBasis(known, (), vectors)


def _tidied(rows: Matrix) -> Matrix:
    return tuple(tuple(e if e.op in {"number", "symbol"} else tidy(e) for e in row) for row in rows)


def _has(algebra: LieAlgebra, rows: Sequence[Vector], labels: Sequence[str], brackets: Brackets) -> bool:
    """Say whether vectors have brackets, all of them."""
    place = {label: k for k, label in enumerate(labels)}
    for a, b in combinations(labels, 2):
        stated, turned = brackets.get((a, b)), brackets.get((b, a))
        terms = dict(stated) if stated else {c: -w for c, w in turned.items()} if turned else {}
        left = algebra.bracket(rows[place[a]], rows[place[b]])
        right = [sum((w * rows[place[c]][k] for c, w in terms.items()), start=ZERO) for k in range(algebra.dimension)]
        if not vanish([x - y for x, y in zip(left, right, strict=True)]):
            return False
    return True


# -- the brackets of the books -------------------------------------------------------------------------------------
def _turning(letter: str, factor: int = 1) -> dict[tuple[str, str], dict[str, int]]:
    """Return what so(3) does to a vector."""
    found = {(f"j{a}", f"{letter}{b}"): {f"{letter}{c}": factor} for a, b, c in _CYCLIC}
    return found | {(f"j{b}", f"{letter}{a}"): {f"{letter}{c}": -factor} for a, b, c in _CYCLIC}


def _books(name: str, size: int) -> tuple[tuple[str, ...], Brackets]:
    turns = {(f"j{a}", f"j{b}"): {f"j{c}": 1} for a, b, c in _CYCLIC}
    lifts = {("h", "e"): {"e": 2}, ("h", "f"): {"f": -2}, ("e", "f"): {"h": 1}}
    three = ("j1", "j2", "j3")
    p, k = ("p1", "p2", "p3"), ("k1", "k2", "k3")
    plane = {("j", "p1"): {"p2": 1}, ("j", "p2"): {"p1": -1}}
    match name:
        case "aff(1)":
            return ("d", "p"), {("d", "p"): {"p": 1}}
        case "heisenberg":
            pairs = range(1, size // 2 + 1)
            labels = tuple(f"{letter}{i}" for i in pairs for letter in "pq")
            return (*labels, "z"), {(f"p{i}", f"q{i}"): {"z": 1} for i in pairs}
        case "se(2)":
            return ("j", *p[:2]), plane
        case "e(1,1)":
            return ("d", *p[:2]), {("d", "p1"): {"p1": 1}, ("d", "p2"): {"p2": -1}}
        case "so(3)":
            return three, turns
        case "sl(2,R)":
            return ("h", "e", "f"), lifts
        case "se(3)":
            return (*three, *p), turns | _turning("p")
        case "so(4)" | "so(3,1)":
            boosts = {(f"k{a}", f"k{b}"): {f"j{c}": 1 if name == "so(4)" else -1} for a, b, c in _CYCLIC}
            return (*three, *k), turns | _turning("k") | boosts
        case "saff(2)":
            acts = {("h", "p1"): {"p1": 1}, ("h", "p2"): {"p2": -1}, ("e", "p2"): {"p1": 1}, ("f", "p1"): {"p2": 1}}
            return ("h", "e", "f", *p[:2]), lifts | acts
        case "gal(2)":
            moved = {("j", "k1"): {"k2": 1}, ("j", "k2"): {"k1": -1}}
            return ("j", *k[:2], *p[:2], "h"), plane | moved | {("h", f"k{i}"): {f"p{i}": 1} for i in (1, 2)}
        case _:
            pushed = {("h", f"k{i}"): {f"p{i}": 1} for i in (1, 2, 3)}
            return (*three, *k, *p, "h"), turns | _turning("k") | _turning("p") | pushed


# -- constructions ---------------------------------------------------------------------------------------------------
def _affine(g: LieAlgebra) -> Matrix:
    (p,) = g.products(g.basis(), g.basis())
    (d,) = complement([p], g.basis())
    return (_scaled(d, 1 / _ratio(g.bracket(d, p), p)), p)


def _heisenberg(g: LieAlgebra) -> Matrix:
    (z,) = g.products(g.basis(), g.basis())
    left, found = list(complement([z], g.basis())), list[Vector]()
    while left:
        p = left.pop(0)
        weights = [_ratio(g.bracket(p, v), z) for v in left]
        place = next(k for k, w in enumerate(weights) if w is not ZERO)
        q = _scaled(left.pop(place), 1 / weights[place])
        found += [p, q]
        # the others without their parts along this pair
        left = [
            _sum((ONE, v), (-_ratio(g.bracket(p, v), z), q), (_ratio(g.bracket(q, v), z), p)) for v in left
        ]  # [p, v - a q] = 0 and [q, v + b p] = 0
    return (*found, z)


def _plane(g: LieAlgebra) -> Matrix:
    """Return a line that turns or stretches the plane of brackets."""
    plane = g.products(g.basis(), g.basis())
    (outside,) = complement(plane, g.basis())
    action = _on(g, outside, plane)
    determinant, _, _ = characteristic_polynomial(action)
    if sign(determinant) == 1:
        j = _scaled(outside, 1 / _root(determinant))
        return (j, plane[0], g.bracket(j, plane[0]))
    d = _scaled(outside, 1 / _root(-determinant))
    halves = [[_sum((ONE, v), (number(s), g.bracket(d, v))) for v in plane] for s in (1, -1)]
    return (d, *(next(v for v in half if not vanish(v)) for half in halves))


def _rotations(g: LieAlgebra) -> Matrix:
    """Return so(3) from two vectors that the Killing form makes perpendicular."""
    form, (x, y, _) = g.killing_form(), g.basis()
    y = _sum((ONE, y), (-_form(form, x, y) / _form(form, x, x), x))
    x, y = (_scaled(v, 1 / _root(-_form(form, v, v) / 2)) for v in (x, y))  # the Killing form of j1 is -2
    return (x, y, g.bracket(x, y))


def _lifts(g: LieAlgebra) -> Matrix:
    """Return sl(2,R): h has a positive square, e and f are what it stretches."""
    form = g.killing_form()
    candidates = [*g.basis(), *(_sum((ONE, a), (number(s), b)) for a, b in combinations(g.basis(), 2) for s in (1, -1))]
    for v in candidates:
        square = _form(form, v, v)
        if sign(square) == 1:
            h = _scaled(v, 1 / _root(square / 8))
            e, f = (
                next(u for u in (_sum((number(s), b), (ONE, g.bracket(h, b))) for b in _across(g, h)) if not vanish(u))
                for s in (2, -2)
            )
            return (h, e, _scaled(f, 1 / _ratio(g.bracket(e, f), h)))
    raise ExpressionError("no vector of positive square was found.")


def _across(g: LieAlgebra, h: Vector) -> Iterator[Vector]:
    """Yield vectors that the Killing form makes perpendicular to one."""
    form = g.killing_form()
    for v in g.basis():
        yield _sum((ONE, v), (-_form(form, h, v) / _form(form, h, h), h))


def _within(g: LieAlgebra, inside: Matrix, find: Callable[[LieAlgebra], Matrix]) -> Matrix:
    """Return what is found in a subalgebra, as vectors of the whole."""
    return multiply(find(g.restricted(inside)), inside)


def _turned(g: LieAlgebra, j: Matrix, first: Vector) -> Matrix:
    """Return the vector under so(3) that begins with one which j1 leaves alone."""
    return (first, g.bracket(j[2], first), _scaled(g.bracket(j[1], first), -ONE))


def _space(g: LieAlgebra) -> Matrix:
    parts = levi_decomposition(g)
    j = _within(g, parts.levi, _rotations)
    return (*j, *_turned(g, j, _fixed(g, j[0], parts.radical)[0]))


def _special_affine(g: LieAlgebra) -> Matrix:
    parts = levi_decomposition(g)
    h, e, f = _within(g, parts.levi, _lifts)
    p1 = _fixed(g, e, parts.radical)[0]
    return (h, e, f, p1, g.bracket(f, p1))


def _galilei_of_space(g: LieAlgebra) -> Matrix | None:
    parts = levi_decomposition(g)
    if g.dimension != 10 or len(parts.levi) != 3 or g.restricted(parts.levi).name() != "so(3)":
        return None
    j = _within(g, parts.levi, _rotations)
    alone = _common(g, j, parts.radical)
    moved = g.products(j, parts.radical)
    if len(alone) != 1 or len(moved) != 6:
        return None
    (h,) = alone
    k1 = next((v for v in _fixed(g, j[0], moved) if not vanish(g.bracket(h, v))), None)
    if k1 is None:
        return None
    k = _turned(g, j, k1)
    return (*j, *k, *(g.bracket(h, v) for v in k), h)


def _galilei_of_plane(g: LieAlgebra) -> Matrix | None:
    """Return gal(2): time is where the Killing form vanishes, the turn is what has a square there."""
    shifts = g.products(g.basis(), g.basis())
    null = null_space(g.killing_form(), g.dimension)
    if (g.dimension, len(shifts), len(null)) != (6, 4, 5) or g.products(shifts, shifts):
        return None
    (time,), (turn,) = complement(shifts, null), complement(null, g.basis())
    H, J = _on(g, time, shifts), _on(g, turn, shifts)
    # ad of turn + c time on the shifts is to have a square that is a number: linear in c, for time has square zero
    square, mixed = (
        multiply(J, J),
        [[a + b for a, b in zip(x, y, strict=True)] for x, y in zip(multiply(J, H), multiply(H, J), strict=True)],
    )
    size = range(len(shifts))
    rows = [[mixed[i][k], -(ONE if i == k else ZERO), square[i][k]] for i in size for k in size]
    solution = next((v for v in null_space(rows, 3) if not vanish([v[-1]])), None)
    if solution is None:
        return None
    c, rate, one = solution
    j = _scaled(_sum((ONE, turn), (c / one, time)), 1 / _root(-rate / one))
    # time is moved along the shifts so that it commutes with the turn
    (wrong,) = multiply([g.bracket(j, time)], inverse((*shifts, *complement(shifts, g.basis()))))
    inner = _on(g, j, shifts)
    (move,) = multiply([wrong[: len(shifts)]], inverse(inner))
    h = _sum((ONE, time), *((-m, s) for m, s in zip(move, shifts, strict=True)))
    k1 = next((v for v in shifts if not vanish(g.bracket(h, v))), None)
    if k1 is None:
        return None
    k2 = g.bracket(j, k1)
    return (j, k1, k2, g.bracket(h, k1), g.bracket(h, k2), h)


def _with_complex_structure(g: LieAlgebra) -> Matrix | None:
    """Return so(4) or so(3,1) from an so(3) in it and a map T with T[x, y] = [T x, y] whose square is a number."""
    maps = centroid(g)
    if len(maps) != 2:
        return None
    size = g.dimension
    for one in maps:
        rows = [one[i : i + size] for i in range(0, size * size, size)]
        trace = sum((rows[i][i] for i in range(size)), start=ZERO) / size
        T = [[reduced(e - trace) if i == k else e for k, e in enumerate(row)] for i, row in enumerate(rows)]
        square = reduced(multiply(T, T)[0][0])
        if square is ZERO or sign(square) is None:
            continue
        for triple in combinations(g.basis(), 3):
            if len(span([*triple, *g.products(triple, triple)])) == 3:
                j = _within(g, triple, _rotations)
                scale = 1 / _root(square if sign(square) == 1 else -square)
                return (*j, *(_scaled(v, scale) for v in multiply(j, T)))
    return None


_CONSTRUCTIONS: dict[str, Callable[[LieAlgebra], Matrix | None]] = {
    "aff(1)": _affine,
    "heisenberg": _heisenberg,
    "se(2)": _plane,
    "e(1,1)": _plane,
    "so(3)": _rotations,
    "sl(2,R)": _lifts,
    "se(3)": _space,
    "so(4)": _with_complex_structure,
    "so(3,1)": _with_complex_structure,
    "saff(2)": _special_affine,
    "gal(2)": _galilei_of_plane,
    "gal(3)": _galilei_of_space,
}
_ALSO = {
    "heisenberg": tuple(f"heisenberg({n})" for n in range(5, 40, 2)),
    "so(4)": ("so(3) + so(3)",),
    "gal(2)": (UNKNOWN,),
    "gal(3)": (UNKNOWN,),
}


# -- vectors ---------------------------------------------------------------------------------------------------------
def _scaled(vector: Vector, factor: Expr) -> Vector:
    return tuple(factor * e for e in vector)


def _sum(*terms: tuple[Expr, Vector]) -> Vector:
    columns = transpose([vector for _, vector in terms])
    return tuple(reduced(dot([w for w, _ in terms], column)) for column in columns)


def _ratio(vector: Vector, unit: Vector) -> Expr:
    """Return the number by which one vector is a multiple of another."""
    place = next(k for k, e in enumerate(unit) if e is not ZERO)
    return reduced(vector[place] / unit[place])


def _root(value: Expr) -> Expr:
    return sqrt(reduced(value))


def _form(form: Matrix, left: Vector, right: Vector) -> Expr:
    return reduced(dot([dot(row, right) for row in form], left))


def _on(g: LieAlgebra, element: Vector, ideal: Matrix) -> Matrix:
    """Return how an element acts on an ideal: the images of its basis as rows."""
    back = inverse((*ideal, *complement(ideal, g.basis())))
    return tuple(row[: len(ideal)] for row in multiply([g.bracket(element, v) for v in ideal], back))


def _fixed(g: LieAlgebra, element: Vector, inside: Matrix) -> Matrix:
    """Return what commutes with an element in a subspace."""
    images = [g.bracket(element, v) for v in inside]
    return multiply(null_space(transpose(images), len(inside)), inside)


def _common(g: LieAlgebra, elements: Matrix, inside: Matrix) -> Matrix:
    """Return what commutes with several elements in a subspace."""
    images = [[e for x in elements for e in g.bracket(x, v)] for v in inside]
    return multiply(null_space(transpose(images), len(inside)), inside)
