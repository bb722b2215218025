"""SymPy in and out: what its symbols mean, and that the same ones come back."""

import subprocess
import sys

import pytest
import sympy
from sympy.physics.mechanics import dynamicsymbols

from dalembert.errors import ExpressionError
from dalembert.expr import ZERO, Function, jet, sin, symbol
from dalembert.expr.sympy_border import Names, from_sympy, names_of, to_sympy
from dalembert.testing.random_expressions import M, T, X, Y

t = dynamicsymbols._t
q = dynamicsymbols("q")
x, y, v, a, m = sympy.symbols("x y v a m")
f = sympy.Function("f")
qs = symbol("q")
ms = symbol("m", role="parameter")
fs, gs = Function("f", 2), Function("g", 1)


def plain(name: str, domain: str = "real"):
    return symbol(name, role="parameter", domain=domain)


# -- what symbols mean ---------------------------------------------------------------------------------------
def test_sympy_is_not_loaded_before_it_is_used():
    program = (
        "import sys, dalembert\n"
        "from dalembert.expr.sympy_border import from_sympy, to_sympy, names_of\n"
        "assert 'sympy' not in sys.modules\n"
        "from dalembert.expr import symbol\n"
        "to_sympy(symbol('x'))\n"
        "assert 'sympy' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-P", "-c", program], check=True)


def test_plain_pairs():
    kinetic = m * v**2 / 2 - m * 10 * x
    assert from_sympy(kinetic, {x: v}) is ms * X.dot**2 / 2 - 10 * ms * X
    assert from_sympy(v * a, {x: (v, a)}) is X.dot * X.dot.dot
    assert from_sympy(x + v, [x]) is X + plain("v")


def test_dynamicsymbols_and_functions_of_time():
    kinetic = m * q.diff(t) ** 2 / 2 - m * 10 * q
    assert from_sympy(kinetic) is ms * qs.dot**2 / 2 - 10 * ms * qs
    assert from_sympy(q.diff(t, 3)) is qs.dot.dot.dot
    assert from_sympy(kinetic, [q]) is from_sympy(kinetic, {q: q.diff(t)}) is from_sympy(kinetic)
    assert from_sympy(dynamicsymbols("q", 2)) is qs.dot.dot
    assert from_sympy(t**2 * q) is T**2 * qs


def test_another_symbol_for_time():
    tau = sympy.Symbol("tau")
    position = sympy.Function("q")(tau)
    expected = T * qs.dot
    assert from_sympy(tau * position.diff(tau), Names.of(time=tau)) is expected
    assert from_sympy(tau * position.diff(tau), [position]) is expected
    assert from_sympy(position) is jet(Function("q", 1), (plain("tau"),))
    back = to_sympy(expected, Names.of(time=tau))
    assert back == tau * sympy.Function("q", real=True)(tau).diff(tau)


@pytest.mark.parametrize(
    ("facts", "domain"),
    [
        ({"positive": True}, "positive"),
        ({"negative": True}, "negative"),
        ({"nonzero": True}, "nonzero"),
        ({"real": True}, "real"),
        ({"integer": True}, "real"),
        ({"nonnegative": True}, "real"),
        ({}, "real"),
    ],
)
def test_assumptions_become_domains(facts, domain):
    one = sympy.Symbol("k", **facts)
    assert from_sympy(one) is plain("k", domain)
    assert from_sympy(sympy.Function("k", **facts)(t)) is symbol("k", domain=domain)
    names = names_of(one)
    assert to_sympy(from_sympy(one, names), names) == one


@pytest.mark.parametrize("domain", ["positive", "negative", "nonzero", "real"])
def test_domains_become_assumptions(domain):
    out = to_sympy(plain("k", domain))
    assert getattr(out, f"is_{domain}")
    assert out.is_real
    assert from_sympy(out) is plain("k", domain)
    moving = to_sympy(symbol("k", domain=domain))
    assert getattr(moving, f"is_{domain}")
    assert from_sympy(moving) is symbol("k", domain=domain)


def test_declared_domains_win():
    names = Names.of({x: v}, parameters=[m], domains={x: "angle", m: "positive", y: "negative"})
    assert from_sympy(x, names) is symbol("x", domain="angle")
    assert from_sympy(m, names) is plain("m", "positive")
    assert from_sympy(y, names) is plain("y", "negative")
    assert from_sympy(v, names) is X.dot


def test_the_very_same_symbols_come_back():
    lagrangian = m * v**2 / 2 - sympy.Symbol("k", positive=True) * x**2 * f(x, y) + q.diff(t) * sympy.sin(q)
    names = names_of(lagrangian, names={x: v})
    back = to_sympy(from_sympy(lagrangian, names), names)
    assert back == lagrangian
    assert back.free_symbols == lagrangian.free_symbols


def test_styles_of_writing():
    e = X * X.dot + X.dot.dot
    curve = sympy.Function("x", real=True)(t)
    assert to_sympy(e) == curve * curve.diff(t) + curve.diff(t, 2)
    xs, xdot, xddot = sympy.symbols("x xdot xddot", real=True)
    assert to_sympy(e, style="symbols") == xs * xdot + xddot
    assert to_sympy(e, {x: (v, a)}) == x * v + a
    assert to_sympy(X.dot * Y, {x: v}, style="symbols") == v * sympy.Symbol("y", real=True)
    assert to_sympy(symbol("phi", domain="angle").dot, [sympy.Function("phi")(t)]) == sympy.Function("phi")(t).diff(t)


def test_names_hold_both_ways_whatever_the_domain():
    angle = symbol("x", domain="angle")
    for style in ("functions", "symbols"):
        e = sin(angle) * angle.dot + jet(fs, (angle, M)) * T
        names = names_of(e, style=style)
        assert from_sympy(to_sympy(e, names), names) is e


def test_a_function_declared_as_such_is_no_variable_even_at_time():
    head = Function("q", 1)
    e = jet(head, (T,)) + jet(head, (ZERO,), (1,))
    names = names_of(e)
    assert from_sympy(to_sympy(e, names), names) is e
    assert from_sympy(q.diff(t), names_of(q.subs(t, 0))) is jet(head, (T,), (1,))
    assert from_sympy(q.diff(t)) is qs.dot


CLASHES = {
    "assumptions": lambda: from_sympy(x * sympy.Symbol("x", real=True)),
    "dummies": lambda: from_sympy(sympy.Dummy("z") * sympy.Dummy("z")),
    "plain and moving": lambda: from_sympy(q * sympy.Symbol("q")),
    "two times": lambda: from_sympy(t * sympy.Symbol("t", real=True)),
    "now and then": lambda: from_sympy(q + q.subs(t, 0)),
    "two functions": lambda: from_sympy(f(x) + sympy.Function("f", real=True)(x)),
    "t is time": lambda: from_sympy(t * x, Names.of(time=x)),
    "a coordinate called t": lambda: Names.of([t]),
    "one symbol twice": lambda: Names.of({x: v, y: v}),
    "other clock": lambda: Names.of([q, sympy.Function("r")(x)]),
    "another velocity": lambda: Names.of({q: v}),
    "a formula as coordinate": lambda: Names.of([x + y]),
    "a formula as velocity": lambda: Names.of({x: x * v}),
    "a function as parameter": lambda: Names.of(parameters=[q]),
    "out: two domains": lambda: to_sympy(X * symbol("x", domain="angle")),
    "out: two roles": lambda: to_sympy(X * symbol("x", role="parameter")),
    "out: taken name": lambda: to_sympy(X.dot * symbol("xdot", role="parameter"), style="symbols"),
    "out: variable and function": lambda: to_sympy(symbol("f") * jet(gs, (jet(Function("f", 1), (X,)),))),
}


@pytest.mark.parametrize("case", CLASHES)
def test_a_name_has_one_meaning(case):
    with pytest.raises(ExpressionError) as caught:
        CLASHES[case]()
    assert str(caught.value).endswith(".")
