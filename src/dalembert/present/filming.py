"""A motion as a film or a picture in a file: ``.mp4`` and ``.gif`` move, ``.svg`` and ``.png`` show how it ends.

A picture as SVG needs nothing; Pillow draws the others, and imageio-ffmpeg writes mp4 (the extra ``film``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from dalembert.errors import DalembertError, MissingExtra
from dalembert.expr.display.names import words_lettered
from dalembert.model.system import System
from dalembert.model.trajectory import Trajectory
from dalembert.present.animation import HEIGHT, STYLE, WIDTH, Sheet, still
from dalembert.present.scene import Scene, scene_of

_RATE = 25
"""Pictures in a second."""
_LONGEST, _SHORTEST = 20.0, 4.0
"""Seconds of a film: as long as the motion, if that is between these."""
_FINE = 2
"""So many times larger a picture is drawn than it is shown, so that lines are smooth."""
_WHITE = (255, 255, 255)
_INK, _AREA, _TRACE, _TREAD, _FAINT = (26, 32, 40), (91, 147, 207), (200, 69, 47), (154, 163, 173), (214, 218, 222)


def check_extra(path: Path) -> None:
    """Refuse a film that nothing here can write, before the work."""
    ending = path.suffix.lower()
    for package, needed in (("PIL", ending != ".svg"), ("imageio_ffmpeg", ending == ".mp4")):
        if needed:
            _package(package, ending)


def film_bytes(
    ending: str, run: Trajectory, system: System, progress: Callable[[float], None] = lambda _: None
) -> bytes:
    """Return what a file with that ending has to contain; ``progress`` is told the part of a film that is drawn.

    >>> from dalembert import System, derive, simulate
    >>> fall = System.of(name="fall", coordinates="z", lagrangian="z'^2/2 - z")
    >>> film_bytes(".svg", simulate(derive(fall, "euler-lagrange"), {"z": 1}, time=1), fall)[:4]
    b'<svg'
    """
    frames = int(_RATE * min(max(float(abs(run.t[-1] - run.t[0])), _SHORTEST), _LONGEST))
    scene = scene_of(run, system, frames)
    if not scene.shapes:
        raise DalembertError(f"there is nothing to be drawn of '{system.name}'; say what in [drawing].")
    match ending:
        case ".svg":
            return _svg(scene, system.name).encode()
        case ".png":
            return _saved(_picture(scene, len(scene.t) - 1), "PNG")
        case ".gif":
            return _gif(scene, progress)
        case _:
            return _mp4(scene, progress)


def _svg(scene: Scene, title: str) -> str:
    style = STYLE.replace(".animation", "svg").replace("svg svg", "svg").replace("currentColor", "#1a2028")
    picture = still(scene, title)
    return picture.replace("<svg ", f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH:.0f}" ', 1).replace(
        ">", f"><style>{style}</style>", 1
    )


def _saved(picture: Any, kind: str, **how: Any) -> bytes:
    sheet = BytesIO()
    picture.save(sheet, kind, **how)
    return sheet.getvalue()


def _gif(scene: Scene, progress: Callable[[float], None]) -> bytes:
    """Return a film of every second picture, all in the same colours: each of ours on its way to white and to ink.

    To look for the best colours of each picture anew takes most of the time of a film.
    """
    image = _package("PIL.Image", ".gif")
    blends = np.linspace(0, 1, 16)[:, None]
    ways = [(_INK, _WHITE), *(pair for one in (_AREA, _TRACE, _TREAD, _FAINT) for pair in ((one, _WHITE), (one, _INK)))]
    known = np.concatenate([(1 - blends) * a + blends * b for a, b in ways])
    known = known[(known.min(axis=1) < 243) | (known.min(axis=1) == 255)]  # Pillow takes its neighbours for white
    colours = image.new("P", (1, 1))
    colours.putpalette(known.round().astype(int).ravel().tolist())
    first, *others = (
        picture.quantize(palette=colours, dither=image.Dither.NONE) for picture in _pictures(scene, progress, every=2)
    )
    return _saved(first, "GIF", save_all=True, append_images=others, duration=2000 // _RATE, loop=0)


def _mp4(scene: Scene, progress: Callable[[float], None]) -> bytes:
    """Return a film in H.264, which browsers and slides play."""
    ffmpeg = _package("imageio_ffmpeg", ".mp4")
    size = int(WIDTH), int(HEIGHT)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "film.mp4"
        how = ["-preset", "veryfast"]  # lines on white: what a slower search saves is not worth its time
        writer = ffmpeg.write_frames(str(file), size, fps=_RATE, quality=7, macro_block_size=8, output_params=how)
        writer.send(None)
        try:
            for picture in _pictures(scene, progress):
                writer.send(picture.tobytes())
        except OSError as fault:
            raise DalembertError(f"the film cannot be written: {fault}.") from None
        finally:
            with suppress(OSError):
                writer.close()
        return file.read_bytes()


def _pictures(scene: Scene, progress: Callable[[float], None], every: int = 1) -> Iterator[Any]:
    floor = _floor(scene, 0) if scene.camera is None else None  # it stands still, and most lines are its
    last = len(scene.t) - 1
    for k in [*range(0, last, every), last]:  # it ends where the motion does
        yield _picture(scene, k, floor)
        progress((k + 1) / len(scene.t))


def _floor(scene: Scene, frame: int) -> Any:
    """Return a large sheet with what is below a mechanism."""
    image, draw = (_package(name, ".png") for name in ("PIL.Image", "PIL.ImageDraw"))
    sheet = Sheet(scene)
    picture = image.new("RGB", (int(_FINE * WIDTH), int(_FINE * HEIGHT)), _WHITE)
    pen, moved = draw.Draw(picture), sheet.shift(frame)
    for line in sheet.lines(scene):
        pen.line(_corners(sheet, line, moved), fill=_FAINT, width=_FINE)
    return picture


def _picture(scene: Scene, frame: int, floor: Any = None) -> Any:
    """Return the picture of a frame, drawn large, on a floor that is there where it stands still, and made smaller."""
    draw, font = (_package(name, ".png") for name in ("PIL.ImageDraw", "PIL.ImageFont"))
    sheet = Sheet(scene)
    picture = _floor(scene, frame) if floor is None else floor.copy()
    pen = draw.Draw(picture, "RGBA")
    words = font.load_default(size=14 * _FINE)
    moved = sheet.shift(frame)
    for shape in (scene.shapes[k] for k in scene.order(frame)):
        corners = _corners(sheet, shape.points[frame], moved)
        match shape.kind:
            case "trace":
                past = _corners(sheet, shape.points[: frame + 1, 0], moved)
                pen.line(past, fill=_TRACE, width=2 * _FINE, joint="curve")
            case "area":
                pen.polygon(corners, fill=(*_AREA, 115))
                pen.line([*corners, corners[0]], fill=_INK, width=2 * _FINE, joint="curve")
            case "dot":
                (x, y), r = corners[0], 5 * _FINE
                pen.ellipse((x - r, y - r, x + r, y + r), fill=_TRACE)
            case kind:
                wide = 2 * _FINE
                if kind == "wheel":
                    (a, b), (c, d) = corners[0], corners[-1]
                    wide = int(np.clip(0.3 * np.hypot(c - a, d - b), 2 * _FINE, 9 * _FINE))
                colour = {"tread": _TREAD, "net": _FAINT}.get(kind, _INK)
                pen.line(corners, fill=colour, width=wide, joint="curve")
        if shape.label and shape.kind == "dot":
            pen.text((corners[0][0] + 9 * _FINE, corners[0][1] - 22 * _FINE), words_lettered(shape.label), _INK, words)
        elif shape.label and shape.kind == "line":  # a hand: below the dial that it sweeps
            (x, y), tip = corners[0], corners[-1]
            below = y + float(np.hypot(tip[0] - x, tip[1] - y)) + 5 * _FINE
            pen.text((x, below), words_lettered(shape.label), _INK, words, anchor="ma")
    pen.text((10 * _FINE, 8 * _FINE), f"t = {scene.t[frame]:.2f}", _INK, words)
    return picture.reduce(_FINE)  # the mean of its points: a tenth of the time of a filter that looks further


def _corners(sheet: Sheet, points: Any, moved: tuple[float, float]) -> list[tuple[float, float]]:
    return [(_FINE * float(x), _FINE * float(y)) for x, y in sheet.place(points) + moved]


def _package(name: str, ending: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        package = {"imageio_ffmpeg": "imageio-ffmpeg"}.get(name, "pillow")
        how = "install it with: pip install 'dalembert[film]', or write .svg, which needs nothing."
        raise MissingExtra(f"a film in {ending} needs the package {package}, which is not installed; {how}") from None
