"""Parameters among the variables of a field, and polynomials seen from there."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dalembert.errors import ExpressionError
from dalembert.expr.field import Field
from dalembert.expr.graph import Expr
from dalembert.expr.text.printer import text
from dalembert.expr.truth import never_zero
from dalembert.expr.truth.signs import ranges
from dalembert.expr.walk import postorder

__all__ = ["Space", "parameter_places"]


def parameter_places(field: Field, parameters: Sequence[Expr]) -> dict[int, Expr]:
    """Return the generators that are parameters, or roots of them, by their place; refuse parameters in other ones."""
    nodes = field.generators.nodes()
    found = [(k, node, p) for p in parameters for k, node in enumerate(nodes) if p in postorder([node])]
    for _, node, parameter in found:
        base = node.args[0] if node.op == "product" and len(node.args) == 1 else node
        if base is not parameter:
            raise ExpressionError(
                f"the parameter '{text(parameter)}' occurs in '{text(node)}', so nothing here is rational in it; "
                "give that a name of its own as a parameter."
            )
    return {k: node for k, node, _ in found}


@dataclass(slots=True)
class Space:
    """The space of the parameters, as variables of a field."""

    field: Field
    parameters: dict[int, Expr]
    """The expression of each variable that is a parameter, by its place in the ring, in the order of the user."""
    never: dict[str, bool] = dataclasses.field(default_factory=dict)

    def order(self, polynomial: Any) -> tuple[Any, ...]:
        """Return a key by which short polynomials come first, then those in the first parameters."""
        exponents = [tuple(-int(m[k]) for k in self.parameters) for m in polynomial.monoms()]
        return len(polynomial), sorted(exponents)

    def never_zero(self, polynomial: Any) -> bool:
        """Say whether a polynomial is shown not to vanish for any values of the parameters."""
        key = str(polynomial)
        if key not in self.never:
            node = self.field.to_expr(polynomial)
            self.never[key] = bool(ranges([node])[0].nonzero) or never_zero(node).kind == "proved"
        return self.never[key]

    def parts(self, polynomial: Any) -> dict[tuple[int, ...], Any]:
        """Return the coefficients, polynomials in the parameters, of each monomial in everything else."""
        parts: dict[tuple[int, ...], dict[tuple[int, ...], int]] = {}
        for exponents, coefficient in polynomial.to_dict().items():
            inner = tuple(int(e) if k in self.parameters else 0 for k, e in enumerate(exponents))
            outer = tuple(0 if k in self.parameters else int(e) for k, e in enumerate(exponents))
            parts.setdefault(outer, {})[inner] = int(coefficient)
        return {outer: self.field.ring.from_dict(part) for outer, part in parts.items()}

    def coefficients(self, polynomial: Any) -> list[Any]:
        """Return these coefficients alone: the polynomial vanishes for all values of everything else where they do."""
        return list(self.parts(polynomial).values())

    def by_powers(self, polynomial: Any, place: int) -> dict[int, Any]:
        """Return the coefficients of the powers of one variable."""
        parts: dict[int, dict[tuple[int, ...], int]] = {}
        for exponents, coefficient in polynomial.to_dict().items():
            e = [int(k) for k in exponents]
            power, e[place] = e[place], 0
            parts.setdefault(power, {})[tuple(e)] = int(coefficient)
        return {power: self.field.ring.from_dict(part) for power, part in parts.items()}

    def definite_terms(self, polynomial: Any) -> list[Any]:
        """Return the terms of a sum of terms that all have one sign: it vanishes only where each of them does."""
        terms = {tuple(map(int, m)): int(c) for m, c in polynomial.to_dict().items()}
        positive = [
            k in self.parameters and ranges([self.parameters[k]])[0].low >= 0 for k in range(len(next(iter(terms))))
        ]
        even = all(e % 2 == 0 or p for m in terms for e, p in zip(m, positive, strict=True))
        if len(terms) > 1 and even and len({c > 0 for c in terms.values()}) == 1:
            return [self.field.ring.from_dict({m: 1}) for m in terms]
        return []
