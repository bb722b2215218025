"""A system as a record: stated in Python, looked at, and moved along."""

import pickle
import sys
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
import sympy
from sympy.physics.mechanics import dynamicsymbols

from dalembert.errors import DalembertError, ExpressionError, Fault, HypothesisError, MissingExtra, ModelError
from dalembert.expr import ONE, ZERO, Function, cos, jet, sin, solve, symbol
from dalembert.expr.text import parse
from dalembert.expr.truth import is_zero
from dalembert.geometry.fields import VectorField
from dalembert.model.files import loads
from dalembert.model.parts import Constraint, Equation, Generator
from dalembert.model.ranks import independent
from dalembert.model.repeated import repeated
from dalembert.model.system import System
from dalembert.model.table import Table
from dalembert.model.trajectory import Trajectory

SKATE = loads("""
name = "skate"
lagrangian = "m*(x'^2 + y'^2)/2 + J*th'^2/2 - m*V(x)"
[coordinates]
x = "real"
y = "real"
th = "angle"
[parameters]
m = 1
J = 0.5
[functions]
V = { of = ["x"], value = "x^2" }
[let]
speed2 = "x'^2 + y'^2"
[constraints]
blade = "x'*sin(th) = y'*cos(th)"
[forces]
x = "-x'*speed2"
[symmetry]
e1 = { x = "1" }
e2 = { x = "-y", y = "x", th = "1", t = "2*t" }
[momentum]
e1 = "m"
e2 = 0.5
[start]
"x'" = 0.1
th = "pi/3"
""")


# -- stated in Python ----------------------------------------------------------------------------------------
def test_text_and_python_state_the_same_system():
    same = System.of(
        name="skate",
        coordinates={"x": "real", "y": "real", "th": "angle"},
        parameters={"m": 1.0, "J": Fraction(1, 2)},
        functions={"V": {"of": ["x"], "value": "x^2"}},
        let={"speed2": "x'^2 + y'^2"},
        lagrangian="m*(x'^2 + y'^2)/2 + J*th'^2/2 - m*V(x)",
        constraints={"blade": ("x'*sin(th)", "y'*cos(th)")},
        forces={"x": "-x'*speed2"},
        symmetry={"e1": {"x": 1}, "e2": {"th": 1, "y": "x", "x": "-y", "t": "2*t"}},
        momentum=["m", "1/2"],
        start={"x'": 0.1, "th": "pi/3"},
    )
    assert same == SKATE
    assert hash(same) == hash(SKATE)
    assert same != same.but(start={"x'": 0.2, "th": "pi/3"})


def test_symbols_in_pairs():
    x, y, th, u, v, w, m, J, t, speed2 = sympy.symbols("x y th u v w m J t speed2")
    V = sympy.Function("V")
    same = System.of(
        name="skate",
        coordinates={x: u, y: (v,), th: (w, "angle")},
        parameters={m: 1, J: sympy.Rational(1, 2)},
        functions={"V": {"of": ["x"], "value": x**2}},
        let={"speed2": u**2 + v**2},
        lagrangian=m * (u**2 + v**2) / 2 + J * w**2 / 2 - m * V(x),
        constraints={"blade": sympy.Eq(u * sympy.sin(th), v * sympy.cos(th))},
        forces={x: -u * speed2},
        symmetry={"e1": {x: 1}, "e2": {x: -y, y: x, th: 1, "t": 2 * t}},
        momentum={"e1": m, "e2": sympy.Rational(1, 2)},
        start={u: 0.1, th: sympy.pi / 3},
    )
    assert same == SKATE


def test_functions_of_time():
    x, y, th = dynamicsymbols("x y th")
    t = dynamicsymbols._t
    m, J, speed2 = sympy.symbols("m J speed2")
    u, v, w = (q.diff(t) for q in (x, y, th))
    same = System.of(
        name="skate",
        coordinates={x: "real", y: "real", th: "angle"},
        parameters={"m": 1, "J": 0.5},
        functions={"V": {"of": ["x"], "value": "x^2"}},
        let={"speed2": u**2 + v**2},
        lagrangian=m * (u**2 + v**2) / 2 + J * w**2 / 2 - m * sympy.Function("V")(x),
        constraints={"blade": (u * sympy.sin(th), v * sympy.cos(th))},
        forces={x: -u * speed2},
        symmetry={"e1": {x: 1}, "e2": {x: -y, y: x, th: 1, "t": 2 * t}},
        momentum={"e1": m, "e2": 0.5},
        start={u: 0.1, th: sympy.pi / 3},
    )
    assert same == SKATE


def test_graphs():
    x, y, th = symbol("x"), symbol("y"), symbol("th", domain="angle")
    m = symbol("m", role="parameter")  # declared by name, and then what is declared holds: m is positive
    system = System.of(
        name="skate",
        coordinates=[x, y, th],
        parameters={"m": 1, symbol("k", role="parameter", domain="nonzero"): np.float64(0.1)},
        functions={"V": ["x"]},
        lagrangian=m * x.dot**2 - jet(Function("V", 1), (x,)),
        constraints=[x.dot * sin(th) - y.dot * cos(th)],
        symmetry=[VectorField.of(SKATE.chart, {x: 1}), {y: 1}],
        start={x.dot: np.int64(3), th: 1},
    )
    assert system.lagrangian is parse("m*x'^2 - V(x)", system.vocabulary)
    assert system.lagrangian is not m * x.dot**2 - jet(Function("V", 1), (x,))
    assert system.constraints["c1"] == Constraint("c1", x.dot * sin(th) - y.dot * cos(th))
    assert system.parameters[system.vocabulary["k"]] == Fraction(1, 10)
    assert system.symmetry == Table({"e1": Generator(Table({x: ONE})), "e2": Generator(Table({y: ONE}))})
    assert system.start.values[x.dot].value == 3


def test_what_sympy_assumes_is_kept():
    x = sympy.Symbol("x", positive=True)
    m, a, b = sympy.Symbol("m"), sympy.Symbol("a", real=True), sympy.Symbol("b", negative=True)
    system = System.of(name="s", coordinates=[x], parameters=[m, a, b], lagrangian="m*x'^2", start={"x": "m"})
    assert list(system.coordinates.values()) == ["positive"]
    assert [p.data.domain for p in system.parameters] == ["positive", "real", "negative"]
    assert system.start.values[system.q[0]] is system.vocabulary["m"]
    with pytest.raises(ModelError, match=r"^\[parameters\] c: 'c' is not real; declare it with other assumptions\.$"):
        System.of(name="s", coordinates=[x], parameters=[sympy.Symbol("c", imaginary=True)], lagrangian="x'^2")
    with pytest.raises(ModelError, match="'v' has two meanings here"):
        System.of(name="s", coordinates={x: sympy.Symbol("v"), sympy.Symbol("v"): None}, lagrangian="x'^2")


def test_solves_are_written_out():
    x, m = symbol("x"), symbol("m", role="parameter", domain="positive")
    (root,) = solve([[m]], [x.dot])
    system = System.of(name="s", coordinates="x", parameters="m", lagrangian=x.dot * root)
    assert system.lagrangian is parse("x'*(x'/m)", system.vocabulary)


def test_what_comes_in_other_shapes_is_refused():
    with pytest.raises(ModelError) as caught:
        System.of(
            name=object(),
            coordinates={"x": ["angle", "real"], 3: "real", sympy.Symbol("z", imaginary=True): "real"},
            parameters={"m": {"value": 1, "sign": []}, "k": [1]},
            functions={"V": 0, "W": {"of": [1]}},
            lagrangian=b"x",
            constraints={1: "x' = 0"},
            forces={object(): 1},
            start={"x": 1j},
            drawing={"a": object(), "b": Fraction(1, 3)},
        )
    said = str(caught.value)
    for part in (
        "name: something of type object stands where text is expected.",
        "[coordinates]: a number stands where a name is expected.",
        "[coordinates] x: the domain of a coordinate is one of real, angle, positive, negative, nonzero, rotation, direction, not a list.",
        "[coordinates]: 'z' is not real; declare it with other assumptions.",
        "[parameters] m.sign: a sign is one of any, positive, negative, nonzero, not a list.",
        "[parameters] k: a list stands where an expression is expected.",
        "[functions] V: the arguments of a function are missing",
        "[functions] W: the arguments of a function are missing",
        "lagrangian: something of type bytes stands where an expression is expected.",
        "[constraints] 1: a name here is text of 1 to 60 characters.",
        "stands where a name is expected.",
        "[start] x: something of type complex stands where an expression is expected.",
        "[drawing] a: something of type object cannot be written to a file.",
        "[drawing] b: a number here must have finitely many decimals.",
    ):
        assert part in said, part


def test_foreign_names_in_graphs_and_sympy_are_faults():
    x = symbol("x")
    with pytest.raises(ModelError, match=r"^lagrangian: unknown name 'n'\.$"):
        System.of(name="s", coordinates="x", lagrangian=symbol("n", role="parameter") * x.dot**2)
    with pytest.raises(ModelError, match=r"^lagrangian: unknown name 'X'; did you mean 'x'\?$"):
        System.of(name="s", coordinates="x", lagrangian=sympy.Symbol("X") ** 2)
    with pytest.raises(ModelError, match=r"^lagrangian: unknown name 'U'\.$"):
        System.of(name="s", coordinates="x", lagrangian=jet(Function("U", 1), (x,)))
    with pytest.raises(ModelError, match=r"^lagrangian: 'V' takes 2 arguments, not 1\.$"):
        System.of(name="s", coordinates="x", functions={"V": 2}, lagrangian=jet(Function("V", 1), (x,)))
    with pytest.raises(ModelError, match=r"^lagrangian: SymPy's 'ceiling' is not among the operations"):
        System.of(name="s", coordinates="x", lagrangian=sympy.ceiling(sympy.Symbol("x")))


def test_it_is_frozen_and_travels():
    with pytest.raises(AttributeError):
        SKATE.name = "other"
    with pytest.raises(TypeError):
        SKATE.coordinates[symbol("z")] = "real"
    assert SKATE.vocabulary  # computed on demand, and left behind
    back = pickle.loads(pickle.dumps(SKATE))  # noqa: S301
    assert back == SKATE
    assert "vocabulary" not in vars(back)
    assert back.vocabulary == SKATE.vocabulary


def test_but_states_tables_anew():
    other = SKATE.but(name="other", parameters={"m": 3, "J": {"value": 1}}, forces=None)
    assert (other.name, other.forces, other.constraints) == ("other", {}, SKATE.constraints)
    assert other.parameters[SKATE.vocabulary["m"]] == 3
    with pytest.raises(ModelError, match=r"lagrangian: unknown name 'J'"):
        SKATE.but(parameters={"m": 3})
    with pytest.raises(ModelError, match=r"unknown table or key 'color'"):
        SKATE.but(color="red")


# -- what follows from the statement -------------------------------------------------------------------------
def test_views():
    x, y, th = SKATE.q
    assert SKATE.v == (x.dot, y.dot, th.dot)
    assert SKATE.chart.coordinates == (x, y, th)
    assert SKATE.order == 1
    assert SKATE.but(lagrangian="x''^2 + th'''*y", let=None, forces=None).order == 3
    assert SKATE.definitions == {Function("V", 1): ((symbol("x"),), x**2)}
    assert SKATE.defaults == {SKATE.vocabulary["m"]: 1, SKATE.vocabulary["J"]: Fraction(1, 2)}
    assert SKATE.vocabulary["speed2"] is SKATE.let["speed2"]
    assert SKATE.symmetry["e2"].on(SKATE.chart) == VectorField(SKATE.chart, (-y, x, ONE))


CONSTRAINED = System.of(
    name="constraints",
    coordinates={"x": "real", "y": "real", "z": "real", "a": "angle"},
    lagrangian="x'^2",
    parameters="m",
    constraints={
        "linear": "x' = sin(a)*y'",
        "affine": "z' = y*x' + cos(t)",
        "nonlinear": "a'^2 = m*x'*z'",
    },
)
KINDS = {
    "x' = m*y'": "linear",
    "x' = m*t*y'": "linear",
    "x' = m": "affine",
    "x' + y = t": "affine",
    "x'^2 = y'^2": "nonlinear",
    "sqrt(x'^2 + y'^2) = m": "nonlinear",
    "(x' + y')^2 - x'^2 - y'^2 - 2*x'*y' + z' = 0": "linear",
    "(x' + 1)^2 - (x' - 1)^2 = y": "affine",
    "(sin(a)^2 + cos(a)^2 - 1)*x'^2 + y' = sin(2*a) - 2*sin(a)*cos(a)": "linear",
    "(sin(a)^2 + cos(a)^2 - 2)*x'^2 + y' = 0": "nonlinear",
}


def test_kinds_of_constraints():
    assert [CONSTRAINED.kind_of(name) for name in CONSTRAINED.constraints] == ["linear", "affine", "nonlinear"]
    for text, kind in KINDS.items():
        assert CONSTRAINED.but(constraints=[text]).kind_of("c1") == kind, text


def test_constraint_matrix():
    words = CONSTRAINED.vocabulary
    system = CONSTRAINED.but(constraints=["x' = sin(a)*y'", "z' = y*x' + cos(t)", "(x' + 1)^2 - (x' - 1)^2 = a'"])
    matrix = system.constraint_matrix()
    assert matrix.rows[:2] == ((ONE, -sin(words["a"]), ZERO, ZERO), (-words["y"], ZERO, ONE, ZERO))
    assert matrix.remainder[:2] == (ZERO, -cos(words["t"]))
    for name, row, rest in zip(system.constraints, matrix.rows, matrix.remainder, strict=True):
        f = system.constraints[name].expression
        linear = sum((a * v for a, v in zip(row, system.v, strict=True)), rest)
        assert is_zero(f - linear).holds is True
        assert is_zero(f + linear).holds is False
    with pytest.raises(ExpressionError, match="the constraint 'nonlinear' is not linear in the velocities"):
        CONSTRAINED.constraint_matrix()
    assert CONSTRAINED.constraint_jacobian()[2][3] is 2 * words["a'"]


def test_holonomic_constraints_are_differentiated():
    system = System.of(
        name="pendulum",
        coordinates="x y",
        lagrangian="x'^2 + y'^2",
        holonomic=["x^2 + y^2 = sin(t)"],
        constraints=["x' = y"],
    )
    x, y = system.q
    words = system.vocabulary
    assert system.holonomic == {"h1": Equation(x**2 + y**2, sin(words["t"]))}
    assert list(system.constraints) == ["c1", "h1"]
    assert system.constraints["h1"].origin == "holonomic"
    assert system.kind_of("h1") == "holonomic"
    assert system.constraints["h1"].expression is parse("2*x*x' + 2*y*y'", words) - cos(words["t"])
    assert str(system.constraints["h1"]) == "2*x*x' + 2*y*y' = cos(t)"
    assert str(system.holonomic["h1"]) == "x^2 + y^2 = sin(t)"


def test_first_order_equations_are_constraints():
    system = System.of(
        name="given",
        coordinates="x y z",
        equations={"x''": "-x*z'", "z'": "y*x'"},
        constraints={"knife": "y' = z'"},
        start={"z'": 2, "x": 1},
    )
    assert [(c.name, c.origin) for c in system.constraints.values()] == [("knife", "stated"), ("z'", "equation")]
    assert system.constraints["z'"].expression is parse("z' - y*x'", system.vocabulary)
    assert list(system.start.values) == [system.vocabulary["z'"], system.vocabulary["x"]]
    assert not system.start.multipliers


def test_virtual_displacements():
    words = CONSTRAINED.vocabulary
    assert CONSTRAINED.virtual_matrix() == CONSTRAINED.constraint_jacobian()
    one = CONSTRAINED.but(virtual={"affine": "dz = m*dx"})
    assert one.virtual_matrix()[1] == [-words["m"], ZERO, ONE, ZERO]
    assert one.virtual_matrix()[::2] == CONSTRAINED.constraint_jacobian()[::2]
    three = CONSTRAINED.but(virtual=["dx", "x'*dy - da", {"z": "1"}])
    assert three.virtual_matrix() == [
        [ONE, ZERO, ZERO, ZERO],
        [ZERO, words["x'"], ZERO, -ONE],
        [ZERO, ZERO, ONE, ZERO],
    ]
    assert list(three.virtual) == ["w1", "w2", "w3"]


def test_names_of_coordinates_and_constraints_may_meet():
    system = System.of(
        name="meeting",
        coordinates="x y",
        lagrangian="x'^2 + y'^2",
        constraints={"x": "x' = y*t"},
        start={"x": 1, "lambda.x": 2, "p": {"y": 3}},
    )
    assert system.start.values == {system.q[0]: ONE}
    assert system.start.multipliers["x"].value == 2
    assert system.start.costates[system.q[1]].value == 3
    assert system.but() == system


def test_controls_may_just_be_named():
    tables = {"name": "c", "coordinates": "x y", "lagrangian": "x'^2 + y'^2", "forces": {"x": "u*y + 2*w"}}
    several = [
        System.of(**tables, controls=told) for told in ("u w", ["u", "w"], {"names": ["u", "w"]}, {"u": {}, "w": {}})
    ]
    assert all(one == several[0] for one in several)
    assert several[0].controls == {symbol("u"): None, symbol("w"): None}
    valued = System.of(**tables, controls={"u": "sin(t)*x'", "w": 2})
    assert valued.controls[symbol("w")].value == 2
    assert valued.but() == valued
    with pytest.raises(ModelError, match=r"^\[controls\] w: x'' cannot stand in the value of a control\.$"):
        System.of(**tables, controls={"u": 1, "w": "x''"})


def test_facts_count_when_constraints_are_compared():
    tables = {"name": "f", "coordinates": "x y", "parameters": "a b", "lagrangian": "x'^2"}
    constraints = {"one": "a*x' + b*y' = 0", "two": "x' + 2*y' = 0"}
    assert System.of(**tables, constraints=constraints).constraints
    assert not repeated(System.of(**tables, constraints=constraints))
    again = System.of(**tables, constraints=constraints, assume=["b = 2*a"])
    assert dict(repeated(again)) == {"two": ("it follows from the constraints before it", True)}


def test_contradictions_are_told_from_repetitions():
    tables = {"name": "f", "coordinates": "x y z", "lagrangian": "x'^2"}
    for second in ("x' = z", "2*x' = 2*y + t"):
        with pytest.raises(ModelError, match="two: it contradicts the constraints before it"):
            System.of(**tables, constraints={"one": "x' = y", "two": second})
    for first, second in (("x' = y", "y - x' = 0"), ("x'^2 = y'*z'", "2*x'^2 = 2*y'*z'")):
        system = System.of(**tables, constraints={"one": first, "two": second})
        assert list(repeated(system)) == ["two"]
    with pytest.raises(ModelError, match="two: it contradicts the constraints before it"):
        System.of(**tables, constraints={"one": "x'^2 = y'*z'", "two": "x'^2 = y'*z' + 1"})
    assert System.of(**tables, constraints={"one": "x' = y", "two": "x' + z' = y"}).constraints


def test_independent_rows():
    x, y, z = symbol("x"), symbol("y"), symbol("z")
    assert independent([(x, y, ZERO), (ZERO, ONE, x), (x, y + 1, x)]) == (0, 1)
    assert independent([(x, y, ZERO), (ZERO, ONE, x), (x, y + 2, x)]) == (0, 1, 2)
    assert independent([(ZERO, ZERO), (ZERO, x)]) == (1,)
    assert independent([(sin(x) ** 2 + cos(x) ** 2 - 1, ZERO), (ZERO, ONE)]) == (1,)
    assert independent([(z, ZERO, x, y), (ZERO, ZERO, ONE, y), (ZERO, ZERO, ZERO, sin(x + y))]) == (0, 1, 2)
    assert independent([]) == ()
    large = sum((sin(n * x + y) for n in range(2_000)), z)
    assert independent([(large, large + 1), (large + 2, large)]) is None  # it would take long


# -- tables and errors ---------------------------------------------------------------------------------------
def test_tables_are_values():
    table = Table({"a": 1, "b": 2})
    assert table == Table([("a", 1), ("b", 2)]) == {"a": 1, "b": 2}
    assert table != Table({"b": 2, "a": 1})
    assert table != 3
    assert hash(table) == hash(Table({"a": 1, "b": 2}))
    assert (list(table), len(table), table["b"], repr(table)) == (["a", "b"], 2, 2, "{'a': 1, 'b': 2}")
    assert pickle.loads(pickle.dumps(table)) == table  # noqa: S301


def test_errors_list_all_faults():
    faults = (Fault("[a] b", "it is wrong", "do better", 3), Fault("", "what is it?"), Fault("c", "done."))
    error = ModelError(faults, "file.toml")
    assert isinstance(error, DalembertError)
    assert str(error).splitlines() == [
        "file.toml, line 3, [a] b: it is wrong; do better.",
        "file.toml: what is it?",
        "file.toml, c: done.",
    ]
    assert str(ModelError(faults[2:])) == "c: done."
    back = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert (str(back), back.faults) == (str(error), faults)
    hypothesis = HypothesisError("chaplygin", [Fault("rolls in x", "it depends on phi", "remove phi from the group")])
    assert str(hypothesis) == "chaplygin: rolls in x: it depends on phi; remove phi from the group."
    back = pickle.loads(pickle.dumps(hypothesis))  # noqa: S301
    assert (str(back), back.formalism) == (str(hypothesis), "chaplygin")


# -- trajectories --------------------------------------------------------------------------------------------
RUN = Trajectory(
    [0, 1, 2],
    [[1, 2, 3], [4, 5, 6]],
    ("x", "x'"),
    status=1,
    message="an event ended it",
    dense=np.cos,
    events={"top": [0.5, 1.5]},
    monitors={"energy": [7, 7, 7]},
    provenance={"system": "skate"},
)


def test_a_trajectory_has_names():
    assert RUN["x"].tolist() == [1, 2, 3]
    assert RUN["x'"].tolist() == [4, 5, 6]
    assert RUN["energy"].tolist() == [7, 7, 7]
    assert RUN["t"] is RUN.t
    assert len(RUN) == 3
    assert RUN.success
    assert not Trajectory([0], [[1]], ("x",), status=-1).success
    assert RUN.sol is np.cos
    assert [times.tolist() for times in RUN.t_events] == [[0.5, 1.5]]
    with pytest.raises(ExpressionError, match="there is no 'energi' in this trajectory; did you mean 'energy'"):
        RUN["energi"]
    with pytest.raises(ValueError, match="read-only"):
        RUN.y[0, 0] = 3
    with pytest.raises(AttributeError):
        RUN.t = RUN.t


def test_a_trajectory_fits_together():
    with pytest.raises(ExpressionError, match=r"1 names and 2 times need states of that shape, not \(2, 1\)"):
        Trajectory([0, 1], [[1], [2]], ("x",))
    with pytest.raises(ExpressionError, match="the monitor 'e' needs one value for each of 2 times"):
        Trajectory([0, 1], [[1, 2]], ("x",), monitors={"e": [1]})
    with pytest.raises(ExpressionError, match="'x' is the name of two things in a trajectory"):
        Trajectory([0, 1], [[1, 2]], ("x",), monitors={"x": [1, 2]})


def test_a_trajectory_as_a_dataset(monkeypatch):
    monkeypatch.setitem(sys.modules, "xarray", None)  # as if it were not installed
    with pytest.raises(MissingExtra, match="to_xarray needs the package xarray, which is not installed; install it"):
        RUN.to_xarray()
    fake = SimpleNamespace(Dataset=lambda data, coords, attrs: (data, coords, attrs))
    monkeypatch.setitem(sys.modules, "xarray", fake)
    data, coords, attrs = RUN.to_xarray()
    assert list(data) == ["x", "x'", "energy"]
    assert data["x'"][0] == "t"
    assert data["x'"][1].tolist() == [4, 5, 6]
    assert coords["t"] is RUN.t
    assert attrs == {"system": "skate", "status": 1, "message": "an event ended it"}
