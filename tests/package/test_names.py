"""Names that a stranger gives things, words of the syntax and LaTeX too: they work, or one sentence says why not."""

from __future__ import annotations

from typing import Any

import pytest
import sympy

from dalembert.errors import ExpressionError, ModelError
from dalembert.expr.sympy_border import from_sympy, names_of, to_sympy
from dalembert.expr.text import parse, text
from dalembert.expr.truth import is_zero
from dalembert.expr.vocabulary import ELEMENTARY, Vocabulary
from dalembert.expr.walk import substitute
from dalembert.model.files import dumps, loads
from dalembert.model.system import System
from dalembert.numerics.simulate import simulate

TAKEN = [*ELEMENTARY, "t", "pi"]
FREE = ["D", "diff", "e", "E", "I", "S", "N", "O", "lambda", "p", "theta", "θ", "x_1"]
NO_NAMES = ["I_{xx}", "\\theta", "x_1^2", "a.b", "a'", "a b", "1a", "_a"]
KINDS = ["coordinates", "parameters", "functions", "controls", "let"]


def stated(kind: str, name: str) -> dict[str, Any]:
    """A system in which one thing of a kind has the name, and is used."""
    tables: dict[str, Any] = {"name": "named", "coordinates": {"q": "real"}, "lagrangian": "q'^2/2"}
    told: Any = {"coordinates": "real", "parameters": 1, "functions": {"of": ["u"]}, "controls": 1, "let": "q^2"}[kind]
    used = f"{name}(q)" if kind == "functions" else name
    tables[kind] = {**tables.get(kind, {}), name: told}
    if kind == "coordinates":
        tables["lagrangian"] += f" + {name}'^2/2"
    if kind == "controls":
        return tables | {"forces": {"q": f"2*{used}"}}
    return tables | {"lagrangian": f"{tables['lagrangian']} - 2*{used}*q"}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", FREE)
def test_free_names_work(kind: str, name: str) -> None:
    if kind == "functions" and name in {"D", "diff"}:
        with pytest.raises(ModelError, match=f"'{name}' is a word of the syntax and cannot be the name of a function"):
            System.of(**stated(kind, name))
        return
    system = System.of(**stated(kind, name))
    assert loads(dumps(system)) == system


@pytest.mark.parametrize(  # a let may be that of a part of a machine
    ("kind", "name"), [(k, n) for k in KINDS for n in (*TAKEN, *NO_NAMES) if (k, n) != ("let", "a.b")]
)
def test_other_names_are_refused_where_they_are_declared_and_nowhere_else(kind: str, name: str) -> None:
    with pytest.raises(ModelError) as caught:
        System.of(**stated(kind, name))
    (fault,) = caught.value.faults
    assert fault.where.startswith(f"[{kind}]")
    assert "name" in fault.what


def test_a_use_of_a_name_that_was_never_declared_is_a_fault() -> None:
    """The twin: only uses of what was refused are passed over."""
    tables = stated("parameters", "sin")
    with pytest.raises(ModelError) as caught:
        System.of(**tables | {"forces": {"q": "2*stiffness"}})
    assert [fault.where for fault in caught.value.faults] == ["[parameters] sin", "[forces] q"]


def test_a_file_with_a_word_of_the_syntax() -> None:
    body = "name = 'a'\nlagrangian = \"x'^2/2 - {0}*x\"\n[coordinates]\nx = 'real'\n[parameters]\n{0} = 2\n"
    assert loads(body.format("D")).parameters
    with pytest.raises(
        ModelError, match=r"^line 6, .parameters. log: 'log' is a word of the syntax and cannot be a name"
    ):
        loads(body.format("log"))


# -- D as a quantity beside D(f, 1)(x) -----------------------------------------------------------------------
def test_a_quantity_called_d_beside_derivatives() -> None:
    words = Vocabulary.of("x", "D diff", functions={"V": 1})
    both = parse("D*D(V, 1)(x) + diff*diff(D*x^2, x) - D (V, 1)(x)", words)
    plain_words = Vocabulary.of("x", "d c", functions={"V": 1})
    plain = parse("d*D(V, 1)(x) + c*2*d*x - D(V, 1)(x)", plain_words)
    renamed = substitute([both], {words["D"]: plain_words["d"], words["diff"]: plain_words["c"]})[0]
    assert is_zero(renamed - plain).holds
    assert is_zero(both - plain).holds is False
    assert parse(text(both), words) is both
    with pytest.raises(ExpressionError, match="D takes an unspecified function"):
        parse("D(x + 1)", words)  # a product without its sign
    with pytest.raises(ExpressionError, match="D takes an unspecified function"):
        parse("D*x", Vocabulary.of("x"))


def test_a_parameter_called_d_moves() -> None:
    """A damper D from every border; a fall with x'' = -D x' from x' = 1 stops after 1/D."""
    x, v, d = sympy.symbols("x v D")
    by_sympy = System.of(name="damped", coordinates={x: v}, parameters={d: 2}, lagrangian=v**2 / 2, forces={x: -d * v})
    by_text = System.of(name="damped", coordinates="x", parameters={"D": 2}, lagrangian="x'^2/2", forces={"x": "-D*x'"})
    assert by_sympy == by_text
    from dalembert.mechanics.lagrangian.euler_lagrange import derive

    run = simulate(derive(by_text), {"x'": 1}, 20)
    assert abs(run["x"][-1] - 0.5) < 1e-8
    assert abs(run.value("D*x")[-1] - 1) < 1e-8


# -- SymPy's -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("written", "name"),
    [("I_{xx}", "I_xx"), ("\\theta", "theta"), ("m_\\alpha", "m_alpha"), ("c_{1,2}", "c_1_2"), ("µ", "μ"), ("E", "E")],
)
def test_names_of_sympy_go_in_and_come_back(written: str, name: str) -> None:
    one, x, v = sympy.Symbol(written), sympy.Symbol("x"), sympy.Symbol("v")
    function = sympy.Function(written)
    assert text(from_sympy(one * x)) in {f"{name}*x", f"x*{name}"}
    expression = one * v**2 + x
    names = names_of(expression, names={x: v})
    assert to_sympy(from_sympy(expression, names), names) == expression
    assert text(from_sympy(function(x))) == f"{name}(x)"
    system = System.of(name="s", coordinates={x: v}, parameters={one: 3}, lagrangian=one * v**2 / 2)
    assert [p.data.name for p in system.parameters] == [name]
    turned = System.of(name="s", coordinates={one: v}, lagrangian=v**2 / 2 - one**2)
    assert [q.data.name for q in turned.q] == [name]


@pytest.mark.parametrize("written", ["x_1^2", "a.b.c", "a'", "a b", "\\dot{x}", "sin", "pi", "\\mathrm{a}", "x^*"])
def test_names_of_sympy_that_no_text_can_tell(written: str) -> None:
    """Above all a symbol called pi, which text would read back as the number."""
    with pytest.raises(ExpressionError, match="rename it in SymPy"):
        from_sympy(2 * sympy.Symbol(written))
    with pytest.raises(ExpressionError, match="rename it in SymPy"):
        from_sympy(sympy.Function(written)(sympy.Symbol("y")))
    x, v = sympy.symbols("x v")
    with pytest.raises(ModelError) as caught:
        System.of(name="s", coordinates={x: v}, parameters={sympy.Symbol(written): 3}, lagrangian=v**2 / 2)
    assert len(caught.value.faults) == 1


def test_two_names_that_become_one() -> None:
    one, other = sympy.symbols("I_{xx} I_xx")
    with pytest.raises(ExpressionError, match="would both be called 'I_xx' here"):
        from_sympy(one + other)
    assert text(from_sympy(one + sympy.Symbol("I_xy"))) == "I_xx + I_xy"


def test_a_symbol_and_a_function_of_one_name() -> None:
    x, f = sympy.Symbol("x"), sympy.Function("x")
    for expression in (f(sympy.Symbol("y")) + x, x * f(x)):
        with pytest.raises(ExpressionError, match="'x' is a symbol and a function here"):
            from_sympy(expression)


def test_a_velocity_is_no_parameter() -> None:
    x, v = sympy.symbols("x v")
    for table in ("parameters", "controls"):
        with pytest.raises(ModelError, match="'v' is stated to be a velocity"):
            System.of(name="s", coordinates={x: v}, lagrangian=v**2 / 2, **{table: {v: 1}})


def test_the_derivative_of_a_multiplier_in_a_start() -> None:
    with pytest.raises(ModelError) as caught:
        System.of(
            name="s", coordinates="x y", lagrangian="x'^2 + y'^2", constraints={"c": "x' = y*y'"}, start={"c'": 1}
        )
    assert "a multiplier has no derivative here" in str(caught.value)
