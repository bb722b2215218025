"""The one walker from expressions to the display tree.

The page shows the same value as the graph, not its shape: see :mod:`~dalembert.expr.display.idioms`.

One node is laid out at a time, and what is inside it stays a :class:`Formula`; so depth is no limit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from dalembert.expr.display.idioms import TANGENT, Opening, Power, is_cosine, is_trigonometric
from dalembert.expr.display.measure import Measure
from dalembert.expr.display.names import MOST_DOTS, hatted, identifier, is_word, label_part, order_above, symbol_part
from dalembert.expr.display.records import (
    Call,
    Fenced,
    Formula,
    FunctionName,
    Identifier,
    Number,
    Operator,
    Part,
    Primes,
    Quotient,
    Root,
    Scripts,
    raised,
    row,
)
from dalembert.expr.exact import Number as Exact
from dalembert.expr.graph import Expr
from dalembert.expr.text.order import digits, is_square
from dalembert.expr.text.printer import Printer
from dalembert.expr.walk import postorder
from dalembert.records import dataclass

_NARROW: Final = 6
"""Widths up to this stand over a number, or in an exponent."""
_SHORT: Final = 15
"""Widths up to this stand below a short sine."""
_TRIGONOMETRY: Final = ("sin", "cos")
_FUNCTIONS: Final = {"log": "log", "atan": "arctan", "asin": "arcsin", "acos": "arccos"}


@dataclass(frozen=True, slots=True)
class Term:
    """A term of a sum: its sign, what is shown of it behind the sign, and about how wide that is."""

    positive: bool
    part: Part
    width: float


class Layout:
    """Lays out expressions that have been made ready by ``for_the_page``.

    Parameters
    ----------
    roots
        All that is going to be shown.
    names
        What is called by a name where it occurs, and laid out elsewhere.
    short
        Write ``s`` and ``c`` with the angle below them for sine and cosine.
    """

    def __init__(self, roots: Sequence[Expr], names: Mapping[Expr, str] | None = None, *, short: bool = False) -> None:
        self._names: Mapping[Expr, str] = names or {}
        self._short = short
        self._opening = Opening(self._names, Printer(roots, self._names).order)
        self._measure = Measure(self._names, short=short)
        self._e_is_a_name = False
        for node in postorder(roots):
            self._measure.add(node)
            self._e_is_a_name |= node.op == "symbol" and node.data.name == "e"

    def is_letter(self, formula: Formula) -> bool:
        """Say whether a formula is a symbol or has a name, so that its record has no formula in it."""
        return not formula.spelled_out and (formula.node.op == "symbol" or formula.node in self._names)

    def record(self, formula: Formula) -> Part:
        """Return what stands in the place of a formula."""
        node = formula.node
        if node in self._names and not formula.spelled_out:
            return label_part(self._names[node])
        match node.op:
            case "symbol":
                return symbol_part(node.data)
            case "pi":
                return Identifier("π")
            case "power":
                return self._raised(node.args[0], Formula(node.args[1], inline=True))
            case "jet" if node.data[0] != TANGENT:
                return self._jet(node)
            case "pick" | "call" | "jet":
                turned = is_cosine(node) and self._opening.is_turned(node)
                return self._call(node, negated=formula.negated or turned)
            case _:
                return joined(self.terms(node, negated=formula.negated, inline=formula.inline))

    def reached(self, roots: Sequence[Expr]) -> set[Expr]:
        """Return what is shown of expressions: terms that cancel where a sum in a sum is opened are not."""
        seen, stack = set(roots), list(roots)
        while stack:
            node = stack.pop()
            parts: Sequence[Expr] = node.args
            if node.op in {"sum", "product"}:
                parts = [p.base for monomial in self._opening.monomials(node, 1) for p in monomial.powers]
            new = [part for part in parts if part not in seen]
            seen.update(new)
            stack += new
        return seen

    # -- sums and products -----------------------------------------------------------------------------------
    def terms(self, root: Expr, *, negated: bool = False, inline: bool = False) -> list[Term]:
        """Return what an expression is the sum of, in order; its own name is not used. As in :class:`Formula`."""
        if root in self._names and root.op not in {"sum", "product"}:
            return [Term(True, Formula(root, spelled_out=True), self._measure.width(root))]
        terms = []
        for monomial in self._opening.monomials(root, -1 if negated else 1):
            k = monomial.coefficient
            size = k if k > 0 else -k
            shown = self._shown(size, monomial.powers, inline)
            terms.append(Term(k >= 0, shown, self._measure.monomial(size, monomial.factors)))
        return terms

    def _shown(self, coefficient: Exact, powers: Sequence[Power], inline: bool) -> Part:
        """Return a product with a coefficient that is not negative."""
        above = [p for p in powers if p.exponent > 0]
        below = [Power(p.base, -p.exponent, p.negated) for p in powers if p.exponent < 0]
        over, under = coefficient.numerator, coefficient.denominator
        if inline and len(below) + (under > 1) == 1 and not any(map(self._opening.is_call, above)):
            return row(
                self._product(over, above, alone=False), Operator("slash"), self._product(under, below, alone=False)
            )
        if below:
            return Quotient(self._product(over, above), self._product(under, below))
        if under == 1:
            return self._product(over, above)
        if not above or (len(above) == 1 and self._measure.monomial(1, [(above[0].base, 1)]) <= _NARROW + 1):
            return Quotient(self._product(over, above), Number(digits(under)))
        front = Quotient(Number(digits(over)), Number(digits(under)))
        times = Operator("dot" if self._begins_with_digit(above[0]) else "times")
        return row(front, times, self._product(1, above, alone=False))

    def _product(self, coefficient: int, powers: Sequence[Power], *, alone: bool = True) -> Part:
        """Return a whole number times powers; one factor alone needs no brackets."""
        if coefficient == 1 and alone and len(powers) == 1 and powers[0].exponent == 1:
            return Formula(powers[0].base, powers[0].negated)
        items: list[Part] = [Number(digits(coefficient))] if coefficient != 1 or not powers else []
        for i, power in enumerate(powers):
            last = power is powers[-1]
            part = self._factor(power, closed=not last and not is_trigonometric(power.base))
            if items and self._begins_with_digit(power):
                items.append(Operator("dot"))
            elif items:
                items.append(_times(items[-1], part, powers[max(i - 1, 0) : i + 1]))
            items.append(part)
        return row(*items)

    def _factor(self, power: Power, *, closed: bool) -> Part:
        """Return a base to a positive exponent; if ``closed``, a function has its argument in brackets."""
        base, exponent = power.base, power.exponent
        if self._opening.is_call(power):
            return self._call(base, int(exponent), closed=closed, negated=power.negated)
        if exponent.denominator == 2 and is_square(base) and base not in self._names:
            inner = base.args[0]
            size = Fenced(Formula(inner), self._measure.tall(inner), bars=True)
            return size if exponent.numerator == 1 else raised(size, Number(digits(exponent.numerator)))
        if exponent == 1:
            return self._operand(base, negated=power.negated)
        if exponent.numerator == 1:
            return Root(Formula(base), exponent.denominator)
        above: Part = Number(digits(exponent.numerator))
        if exponent.denominator != 1:
            above = row(above, Operator("slash"), Number(digits(exponent.denominator)))
        return self._raised(base, above, negated=power.negated)

    def _operand(self, node: Expr, *, negated: bool = False) -> Part:
        """Return a factor, in brackets if it is a sum or a fraction."""
        if node in self._names or node.op not in {"sum", "product", "number"}:
            return Formula(node)
        if _is_natural(node):
            return Number(digits(node.data))
        return Fenced(Formula(node, negated), self._measure.tall(node))

    def _raised(self, base: Expr, above: Part, *, negated: bool = False) -> Part:
        """Return a power, its base in brackets unless that is a letter, a number or a function of brackets."""
        if self._is_single(base):
            return raised(self.record(Formula(base)), above)
        if base.op == "jet" and base.data[0] != TANGENT and (len(base.args) == 1 or not any(base.data[1])):
            return Scripts(self._jet(base), None, above)
        if base.op == "pick" and isinstance(short := self._call(base), Scripts):
            return raised(short, above)
        return Scripts(Fenced(Formula(base, negated), self._measure.tall(base)), None, above)

    # -- functions -------------------------------------------------------------------------------------------
    def _call(self, node: Expr, exponent: int = 1, *, closed: bool = False, negated: bool = False) -> Part:
        """Return an elementary function, to a positive whole power."""
        argument = node.args[0].args[0] if node.op == "pick" else node.args[0]
        tall = self._measure.tall(argument)
        width = self._measure.width(argument)
        if node.op == "call" and node.data == "exp":
            if width <= _NARROW and not self._e_is_a_name and not any(self._measure.tall(a) for a in argument.args):
                return Scripts(Identifier("e"), None, Formula(argument, inline=True))
            return Call(FunctionName("exp"), Fenced(Formula(argument), tall))
        above = Number(digits(exponent))
        if self._short and node.op == "pick" and self._measure.is_linear(argument) and width <= _SHORT and not tall:
            return Scripts(Identifier("sc"[node.data]), Formula(argument, negated), above if exponent > 1 else None)
        head: Part = FunctionName(_function_name(node))
        if exponent > 1:
            head = raised(head, above)
        word = argument.op == "symbol" and argument not in self._names and is_word(argument.data.name)
        if not closed and not word and self._is_single(argument):  # sin heading is not seen to be one thing
            return Call(head, Formula(argument))
        return Call(head, Fenced(Formula(argument, negated), tall))

    def _is_single(self, node: Expr) -> bool:
        """Say whether a node is shown as one letter or number."""
        if node in self._names or node.op == "pi":
            return True
        if node.op == "symbol":
            return bool(node.data.order <= MOST_DOTS)
        return _is_natural(node)

    def _jet(self, node: Expr) -> Part:
        """Return an unspecified function: primes if it has one argument, else a derivative sign for each slot."""
        function, orders = node.data
        if function.name == "hat" and node.args[0].op == "symbol" and node.args[0].data.name.endswith(".w"):
            return hatted(node.args[0].data.name)
        head = identifier(function.name)
        signs: list[Part] = []
        if function.arity == 1 and orders[0]:
            head = raised(head, Primes(orders[0]) if orders[0] <= MOST_DOTS else order_above(orders[0]))
        elif any(orders):
            for slot, times in enumerate(orders, 1):
                if times:
                    sign = Scripts(Identifier("∂"), Number(str(slot)), Number(str(times)) if times > 1 else None)
                    signs.append(sign)
        signs += [Operator("of")] if signs else []
        arguments = [item for a in node.args for item in (Operator("comma"), Formula(a))][1:]
        fenced = Fenced(row(*arguments), any(self._measure.tall(a) for a in node.args))
        return row(*signs, Call(head, fenced))

    # -- small questions -------------------------------------------------------------------------------------
    def _begins_with_digit(self, power: Power) -> bool:
        base = power.base
        if base in self._names:
            return False
        if base.op == "power":
            return _is_natural(base.args[0])
        return base.op == "number" and power.exponent.numerator != 1


def joined(terms: Sequence[Term]) -> Part:
    """Return terms as one row with the signs between them."""
    items: list[Part] = []
    for i, term in enumerate(terms):
        if i:
            items.append(Operator("plus" if term.positive else "minus"))
        elif not term.positive:
            items.append(Operator("negative"))
        items.append(term.part)
    return row(*items)


def _times(before: Part, after: Part, powers: Sequence[Power]) -> Part:
    """Return what stands between two factors, of which those that are powers are given too."""
    if isinstance(before, Call) or isinstance(after, Call):
        return Operator("times by a call")
    words = [power for power in powers if power.base.op == "symbol" and is_word(power.base.data.name)]
    return Operator("times between words" if words else "times")


def _is_natural(node: Expr) -> bool:
    return bool(node.op == "number" and node.data >= 0 and node.data.denominator == 1)


def _function_name(node: Expr) -> str:
    if node.op == "pick":
        return _TRIGONOMETRY[node.data]
    return "tan" if node.op == "jet" else _FUNCTIONS[node.data]
