"""A motion in a file: pictures that are XML, films where the packages are there, one sentence where they are not."""

from dataclasses import replace
from importlib import import_module
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from dalembert.errors import MissingExtra
from dalembert.model.system import System
from dalembert.model.trajectory import Trajectory
from dalembert.present import filming, widget

T = np.linspace(0, 5, 21)
RUN = Trajectory(T, [np.cos(T), np.sin(T)], ("x", "y"))
DRAWN = System.of(
    name="a bead <on> a ring",
    coordinates="x y",
    lagrangian="(x'^2 + y'^2)/2",
    drawing={"shapes": [{"trace": ["x", "y"]}, {"point": ["x", "y"], "label": "b"}, {"circle": [0, 0], "radius": 1}]},
)


def test_a_picture_shows_the_end_and_all_that_was_passed():
    root = ET.fromstring(filming.film_bytes(".svg", RUN, DRAWN))
    trace = next(one for one in root.iter() if one.get("class") == "trace").get("points").split()
    assert len(trace) == 21
    assert root.get("aria-label") == DRAWN.name
    assert any("#5b93cf" in (one.text or "") for one in root)  # it brings its colours along


@pytest.mark.parametrize("ending", [".gif", ".mp4", ".png"])
def test_what_is_not_installed_is_told_before_the_work(ending, monkeypatch):
    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr(filming, "import_module", absent)
    with pytest.raises(MissingExtra, match=r"pip install 'dalembert\[film\]', or write \.svg, which needs nothing"):
        filming.check_extra(Path(f"run{ending}"))
    filming.check_extra(Path("run.svg"))


def test_a_living_view_says_what_it_needs(monkeypatch):
    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr(widget, "import_module", absent)
    with pytest.raises(MissingExtra, match=r"anywidget, .* pip install 'dalembert\[notebook\]', or show film\(run\)"):
        widget.live(None)


def test_films_move():
    image = pytest.importorskip("PIL.Image")
    picture = image.open(BytesIO(filming.film_bytes(".png", RUN, DRAWN)))
    assert picture.size == (800, 490)
    moving = image.open(BytesIO(filming.film_bytes(".gif", RUN, DRAWN)))
    assert moving.n_frames > 10
    assert moving.convert("RGB").getpixel((790, 430)) == (255, 255, 255)  # its colours are ours, paper is white
    first = moving.convert("RGB").tobytes()
    moving.seek(moving.n_frames // 2)
    assert moving.convert("RGB").tobytes() != first
    pytest.importorskip("imageio_ffmpeg")
    told = []
    assert filming.film_bytes(".mp4", RUN, DRAWN, told.append)[4:8] == b"ftyp"
    assert told == sorted(told)
    assert told[-1] == 1
    assert import_module("PIL.Image") is image


def test_dials_are_named_and_a_film_ends_where_the_motion_does():
    image = pytest.importorskip("PIL.Image")
    system = System.of(name="hand", coordinates={"a": "angle"}, lagrangian="a'^2/2", start={"a'": 1})
    run = Trajectory(T, [T, T**0], ("a", "a'"))
    still = image.open(BytesIO(filming.film_bytes(".png", run, system))).convert("L")
    scene = filming.scene_of(run, system, 125)
    assert still.tobytes() == filming._picture(scene, len(scene.t) - 1).convert("L").tobytes()
    hand = next(shape for shape in scene.shapes if shape.label == "a")
    without = replace(scene, shapes=[replace(one, label="") if one is hand else one for one in scene.shapes])
    assert still.tobytes() != filming._picture(without, len(scene.t) - 1).convert("L").tobytes()
    moving = image.open(BytesIO(filming.film_bytes(".gif", run, system)))
    moving.seek(moving.n_frames - 1)
    end = np.array(moving.convert("L"), dtype=float)
    near = np.abs(end - np.array(still, dtype=float)).mean()
    moving.seek(moving.n_frames // 2)
    assert near < 0.2 * np.abs(np.array(moving.convert("L"), dtype=float) - np.array(still, dtype=float)).mean()
