"""The second-order fields of systems of the gallery, derived once, and functions on the vertical rolling disc."""

from __future__ import annotations

from functools import cache

from dalembert import gallery
from dalembert.expr import Expr
from dalembert.expr.text import parse
from dalembert.mechanics.nonholonomic.linear_constraints import derive
from dalembert.mechanics.second_order.field import SecondOrderField, field_of
from dalembert.model.system import System

DISC = "vertical-rolling-disc"


@cache
def system(name: str) -> System:
    return gallery.load(name)


@cache
def field(name: str) -> SecondOrderField:
    return field_of(derive(system(name)))


def read(name: str, *texts: str) -> list[Expr]:
    return [parse(text, system(name).vocabulary) for text in texts]


def disc(*texts: str) -> list[Expr]:
    return read(DISC, *texts)
