"""Expressions on a page: LaTeX and MathML."""

import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mathml_reader import NAMESPACE, Reader, parsed, read_equations, tag

from dalembert import is_zero, parse
from dalembert.errors import ExpressionError
from dalembert.expr import (
    ZERO,
    Function,
    Symbol,
    absolute,
    cos,
    evaluate,
    exp,
    hessian,
    jet,
    power,
    sin,
    solve,
    sqrt,
    symbol,
    symbols,
    tan,
    total,
)
from dalembert.expr.display import (
    latex,
    latex_equations,
    latex_groups,
    latex_matrix,
    mathml,
    mathml_equations,
    mathml_groups,
    mathml_matrix,
    notebook,
)
from dalembert.expr.display.equations import avoiding
from dalembert.expr.display.idioms import Opening, for_the_page
from dalembert.expr.display.layout import Layout
from dalembert.expr.display.records import Formula
from dalembert.expr.readers import Floats
from dalembert.expr.vocabulary import Vocabulary
from dalembert.expr.walk import postorder
from dalembert.testing.strategies import FUNCTIONS, LEAVES, VOCABULARY, any_expressions

WORDS = Vocabulary.of(
    {"x": "real", "y": "real", "theta": "angle", "phi1": "angle", "phi2": "angle", "q2": "real", "q10": "real"},
    "m l k a b c g Jr Jw m_wheel J_r psi_12 p_x1 a_1_2 Gamma varphi lambda1 mass rate",
    functions={"V": 2, "f": 1, "h3": 1, "Phi": 3},
)
x, y, theta = WORDS["x"], WORDS["y"], WORDS["theta"]

TABLE = r"""
x'                           \dot{x}
x''                          \ddot{x}
x'''                         \dddot{x}
x''''                        x^{(4)}
x''''^2                      (x^{(4)})^2
phi1'^2                      \dot{\phi}_1^2
theta'*phi1''                \ddot{\phi}_1 \dot{\theta}
m_wheel*J_r                  J_r m_{\mathrm{wheel}}
Jr*Jw                        \mathrm{Jr} \, \mathrm{Jw}
Jr*Jw^2                      \mathrm{Jr} \, \mathrm{Jw}^2
mass*rate*x'                 \mathrm{mass} \, \mathrm{rate} \, \dot{x}
psi_12 + p_x1 + a_1_2        a_{1, 2} + p_{x_1} + \psi_{12}
Gamma*varphi*lambda1         \Gamma \lambda_1 \varphi
q2*q10                       q_2 q_{10}
t                            t
0                            0
-3                           -3
7/3                          \frac{7}{3}
-7/3                         -\frac{7}{3}
pi/2                         \frac{\pi}{2}
2*pi*x                       2 \pi x
m*(x'^2 + y'^2)/2            \frac{1}{2} m (\dot{x}^2 + \dot{y}^2)
m*x'^2/2                     \frac{1}{2} m \dot{x}^2
x/2                          \frac{x}{2}
-x/2                         -\frac{x}{2}
3*x/2                        \frac{3 x}{2}
(x + y)/2                    \frac{x + y}{2}
(x + y + m*l*k)/2            \frac{1}{2} (k l m + x + y)
sqrt(3)/2                    \frac{\sqrt{3}}{2}
sqrt(6)*x                    \sqrt{6} x
3^(2/3)*x                    3^{2/3} x
5*3^(2/3)*x                  5 \cdot 3^{2/3} x
x/y                          \frac{x}{y}
-1/x                         -\frac{1}{x}
2/(3*x)                      \frac{2}{3 x}
m*x/(2*y*l)                  \frac{m x}{2 l y}
a + (b + c)                  a + b + c
a - (b - c)                  a - b + c
a - (a + b)                  -b
a*(b*c)                      a b c
a/(b/c)                      \frac{a c}{b}
a*(b*c) - (a*b)*c + x        x
x*(-x - y)                   -x (x + y)
x*(-x - (y + 1))             -x (x + y + 1)
-2*(-x - y)                  2 (x + y)
-(x + y)                     -x - y
-(x + y)^2                   -(x + y)^2
(x*y)^2                      x^2 y^2
1 - x                        1 - x
-1 - x                       -x - 1
x^(1/3)                      \sqrt[3]{x}
x^(-1/2)                     \frac{1}{\sqrt{x}}
(x^2 + y^2)^(3/2)            (x^2 + y^2)^{3/2}
sqrt(x + sqrt(y + sqrt(x)))  \sqrt{x + \sqrt{\sqrt{x} + y}}
abs(x)                       \left|x\right|
abs(x + 1/y)^3               \left|x + \frac{1}{y}\right|^3
(1 + 1/x)*y                  y \left(\frac{1}{x} + 1\right)
sin(theta)                   \sin\theta
sin(x)                       \sin x
sin(x')                      \sin\dot{x}
sin(theta)^2*cos(phi1)       \cos\phi_1 \sin^2\theta
sin(theta + phi1)            \sin(\phi_1 + \theta)
sin(theta/2)                 \sin\left(\frac{\theta}{2}\right)
cos(theta)*(x + y)*l         l (x + y) \cos\theta
1/(cos(theta)*(x + y))       \frac{1}{(x + y) \cos\theta}
sqrt(sin(x))                 \sqrt{\sin x}
sin(x)^(3/2)                 (\sin x)^{3/2}
sin(x)^y                     (\sin x)^y
tan(theta)                   \tan\theta
k*tan(theta)^2/l             \frac{k \tan^2\theta}{l}
exp(x)                       e^x
exp(-x^2)                    e^{-x^2}
exp(-x/2)                    e^{-x/2}
exp(-1/x)                    \exp\left(-\frac{1}{x}\right)
exp(x + y + m*l*k)           \exp(k l m + x + y)
cosh(x)                      \frac{e^{-x}}{2} + \frac{e^x}{2}
log(x)                       \log x
log(x)^2*sin(y)              \log^2(x) \sin y
atan(y/x)                    \arctan\left(\frac{y}{x}\right)
asin(x) + acos(x)            \arccos x + \arcsin x
V(x, y)                      V(x, y)
V(x, y)^2                    V(x, y)^2
V(x, y/2)                    V\left(x, \frac{y}{2}\right)
D(V, 1)(x, y)                \partial_1 V(x, y)
D(V, 1, 2, 1)(x, y)          \partial_1^2\partial_2 V(x, y)
D(V, 1)(x, y)^2              (\partial_1 V(x, y))^2
V(x, y)*D(V, 2)(x, y)*sin(x) V(x, y) \sin x \partial_2 V(x, y)
D(f, 1)(x)                   f'(x)
D(f, 1)(x)^2                 f'(x)^2
D(f, 1, 1)(x^2)              f''(x^2)
D(f, 1, 1, 1, 1)(1/x)        f^{(4)}\left(\frac{1}{x}\right)
D(h3, 1)(x)                  h_3'(x)
D(Phi, 1, 3)(x, y, theta)    \partial_1\partial_3 \Phi(x, y, \theta)
x^y                          x^y
x^(y/2)                      x^{y/2}
x^(y + 1)                    x^{y + 1}
3*2^x                        3 \cdot 2^x
(x + y)^x                    (x + y)^x
(x^y)^2                      (x^y)^2
1/(1 + 1/x)                  \frac{1}{\frac{1}{x} + 1}
x*sin(x)/(y*cos(y))          \frac{x \sin x}{y \cos y}
"""
ROWS = [re.split(r" {2,}(?! )|(?<=sin\(x\)) (?=V)", line, maxsplit=1) for line in TABLE.strip().splitlines()]


@pytest.mark.parametrize(("source", "expected"), ROWS, ids=[row[0] for row in ROWS])
def test_latex_looks_as_in_a_paper(source, expected):
    assert latex(parse(source, WORDS)) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("sin(theta)", r"s_\theta"),
        ("sin(theta)^2", r"s_\theta^2"),
        ("cos(theta + phi1)", r"c_{\phi_1 + \theta}"),
        ("l*cos(phi1)*sin(phi1 - phi2)", r"l c_{\phi_1} s_{\phi_1 - \phi_2}"),
        ("sin(sin(x))", r"\sin(s_x)"),
        ("cos(theta - (phi1 + x))", r"c_{\phi_1 - \theta + x}"),
        ("sin(x)^y", "s_x^y"),
        ("sin(theta/2)", r"\sin\left(\frac{\theta}{2}\right)"),
        ("cos(x + y + theta + phi1 + phi2 + q2)", r"\cos(\phi_1 + \phi_2 + q_2 + \theta + x + y)"),
        ("tan(theta)", r"\tan\theta"),
    ],
)
def test_short_trigonometry(source, expected):
    assert latex(parse(source, WORDS), short=True) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("θ", r"\theta"),
        ("phi", r"\phi"),
        ("φ", r"\varphi"),
        ("Omega_0", r"\Omega_0"),
        ("ell", r"\ell"),
        ("lambda_max", r"\lambda_{\mathrm{max}}"),
        ("omega_x", r"\omega_x"),
        ("omega_xi", r"\omega_\xi"),
        ("speed2", r"\mathrm{speed}_2"),
        ("x_", r"\mathrm{x\_}"),
        ("größe", r"\mathrm{größe}"),
        ("a b<c&d", r"\mathrm{a\ b<c\&d}"),
    ],
)
def test_names(name, expected):
    leaf = symbol(Symbol(name))
    assert latex(leaf) == expected
    assert "".join(parsed(mathml(leaf)).itertext())  # well-formed, whatever is in the name


def test_a_variable_called_e_is_not_taken_for_the_base_of_logarithms():
    assert latex(exp(x) + symbol("e")) == r"e + \exp(x)"


# -- MathML --------------------------------------------------------------------------------------------------
def body(expression, **options):
    source = mathml(expression, **options)
    return source[source.index(">") + 1 : source.rindex("<")]


BRACKETS = '<mrow><mo stretchy="false">(</mo><mi>x</mi><mo stretchy="false">)</mo></mrow>'


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x'", "<mover><mi>x</mi><mo>.</mo></mover>"),
        ("x''", "<mover><mi>x</mi><mo>..</mo></mover>"),
        ("x'''", "<mover><mi>x</mi><mo>...</mo></mover>"),
        ("phi1'^2", "<msubsup><mover><mi>ϕ</mi><mo>.</mo></mover><mn>1</mn><mn>2</mn></msubsup>"),
        ("m*x", "<mrow><mi>m</mi><mo>\u2062</mo><mi>x</mi></mrow>"),
        ("x - y", "<mrow><mi>x</mi><mo>\u2212</mo><mi>y</mi></mrow>"),
        ("x^(1/3)", "<mroot><mi>x</mi><mn>3</mn></mroot>"),
        ("sin(x)", '<mrow><mi>sin</mi><mo>\u2061</mo><mspace width="0.17em"/><mi>x</mi></mrow>'),
        ("D(f, 1)(x)", f"<mrow><mrow><mi>f</mi><mo>\u2032</mo></mrow><mo>\u2061</mo>{BRACKETS}</mrow>"),
        ("Jr", "<mi>Jr</mi>"),
        ("Gamma", '<mi mathvariant="normal">Γ</mi>'),
    ],
)
def test_mathml(source, expected):
    assert body(parse(source, WORDS)) == expected


def test_mathml_is_a_block_or_stands_in_the_text():
    assert 'display="block"' in mathml(x)
    assert "display" not in mathml(x, block=False)


CORE = {
    "math", "mrow", "mi", "mo", "mn", "mfrac", "msqrt", "mroot", "msup", "msub", "msubsup", "mover", "mtable", "mtr",
    "mtd", "mtext", "mspace",
}  # fmt: skip
CHILDREN = {"mfrac": 2, "mroot": 2, "msup": 2, "msub": 2, "msubsup": 3, "mover": 2, "mi": 0, "mo": 0, "mn": 0}


def check_elements(source):
    for element in parsed(source).iter():
        assert element.tag.startswith(NAMESPACE)
        assert tag(element) in CORE
        assert len(element) == CHILDREN.get(tag(element), len(element)), source
        assert element.attrib.keys() <= {"display", "style", "stretchy", "lspace", "rspace", "width", "mathvariant",
                                         "displaystyle"}  # fmt: skip


@settings(max_examples=2 * settings.default.max_examples)
@given(any_expressions(solves=True), st.booleans())
def test_only_elements_of_mathml_core_occur_in_the_right_number(expression, short):
    try:
        for_the_page([expression])
    except ExpressionError:  # a singular matrix is written out
        return
    check_elements(mathml(expression, short=short))
    check_elements(mathml_equations([("X", expression)], longest=30, short=short))


# -- the page shows the value --------------------------------------------------------------------------------
def same_value(one, other):
    """Say whether two expressions agree: decided, or at a point where no decision is possible."""
    if one is other:
        return True
    verdict = is_zero(one - other)
    if verdict.kind == "undecided":
        jets = [node for node in postorder([one, other]) if node.op == "jet"]
        values = {node: 0.3 + 0.1 * i for i, node in enumerate([*map(symbol, symbols([one, other])), *jets])}
        first, second = evaluate([one, other], Floats(values))
        return not math.isfinite(first + second) or math.isclose(first, second, rel_tol=1e-6, abs_tol=1e-9)
    return verdict.holds


def reader():
    return Reader(LEAVES, FUNCTIONS)


@settings(max_examples=2 * settings.default.max_examples)
@given(any_expressions())
def test_the_page_shows_the_value_of_the_expression(expression):
    assert same_value(reader().math(mathml(expression)), expression)


@settings(max_examples=2 * settings.default.max_examples)
@given(st.lists(any_expressions(most=14), min_size=1, max_size=3), st.sampled_from([10, 30, 75]))
def test_equations_with_named_parts_show_the_values(roots, longest):
    source = mathml_equations([(f"X{i}", root) for i, root in enumerate(roots)], longest=longest)
    shown = read_equations(reader(), source)[: len(roots)]
    assert all(same_value(value, root) for (_, value), root in zip(shown, roots, strict=True))


def test_a_page_without_brackets_does_not_show_the_value(monkeypatch):
    a, b, c = (VOCABULARY[name] for name in ("x", "k", "m"))
    expression = (a + b) * c + (a - b) ** 2
    assert same_value(reader().math(mathml(expression)), expression)
    monkeypatch.setattr(Layout, "_operand", lambda _, node, negated=False: Formula(node, negated))
    assert not same_value(reader().math(mathml(expression)), expression)


def test_a_page_with_its_functions_in_the_wrong_place_is_refused(monkeypatch):
    a, b = VOCABULARY["x"], VOCABULARY["k"]
    expression = cos(a) * (a + b)
    assert same_value(reader().math(mathml(expression)), expression)
    monkeypatch.setattr(Opening, "_place", lambda _, __: 0)
    with pytest.raises(AssertionError, match="before a factor"):
        reader().math(mathml(expression))


# -- LaTeX ---------------------------------------------------------------------------------------------------
COMMANDS = {
    "arccos", "arcsin", "arctan", "begin", "cdot", "cos", "ddot", "dddot", "dot", "end", "exp", "frac", "left", "log",
    "mathrm", "partial", "phi", "pi", "quad", "right", "sin", "sqrt", "tan", "text", "theta",
}  # fmt: skip
TOKEN = re.compile(r"\\([A-Za-z]+)(?:\{(?:aligned|pmatrix)\})?|\\(.)|(.)", re.DOTALL)


def check_latex(source):
    """Refuse unknown commands, brackets that do not match, and two scripts of one kind on one base."""
    open_brackets = []
    scripts = [set()]
    before = ""
    for match in TOKEN.finditer(source):
        command, escaped, character = match.groups()
        token = command or escaped or character
        if command:
            assert command in COMMANDS, command
        if command in {"left", "begin"} or character in {"{", "("}:
            if not (character == "(" and before == "left"):
                open_brackets.append(command or character)
                scripts.append(set())
        elif command in {"right", "end"} or character in {"}", ")"}:
            if not (character == ")" and before == "right"):
                pairs = {"right": "left", "end": "begin", "}": "{", ")": "("}
                assert open_brackets.pop() == pairs[command or character], source
                scripts.pop()
        elif character in {"^", "_"}:
            assert character not in scripts[-1], source
            scripts[-1].add(character)
        elif before not in {"^", "_"}:  # a new base
            scripts[-1] = set()
        before = token
    assert not open_brackets, source


@pytest.mark.parametrize("wrong", [r"\frac{x}{y", r"\left(x)", "x^2^2", "x_1_2", r"\foo x", "(x}", "a_1^2_3"])
def test_the_check_of_latex_bites(wrong):
    with pytest.raises((AssertionError, IndexError)):
        check_latex(wrong)


@settings(max_examples=2 * settings.default.max_examples)
@given(any_expressions(), st.booleans())
def test_latex_is_sound(expression, short):
    check_latex(latex(expression, short=short))
    check_latex(latex_equations([("X", expression)], longest=30, short=short))


def test_every_order_of_a_derivative_looks_different():
    orders = [x, x.dot, x.dot.dot, x.dot.dot.dot, x.dot.dot.dot.dot, x.dot.dot.dot.dot.dot]
    assert len({latex(e) for e in orders}) == len({mathml(e) for e in orders}) == len(orders)


# -- equations -----------------------------------------------------------------------------------------------
def test_long_sums_are_broken_into_lines():
    terms = [symbol(f"a{i}") * symbol(f"b{i}") ** 2 for i in range(30)]
    lines = latex_equations([("s", total((-1, t) for t in terms))]).splitlines()
    assert len(lines) == 5
    assert lines[1].startswith(r"s &= -a_0 b_0^2 - a_1 b_1^2")
    assert lines[2].startswith(r" &\quad {} - a_")
    assert sum(line.count("_") for line in lines) == 60


def test_what_is_wide_or_occurs_often_is_named_and_listed_below():
    wide = total((1, symbol(f"a{i}")) for i in range(40))
    source = latex_equations([(x.dot, 1 / wide), (y.dot, x / wide), ("E", wide**2)])
    assert source.splitlines() == [
        r"\begin{aligned}",
        r"\dot{x} &= \frac{1}{c_1} \\",
        r"\dot{y} &= \frac{x}{c_1} \\",
        r"E &= c_1^2 \\",
        r"\text{where} & \\",
        *source.splitlines()[5:],
    ]
    assert source.splitlines()[5].startswith("c_1 &= a_0 + a_1")


def test_a_short_system_has_no_named_parts():
    shared = x + y
    assert "where" not in latex_equations([("p", shared**2), ("q", sin(shared) / shared)])


def test_the_left_side_is_the_name_where_there_is_one():
    source = latex_equations([(x.dot.dot, (x + y) / theta), (y.dot.dot, 2 * (x + y) / theta + sin((x + y) / theta))])
    assert r"\ddot{y} &= 2 \ddot{x} + \sin\ddot{x}" in source
    assert "B &= A^2" in latex_equations([("A", x * y + y * theta), ("B", (x * y + y * theta) ** 2)])
    assert r"\ddot{y} &= \ddot{x}" in latex_equations([(x.dot.dot, x + y), (y.dot.dot, x + y)])


def test_a_left_side_that_occurs_on_the_right_is_no_name():
    assert "y &= (x + y)^2" in latex_equations([(x, x + y), (y, (x + y) ** 2)])
    assert "B &= (L + x)^2" in latex_equations([("L", symbol("L") + x), ("B", (symbol("L") + x) ** 2)])


def test_large_fractions_inside_fractions_are_named():
    inner = 1 / (x + y) + theta / x
    assert latex_equations([("p", x / inner)]).splitlines()[1:-1] == [
        r"p &= \frac{x}{c_1} \\",
        r"\text{where} & \\",
        r"c_1 &= \frac{\theta}{x} + \frac{1}{x + y}",
    ]


def test_names_of_parts_avoid_the_others():
    c1, k = symbol("c1"), symbol("k")
    wide = [total((1, symbol(f"a{i}")) for i in range(40)) * c1, sum((symbol(f"b{i}") for i in range(40)), ZERO) * k]
    pairs = [("p", wide[0] ** 2), ("q", wide[1] ** 2)]
    assert "h_1 &= " in latex_equations(pairs)
    assert "h_1 &= " in latex_equations(pairs, short=True)
    assert "c_2 &= " in latex_equations(pairs, prefix="c")
    assert "c_1 &= " not in latex_equations(pairs, prefix="c")


def test_a_part_is_never_defined_by_itself():
    expression = x
    for _ in range(60):
        expression = sin(expression)
    lines = latex_equations([("s", expression)]).splitlines()[1:-1]
    sides = [line.removesuffix(r" \\").split(" &") for line in lines if "where" not in line]
    assert len(sides) > 2
    assert all(not re.search(rf"(?<![a-z\\]){left}(?![0-9])", right) for left, right in sides)
    assert sum(right.count("sin") for _, right in sides) == 60


def test_matrices():
    rows = [[x, y], [ZERO, 1 / x]]
    assert latex_matrix(rows) == r"\begin{pmatrix} x & y \\ 0 & \frac{1}{x} \end{pmatrix}"
    check_elements(mathml_matrix(rows))
    assert mathml_matrix(rows).count("<mtd>") == 4
    assert latex_equations([("M", rows)]).splitlines()[1] == "M &= " + latex_matrix(rows)
    wide = total((1, symbol(f"a{i}")) for i in range(20))
    assert latex_equations([("M", [[wide, x], [y, wide]])]).splitlines()[1] == (
        r"M &= \begin{pmatrix} c_1 & x \\ y & c_1 \end{pmatrix} \\"
    )
    for wrong in ([], [[]], [[x], [x, y]]):
        with pytest.raises(ExpressionError, match="as many entries"):
            latex_matrix(wrong)
        with pytest.raises(ExpressionError, match="as many entries"):
            latex_equations([("M", wrong)])


def test_left_sides():
    assert latex_equations([(None, x)]) == "\\begin{aligned}\n &x\n\\end{aligned}"
    assert latex_equations([("Gamma^1_23", x)]).splitlines()[1] == r"\Gamma_{23}^1 &= x"
    assert latex_equations([("q_1''", x)]).splitlines()[1] == r"\ddot{q}_1 &= x"
    assert latex_equations([(x * y, x)]).splitlines()[1] == "x y &= x"


def test_wrong_requests_are_refused_in_words():
    with pytest.raises(ExpressionError, match="too short"):
        latex_equations([("a", x)], longest=3)
    with pytest.raises(ExpressionError, match="cannot begin a name"):
        latex_equations([("a", x)], prefix="1")
    with pytest.raises(ExpressionError, match="several values"):
        latex(sin(x).args[0])


# -- size and depth ------------------------------------------------------------------------------------------
V2 = Function("V", 2)
CHAINS = {
    "sin": sin,
    "tan": tan,
    "exp": exp,
    "bracket": lambda e: -y - y * e,
    "scaled": lambda e: y + 2 * e,
    "fraction": lambda e: 1 / (1 + e),
    "root": lambda e: sqrt(e + y),
    "size": lambda e: absolute(e + 1),
    "base": lambda e: power(e, y),
    "exponent": lambda e: power(y, e),
    "jet": lambda e: jet(V2, (e, y), (1,)),
}


def chain(step, length):
    expression = x
    for _ in range(length):
        expression = step(expression)
    return expression


@pytest.mark.parametrize("kind", CHAINS)
@pytest.mark.thorough("root", "scaled", "size", "fraction")
@pytest.mark.thorough("bracket", "jet")
@pytest.mark.thorough("sin", "tan", "base")
def test_depth_is_no_limit(kind):
    deep = chain(CHAINS[kind], 1100)
    check_latex_size(latex(deep), 1100 * 3)
    page, shown = mathml(deep), deep._repr_latex_()
    assert page.count("<mrow>") == page.count("</mrow>")
    assert len(latex_equations([("s", deep)])) > 500
    assert shown is None or "where" in shown


def check_latex_size(source, least):
    assert len(source) > least
    assert source.count("{") == source.count("}")


@pytest.mark.thorough
def test_depth_far_beyond_the_stack_is_shown():
    deep = chain(exp, 20_000)
    assert latex(deep).count("exp") == 19_998  # the innermost are written e^{e^x}
    assert mathml(chain(exp, 10_000)).count("exp") == 9_998


def test_what_is_shared_is_written_once():
    expression = x
    for _ in range(200):
        expression = expression * (expression + y)
    for show in (latex, mathml):
        with pytest.raises(ExpressionError, match="latex_equations"):
            show(expression)
    assert len(latex_equations([("s", expression)])) < 30_000


def test_a_solve_is_written_out():
    first, second = solve([[x, y], [y, theta]], [0, 1])
    assert latex_equations([("u", first), ("v", second)]).splitlines()[1:3] == [
        r"u &= -\frac{y}{x \left(\theta - \frac{y^2}{x}\right)} \\",
        r"v &= \frac{1}{\theta - \frac{y^2}{x}}",
    ]


# -- notebooks -----------------------------------------------------------------------------------------------
def test_a_notebook_shows_a_line_or_equations_or_nothing():
    assert (x.dot**2 / 2)._repr_latex_() == r"$\displaystyle \frac{\dot{x}^2}{2}$"
    q = [symbol(f"q{i}") for i in range(5)]
    lagrangian = total((1, sin(a * b) * a.dot * b.dot) for a in q for b in q)
    answer = solve(hessian(lagrangian, [a.dot for a in q]), q)[0]
    assert notebook(answer).startswith("$\\begin{aligned}\n &")
    assert "where" in notebook(answer)
    assert sin(x).args[0]._repr_latex_() is None
    assert notebook(chain(sin, 5000)) is None
    assert notebook(solve([[ZERO, ZERO], [x, y]], [1, 1])[0]) is None


def test_one_name_serves_a_sum_and_its_opposite():
    x, y, a, b = (symbol(one) for one in "xyab")
    wide = [symbol(f"long_name_{k}") for k in range(9)]
    one = total((1, w * x) for w in wide) + a
    other = total((-1, w * x) for w in wide) - a
    shown = latex_equations([("u", y * one**2 + sin(one)), ("v", b * other**3 + x / other), ("w", cos(y + other))])
    assert len(re.findall(r"long\}_\{\\mathrm\{name\\ 3", shown)) == 1
    assert all(f"c_{k} &=" not in shown for k in (2, 3))


def test_the_sine_of_a_word_has_brackets():
    assert latex(sin(symbol("heading"))) == r"\sin(\mathrm{heading})"
    assert latex(sin(symbol("theta1"))) == r"\sin\theta_1"


def test_no_right_side_is_a_number_times_a_name():
    x = [symbol(f"x{k}") for k in range(12)]
    wide = total((1, x[k] * x[(k + 1) % 12] * x[(k + 5) % 12]) for k in range(12))
    assert "where" not in latex_equations([("L", wide / 24)])
    assert "L &= \\frac{c_1}{24}" in latex_equations([("L", wide / 24), ("M", wide**2)])  # it stands elsewhere too


def test_a_wide_left_side_does_not_push_the_right_one_out():
    x = [symbol(f"x{k}") for k in range(12)]
    wide = total((1, x[k] * x[(k + 1) % 12] * x[(k + 5) % 12]) for k in range(12))
    (written, aligned), _ = latex_groups([[(wide, x[0] + x[1]), (x[0].dot, x[2])], [(x[0].dot, x[1])]])
    assert [line.lstrip() for line in written.splitlines()[2:4]] == [r"&\quad {}= x_0 + x_1 \\", r"&\dot{x}_0= x_2"]
    assert r"\dot{x}_0 &= x_1" in aligned


def test_fractions_that_terms_of_a_factor_share_stand_in_front():
    words = Vocabulary.of("x y z k")
    shown = {
        "2*z*(k*x/2 + 1/2)": r"z (k x + 1)",
        "(x/2 + y/2)^2*z/(x/3 + 2*y/3)": r"\frac{3 z (x + y)^2}{4 (x + 2 y)}",
        "z*(x/2 + y)": r"z \left(\frac{x}{2} + y\right)",
        "z*(x/2 + y/2)^100": r"z \left(\frac{x}{2} + \frac{y}{2}\right)^{100}",  # 2^100 has 31 digits
    }
    assert {said: latex(parse(said, words)) for said in shown} == shown


def test_groups_that_are_written_again_have_names_of_their_own_page():
    """They are remembered, but a page may keep names from their parts."""
    wide = [[("L", 1 / sum((symbol(f"x{k}") ** 2 for k in range(30)), symbol("y")))], [("A", [[x, y], [y, x]])]]
    first, again = mathml_groups(wide), mathml_groups(wide)
    assert first == again
    again[0].clear()
    assert mathml_groups(wide) == first
    with avoiding({"c1", "k"}):
        other = mathml_groups(wide)
    assert "<mi>c</mi>" in first[1]
    assert "<mi>c</mi>" not in other[1]
    assert mathml_groups(wide, longest=40.0) != first
