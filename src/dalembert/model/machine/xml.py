"""A small reader of XML that nothing harmful gets through: no document types, no entities, nothing fetched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from dalembert.errors import Fault, ModelError

_MOST_ELEMENTS = 20_000
_MOST_DEPTH = 60


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


def _fault(what: str, line: int) -> Fault:
    return Fault("", what, line=line)
