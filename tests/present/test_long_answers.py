"""What is too long to be written down is named with its size, which is counted before anything is written."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import System, gallery
from dalembert.expr import evaluate
from dalembert.expr.graph import ZERO, symbol, total
from dalembert.expr.readers import Floats
from dalembert.expr.text import parse
from dalembert.expr.walk import postorder, unroll
from dalembert.mechanics.derivation import derive
from dalembert.present.all_objects import object_sections
from dalembert.present.entries import zeros
from dalembert.present.json_export import answer
from dalembert.present.motion_equations import shortening
from dalembert.present.page import Components, blocks_in, size_written, written_elsewhere
from dalembert.present.report import Part, summary_page
from dalembert.present.shortening import Tried


@pytest.fixture(scope="module")
def car():
    return derive(gallery.load("car-with-trailers:1"), "nonholonomic")


@pytest.mark.thorough
def test_what_is_long_is_named_and_the_rest_is_as_it_was(car):
    objects = car.objects()
    whole = answer(car, objects, ())
    sizes = {name: size_written([e]) for name, e in car.equations.monitors.items()}
    most = sorted(sizes.values())[len(sizes) // 2]
    part = answer(car, objects, (), max(most, size_written(car.equations.rates().values())))
    assert "left_out" not in whole
    assert part["left_out"]
    assert part["field"].keys() == whole["field"].keys()
    for table in ("monitors", "objects"):
        gone = {name.removeprefix(f"{table} ") for name in part["left_out"] if name.startswith(f"{table} ")}
        assert part[table].keys() == whole[table].keys() - gone
    assert all(part["left_out"][f"monitors {name}"] == size for name, size in sizes.items() if size > most)


def test_accelerations_that_are_too_long_are_given_by_their_linear_system():
    arm = System.of(
        name="two rods on a cart",
        coordinates={"x": "real", "a": "angle", "b": "angle"},
        parameters={"g": 9.81},
        lagrangian="x'^2 + (x' + a'*cos(a))^2 + a'^2*sin(a)^2 + (x' + a'*cos(a) + b'*cos(b))^2"
        " + (a'*sin(a) + b'*sin(b))^2 + g*(2*cos(a) + cos(b))",
    )
    result = derive(arm, "euler-lagrange")
    told = answer(result, {}, (), most=10)
    assert told["field"].keys() == {"x", "a", "b"}
    names = arm.vocabulary
    for name, text in told["let"]:
        names = names.with_let(name, parse(text, names))
    linear = told["linear"]
    flat = [parse(text, names) for row in linear["mass"] for text in row] + [parse(e, names) for e in linear["force"]]
    point = dict(zip((*arm.q, *arm.v, *arm.parameters), (0.1, 0.7, -1.2, 0.4, 1.3, -0.8, 9.81), strict=True))
    values = np.array(evaluate(flat, Floats(point)), float)
    rates = result.equations.rates()
    assert linear["velocities"] == ["x'", "a'", "b'"]
    assert np.linalg.solve(values[:9].reshape(3, 3), values[9:]) == pytest.approx(
        evaluate([rates[v] for v in arm.v], Floats(point)), rel=1e-12
    )


def test_the_size_told_before_is_about_that_of_what_is_written():
    rates = list(derive(gallery.load("pendulum:9"), "euler-lagrange").equations.rates().values())
    assert 0.5 < size_written(rates) / len(postorder(unroll(rates))) < 2


def test_a_report_says_what_was_left_out(car):
    told = answer(car, decided=(), most=400)
    sizes = told["left_out"]
    page = summary_page(car.system, [Part("nonholonomic", answer=told, equations=car.equations)])
    (said,) = [
        block.text for block in blocks_in(page) if getattr(block, "text", "").startswith(f"{len(sizes)} formulas of")
    ]
    assert f"{max(sizes.values()):,} nodes" in said
    assert "derive --as nonholonomic --json has them" in said
    assert "in Python derive(system, 'routh').objects() has them" in written_elsewhere(10**6, "routh")


def test_an_object_is_left_out_for_its_length_only_after_work_that_could_make_it_short():
    """A sum that takes more reading than a page has for most of it, and is x + y."""
    x, y = symbol("x"), symbol("y")
    long = total((1, x / (x + y + k) - x / (x + y + k + 1)) for k in range(40))
    long = (long - x / (x + y) + x / (x + y + 40) + 1) * (x + y)
    equations = derive(System.of(name="free", coordinates="x y", lagrangian="x'^2 + y'^2"), "euler-lagrange").equations
    stingy = Tried(left=0.0)
    for most, shown in ((size_written([long]) // 2, True), (2, False)):
        (section,) = object_sections({"thing": {"one": long}}, equations, 1.0, stingy, most)
        assert isinstance(section.blocks[0], Components) is shown


def test_formulas_are_made_short_by_what_the_rates_of_entries_fulfil_where_these_are_velocities():
    """Of a direction that a body sees, R.m3, the length does not change; other rows have no rates among the states."""
    body = System.of(
        name="body",
        coordinates={"R": "rotation"},
        parameters="A B C k",
        lagrangian="(A*R.w1^2 + B*R.w2^2 + C*R.w3^2)/2 - k*R.m31 - R.m33^2",
        symmetry={"up": {"R": "left 3"}},
    )
    for formalism, is_short in (("routh", True), ("euler-lagrange", False)):
        equations = derive(body, formalism).equations
        row = [symbol(f"R.m3{k}") for k in (1, 2, 3)]
        along = total((1, m * m.dot) for m in row)
        assert (shortening(equations, 3.0)(along * (row[0] + 2) + row[1]) is row[1]) is is_short


def test_what_is_zero_for_every_rotation_is_shown_as_zero_however_long_it_is():
    """A determinant less 1, to a power times something else: nobody would find that by collecting terms."""
    m = [[symbol(f"R.m{i}{j}") for j in (1, 2, 3)] for i in (1, 2, 3)]
    first = m[1][1] * m[2][2] - m[1][2] * m[2][1] - m[0][0]
    rest = total((1, m[0][k] ** 3 * (m[1][k] + k) ** 2) for k in range(3)) ** 3
    top = System.of(name="top", coordinates={"R": "rotation"}, lagrangian="R.w1^2 + R.w2^2 + 2*R.w3^2 - R.m33")
    equations = derive(top, "euler-lagrange").equations
    thing = {"one": first * rest, "two": rest}
    (section,) = object_sections({"thing": thing}, equations, 1.0, Tried())
    (block,) = section.blocks
    assert ([label for label, _ in block.entries], block.zeros) == (["two"], 1)
    assert shortening(equations, 1.0)(first * rest) is ZERO
    assert zeros([first * rest, rest]) == [True, False]
