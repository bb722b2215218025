r"""Vector fields, forms and elements of a Lie algebra as sums over a basis: signs in front, the basis last.

An expression would put the basis among its factors by the alphabet, and :math:`\partial_x \cos\theta` would be read as
a derivative.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING

from dalembert.expr.display import FONTS, latex, mathml
from dalembert.expr.graph import ONE, Expr
from dalembert.expr.text.printer import signed_sum
from dalembert.present.page import Basis, Combination, readable
from dalembert.present.typeset import spoken_turns

if TYPE_CHECKING:
    from dalembert.geometry.fields import VectorField
    from dalembert.geometry.forms import Form

_OPEN, _CLOSE = '<mo stretchy="false">(</mo>', '<mo stretchy="false">)</mo>'


# -- what it is of -------------------------------------------------------------------------------------------
def field_combination(field: VectorField) -> Combination:
    r"""Return a vector field by coordinate fields.

    >>> from dalembert.expr import cos, symbol
    >>> from dalembert.geometry.fields import Chart, VectorField
    >>> x, theta = symbol("x"), symbol("theta")
    >>> turned = field_combination(VectorField(Chart.of(x, theta), (cos(theta), -x - 1)))
    >>> print(combination_latex(turned))
    \cos\theta \, \partial_{x} - (x + 1) \, \partial_{\theta}
    >>> combination_text(turned)
    'cos(theta) d/dx + (-x - 1) d/dtheta'
    """
    return _combination(field.components, [Basis("partial", (q,)) for q in field.chart.coordinates])


def form_combination(form: Form) -> Combination:
    """Return a form by products of differentials."""
    q = form.chart.coordinates
    return _combination(list(form.terms.values()), [Basis("differential", tuple(q[k] for k in i)) for i in form.terms])


def named_combination(title: str, coefficients: Sequence[Expr], names: Sequence[str]) -> Combination:
    """Return a sum over things with names, behind a title."""
    return _combination(coefficients, [Basis("name", name=name) for name in names], title)


def _combination(coefficients: Sequence[Expr], basis: Sequence[Basis], title: str = "") -> Combination:
    from dalembert.expr.truth import vanishing  # which a text without fields does without

    shown = [_shown(c) for c in coefficients]
    zero = vanishing([c for c in shown if isinstance(c, Expr)])
    none = {c for c, vanishes in zip([c for c in shown if isinstance(c, Expr)], zero, strict=True) if vanishes}
    return Combination(tuple((c, element) for c, element in zip(shown, basis, strict=True) if c not in none), title)


def _shown(coefficient: Expr) -> Expr | str:
    """Return a coefficient, or its size in words."""
    plain = readable(coefficient)
    return repr(coefficient).strip("<>") if plain is None else plain


# -- how it is written ---------------------------------------------------------------------------------------
def combination_mathml(block: Combination) -> str:
    """Return a sum over a basis as a ``math`` element."""
    parts: list[str] = []
    for minus, coefficient, basis in _signed(block):
        element = _element_mathml(basis)
        if parts or minus:
            parts.append(f"<mo>{'−' if minus else '+'}</mo>")  # noqa: RUF001 - the sign that is printed
        if coefficient is ONE and element:
            parts.append(f"<mrow>{element}</mrow>")
        else:
            shown = _inside(coefficient) if isinstance(coefficient, Expr) else f"<mtext>⟨{escape(coefficient)}⟩</mtext>"
            fenced = f"{_OPEN}{shown}{_CLOSE}" if element and _is_sum(coefficient) else shown
            space = '<mspace width="0.2em"/>' if element else ""
            parts.append(f"<mrow>{fenced}{space}{element}</mrow>")
    body = "".join(parts) or "<mn>0</mn>"
    head = f'<math xmlns="http://www.w3.org/1998/Math/MathML" style="font-family: {FONTS}">'
    return f"{head}<mrow>{body}</mrow></math>"


def combination_latex(block: Combination) -> str:
    """Return a sum over a basis in LaTeX."""
    text = ""
    for minus, coefficient, basis in _signed(block):
        element = _element_latex(basis)
        text += (" - " if minus else " + ") if text else ("-" if minus else "")
        if coefficient is ONE and element:
            text += element
        else:
            shown = latex(coefficient) if isinstance(coefficient, Expr) else rf"\text{{{coefficient}}}"
            fenced = f"({shown})" if element and _is_sum(coefficient) else shown
            text += rf"{fenced} \, {element}" if element else fenced
    return text or "0"


def combination_text(block: Combination) -> str:
    """Return a sum over a basis as plain text."""
    terms = [(c, _element_text(basis)) for c, basis in block.terms]
    told = [(c, name) for c, name in terms if isinstance(c, Expr) and name]
    if len(told) == len(terms):
        return signed_sum(told) or "0"
    return " + ".join(f"({c}) {name}".strip() for c, name in terms)


def _inside(expression: Expr) -> str:
    """Return what is inside the ``math`` element of an expression."""
    whole = mathml(expression, block=False)
    return whole[whole.index(">") + 1 : whole.rindex("<")]


def _element_mathml(basis: Basis) -> str:
    match basis.kind:
        case "partial":
            return f"<msub><mi>∂</mi>{_inside(basis.of[0])}</msub>"
        case "differential":
            return "<mo>∧</mo>".join(f'<mrow><mi mathvariant="normal">d</mi>{_inside(q)}</mrow>' for q in basis.of)
    said = spoken_turns(basis.name)
    # words need the space around a sign that letters bring with them
    return (
        f"<mi>{escape(said)}</mi>"
        if said == basis.name
        else f"<mtext>\N{NO-BREAK SPACE}{escape(said)}\N{NO-BREAK SPACE}</mtext>"
    )


def _element_latex(basis: Basis) -> str:
    match basis.kind:
        case "partial":
            return rf"\partial_{{{latex(basis.of[0])}}}"
        case "differential":
            return r" \wedge ".join(rf"\mathrm{{d}}{latex(q)}" for q in basis.of)
    return rf"\text{{{spoken_turns(basis.name)}}}"


def _element_text(basis: Basis) -> str:
    match basis.kind:
        case "partial":
            return f"d/d{basis.of[0]!r}"
        case "differential":
            return " ^ ".join(f"d{q!r}" for q in basis.of)
    return basis.name


def _signed(block: Combination) -> Iterator[tuple[bool, Expr | str, Basis]]:
    """Yield the terms, a minus taken out of what has only such."""
    for coefficient, basis in block.terms:
        if isinstance(coefficient, Expr) and _is_negative(coefficient):
            yield True, -coefficient, basis
        else:
            yield False, coefficient, basis


def _is_negative(coefficient: Expr) -> bool:
    if coefficient.op == "number":
        return bool(coefficient.data < 0)
    if coefficient.op != "sum":
        return False
    constant, factors = coefficient.data
    return constant <= 0 and all(factor < 0 for factor in factors)


def _is_sum(coefficient: Expr | str) -> bool:
    """Say whether several terms would be seen."""
    if isinstance(coefficient, str):
        return False
    while coefficient.op == "sum" and not coefficient.data[0] and len(coefficient.args) == 1:
        if coefficient.data[1][0] != 1 and coefficient.args[0].op == "sum":
            return True
        (coefficient,) = coefficient.args
    return coefficient.op == "sum"
