"""A small reader of XML that nothing harmful gets through: no document types, no entities, nothing fetched.

And what the readers of robots in XML share: numbers and names as a model has them.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import pi
from xml.parsers import expat

from dalembert.errors import Fault, ModelError
from dalembert.expr.vocabulary import fault_of_name
from dalembert.records import dataclass, field

_MOST_ELEMENTS = 20_000
_MOST_DEPTH = 60
_LONGEST_NUMBER = 60
FRICTION_SPEED = "friction_speed"
"""The parameter of the smooth law of dry friction."""
SMOOTHED = f"Dry friction is smoothed: below '{FRICTION_SPEED}' it falls to zero."
_LARGEST = 300
"""The largest power of ten of a number."""


@dataclass
class Element:
    """An element: its tag, its attributes and its children."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)

    def all(self, tag: str) -> Iterator[Element]:
        """Return the children with a tag."""
        return (child for child in self.children if child.tag == tag)

    def one(self, tag: str) -> Element | None:
        """Return the first child with a tag."""
        return next(self.all(tag), None)

    def get(self, name: str, otherwise: str = "") -> str:
        """Return an attribute."""
        return self.attributes.get(name, otherwise)


def elements(text: str) -> Element:
    """Return the root of a document.

    >>> elements('<robot name="r"><link name="a"/></robot>').one("link").get("name")
    'a'
    """
    parser = expat.ParserCreate()
    top = Element("", {}, 0)
    open_ = [top]
    count = 0

    def refuse(*_: object) -> None:
        raise ModelError([_fault("a document type or an entity is not read", parser.CurrentLineNumber)])

    def begin(tag: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1
        if count > _MOST_ELEMENTS or len(open_) > _MOST_DEPTH:
            raise ModelError(
                [_fault("there are too many elements, or they are nested too deeply", parser.CurrentLineNumber)]
            )
        element = Element(tag, attributes, parser.CurrentLineNumber)
        open_[-1].children.append(element)
        open_.append(element)

    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.StartElementHandler = begin
    parser.EndElementHandler = lambda _: open_.pop()
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        raise ModelError(
            [_fault(f"this is not XML: {expat.errors.messages.get(error.code, error)}", error.lineno)]
        ) from None
    return top.children[0]


def refused(what: str, element: Element, remedy: str = "") -> ModelError:
    """Return the error that says what is wrong with an element."""
    return ModelError([Fault("", what, remedy, element.line)])


def _fault(what: str, line: int) -> Fault:
    return Fault("", what, line=line)


# -- friction ------------------------------------------------------------------------------------------------
def smooth_friction(size: Fraction, rate: str) -> str:
    """Return dry friction as a smooth law, which exists with its derivatives at all speeds.

    >>> smooth_friction(Fraction(1, 2), "q'")
    "-(1/2)*q'/sqrt(q'^2 + friction_speed^2)"
    """
    return f"-({size})*{rate}/sqrt({rate}^2 + {FRICTION_SPEED}^2)"


# -- numbers and names ---------------------------------------------------------------------------------------
def exact(text: str, element: Element) -> Fraction:
    """Return the number that a text is, decimals exactly.

    >>> exact("0.1", Element("mass", {}, 1))
    Fraction(1, 10)
    """
    wrong = refused(f"'{text[:40]}' is not a number", element)
    try:
        exponent = int(text.lower().partition("e")[2] or 0) if len(text) <= _LONGEST_NUMBER else _LARGEST + 1
        if abs(exponent) <= _LARGEST:
            return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise wrong from None
    raise wrong


def several(text: str, element: Element, what: str, *sizes: int) -> list[Fraction]:
    """Return the numbers of a text, of which there are as many as one of the sizes says."""
    found = [exact(part, element) for part in text.split()]
    if len(found) not in sizes:
        raise refused(f"'{what}' has {len(found)} numbers instead of {' or '.join(map(str, sizes))}", element)
    return found


def angle_in_text(value: Fraction) -> str:
    """Return an angle; a multiple of pi/12 that is rounded, or cut off, behind at least six digits is exact again.

    >>> [angle_in_text(Fraction(one)) for one in ("1.5707963", "3.141592", "0.2618001")]
    ['pi*(1/2)', 'pi*(1)', '2618001/10000000']
    """
    twelfths = round(float(value) * 12 / pi)
    last_place = next(unit for k in range(_LONGEST_NUMBER + _LARGEST) if not (value / (unit := Fraction(1, 10**k))) % 1)
    if twelfths and abs(float(value) - twelfths * pi / 12) < min(1e-6, float(last_place)):
        return f"pi*({Fraction(twelfths, 12)})"
    return str(value)


class Names:
    """Names that a model may have for those of a file, each for one: letters, digits and underscores.

    >>> names = Names()
    >>> names("left-wheel"), names("left wheel"), names("2nd"), names("sin"), names("left-wheel")
    ('left_wheel', 'left_wheel_2', 'j2nd', 'sin_', 'left_wheel')
    """

    def __init__(self, *taken: str) -> None:
        self._taken = set(taken)
        self._known: dict[str, str] = {}

    def __contains__(self, name: str) -> bool:
        """Say whether something of that name was named."""
        return name in self._known

    def __call__(self, name: str) -> str:
        """Return the name of something in a model."""
        if name not in self._known:
            self._known[name] = self.new(name)
        return self._known[name]

    def new(self, name: str) -> str:
        """Return a name that nothing has."""
        kept = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in name[:60])
        kept = kept if kept[:1].isalpha() else f"j{kept}"
        plain = f"{kept}_" if fault_of_name(kept) else kept
        found, number = plain, 1
        while found in self._taken:
            number += 1
            found = f"{plain}_{number}"
        self._taken.add(found)
        return found
