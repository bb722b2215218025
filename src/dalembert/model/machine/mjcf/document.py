"""The document: what it includes, its defaults and classes, and a list of what has no place in a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from dalembert.model.machine.xml import Element, Names, elements, refused
from dalembert.records import dataclass, field

Open = Callable[[str], str]
"""Returns the text of a file that is included, or refuses it."""
Attributes = Mapping[str, str]

TURNED_BY: Final = ("quat", "euler", "axisangle", "xyaxes", "zaxis")
"""The ways to say how something is turned; one that an element states is in the place of a default."""
_COMPILER: Final = frozenset({
    "angle", "eulerseq", "autolimits", "inertiafromgeom", "coordinate", "meshdir", "assetdir", "texturedir",
    "strippath", "discardvisual", "fusestatic", "usethread", "convexhull", "saveinertial", "exactmeshinertia",
    "fitaabb",
})  # fmt: skip
_OPTION: Final = frozenset({
    "gravity", "timestep", "apirate", "impratio", "integrator", "cone", "jacobian", "solver", "iterations",
    "tolerance", "ls_iterations", "ls_tolerance", "noslip_iterations", "noslip_tolerance", "mpr_iterations",
    "mpr_tolerance", "ccd_iterations", "ccd_tolerance", "sdf_iterations", "sdf_initpoints", "o_margin",
    "o_solref", "o_solimp", "o_friction",
})  # fmt: skip
_SETTINGS: Final[Mapping[str, frozenset[str]]] = {"compiler": _COMPILER, "option": _OPTION}
"""What is read of settings, or is about how a simulator computes."""
_OF_MASSES: Final[Mapping[str, Callable[[str], bool]]] = {
    "settotalmass": lambda value: not value.startswith("-"),
    "boundmass": lambda value: bool(value.strip("0. ")),
    "boundinertia": lambda value: bool(value.strip("0. ")),
    "balanceinertia": lambda value: value == "true",
    "inertiagrouprange": lambda value: value.split() != ["0", "5"],
}
"""Settings of <compiler> that are not read, and for which values they would change the masses."""
_READ: Final = frozenset({"compiler", "option", "default", "worldbody", "equality", "actuator", "size", "statistic"})
_WORDS: Final[Mapping[str, str]] = {
    "asset": "meshes and materials", "visual": "what it looks like", "contact": "contacts", "sensor": "sensors",
    "tendon": "tendons", "keyframe": "keyframes", "custom": "custom data", "deformable": "what is soft",
    "extension": "plugins",
}  # fmt: skip


@dataclass
class Document:
    """A document whose includes are put in, with its settings, its classes of defaults, and what is left out."""

    root: Element
    settings: dict[str, dict[str, str]] = field(default_factory=dict)
    classes: dict[str, dict[str, dict[str, str]]] = field(default_factory=lambda: {"main": {}})
    left_out: dict[str, None] = field(default_factory=dict)
    remarks: dict[str, None] = field(default_factory=dict)
    names: dict[str, Names] = field(default_factory=dict)

    @staticmethod
    def of(root: Element, read: Open | None) -> Document:
        """Return the document of a root, with all that it includes."""
        _include(root, read, set())
        document = Document(root)
        for child in root.children:
            if child.tag in _SETTINGS:
                document._set(child)
            elif child.tag == "default":
                document._class(child, {}, child.get("class") or "main")
            elif child.tag not in _READ:
                document.omit(_WORDS.get(child.tag, f"<{child.tag}>"))
        return document

    def omit(self, what: str) -> None:
        """Note what has no place in a model."""
        self.left_out[what] = None

    def note_unread(self, told: Iterable[str], read: frozenset[str], what: str) -> None:
        """Note attributes that have no place in a model, beside those that are read or are about something else."""
        for attribute in sorted(set(told) - read):
            self.omit(f"{attribute} of {what}")

    def setting(self, table: str, name: str, otherwise: str) -> str:
        """Return a setting of <compiler> or <option>."""
        return self.settings.get(table, {}).get(name, otherwise)

    def sections(self, tag: str) -> Iterable[Element]:
        """Return the elements of all sections of a kind; a document may have several."""
        return (inner for section in self.root.all(tag) for inner in section.children)

    def name(self, kind: str, element: Element, otherwise: str = "") -> str:
        """Return the name of a body or a joint, by which it is called in a model; each has one of its own."""
        told = element.get("name")
        if not told:
            return self.new(kind, otherwise or kind)
        if kind in self.names and told in self.names[kind]:
            several = {"body": "bodies", "joint": "joints"}[kind]
            raise refused(f"two {several} are called '{told[:40]}'", element)
        return self._names(kind)(told)

    def new(self, kind: str, name: str) -> str:
        """Return a name that nothing else of a kind has in a model."""
        return self._names(kind).new(name)

    def _names(self, kind: str) -> Names:
        return self.names.setdefault(kind, Names("ground", "world", "t"))

    def named(self, kind: str, name: str, element: Element) -> str:
        """Return what something is called in a model that an element speaks of."""
        names = self.names.get(kind)
        if names is None or name not in names:
            raise refused(f"<{element.tag}> speaks of the {kind} '{name}', which there is not", element)
        return names(name)

    def _set(self, element: Element) -> None:
        known = _SETTINGS[element.tag]
        self.settings.setdefault(element.tag, {}).update(element.attributes)
        for name, value in element.attributes.items():
            if name in _OF_MASSES:
                if _OF_MASSES[name](value):
                    what = f"{name} would change the masses, and is not read"
                    raise refused(what, element, "state <inertial> as it comes out")
            elif name not in known and value.strip("0. -") and value not in {"false", "disable", "auto"}:
                self.omit(f"{name} of <{element.tag}>")
        for flag in element.children:
            for name, value in flag.attributes.items():
                self.settings.setdefault("flag", {})[name] = value
                if name not in {"gravity", "contact", "warmstart", "filterparent", "energy", "sensor"}:
                    self.omit(f"the flag {name}")
        if element.tag == "compiler" and element.get("coordinate", "local") != "local":
            raise refused("places in global coordinates are no longer part of MJCF", element, "write local ones")

    def _class(self, element: Element, above: Mapping[str, dict[str, str]], name: str) -> None:
        """Add a class of defaults, and those inside it, which know what it says."""
        own = {tag: dict(values) for tag, values in above.items()}
        for child in element.children:
            if child.tag != "default":
                own[child.tag] = _over(own.get(child.tag, {}), child.attributes)
        self.classes[name] = own
        for inner in element.all("default"):
            if not inner.get("class"):
                raise refused("a default inside another one has no class", inner, 'add class="..."')
            self._class(inner, own, inner.get("class"))

    def attributes(self, element: Element, childclass: str, tag: str = "") -> dict[str, str]:
        """Return what is said of an element, by itself or by its class."""
        name = element.get("class") or childclass or "main"
        if name not in self.classes:
            raise refused(f"there is no class '{name}' of defaults", element)
        return _over(self.classes[name].get(tag or element.tag, {}), element.attributes)


def _over(default: Attributes, own: Attributes) -> dict[str, str]:
    """Return attributes over defaults; a place or a turn that is stated replaces the other ways to say it."""
    replaced = set(TURNED_BY) if any(way in own for way in (*TURNED_BY, "fromto")) else set()
    return {key: value for key, value in default.items() if key not in replaced} | dict(own)


def _include(element: Element, read: Open | None, known: set[str]) -> None:
    """Put in the place of each <include> what its file has, which may include others; none is read twice."""
    found: list[Element] = []
    for child in element.children:
        if child.tag != "include":
            _include(child, read, known)
            found.append(child)
            continue
        name = child.get("file")
        if read is None or not name or name in known:
            what = f"the file '{name[:60]}' is included twice" if name in known else "an <include> cannot be read here"
            raise refused(what, child, "put in what it has")
        known.add(name)
        inner = elements(read(name))
        _include(inner, read, known)
        found += inner.children
    element.children = found
