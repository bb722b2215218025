"""Scenes and their animation: shapes where they should be, systems that declare nothing, sentences for mistakes."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from dalembert import derive, gallery, simulate
from dalembert.errors import ModelError
from dalembert.expr.graph import symbol
from dalembert.expr.readers import Floats
from dalembert.expr.walk import evaluate
from dalembert.model.files import loads
from dalembert.model.system import System
from dalembert.model.trajectory import Trajectory
from dalembert.present.animation import Sheet, animation
from dalembert.present.figures import drawing_of
from dalembert.present.scene import in_space, scene_of

T = np.linspace(0, 2, 9)
NAMES = ("x", "y", "a")
RUN = Trajectory(T, [T, 1 + T**2, T / 2], NAMES, provenance={"values": {"R": 0.5}})


def plane(shapes=None):
    drawing = {"drawing": {"shapes": shapes}} if shapes else {}
    return System.of(
        name="plane",
        coordinates={"x": "real", "y": "real", "a": "angle"},
        parameters={"R": 0.5},
        lagrangian="(x'^2 + y'^2 + a'^2)/2",
        **drawing,
    )


def only(shape):
    (drawn,) = scene_of(RUN, plane([shape])).shapes
    return drawn


def test_points_and_rods_are_where_the_motion_is():
    assert only({"point": ["x", "y"]}).points[:, 0] == pytest.approx(np.stack([T, 1 + T**2], axis=-1))
    rod = only({"line": [["0", "0"], ["x", "2*R*y"]]}).points
    assert rod[:, 0] == pytest.approx(np.zeros((9, 2)))
    assert rod[:, 1] == pytest.approx(np.stack([T, 1 + T**2], axis=-1))


def test_a_body_turns_with_its_heading():
    points = only({"body": ["x", "y"], "heading": "a", "outline": [["1", "0"], [0, 1]]}).points
    tip = np.stack([T + np.cos(T / 2), 1 + T**2 + np.sin(T / 2)], axis=-1)
    assert points[:, 0] == pytest.approx(tip)
    side = np.stack([T - np.sin(T / 2), 1 + T**2 + np.cos(T / 2)], axis=-1)
    assert points[:, 1] == pytest.approx(side)


def test_a_wheel_is_as_long_as_it_is_said_to_be():
    ends = only({"wheel": ["x", "y"], "heading": "a", "length": "R"}).points
    assert np.linalg.norm(ends[:, 1] - ends[:, 0], axis=-1) == pytest.approx(np.full(9, 0.5))


def test_a_disc_touches_the_ground_where_it_stands():
    disc, first, second = scene_of(
        RUN, plane([{"disc": ["x", "y"], "radius": "R", "heading": "a", "roll": "x"}])
    ).shapes
    assert disc.kind == "area"
    assert first.points.shape == second.points.shape == (9, 2, 2)
    dot = scene_of(RUN, plane([{"disc": ["x", "y"], "radius": "0", "heading": "a"}])).shapes[0].points[:, 0]
    low = np.min(np.linalg.norm(disc.points - dot[:, None], axis=-1), axis=1)
    assert np.max(low) < 0.1  # one of the corners is near the point of contact


def test_a_box_keeps_its_shape_when_it_turns():
    turn = [["cos(a)", "-sin(a)", 0], ["sin(a)", "cos(a)", 0], [0, 0, 1]]
    shapes = scene_of(RUN, plane([{"box": [0, 0, 0], "sides": [1, 2, 3], "turn": turn}])).shapes
    assert [shape.points.shape[1] for shape in shapes] == [4] * 6
    seen = [[np.ptp(shape.points[k], axis=0).max() > 1e-9 for shape in shapes] for k in range(9)]
    assert all(sum(faces) == 3 for faces in seen)  # never more of a box is seen than half of it
    assert all(faces[5] and not faces[4] for faces in seen)  # it is turned about the vertical: from above, the top


def test_a_system_that_declares_nothing_gets_its_coordinates_drawn():
    shapes = scene_of(RUN, plane()).shapes
    assert [shape.kind for shape in shapes] == ["trace", "dot", "line", "line"]
    hand = shapes[-1].points
    turned = hand[:, 1] - hand[:, 0]
    assert np.arctan2(turned[:, 1], turned[:, 0]) == pytest.approx(T / 2)
    assert shapes[-1].label == "a"


@pytest.mark.parametrize(
    ("shape", "sentence"),
    [
        ({"cloud": ["x", "y"]}, "shape 1 is none of trace, line, spring, circle"),
        ({"wheel": ["x", "y"]}, "it lacks 'heading'"),
        ({"point": ["x", "w"]}, "w"),
    ],
)
def test_a_mistake_gets_a_sentence(shape, sentence):
    with pytest.raises(ModelError, match=sentence):
        scene_of(RUN, plane([shape]))


def test_the_animation_holds_every_frame_and_nothing_to_download():
    scene = scene_of(RUN, plane([{"trace": ["x", "y"]}, {"point": ["x", "y"], "label": "<tip>"}]))
    html = animation(scene)
    frames = json.loads(re.search(r'class="frames">(.*?)</script>', html).group(1))
    assert len(frames["t"]) == 9
    assert [len(shape["p"]) for shape in frames["shapes"]] == [9, 9]
    assert "http" not in html
    assert "<tip>" not in html
    assert html.count("data-shape") == 2 + 1  # two shapes, and the script that looks for them


@pytest.mark.parametrize("name", ["vertical-rolling-disc", "heavy-top-chart", "wheeled-snake", "pendulum"])
def test_drawings_of_the_gallery_are_read(name):
    system = gallery.load(name)
    size = len(system.q)
    values = {p.data.label: float(v) for p, v in system.defaults.items()}
    run = Trajectory([0, 1], np.full((size, 2), 0.3), [q.data.label for q in system.q], provenance={"values": values})
    assert len(scene_of(run, system).shapes) >= 1


# -- machines draw themselves ---------------------------------------------------------------------------------
def drawn(name, time):
    system = gallery.load(name)
    run = simulate(derive(system, "nonholonomic"), time=time)
    return run, scene_of(run, system, frames=9)


def test_a_plane_mechanism_is_drawn_in_its_plane():
    """The bars of a four-bar linkage have their lengths, seen from the side."""
    run, scene = drawn("four-bar", 0.2)
    lengths = [np.ptp(shape.points[..., k], axis=1) for shape in scene.shapes for k in (0, 1)]
    bars = {round(float(np.hypot(*pair)[0]), 9) for pair in zip(lengths[::2], lengths[1::2], strict=True)}
    a, b, c = (run.value(name)[0] for name in "abc")
    assert {round(float(one), 9) for one in (a, b, c)} <= bars
    assert scene.ground == ()


def test_a_wheel_is_drawn_as_a_disc_that_touches_the_floor():
    run, scene = drawn("wheel", 0.2)
    (rim,) = [shape for shape in scene.shapes if shape.kind == "area"]
    smooth = run.at(scene.t)
    foot = np.stack([smooth["x"], smooth["y"], 0 * scene.t], axis=-1)
    gap = np.linalg.norm(rim.points - in_space(foot)[:, None], axis=2).min(axis=1)
    assert gap.max() < 0.05 * np.ptp(rim.points)  # as near as corners of the rim are
    assert scene.ground


def frame_with_hinges(*axes):
    """A frame of mass 0.5 that turns about one axis and holds a plate on others, all through its centre."""
    plates = {f"plate{k}": {"shape": "box", "mass": 1, "sides": [0.1, 0.2, 0.3]} for k, _ in enumerate(axes[1:])}
    held = {f"b{k}": {"parent": "frame", "child": f"plate{k}", "axis": axis} for k, axis in enumerate(axes[1:])}
    joints = {"a": {"child": "frame", "axis": axes[0]}} | held
    return System.of(
        name="frame",
        parameters={"A": 0.02},
        bodies={"frame": {"mass": 0.5, "inertia": ["A", "A", "2*A"]}} | plates,
        joints={name: {"type": "revolute", **told} for name, told in joints.items()},
    )


def test_a_gimbal_is_drawn_as_a_ring_that_carries_both_hinges():
    """A thin ring of its mass and radius r has the moments m r^2, m r^2/2, m r^2/2: the trace says its size."""
    system = frame_with_hinges([0, 0.6, 0.8], "x")
    (ring,) = [shape for shape in system.mechanism.shapes if shape.kind == "ellipse"]
    at = Floats(dict(zip(system.q, (0.7, 0.3), strict=True)) | dict.fromkeys(system.parameters, 0.02))
    _, first, second = (np.array(evaluate(vector, at)) for vector in ring.vectors)
    radius = np.sqrt((0.02 + 0.02 + 0.04) / (2 * 0.5))
    turned = [np.cos(0.7), 0.8 * np.sin(0.7), -0.6 * np.sin(0.7)]  # x, turned about the fixed axis by 0.7
    assert np.allclose(first, radius * np.array([0, 0.6, 0.8]))
    assert np.allclose(second, radius * np.array(turned))
    assert "dot" not in {shape.kind for shape in system.mechanism.shapes}


@pytest.mark.parametrize("axes", [("z", "z"), ("z", [0, 1, 1]), ("z",)])
def test_what_is_no_gimbal_stays_a_dot(axes):
    kinds = [shape.kind for shape in frame_with_hinges(*axes).mechanism.shapes]
    assert "ellipse" not in kinds
    assert "dot" in kinds


@pytest.mark.thorough
def test_where_z_points_down_the_picture_is_turned():
    _, scene = drawn("bicycle", 0.05)
    system = gallery.load("bicycle")
    assert system.mechanism.floor == -1
    assert max(shape.points[..., 1].max() for shape in scene.shapes) > 0.5  # wheels and frame are above the road


# -- bodies in space ------------------------------------------------------------------------------------------
def inside(polygon, points):
    """Say whether points are in a convex polygon, or hardly outside."""
    centre = polygon.mean(axis=0)
    for a, b in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        side = np.cross(np.append(b - a, 0), np.append(centre - a, 0))[2]
        beyond = (b - a)[0] * (points - a)[:, 1] - (b - a)[1] * (points - a)[:, 0]
        if np.any(beyond * np.sign(side) < -5e-3 * np.linalg.norm(b - a)):
            return False
    return True


def rim(middle, axis, radius):
    """Return points of a circle about an axis, by a frame of our own."""
    axis = axis / np.linalg.norm(axis)
    first = np.cross(axis, [0.3, -0.2, 0.9])
    first /= np.linalg.norm(first)
    second = np.cross(axis, first)
    s = np.linspace(0, 2 * np.pi, 60)[:, None]
    return middle + radius * (np.cos(s) * first + np.sin(s) * second)


@pytest.mark.parametrize("kind", ["cylinder", "cone"])
def test_round_bodies_are_as_large_as_their_rims(kind):
    """All points of the rims, by a frame made here, are inside the outline, and the outline is no larger than they."""
    shape = {kind: [["x", 0, 0], ["x + cos(a)", "y/5", "1/2 - x"]], "radius": "R"}
    outline = scene_of(RUN, plane([shape])).shapes[0].points
    for k, t in enumerate(T):
        begin, end = np.array([t, 0, 0]), np.array([t + np.cos(t / 2), (1 + t**2) / 5, 0.5 - t])
        rims = [rim(begin, end - begin, 0.5), rim(end, end - begin, 0.5 if kind == "cylinder" else 0.0)]
        seen = in_space(np.concatenate(rims))
        assert inside(outline[k], seen)
        np.testing.assert_allclose(np.ptp(outline[k], axis=0), np.ptp(seen, axis=0), rtol=0.02)


def test_of_a_mesh_the_faces_are_seen_that_look_this_way():
    corners = [[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]
    faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    turn = [["cos(a)", "-sin(a)", 0], ["sin(a)", "cos(a)", 0], [0, 0, 1]]
    mesh = scene_of(RUN, plane([{"mesh": corners, "at": ["x", 0, 0], "turn": turn, "faces": faces}])).shapes
    box = scene_of(RUN, plane([{"box": ["x", 0, 0], "sides": [2, 2, 2], "turn": turn}])).shapes
    for one, other in zip(mesh, box, strict=True):
        assert one.points == pytest.approx(other.points)
    outline = scene_of(RUN, plane([{"mesh": corners, "at": ["x", 0, 0], "turn": turn}])).shapes[0].points
    assert inside(outline[3], np.concatenate([face.points[3] for face in box]))


def test_a_faulty_shape_is_told_with_its_line_and_the_others_stay():
    shapes = '[drawing]\nshapes = [\n  { sphere = ["x", 0, 0] },\n  { point = ["x", 0] },\n  { cone = [[0, 0]] },\n]\n'
    text = 'name = "one"\nlagrangian = "x\'^2"\n[coordinates]\nx = "real"\n'
    found = drawing_of(loads(text + shapes))
    assert [figure.kind for figure in found.figures] == ["dot"]
    assert [fault.line for fault in found.faults] == [7, 9]
    assert str(found.faults[0]) == "line 7, [drawing] shapes 1, sphere: it lacks 'radius'."
    twice = '[[drawing.shapes]]\npoint = ["x", 0]\n[[drawing.shapes]]\ncircle = ["x", 0]\n'
    assert [fault.line for fault in drawing_of(loads(text + twice)).faults] == [7]


def test_names_mean_a_place_in_space_and_a_terrain_has_its_own():
    free = System.of(name="free", coordinates="z x y", lagrangian="x'^2 + y'^2 + z'^2")
    assert drawing_of(free).figures[0].vectors == (tuple(symbol(q) for q in "xyz"),)
    assert drawing_of(free).floor == 1
    net = drawing_of(plane([{"terrain": ["u", "v", "R*u*v"], "u": [0, 1], "v": [0, 2]}])).figures
    assert len(net) == 18
    assert [str(e) for e in net[8].vectors[-1]] == ["1", "2", "2*R"]


# -- what is seen of it ---------------------------------------------------------------------------------------
def test_what_is_nearer_is_drawn_over_what_is_farther():
    """Two balls that go around each other: each is over the other for half of the time, whatever the list says."""
    s = np.linspace(0, 2 * np.pi, 9)
    around = Trajectory(s, [np.cos(s), np.sin(s), s], NAMES, provenance={"values": {"R": 0.5}})
    shapes = [{"trace": ["x", "y", 0]}, *({"sphere": [f"{k}*x", f"{k}*y", 0], "radius": "R/4"} for k in (1, -1))]
    scene = scene_of(around, plane([shapes[1], shapes[2], shapes[0]]))
    towards = np.cross(*np.linalg.lstsq(in_space(np.eye(3)), np.eye(3), rcond=None)[0])  # where one looks from
    nearer = towards[0] * np.cos(s) + towards[1] * np.sin(s) > 0
    for k, first in enumerate(nearer):
        assert scene.order(k) == ([2, 1, 0] if first else [2, 0, 1])  # the path lies below
    assert {bool(one) for one in nearer} == {True, False}
    flat = scene_of(around, plane([{"circle": ["x", "y"], "radius": "R"}, {"circle": [0, 0], "radius": "R"}]))
    assert flat.order(3) == [0, 1]


def test_a_mechanism_that_goes_far_is_followed():
    """It stays on the sheet, as large as one can see; without what follows it, it would be a speck."""
    far = Trajectory(T, [50 * T, 1 + T**2, T / 2], NAMES, provenance={"values": {"R": 0.5}})
    shapes = [{"trace": ["x", "y"]}, {"line": [["x", "y"], ["x + cos(a)", "y + sin(a)"]]}]
    scene = scene_of(far, plane(shapes))
    sheet = Sheet(scene)
    for k in range(9):
        seen = sheet.place(scene.shapes[1].points[k]) + sheet.shift(k)
        assert np.all((seen > 0) & (seen < [800, 490]))
        assert np.ptp(seen, axis=0).max() > 70
        assert any(np.all((sheet.place(line) + sheet.shift(k))[:, 0] // 800 == 0) for line in sheet.lines(scene))
    whole = Sheet(replace(scene, camera=None))
    assert whole.shift(8) == (0, 0)
    assert np.ptp(whole.place(scene.shapes[1].points[8]), axis=0).max() < 10
    assert scene_of(RUN, plane(shapes)).camera is None
