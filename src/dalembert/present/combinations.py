r"""Vector fields, forms and elements of a Lie algebra as sums over a basis: signs in front, the basis last.

An expression would put the basis among its factors by the alphabet, and :math:`\partial_x \cos\theta` would be read as
a derivative.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from dalembert.expr.display import FONTS, latex, mathml
from dalembert.expr.graph import ONE, ZERO, Expr
from dalembert.geometry.fields import VectorField
from dalembert.geometry.forms import Form

__all__ = ["field_latex", "field_mathml", "form_latex", "form_mathml", "inside", "sum_mathml"]

_OPEN, _CLOSE = '<mo stretchy="false">(</mo>', '<mo stretchy="false">)</mo>'
Term = tuple[Expr, str]
"""A coefficient, and how an element of the basis is written."""


def inside(expression: Expr) -> str:
    """Return what is inside the ``math`` element of an expression."""
    whole = mathml(expression, block=False)
    return whole[whole.index(">") + 1 : whole.rindex("<")]


def field_mathml(field: VectorField, write: Callable[[Expr], str] = inside) -> str:
    """Return a vector field as a ``math`` element.

    >>> from dalembert.expr import symbol
    >>> from dalembert.geometry.fields import Chart
    >>> x, y = symbol("x"), symbol("y")
    >>> field_mathml(VectorField(Chart.of(x, y), (-y, x))).count("∂")
    2
    """
    pairs = zip(field.components, field.chart.coordinates, strict=True)
    return sum_mathml([(c, f"<msub><mi>∂</mi>{inside(q)}</msub>") for c, q in pairs], write)


def form_mathml(form: Form, write: Callable[[Expr], str] = inside) -> str:
    """Return a differential form as a ``math`` element."""
    q = form.chart.coordinates
    ones = [f'<mrow><mi mathvariant="normal">d</mi>{inside(one)}</mrow>' for one in q]
    return sum_mathml([(c, "<mo>∧</mo>".join(ones[k] for k in i)) for i, c in form.terms.items()], write)


def field_latex(field: VectorField) -> str:
    r"""Return a vector field in LaTeX.

    >>> from dalembert.expr import cos, symbol
    >>> from dalembert.geometry.fields import Chart
    >>> x, theta = symbol("x"), symbol("theta")
    >>> print(field_latex(VectorField(Chart.of(x, theta), (cos(theta), -x - 1))))
    \cos\theta \, \partial_{x} - (x + 1) \, \partial_{\theta}
    """
    pairs = zip(field.components, field.chart.coordinates, strict=True)
    return _sum_latex([(c, rf"\partial_{{{latex(q)}}}") for c, q in pairs])


def form_latex(form: Form) -> str:
    """Return a differential form in LaTeX."""
    q = form.chart.coordinates
    wedge = r" \wedge "
    return _sum_latex([(c, wedge.join(rf"\mathrm{{d}}{latex(q[k])}" for k in i)) for i, c in form.terms.items()])


def sum_mathml(terms: Iterable[Term], write: Callable[[Expr], str] = inside) -> str:
    """Return a sum over a basis as a ``math`` element; ``write`` returns the inside of one for a coefficient."""
    parts: list[str] = []
    for minus, coefficient, element in _signed(terms):
        if parts or minus:
            parts.append(f"<mo>{'−' if minus else '+'}</mo>")  # noqa: RUF001 - the sign that is printed
        if coefficient is ONE and element:
            parts.append(f"<mrow>{element}</mrow>")
        else:
            shown = write(coefficient)
            fenced = f"{_OPEN}{shown}{_CLOSE}" if element and _is_sum(coefficient) else shown
            space = '<mspace width="0.2em"/>' if element else ""
            parts.append(f"<mrow>{fenced}{space}{element}</mrow>")
    body = "".join(parts) or "<mn>0</mn>"
    head = f'<math xmlns="http://www.w3.org/1998/Math/MathML" style="font-family: {FONTS}">'
    return f"{head}<mrow>{body}</mrow></math>"


def _sum_latex(terms: Iterable[Term]) -> str:
    text = ""
    for minus, coefficient, element in _signed(terms):
        text += (" - " if minus else " + ") if text else ("-" if minus else "")
        if coefficient is ONE and element:
            text += element
        else:
            shown = latex(coefficient)
            fenced = f"({shown})" if element and _is_sum(coefficient) else shown
            text += rf"{fenced} \, {element}" if element else fenced
    return text or "0"


def _signed(terms: Iterable[Term]) -> Iterator[tuple[bool, Expr, str]]:
    """Yield what is not zero, a minus taken out of what has only such."""
    for coefficient, element in terms:
        if coefficient is not ZERO:
            minus = _is_negative(coefficient)
            yield minus, -coefficient if minus else coefficient, element


def _is_negative(coefficient: Expr) -> bool:
    if coefficient.op == "number":
        return bool(coefficient.data < 0)
    if coefficient.op != "sum":
        return False
    constant, factors = coefficient.data
    return constant <= 0 and all(factor < 0 for factor in factors)


def _is_sum(coefficient: Expr) -> bool:
    """Say whether several terms would be seen."""
    while coefficient.op == "sum" and not coefficient.data[0] and len(coefficient.args) == 1:
        if coefficient.data[1][0] != 1 and coefficient.args[0].op == "sum":
            return True
        (coefficient,) = coefficient.args
    return coefficient.op == "sum"
