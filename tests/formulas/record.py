"""What a worked formula is, and the notation in which systems are stated."""

from __future__ import annotations

from dataclasses import dataclass

from dalembert.expr import Expr
from dalembert.expr.text import parse, parse_equation
from dalembert.expr.vocabulary import Vocabulary


@dataclass(frozen=True)
class Formula:
    """An expression as the library obtains it, and the formula of the paper that it must come to."""

    name: str
    derived: Expr
    printed: Expr


@dataclass(frozen=True)
class Notation:
    """Reads the texts of one system: ``n("m*x'^2/2")``, ``n.equation("x' = y")``, ``n.formula(name, ..., text)``."""

    paper: str
    words: Vocabulary

    @classmethod
    def of(cls, paper, coordinates, parameters="", **further) -> Notation:
        return cls(paper, Vocabulary.of(coordinates, parameters, **further))

    def __call__(self, text: str) -> Expr:
        return parse(text, self.words)

    def all(self, names: str) -> list[Expr]:
        return [self.words[name] for name in names.split()]

    def equation(self, text: str) -> Expr:
        left, right = parse_equation(text, self.words)
        return left - right

    def formula(self, name: str, derived: Expr, printed: str) -> Formula:
        return Formula(f"{self.paper} {name}", derived, self(printed))
