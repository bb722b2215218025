"""The table ``[algebra]``: velocities of a Lie algebra, which belong to no coordinates, and what they carry along.

Its velocities are speeds of the system, each the velocity of a coordinate ``s_NAME`` that nothing depends on. Advected
parameters are coordinates too, whose rates are linear in the velocities; the fields rho_i by which these move them have
to obey [rho_i, rho_j] = C_ij^k rho_k, as a group that acts needs it.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any, Final

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import gradient
from dalembert.expr.graph import ZERO, Expr, as_expr, symbol, total
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import depends_on, vanish
from dalembert.expr.walk import substitute, symbols
from dalembert.geometry.fields import Chart, VectorField, bracket, combination
from dalembert.geometry.groups.algebra import LieAlgebra, lie_algebra
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.groups.standard_algebras import StandardAlgebra, standard_algebra
from dalembert.model.faults import Faults
from dalembert.model.parts import Value
from dalembert.model.reading import Place, Reader
from dalembert.model.table import Table
from dalembert.records import dataclass, replace

ALGEBRA_KEYS: Final = ("name", "velocities", "basis", "brackets", "advected")
_BRACKET: Final = Place("a bracket of the basis", 0, time=False, remedy="it is a sum of basis vectors")
_RATE: Final = Place("the rate of an advected parameter", 1, remedy="it is linear in the velocities of the algebra")
_WAYS: Final = ("adjoint", "coadjoint", "vector")
NOT_BESIDE: Final = {
    "virtual": "virtual displacements are Chetaev's there",
    "holonomic": "a group without coordinates has no positions that could be held",
    "symmetry": "its group is divided out already",
}
"""Tables that are not taken beside ``[algebra]``, and why."""


@dataclass(frozen=True, slots=True)
class Algebra:
    """Velocities of a Lie algebra, and the parameters that they carry along."""

    algebra: LieAlgebra
    velocities: tuple[Expr, ...]
    """The speeds xi^i."""
    coordinates: tuple[Expr, ...]
    """Whose velocities they are; nothing depends on these."""
    advected: Table[Expr, tuple[Expr, ...]]
    """Rho^m_i: by how much each advected parameter is moved by each xi^i."""
    stated: Table[str, Value]

    def chart(self, coordinates: tuple[Expr, ...]) -> Chart:
        """Return the chart of some coordinates, with the brackets of the velocities and what these carry along."""
        own = tuple(q for q in coordinates if q not in self.advected)
        return Chart(own, self.algebra.constants, tuple(self.advected.items()))


def with_names(tables: Mapping[str, Any], faults: Faults) -> dict[str, Any]:
    """Return a statement with the coordinates and speeds that its table ``[algebra]`` brings.

    >>> found = with_names({"algebra": {"name": "so(3)", "velocities": ["a", "b", "c"]}}, Faults())
    >>> found["coordinates"], found["speeds"]["b"]
    ({'s_a': 'real', 's_b': 'real', 's_c': 'real'}, "s_b'")
    """
    told, coordinates = tables["algebra"], tables.get("coordinates", {})
    if isinstance(coordinates, str):
        coordinates = coordinates.split()
    if isinstance(coordinates, list | tuple) and all(isinstance(one, str) for one in coordinates):
        coordinates = dict.fromkeys(coordinates, "real")
    velocities = told.get("velocities") if isinstance(told, Mapping) else None
    if not isinstance(velocities, list | tuple) or not all(isinstance(one, str) for one in velocities):
        what = "the velocities of the Lie algebra are not named"
        faults.add(("algebra", "velocities"), what, 'name them, as in velocities = ["w1", "w2", "w3"]')
        return {key: value for key, value in tables.items() if key != "algebra"}
    if not isinstance(coordinates, Mapping):
        faults.add(("coordinates",), "beside [algebra] they are a table of domains by name")
        coordinates = {}
    new = dict.fromkeys(_advected_names(told, len(velocities)), "real")
    new |= {f"s_{name}": "real" for name in velocities}
    for name in new.keys() & coordinates.keys():
        faults.add(("coordinates", name), "[algebra] brings a coordinate of this name", "give it another")
    speeds = {**dict(tables.get("speeds", {})), **{name: f"s_{name}'" for name in velocities}}
    return {**tables, "coordinates": {**coordinates, **new}, "speeds": speeds}


def _advected_names(told: Mapping[str, Any], size: int) -> list[str]:
    """Return the names of the advected parameters: of one that is carried as a vector, those of its components."""
    names: list[str] = []
    stated = told.get("advected", {})
    for name, value in stated.items() if isinstance(stated, Mapping) else ():
        count = _vector_size(told) if value == "vector" else size
        names += [f"{name}{i}" for i in range(1, count + 1)] if value in _WAYS else [str(name)]
    return names


def _vector_size(told: Mapping[str, Any]) -> int:
    try:
        known = standard_algebra(str(told.get("name", "")))
    except ExpressionError:
        return 0
    return len(known.matrices[0]) if known.matrices else 0


def read_algebra(reader: Reader, told: Any) -> Algebra | None:
    """Return the algebra that a table states; what is wrong with it is noted."""
    faults = len(reader.faults)
    told = reader.table(told, ("algebra",), ALGEBRA_KEYS)
    known = _algebra(reader, told)
    names = list(told.get("velocities", ()))
    if known is None or len(reader.faults) > faults:
        return None
    algebra = known.algebra
    if len(names) != algebra.dimension:
        what = f"there are {len(names)}, but the algebra has dimension {algebra.dimension}"
        reader.faults.add(("algebra", "velocities"), what, f"name one for each of {', '.join(algebra.names)}")
        return None
    coordinates = tuple(reader.words.symbol(f"s_{name}") for name in names)
    advected = _advected(reader, told, known, tuple(one.dot for one in coordinates))
    if len(reader.faults) > faults or not _acts(reader, algebra, advected):
        return None
    kept = Table({key: reader.free(value, ("algebra", key)) for key, value in told.items()})
    speeds = tuple(symbol(Symbol(name)) for name in names)
    return Algebra(algebra, speeds, coordinates, Table(advected), kept)


def _algebra(reader: Reader, told: Mapping[str, Any]) -> StandardAlgebra | None:
    """Return the Lie algebra by its name, or by its brackets."""
    if ("name" in told) == ("basis" in told):
        what = "a Lie algebra has a name, or a basis with brackets"
        reader.faults.add(("algebra",), what, 'write name = "so(3)", or basis and brackets')
        return None
    if "name" in told:
        name = reader.text(told["name"], ("algebra", "name"))
        return None if name is None else reader.attempt(("algebra", "name"), lambda: standard_algebra(name))
    basis = [str(one) for one in reader.sequence(told["basis"], ("algebra", "basis"))]
    words = replace(reader.words, coordinates={}, let={}, extra=dict.fromkeys(basis, "real"))
    brackets: dict[tuple[str, str], dict[str, Expr]] = {}
    for key, value in reader.table(told.get("brackets", {}), ("algebra", "brackets")).items():
        path = ("algebra", "brackets", str(key))
        pair = [part.strip() for part in str(key).split(",")]
        if len(pair) != 2 or not set(pair) <= set(basis):
            reader.faults.add(path, "it is no pair of basis vectors", 'write "e1, e2" = "e3"')
            continue
        read = reader.expression(value, path, _BRACKET, words)
        if read is None:
            continue
        letters = [words.symbol(one) for one in basis]
        parts = gradient(read, letters)
        constant = all(one.role == "parameter" for one in symbols(parts))
        if not constant or not vanish(substitute([read], dict.fromkeys(letters, ZERO))):
            reader.faults.add(path, "it is no sum of basis vectors", 'write it as in "e1, e2" = "2*e3"')
            continue
        brackets[pair[0], pair[1]] = {n: c for n, c in zip(basis, parts, strict=True) if c is not ZERO}
    found = reader.attempt(("algebra", "brackets"), lambda: lie_algebra(basis, brackets))
    return None if found is None else StandardAlgebra(found)


def _advected(
    reader: Reader, told: Mapping[str, Any], known: StandardAlgebra, xi: tuple[Expr, ...]
) -> dict[Expr, tuple[Expr, ...]]:
    """Return rho^m_i of each advected parameter."""
    size = len(xi)
    found: dict[Expr, tuple[Expr, ...]] = {}
    for name, value in reader.table(told.get("advected", {}), ("algebra", "advected")).items():
        path = ("algebra", "advected", str(name))
        if value in _WAYS:
            count = len(known.matrices[0]) if value == "vector" and known.matrices else size
            if value == "vector" and not known.matrices:
                reader.faults.add(path, "this algebra is not known by matrices", "write adjoint, coadjoint or rates")
                continue
            parts = [reader.words.symbol(f"{name}{i}") for i in range(1, count + 1)]
            found |= {a: tuple(_carried(known, value, parts, i, m) for i in range(size)) for m, a in enumerate(parts)}
            continue
        read = reader.expression(value, path, _RATE)
        if read is None:
            continue
        rows = gradient(read, list(xi))
        if depends_on(rows, list(xi)) or not vanish([read - dot(rows, xi)]):
            reader.faults.add(path, f"its rate is not linear in {', '.join(map(str, told['velocities']))}")
            continue
        found[reader.words.symbol(str(name))] = tuple(substitute(rows, dict.fromkeys(xi, ZERO)))
    return found


def _carried(known: StandardAlgebra, way: str, parts: list[Expr], i: int, m: int) -> Expr:
    """Return rho^m_i of what is fixed in space: [a, E_i], ad*_i a, or -E_i a."""
    C = known.algebra.constants
    places = range(len(parts))
    if way == "vector":
        return total([(-1, as_expr(known.matrices[i][m][n]) * parts[n]) for n in places])
    if way == "adjoint":
        return total([(1, parts[a] * C[a][i][m]) for a in places])
    return total([(1, C[i][m][c] * parts[c]) for c in places])


def _acts(reader: Reader, algebra: LieAlgebra, advected: Mapping[Expr, tuple[Expr, ...]]) -> bool:
    """Decide [rho_i, rho_j] = C_ij^k rho_k."""
    if not advected:
        return True
    chart = Chart(tuple(advected))
    fields = [VectorField.of(chart, [row[i] for row in advected.values()]) for i in range(algebra.dimension)]
    for i, j in combinations(range(algebra.dimension), 2):
        wanted = combination(zip(algebra.constants[i][j], fields, strict=True))
        gap = bracket(fields[i], fields[j]) - wanted
        if not vanish(gap.components):
            one, other = algebra.names[i], algebra.names[j]
            what = f"these rates are those of no action: along {one} and {other} they do not close as the brackets do"
            reader.faults.add(
                ("algebra", "advected"), what, "look at their signs; of what is fixed in space a' = [a, xi]"
            )
            return False
    return True


def lie_poisson(one: Algebra, momenta: tuple[Expr, ...]) -> list[list[Expr]]:
    """Return the Lie-Poisson tensor on (mu, a): {mu_i, mu_j} = -C_ij^k mu_k, {a^m, mu_i} = rho_i^m, {a, a} = 0.

    With it f' = {f, h} for the motion of a left-invariant system.
    """
    size, rows = len(momenta), list(one.advected.values())
    width = size + len(rows)
    table = [[ZERO] * width for _ in range(width)]
    for i in range(size):
        for j in range(size):
            table[i][j] = -dot(one.algebra.constants[i][j], momenta)
        for m, rho in enumerate(rows):
            table[size + m][i], table[i][size + m] = rho[i], -rho[i]
    return table
