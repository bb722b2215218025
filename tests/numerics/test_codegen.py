"""Code out: C compiled and run, JAX and CasADi run, Julia looked at, all against the native engine."""

import ast
import ctypes
import importlib.util
import json
import re
import subprocess
import sys
from fractions import Fraction
from importlib import import_module
from itertools import accumulate, count

import casadi
import numpy as np
import pytest
from code_systems import NAMES, agree, expected, points, systems
from scipy.integrate import solve_ivp
from typer.testing import CliRunner

from dalembert import System, derive, gallery
from dalembert.cli.main import app
from dalembert.errors import DalembertError, EvaluationError
from dalembert.expr import cos, number, sin, symbol
from dalembert.expr.elementary import jet
from dalembert.expr.graph import product, total
from dalembert.expr.symbols import Function
from dalembert.model.equations import Equations
from dalembert.numerics.codegen import LANGUAGES, body, code
from dalembert.numerics.codegen.body import Names
from dalembert.numerics.engines.native import integrate
from dalembert.numerics.problem import Problem
from dalembert.numerics.simulate import simulate
from dalembert.testing.values import caller, compiled


def slopes_of(equations):
    """Return the derivatives of the rates by the variables at the first point, by differences."""
    _, states, values = points(equations)
    moved = [[expected(equations, 0.0, states[0] + h * e, values)[0] for h in (1e-5, -1e-5)] for e in np.eye(6)]
    return np.array([(ahead - behind) / 2e-5 for ahead, behind in moved]).T


# -- C -----------------------------------------------------------------------------------------------------------
NUMBER = count()
STRICT = ("-Wall", "-Wextra", "-Werror", "-pedantic", "-Wno-unused-variable")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("flags", [(), ("-march=native", "-ffp-contract=off")], ids=["plain", "this machine"])
@pytest.mark.thorough(
    "plain-robot",
    "plain-snakeboard",
    "plain-disc",
    "plain-hostile",
    "plain-speeds",
    "plain-rotated",
    "plain-repeated",
    "this machine-repeated",
)
def test_c_computes_what_the_native_engine_computes(name, flags):
    equations = systems()[name]
    text = code(equations, "c")
    agree(equations, caller(compiled(text, *STRICT, *flags), text, equations))


def test_a_sign_in_the_code_would_be_noticed():
    equations = systems()["robot"]
    text = code(equations, "c")
    wrong = text.replace("dy[4] = ", "dy[4] = -")
    assert wrong != text
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        agree(equations, caller(compiled(wrong, *STRICT), wrong, equations))


def test_a_power_of_something_negative_would_be_noticed():
    """The exponent is 2 by its value, but a symbol: what the library makes of a negative base is not what is meant."""
    equations = systems()["hostile"]
    text = code(equations, "c")
    wrong = re.sub(r"\((\w+) > 0 \? (pow\(\1, p\w*\)) : NAN\)", r"\2", text)
    assert wrong != text
    with pytest.raises(AssertionError, match="location mismatch"):
        agree(equations, caller(compiled(wrong, *STRICT), wrong, equations))


def test_defaults_and_angles_far_away():
    x = symbol("x", domain="angle")
    k = symbol("k", role="parameter")
    text = code(Equations("turn", "", {x: sin(x), symbol("z"): cos(x)}, parameters={k: 3}), "c")
    text += "double first_default(void) { turn_parameters p = TURN_DEFAULTS; return p.k; }\n"
    for flags in ((), ("-march=native",)):
        library = compiled(text, *STRICT, *flags)
        library.first_default.restype = ctypes.c_double
        assert library.first_default() == 3.0
        for angle in (0.0, -0.7, 3.0, 1e5, -123456.789, 1e9, 1e15, -1e22):
            out = np.zeros(2)
            y = np.array([angle, 0.0])
            p = ctypes.c_void_p(out.ctypes.data)
            library.turn_field(ctypes.c_double(0), ctypes.c_void_p(y.ctypes.data), p, p)
            np.testing.assert_allclose(out, [np.sin(angle), np.cos(angle)], rtol=0, atol=3e-16)


def test_a_motion_by_generated_code_is_that_of_the_native_engine():
    equations = systems()["snakeboard"]
    text = code(equations, "c")
    call = caller(compiled(text, *STRICT), text, equations)
    run = simulate(equations, None, 3, tolerance=1e-12, system=gallery.load("snakeboard"))
    values = np.array([float(v) for v in equations.parameters.values()])
    begin, tight = run.y[:, 0], {"rtol": 1e-12, "atol": 1e-12}
    theirs = solve_ivp(lambda t, y: call("field", t, y, values, None), (0, 3), begin, "DOP853", **tight)
    ours = integrate(Problem(equations, run.y[:, 0], (0.0, 3.0), values, tolerance=1e-12))
    np.testing.assert_allclose(theirs.y[:, -1], ours.y[:, -1], rtol=0, atol=1e-10)


# -- Python --------------------------------------------------------------------------------------------------------
def module(text, folder):
    path = folder / f"code{next(NUMBER)}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_casadi_computes_what_the_native_engine_computes(name, tmp_path):
    equations = systems()[name]
    found = module(code(equations, "casadi"), tmp_path)
    assert isinstance(found.field, casadi.Function)
    assert tuple(found.PARAMETERS) == tuple(p.data.name for p in equations.parameters)
    assert list(found.PARAMETERS.values()) == [float(v) for v in equations.parameters.values()]

    def call(which, t, y, values, unknowns):
        more = [unknowns] if equations.implicit else []
        return np.array(getattr(found, which)(t, y, values, *more)).ravel()

    agree(equations, call)


def test_casadi_differentiates_a_system_of_lower_rank(tmp_path):
    equations = systems()["repeated"]
    found = module(code(equations, "casadi"), tmp_path)
    _, states, values = points(equations)
    t, y, p = (casadi.SX.sym(name, size) for name, size in (("t", 1), ("y", 6), ("p", 2)))
    slopes = casadi.Function("slopes", [t, y, p], [casadi.jacobian(found.field(t, y, p), y)])
    np.testing.assert_allclose(slopes(0, states[0], values), slopes_of(equations), rtol=0, atol=1e-7)


JAX = """
import importlib.util, json, sys
import jax
jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp
answers = {}
for name, job in json.load(open(sys.argv[1])).items():
    spec = importlib.util.spec_from_file_location(name, job["path"])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules[name] = module
    p = {key: jnp.array(value) for key, value in module.PARAMETERS.items()}
    u = jnp.array(job["u"])

    def everything(t, y, u, p):
        more = (u,) if job["u"] else ()
        return {which: getattr(module, which)(t, y, *more, p) for which in job["functions"]}

    found = jax.jit(jax.vmap(everything, in_axes=(0, 0, 0 if job["u"] else None, None)))(
        jnp.array(job["t"]), jnp.array(job["y"]), u, p
    )
    answers[name] = {which: values.tolist() for which, values in found.items()}
robot = sys.modules["robot"]
slope = jax.jit(jax.jacfwd(robot.field, argnums=1))(0.0, jnp.arange(7.0), robot.PARAMETERS)
answers["slope"] = slope.tolist()
of_rank, point = sys.modules["repeated"], jnp.array(json.load(open(sys.argv[1]))["repeated"]["y"][0])
answers["of rank"] = jax.jit(jax.jacrev(of_rank.field, argnums=1))(0.0, point).tolist()
print(json.dumps(answers))
"""


@pytest.mark.thorough
def test_jax_computes_what_the_native_engine_computes(tmp_path):
    """In a process of its own, for its threads do not go with the worker processes of the library."""
    jobs = {}
    chosen = {name: systems()[name] for name in ("robot", "hostile", "unknown", "rotated", "repeated")}
    for name, equations in chosen.items():
        path = tmp_path / f"{name}.py"
        path.write_text(code(equations, "jax"), encoding="utf-8")
        times, states, values = points(equations)
        rows = [expected(equations, t, y, values)[2].tolist() for t, y in zip(times, states, strict=True)]
        functions = ["field", "monitors", *(["lift", "rates"] if equations.reconstruction else [])]
        functions += ["residuals"] if equations.implicit else []
        unknowns = rows if equations.implicit else []
        job = {"path": str(path), "t": times.tolist(), "y": states.tolist()}
        jobs[name] = {**job, "u": unknowns, "functions": functions}
    table, script = tmp_path / "jobs.json", tmp_path / "run.py"
    table.write_text(json.dumps(jobs))
    script.write_text(JAX)
    done = subprocess.run([sys.executable, str(script), str(table)], capture_output=True, text=True, check=False)
    said = done.stderr[-2000:]
    assert done.returncode == 0, f"JAX is not installed (it is in the dev group), or refuses the code: {said}"
    answers = json.loads(done.stdout)
    slope = np.array(answers.pop("slope"))
    np.testing.assert_allclose(slope[:2], np.eye(7)[2:4], atol=0)  # psi1' and psi2' are the third and fourth variables
    assert np.abs(slope[2:, 2:4]).max() > 0.1
    np.testing.assert_allclose(answers.pop("of rank"), slopes_of(chosen["repeated"]), rtol=0, atol=1e-7)
    for name, equations in chosen.items():
        times, _, _ = points(equations)
        found = answers[name]

        def call(which, t, *_, found=found, times=times):
            return np.array(found[which][times.tolist().index(t)])

        agree(equations, call)


# -- Julia -----------------------------------------------------------------------------------------------------------
def names_in(text):
    return re.findall(r"(?<![\w.])[A-Za-z_]\w*", text)


@pytest.mark.parametrize("name", NAMES)
def test_julia_is_well_formed(name):
    """Not run: there is no Julia here. Brackets, blocks, and that every name has a value before it is used."""
    text = code(systems()[name], "julia")
    plain = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    plain = re.sub(r'"(\\.|[^"\\])*"', "S", plain)
    assert plain.count("(") == plain.count(")")
    assert plain.count("[") == plain.count("]")
    blocks = re.findall(r"^(module|function|end)\b", plain, re.MULTILINE)
    assert blocks.count("end") == blocks.count("module") + blocks.count("function")
    assert blocks[0] == "module"
    for head, inner in re.findall(r"^function (\w+!\(.*\))\n(.*?)^end", plain, re.MULTILINE | re.DOTALL):
        known = {
            *names_in(head),
            "sin",
            "cos",
            "exp",
            "log",
            "atan",
            "sqrt",
            "nothing",
            "permutedims",
            "reshape",
            "of_rank",
        }
        for line in inner.splitlines():
            if line.strip().startswith("return"):
                continue
            left, right = line.split(" = ", 1)
            assert {n for n in names_in(re.sub(r"\bp\.\w+", "p", right)) if n not in known} == set()
            known.add(left.strip())
    assert len(re.findall(r"^function ", plain, re.MULTILINE)) >= 2


# -- what is asked for -----------------------------------------------------------------------------------------------
def test_names():
    names = Names(["if"])
    assert [names.give(n) for n in ("if", "if", "x''''", "\u03b1'", "\u03c8_1", "'", "9")] == [
        "if_2", "if_3", "x_d4", "alpha_dot", "psi_1", "v_dot", "v9",
    ]  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_name_is_its_own_and_no_keyword(language):
    text = code(systems()["hostile"], language)
    assert "hostile: names" in text
    keywords = import_module(f"dalembert.numerics.codegen.{language}").DIALECT.keywords
    functions = re.split(r"^(?:(?:void|def(?! _sized)|function) |  \w+: function )", text, flags=re.MULTILINE)[1:]
    assert len(functions) == 4  # field, lift, rates, monitors
    for function in functions:
        given = re.findall(r"^\s+(?:const (?:double )?)?([A-Za-z_]\w*) = ", function, re.MULTILINE)
        assert len(given) > 1
        assert len(set(given)) == len(given)
        assert not keywords & set(given)
    assert code(systems()["hostile"], language) == text


def test_what_cannot_be_written_is_refused():
    x = symbol("x")
    with pytest.raises(EvaluationError, match="'f' needs a value"):
        code(Equations("free", "", {x: jet(Function("f", 1), [x])}), "c")
    with pytest.raises(DalembertError, match="no code for 'cobol'"):
        code(Equations("free", "", {x: x}), "cobol")
    with pytest.raises(DalembertError, match="a constant of the equations is larger than"):
        code(Equations("free", "", {x: x + number(10) ** 400}), "c")


def test_controls_without_a_value_are_parameters():
    cart = System.of(
        name="cart",
        coordinates="x",
        parameters={"m": 2},
        lagrangian="m*x'^2/2",
        forces={"x": "u"},
        controls=["u"],
    )
    text = code(derive(cart, "euler-lagrange"), "c")
    assert "'u' is a control" in text
    library = compiled(text, *STRICT)
    out, y, p = np.zeros(2), np.array([0.0, 1.0]), np.array([2.0, 3.0])
    library.cart_field(ctypes.c_double(0), *(ctypes.c_void_p(a.ctypes.data) for a in (y, p, out)))
    assert out.tolist() == [1.0, 1.5]


def longest_wait(text):
    """Return how long the rates are waited for, in cycles: read off the code, where each operation takes its time."""
    taken, known = {ast.Add: 4, ast.Sub: 4, ast.Mult: 4, ast.Div: 14}, {}

    def until(node):
        if isinstance(node, ast.Name):
            return known.get(node.id, 0)
        own = taken.get(type(getattr(node, "op", None)), 40 if isinstance(node, ast.Call) else 0)
        return own + max(map(until, ast.iter_child_nodes(node)), default=0)

    for line in next(part for part in ast.parse(text).body if getattr(part, "name", "") == "field").body:
        if isinstance(line, ast.Assign):
            known[line.targets[0].id] = until(line.value)
    return max(known.values())


@pytest.mark.parametrize(("name", "formalism"), [("wheeled-snake:15", "nonholonomic"), ("arm:12", "euler-lagrange")])
def test_what_is_known_last_comes_last(name, formalism, monkeypatch):
    """The wrong twin adds and multiplies in pairs, as the parts stand."""
    equations = derive(gallery.load(name), formalism).equations
    waited = longest_wait(code(equations, "jax"))

    late_last = body.late_last

    def in_pairs(parts, *how):
        return late_last([part._replace(known=0, fused=False) for part in parts], *how)

    monkeypatch.setattr(body, "late_last", in_pairs)
    assert waited < 0.9 * longest_wait(code(equations, "jax"))


def test_long_code_is_in_another_order_and_what_a_line_needs_stands_before_it(monkeypatch):
    """The wrong twin takes lines the longest first, whatever they wait for; short code stays as it is written."""
    chain, robot = systems()["chain"], systems()["robot"]
    text, short = code(chain, "c"), code(robot, "c")
    monkeypatch.setattr(body, "order_of_need", lambda needs, *_: range(len(needs)))
    plain = code(chain, "c")
    assert text != plain
    assert sorted(text.splitlines()) == sorted(plain.splitlines())
    assert short == code(robot, "c")
    monkeypatch.setattr(
        body, "order_of_need", lambda needs, _, work: sorted(range(len(needs)), key=work.__getitem__, reverse=True)
    )
    with pytest.raises(EvaluationError, match="undeclared"):
        compiled(code(chain, "c"), *STRICT)


def test_a_power_of_a_power_is_in_brackets(tmp_path):
    """What stands to the right of two signs of a power is taken first, in Python and in Julia."""
    x = symbol("x")
    root = (((x + 1) ** 66) ** Fraction(1, 3)) / (x**68) ** Fraction(1, 3)
    equations = Equations("roots", "by hand", {x: root})
    exact = (1.25**22) / 0.25 ** (68 / 3)
    found = module(code(equations, "casadi"), tmp_path).field(0.0, 0.25, [])
    np.testing.assert_allclose(np.array(found).ravel(), [exact], rtol=1e-12)
    for language in LANGUAGES:
        assert not re.search(r"(\*\*|\^)[\d.]+(\*\*|\^)", code(equations, language))


@pytest.mark.parametrize("kind", ["sum", "product"])
def test_what_waits_for_a_long_chain_is_not_in_brackets_within_brackets(kind):
    """Of 300 values, each known a little later than the one before it: Python reads 200 brackets, some C less."""

    def how(row):
        return total([(1, e) for e in row]) if kind == "sum" else product([(e, 1) for e in row])

    x, y = symbol("x"), symbol("y")
    values = [sin(x) + y]
    for k in range(1, 300):
        values.append(how([values[-1], cos(y + k)]))
    equations = Equations("chain", "by hand", {x: how(values), y: y})
    for language in LANGUAGES:
        lines = code(equations, language).splitlines()
        assert max(max(accumulate((c == "(") - (c == ")") for c in line)) for line in lines if line) < 40
    ast.parse(code(equations, "jax"))


def test_the_command():
    words = ["derive", "pendulum", "--as", "euler-lagrange", "--code"]
    done = CliRunner().invoke(app, [*words, "julia"])
    assert done.exit_code == 0
    assert done.stdout.startswith("# pendulum")
    assert done.stdout.rstrip().splitlines()[-1].startswith("end # module")
    refused = CliRunner().invoke(app, [*words, "cobol"])
    assert str(refused.exception) == "there is no code for 'cobol'; use one of c, jax, casadi, julia, js."
