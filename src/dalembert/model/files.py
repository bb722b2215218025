"""Model files: TOML in, TOML out, nothing lost on the way."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from decimal import Decimal
from os import PathLike
from pathlib import Path
from typing import Any

from dalembert.errors import ExpressionError, Fault, ModelError, expect
from dalembert.expr.text import Limits
from dalembert.model.faults import Faults
from dalembert.model.lines import lines_of
from dalembert.model.machine.stated import ROBOTS
from dalembert.model.outputs import check_output, why, write
from dalembert.model.reading import MODEL_LIMITS
from dalembert.model.sizes import MOST_BYTES
from dalembert.model.statement import read_system, stated_system
from dalembert.model.system import System
from dalembert.model.writing import tables_in_text

__all__ = ["MOST_BYTES", "dumps", "load", "loads", "save"]


def load(path: str | PathLike[str], limits: Limits = MODEL_LIMITS, *, wheels: bool = False) -> System:
    """Return the system that a model file states; whatever is wrong with it is one ``ModelError``, with lines.

    ``limits`` holds for all expressions of the file together; larger ones admit larger models. A file that gives its
    system no name lends it its own. A robot in URDF or MJCF is read as a machine, and the wheels
    that one in URDF seems to have roll where ``wheels`` says so.

    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "fall.toml"
    >>> save(System.of(name="fall", coordinates="z", lagrangian="z'^2/2 - z"), path)
    >>> load(path).q
    (z,)
    """
    expect(path, str | PathLike, "load takes the name of a file")
    file = Path(path)
    text = _text_of(file)
    if file.suffix.lower() in ROBOTS:
        from dalembert.model.machine.robots import tables_of_robot

        try:
            tables = tables_of_robot(text, file.parent, wheels=wheels)
        except ModelError as error:
            raise ModelError(error.faults, file.name) from None
        return stated_system(tables, None, file.name, limits)
    return _system(text, limits, file.name, file.stem)


def loads(text: str, limits: Limits = MODEL_LIMITS) -> System:
    """Return the system that the text of a model file states.

    >>> loads('''
    ... name = "pendulum"
    ... lagrangian = "theta'^2/2 + g*cos(theta)"
    ... [coordinates]
    ... theta = "angle"
    ... [parameters]
    ... g = 9.81
    ... ''').parameters
    {g: Fraction(981, 100)}
    """
    expect(text, str, "loads takes the text of a model file")
    return _system(text, limits, "", "unnamed system")


def save(system: System, path: str | PathLike[str], limits: Limits = MODEL_LIMITS) -> None:
    """Write the model file that states a system, in .toml.

    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "fall.toml"
    >>> fall = System.of(name="fall", coordinates="z", lagrangian="z'^2/2 - z")
    >>> save(fall, path)
    >>> load(path) == fall
    True
    """
    check_output(Path(path), (".toml",))
    write(Path(path), dumps(system, limits))


def dumps(system: System, limits: Limits = MODEL_LIMITS) -> str:
    """Return the text of the model file that states a system; ``loads`` reads it back to an equal one.

    What could not be read back within ``limits`` is refused.

    >>> ball = System.of(name="ball", coordinates="z", parameters={"g": 9.81}, lagrangian="z'^2/2 - g*z")
    >>> print(dumps(ball), end="")
    name = "ball"
    lagrangian = "z'^2/2 - g*z"
    <BLANKLINE>
    [coordinates]
    z = "real"
    <BLANKLINE>
    [parameters]
    g = 9.81
    """
    expect(system, System, "dumps takes a system")
    import tomlkit

    document = tomlkit.document()
    try:  # the text of an expression may be too long to be written at all
        for key, value in tables_in_text(system).items():
            document.append(key, _item(value, inline=key in {"notes", "source", "references"}))
        text = tomlkit.dumps(document)
        faults = Faults()
        back = read_system(_tables(text), faults, limits)
        faults.refuse()
    except (ModelError, ExpressionError):
        said = f"the system '{system.name}' is too large for a model file"
        raise ModelError([Fault("", said, "name its parts by lets")]) from None
    if back != system:
        raise ModelError([Fault("", f"the system '{system.name}' is read back from a model file as another one")])
    return text


def _item(value: Any, *, inline: bool) -> Any:
    """Return a value as tomlkit writes it: tables inside tables stand on one line each."""
    import tomlkit
    from tomlkit.items import Float, Trivia

    if isinstance(value, Mapping):
        table = tomlkit.inline_table() if inline else tomlkit.table()
        for key, entry in value.items():
            table.append(key, _item(entry, inline=True))
        return table
    if isinstance(value, list):
        array = tomlkit.array()
        for entry in value:
            array.append(_item(entry, inline=True))
        return array
    if isinstance(value, str):
        lines = value.split("\n")
        return tomlkit.string(value, multiline=len(lines) > 1 and bool(lines[0]) and all(map(str.isprintable, lines)))
    if isinstance(value, Decimal):
        shown = format(value, "f") if -8 < value.adjusted() < 16 else format(value, "e")
        return Float(float(value), Trivia(), shown if set(shown) & {".", "e"} else f"{shown}.0")
    return tomlkit.item(value)


# -- reading -------------------------------------------------------------------------------------------------
def symmetry_in(path: str | PathLike[str]) -> dict[str, Any]:
    r"""Return the tables [symmetry] and [momentum] of a file; whatever else it states is left alone.

    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "turn.toml"
    >>> write(path, '[symmetry]\nturn = { x = "-y", y = "x" }')
    >>> symmetry_in(path)
    {'symmetry': {'turn': {'x': '-y', 'y': 'x'}}, 'momentum': None}
    """
    file = Path(path)
    try:
        tables = _tables(_text_of(file))
    except ModelError as error:
        raise ModelError(error.faults, file.name) from None
    if not tables.get("symmetry"):
        fault = Fault("[symmetry]", "the file has no such table", 'write one, as in [symmetry] and e1 = { x = "1" }')
        raise ModelError([fault], file.name)
    return {"symmetry": tables["symmetry"], "momentum": tables.get("momentum")}


def _text_of(file: Path) -> str:
    data = _bytes_of(file)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ModelError(
            [Fault("", "a model file must be UTF-8 text, and this is not", line=line)], file.name
        ) from None


def _bytes_of(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            return stream.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        said = "there is no such file or folder" if isinstance(error, FileNotFoundError) else why(error)
        raise ModelError([Fault("", f"the model cannot be read: {said}")], str(file)) from None


def _system(text: str, limits: Limits, source: str, name: str) -> System:
    try:
        lines = lines_of(text[: MOST_BYTES + 1])
        tables = _tables(text)
    except ModelError as error:
        raise ModelError(error.faults, source) from None
    return stated_system({"name": name, **tables}, lines, source, limits)


def _quotes_missing(line: str) -> str:
    """Return what to do about a line of which TOML says little: as a rule quotes are missing, or are the wrong ones.

    >>> _quotes_missing("x' = 3"), _quotes_missing("l = 9,81")
    ('write the name between double quotes', 'a decimal number has a point')
    >>> _quotes_missing("c = 'x' = 3'"), _quotes_missing("c = x*y'"), _quotes_missing("c = [1, 2")
    ('write text with primes between double quotes', 'write the text between double quotes', '')
    """
    key, equals, value = line.partition("=")
    key, value = key.strip(), value.strip()
    if not equals:
        return ""
    if key[:1] not in {"", '"', "'", "["} and not re.fullmatch(r"[A-Za-z0-9_.\s-]+", key):
        return "write the name between double quotes"
    if re.match(r"[0-9]+,[0-9]", value):
        return "a decimal number has a point"
    if value.startswith("'") and value.count("'") > 2:
        return "write text with primes between double quotes"
    return "write the text between double quotes" if re.match(r"[^\W\d_]|[-+(]", value) and '"' not in value else ""


def _tables(text: str) -> dict[str, Any]:
    """Return what a TOML text says, decimals exactly."""
    if len(text) > MOST_BYTES or len(text.encode(errors="replace")) > MOST_BYTES:
        raise ModelError([Fault("", f"a model file may have at most {MOST_BYTES} bytes, and this one has more")])
    try:
        return tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", str(error))
        what = str(error)[: place.start()] if place else str(error)
        what = what.replace("Cannot overwrite a value", "a key is stated twice")
        what = re.sub(r"\('(.*)',?\)", lambda found: f"[{found[1]}]".replace("', '", "."), what)
        line = int(place[1]) if place and place[1] else text.count("\n") + 1
        column = f"column {place[2]}: " if place and place[2] else ""
        remedy = _quotes_missing((text.split("\n")[line - 1 : line] or [""])[0])
        said = f"{column}this is not TOML: {what[:1].lower()}{what[1:]}"
        raise ModelError([Fault("", said, remedy, line=line)]) from None
    except RecursionError:
        raise ModelError([Fault("", "tables and lists are nested too deeply")]) from None
    except ValueError:  # Python refuses whole numbers of thousands of digits
        raise ModelError([Fault("", "a number has too many digits")]) from None
