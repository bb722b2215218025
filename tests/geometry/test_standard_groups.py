"""Ready groups: matrices, fields of both sides, constants, adjoint matrices and laws of multiplication fit together.

Every law is a function of the group, so that a group with something wrong in it can be seen to fail.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product

import pytest

from dalembert.errors import ExpressionError
from dalembert.expr import PI, ZERO, Expr, substitute, symbol, tangent, total
from dalembert.expr.linear.exact import determinant
from dalembert.expr.truth import equal
from dalembert.expr.truth.many import all_vanish
from dalembert.geometry.fields import Chart, VectorField, bracket, combination
from dalembert.geometry.groups import (
    LieGroup,
    action_from_generators,
    direct_product,
    heisenberg,
    invariant_fields,
    lie_algebra,
    local_freeness,
    quaternions,
    se2,
    se3,
    so2,
    so3,
    translation_group,
)
from dalembert.geometry.groups.lie_group import Law, algebra_of_matrices
from dalembert.geometry.groups.matrices import Matrix, identity, multiply, transpose

SEQUENCES = ["".join(s) for s in product("xyz", repeat=3) if s[0] != s[1] != s[2]]
GROUPS: dict[str, LieGroup] = {
    "R^2": translation_group([symbol("u"), symbol("v")]),
    "SO(2)": so2(),
    "SE(2)": se2(),
    **{f"SO(3) by {s}": so3(sequence=s) for s in SEQUENCES},
    "SE(3)": se3(),
    "SE(3) by zyx": se3(sequence="zyx"),
    "SU(2)": quaternions(),
    "Heisenberg": heisenberg(),
    "SE(2) x SO(2)": direct_product(se2(), so2(symbol("alpha", domain="angle"))),
}
EVERY = pytest.mark.parametrize("group", GROUPS.values(), ids=GROUPS.keys())
CURVED = ["SE(2)", "SO(3) by zxz", "SO(3) by zyx", "SE(3)", "SU(2)", "Heisenberg"]
NON_ABELIAN = pytest.mark.parametrize("group", [GROUPS[name] for name in CURVED], ids=CURVED)


def same(left: Matrix, right: Matrix) -> None:
    """Two matrices are equal, entry by entry."""
    pairs = zip((e for row in left for e in row), (e for row in right for e in row), strict=True)
    verdict = all_vanish({f"entry {k}": a - b for k, (a, b) in enumerate(pairs)})
    assert verdict.holds is True, verdict


def same_fields(left: VectorField, right: VectorField) -> None:
    same((left.components,), (right.components,))


def weighted(weights: Sequence[Expr], matrices: Sequence[Matrix]) -> Matrix:
    """A combination of matrices."""
    size = range(len(matrices[0]))
    pairs = list(zip(weights, matrices, strict=True))
    return tuple(tuple(total([(1, w * m[i][j]) for w, m in pairs]) for j in size) for i in size)


def along(field: VectorField, matrix: Matrix) -> Matrix:
    return tuple(tuple(field.apply(row)) for row in matrix)


# -- the laws ------------------------------------------------------------------------------------------------
def fields_are_those_of_the_matrices(group: LieGroup) -> None:
    for a, E in enumerate(group.basis):
        same(along(group.spatial[a], group.matrix), multiply(E, group.matrix))
        same(along(group.body[a], group.matrix), multiply(group.matrix, E))


def constants_are_those_of_commutators(group: LieGroup) -> None:
    for a, b in product(range(group.dimension), repeat=2):
        there, back = multiply(group.basis[a], group.basis[b]), multiply(group.basis[b], group.basis[a])
        commutator = tuple(tuple(x - y for x, y in zip(*rows, strict=True)) for rows in zip(there, back, strict=True))
        same(commutator, weighted(group.algebra.constants[a][b], group.basis))


def brackets_have_the_right_sign(group: LieGroup) -> None:
    for a, b in product(range(group.dimension), repeat=2):
        C = group.algebra.constants[a][b]
        same_fields(bracket(group.spatial[a], group.spatial[b]), -combination(zip(C, group.spatial, strict=True)))
        same_fields(bracket(group.body[a], group.body[b]), combination(zip(C, group.body, strict=True)))


def sides_commute(group: LieGroup) -> None:
    for left, right in product(group.spatial, group.body):
        assert all_vanish({f"{k}": c for k, c in enumerate(bracket(left, right).components)}).holds is True


def adjoint_joins_the_sides(group: LieGroup) -> None:
    for a, row in enumerate(group.adjoint):
        same_fields(group.body[a], combination(zip(row, group.spatial, strict=True)))
        carried = weighted(row, [multiply(E, group.matrix) for E in group.basis])
        same(multiply(group.matrix, group.basis[a]), carried)


def adjoint_moves_by_the_constants(group: LieGroup) -> None:
    """E~_a(A_b^c) = C_ad^c A_b^d: the invariance of the body fields, written by the constants."""
    for a, b in product(range(group.dimension), repeat=2):
        moved = group.spatial[a].apply(group.adjoint[b])
        same((tuple(moved),), (group.algebra.bracket(_unit(group, a), group.adjoint[b]),))


def _unit(group: LieGroup, a: int) -> list[int]:
    return [int(i == a) for i in range(group.dimension)]


LAWS: list[Callable[[LieGroup], None]] = [
    fields_are_those_of_the_matrices,
    constants_are_those_of_commutators,
    brackets_have_the_right_sign,
    sides_commute,
    adjoint_joins_the_sides,
    adjoint_moves_by_the_constants,
]


@EVERY
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_the_laws_of_a_group(group: LieGroup, law: Callable[[LieGroup], None]) -> None:
    law(group)


def opposite(group: LieGroup) -> LieGroup:
    """The same with the constants of the opposite sign: an isomorphic algebra, but not the one of this group."""
    table = tuple(tuple(tuple(-c for c in row) for row in part) for part in group.algebra.constants)
    return replace(group, algebra=lie_algebra(group.algebra.names, table))


WRONG: dict[str, tuple[Callable[[LieGroup], LieGroup], list[int]]] = {
    "constants of the fundamental fields": (opposite, [1, 2, 5]),
    "sides exchanged": (lambda g: replace(g, spatial=g.body, body=g.spatial), [0, 2, 4]),
    "adjoint transposed": (lambda g: replace(g, adjoint=transpose(g.adjoint)), [4, 5]),
    "one field twice as fast": (lambda g: replace(g, body=(2 * g.body[0], *g.body[1:])), [0, 4]),
    "body fields for both": (lambda g: replace(g, spatial=g.body), [0, 2, 3]),
}


@NON_ABELIAN
@pytest.mark.parametrize(("spoil", "broken"), WRONG.values(), ids=WRONG.keys())
def test_every_law_bites(group: LieGroup, spoil: Callable[[LieGroup], LieGroup], broken: list[int]) -> None:
    for number in broken:
        with pytest.raises(AssertionError):
            LAWS[number](spoil(group))


def test_every_law_has_a_wrong_twin() -> None:
    assert {n for _, broken in WRONG.values() for n in broken} == set(range(len(LAWS)))


# -- multiplication ------------------------------------------------------------------------------------------
def at(group: LieGroup, matrix: Matrix, coordinates: tuple[Expr, ...]) -> Matrix:
    put = dict(zip(group.chart.coordinates, coordinates, strict=True))
    return tuple(tuple(substitute(row, put)) for row in matrix)


def law_is_that_of_the_matrices(group: LieGroup, law: Law) -> None:
    left, right = (at(group, group.matrix, side) for side in (law.left, law.right))
    same(at(group, group.matrix, law.product), multiply(left, right))


def law_gives_the_fields(group: LieGroup, law: Law) -> None:
    """Moving the left factor off the neutral element gives the spatial fields, moving the right one the body fields."""
    q = group.chart.coordinates
    for a in range(group.dimension):
        start = substitute(group.spatial[a].components, dict(zip(q, group.neutral, strict=True)))
        for near, far, fields in ((law.left, law.right, group.spatial), (law.right, law.left, group.body)):
            moved = tangent(law.product, dict(zip(near, start, strict=True)))
            put = {**dict(zip(near, group.neutral, strict=True)), **dict(zip(far, q, strict=True))}
            same((tuple(substitute(moved, put)),), (fields[a].components,))


WITH_LAW = [g for g in GROUPS.values() if g.law is not None]


@pytest.mark.parametrize("group", WITH_LAW, ids=lambda g: g.name)
def test_multiplication_in_coordinates(group: LieGroup) -> None:
    law = group.law
    assert law is not None
    law_is_that_of_the_matrices(group, law)
    law_gives_the_fields(group, law)
    q = group.chart.coordinates
    same((law(group.neutral, q),), (q,))
    same((law(q, group.neutral),), (q,))
    assert group.inverse is not None
    same((law(q, group.inverse),), (group.neutral,))
    third = [symbol(f"{s.data.name} third", domain=s.data.domain) for s in q]
    same((law(law(law.left, law.right), third),), (law(law.left, law(law.right, third)),))


@pytest.mark.parametrize("group", [se2(), quaternions(), heisenberg()], ids=lambda g: g.name)
def test_multiplication_in_the_wrong_order_is_seen(group: LieGroup) -> None:
    assert group.law is not None
    turned = Law(group.law.right, group.law.left, group.law.product)
    for law in (law_is_that_of_the_matrices, law_gives_the_fields):
        with pytest.raises(AssertionError):
            law(group, turned)


@pytest.mark.parametrize("group", [so3(), so3(sequence="yzy"), se3()], ids=["zxz", "yzy", "SE(3)"])
def test_inverses_without_a_law(group: LieGroup) -> None:
    assert group.law is None
    assert group.inverse is not None
    size = len(group.matrix)
    same(multiply(group.matrix, at(group, group.matrix, group.inverse)), identity(size))
    assert so3(sequence="zyx").inverse is None


@EVERY
def test_the_neutral_element(group: LieGroup) -> None:
    size = len(group.matrix)
    for matrix, count in ((group.matrix, size), (group.adjoint, group.dimension)):
        found = at(group, matrix, group.neutral)
        assert [[e.value for e in row] for row in found] == [[int(i == j) for j in range(count)] for i in range(count)]


# -- found again from the generators alone -------------------------------------------------------------------
@EVERY
def test_constants_come_from_the_generators_too(group: LieGroup) -> None:
    action = action_from_generators(dict(zip(group.algebra.names, group.spatial, strict=True)))
    assert action.algebra == group.algebra
    assert action.closure.holds is True
    free = local_freeness(action)
    assert (free.verdict.kind, free.orbit_dimension) == ("proved", group.dimension)
    # the body fields generate the action from the right, whose constants have the other sign
    other = action_from_generators(dict(zip(group.algebra.names, group.body, strict=True)))
    assert other.algebra == opposite(group).algebra


@pytest.mark.parametrize("name", ["R^2", "SE(2)", "SO(3) by zxz", "SO(3) by xyz", "Heisenberg", "SE(2) x SO(2)"])
def test_invariant_fields_come_from_the_generators_too(name: str) -> None:
    group = GROUPS[name]
    bundle = Chart((symbol("r"), *group.chart.coordinates, symbol("s")))
    for found in (invariant_fields(group.action(bundle)), group.invariant_fields(bundle)):
        assert found.verdict.holds is True
        same(found.matrix, group.adjoint)
        for field, expected in zip(found.fields, group.body, strict=True):
            same((field.components,), ((ZERO, *expected.components, ZERO),))


def test_an_action_that_does_not_fit_its_algebra_is_refused() -> None:
    with pytest.raises(ExpressionError, match=r"as those of a left action do: \[e1, e3\]"):
        opposite(se2()).action()
    wrong = replace(se2(), adjoint=transpose(se2().adjoint))
    with pytest.raises(ExpressionError, match="invariant field 1 against the matrix"):
        wrong.invariant_fields()


# -- rotations carried by a unit quaternion ------------------------------------------------------------------
def test_a_quaternion_carries_a_rotation_with_body_velocities() -> None:
    group = quaternions()
    w = [symbol(f"w{a}") for a in (1, 2, 3)]
    rates = group.kinematics(w)
    motion = VectorField(group.chart, tuple(rates))
    (relation,) = group.relations
    assert all_vanish({"length": motion(relation)}).holds is True
    rotation = transpose(group.adjoint)
    spin = weighted(w, so3().basis)
    same(along(motion, rotation), multiply(rotation, spin))
    same(multiply(rotation, transpose(rotation)), multiply(transpose(rotation), rotation))
    with pytest.raises(AssertionError):  # the other side: that would be spatial velocities
        same(along(motion, rotation), multiply(spin, rotation))
    assert group.algebra == so3().algebra


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_angles_fail_where_they_say(sequence: str) -> None:
    group = so3(sequence=sequence)
    (where,) = group.singular
    for fields in (group.spatial, group.body):
        volume = determinant([field.components for field in fields])  # of the cell of the fields in the angles
        assert any(equal(volume * where, sign).holds is True for sign in (1, -1))
        put = {group.chart.coordinates[1]: ZERO if sequence[0] == sequence[2] else PI / 2}
        with pytest.raises(ExpressionError, match="zero"):
            substitute([c for field in fields for c in field.components], put)


# -- refusals ------------------------------------------------------------------------------------------------
def test_what_is_no_group_is_refused() -> None:
    with pytest.raises(ExpressionError, match="3 coordinates"):
        se2([symbol("x")])
    with pytest.raises(ExpressionError, match="3 generators, not 1"):
        so3(names=["a"])
    for sequence in ("zzx", "zx", "zxw"):
        with pytest.raises(ExpressionError, match="not a sequence of rotations"):
            so3(sequence=sequence)
    with pytest.raises(ExpressionError, match=r"\[a, b\] is not in the span of a, b"):
        algebra_of_matrices("ab", [[[0, 1], [0, 0]], [[0, 0], [1, 0]]])
    with pytest.raises(ExpressionError, match="dependent"):
        algebra_of_matrices("ab", [[[0, 1], [0, 0]], [[0, 2], [0, 0]]])
    with pytest.raises(ExpressionError, match="4 quasi-velocities"):
        direct_product(se2(), so2(symbol("a"))).kinematics([1, 2, 3])
    with pytest.raises(ExpressionError, match="occurs twice"):
        direct_product(se2(), so2())
