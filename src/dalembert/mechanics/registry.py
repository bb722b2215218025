"""The formalisms: the only list of them, read by everything that has to name, run, explain or cite one.

A formalism is a record in a file of its own, found here by its name and read when it is first asked for. The papers
whose theorems are applied stand before them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, Protocol, cast

from dalembert.errors import DalembertError, HypothesisError, WrongKind, expect, kind_of
from dalembert.records import dataclass, field
from dalembert.shown import Shown

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from dalembert.mechanics.theorem import Theorem
    from dalembert.model.claim import Claim, Decided
    from dalembert.model.equations import Equations
    from dalembert.model.system import System


@dataclass(frozen=True, slots=True)
class Paper(Shown):
    """A paper, as a list of references has it."""

    key: str
    authors: tuple[str, ...]
    title: str
    journal: str
    year: int
    volume: str = ""
    pages: str = ""

    def bibtex(self) -> str:
        """Return the entry."""
        fields = {
            "author": " and ".join(self.authors),
            "title": f"{{{self.title}}}",
            "journal": self.journal,
            "volume": self.volume,
            "pages": self.pages,
            "year": str(self.year),
        }
        lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
        return "\n".join([f"@article{{{self.key},", *lines, "}"])

    def __str__(self) -> str:
        """Return the reference as one line."""
        volume = f" {self.volume}" if self.volume else ""
        return f"{', '.join(self.authors)}: {self.title}. {self.journal}{volume} ({self.year})."

    summary = __str__


PAPERS = {
    paper.key: paper
    for paper in (
        Paper(
            "crampin-mestdag-2008",
            ("M. Crampin", "T. Mestdag"),
            "Routh's procedure for non-Abelian symmetry groups",
            "Journal of Mathematical Physics",
            2008,
            "49",
        ),
        Paper(
            "sarlet-cantrijn-saunders-1995",
            ("W. Sarlet", "F. Cantrijn", "D. J. Saunders"),
            "A geometrical framework for the study of non-holonomic Lagrangian systems",
            "Journal of Physics A: Mathematical and General",
            1995,
            "28",
        ),
        Paper(
            "garcia-rodrigo-2004",
            ("P. L. Garc{\\'i}a", "C. Rodrigo"),
            "The momentum map in vakonomic mechanics",
            "Publicaciones de la RSME",
            2004,
            "7",
            "111--123",
        ),
        Paper(
            "cantrijn-cortes-de-leon-martin-de-diego-2002",
            ("F. Cantrijn", "J. Cort{\\'e}s", "M. de Le{\\'o}n", "D. Mart{\\'i}n de Diego"),
            "On the geometry of generalized Chaplygin systems",
            "Mathematical Proceedings of the Cambridge Philosophical Society",
            2002,
            "132",
        ),
        Paper(
            "patrick-2007",
            ("G. W. Patrick",),
            "Variational development of the semi-symplectic geometry of nonholonomic mechanics",
            "Reports on Mathematical Physics",
            2007,
            "59",
        ),
    )
}
"""The papers by key; formalisms name keys."""


_HOMES = {
    "euler-lagrange": "dalembert.mechanics.lagrangian.formalism",
    "nonholonomic": "dalembert.mechanics.nonholonomic.formalism",
    "reduced": "dalembert.mechanics.reduced.formalism",
    "chaplygin": "dalembert.mechanics.chaplygin.formalism",
    "routh": "dalembert.mechanics.routh.formalism",
    "vakonomic": "dalembert.mechanics.vakonomic.formalism",
    "semisymplectic": "dalembert.mechanics.semisymplectic.formalism",
}
"""Where the record of each formalism stands, as ``FORMALISM``."""
_REGISTERED: dict[str, Formalism] = {}


class Result(Protocol):
    """What a formalism derives: at least these."""

    @property
    def system(self) -> System:
        """The system it was derived from."""

    @property
    def equations(self) -> Equations:
        """The equations of motion."""

    @property
    def hypotheses(self) -> tuple[Claim, ...]:
        """What was decided on the way, and has to hold."""

    def objects(self) -> dict[str, object]:
        """Return the geometric objects by the names of the JSON."""


def no_integrals(_: Any) -> tuple[()]:
    """Return nothing: of this formalism no integrals are searched."""
    return ()


def no_mistake(_: Any) -> None:
    """Return nothing: of this formalism no mistake is shown."""


@dataclass(frozen=True, slots=True)
class MainObject:
    """An object that a page shows as equations beside those of motion: a connection, a curvature, a bracket."""

    name: str
    """Its name among ``objects()``; of what is inside another one the names of both."""
    letter: str
    """What it is called; ``{}`` is a bracket of two functions, nothing a table by whole names, a prime their rates."""
    indices: str = ""
    """Where its indices stand, in the order of the table: ``^`` above, ``_`` below; the last sign serves all others."""
    title: str = ""
    """What stands above it, where that is not its name."""


@dataclass(frozen=True, slots=True)
class Formalism(Shown):
    """A way to equations of motion, and what is true of them."""

    name: str
    title: str
    """What it is called on a page."""
    sentence: str
    """What it does, in one sentence."""
    cites: tuple[str | Paper, ...]
    """The papers it comes from, by their keys in ``PAPERS``, or papers of one's own."""
    derive: Callable[[System], Any]
    """Decides the hypotheses and returns equations and geometry, or raises ``HypothesisError`` with every reason."""
    theorems: tuple[Theorem, ...] = ()
    """What is decided of a result, in the order of its worth."""
    laws: tuple[Theorem, ...] = ()
    """Identities that hold for every system; decided where somebody asks to verify."""
    chart_free: bool = False
    """Whether it takes systems with rotations and directions, which have no coordinates of a chart."""
    needs_symmetry: bool = False
    """Whether there are no equations without one: where none is stated, those are taken that are found."""
    symmetry: Literal["", "all", "free"] = ""
    """What is taken of symmetries that are found: all, or the largest group that acts freely; by default all where
    there are no equations without, else none."""
    strict: bool = False
    """Whether of symmetries that are found those are taken that leave L itself invariant, where there are any."""
    integrals: Callable[[Any], Sequence[Any]] = no_integrals
    """What is known to be constant along the motions of a result, as first integrals: searched when it is asked for."""
    variational: bool = False
    """Whether its motions are others than those of d'Alembert's principle."""
    mistaken: Callable[[Any], Any] = no_mistake
    """The wrong motion that a common mistake makes of a result, to be shown beside the right one; None without."""
    main: tuple[MainObject, ...] = ()
    """The objects that say most; those that a result does not have, or that are too large to be read, are left out."""
    asks: Mapping[str, str] = field(default_factory=dict)
    """What its theorem asks of each table of a statement, and where that stands: said with what is refused there."""

    def refused(self, error: HypothesisError) -> HypothesisError:
        """Return a refusal with the hypothesis that fails, by the table that each of its faults is in."""
        return error.asking(self.asks)


def formalism_names() -> tuple[str, ...]:
    """Return the names of all formalisms: of the library, of installed packages, and registered ones.

    >>> formalism_names()[:2]
    ('euler-lagrange', 'nonholonomic')
    """
    return tuple(dict.fromkeys((*_HOMES, *_installed(), *_REGISTERED)))


@cache
def _installed() -> dict[str, EntryPoint]:
    """Return the formalisms that installed packages bring, under the entry points ``dalembert.formalisms``."""
    from importlib.metadata import entry_points

    return {entry.name: entry for entry in entry_points(group="dalembert.formalisms")}


def register(one: Formalism) -> Formalism:
    """Add a formalism of one's own; from then on it is derived, studied, checked, cited and completed like the others.

    In a study it runs in a process of its own, which reads the file that ``one.derive`` is defined in: that file should
    define the formalism and register it, and do nothing else.

    >>> register(formalism("routh"))
    Traceback (most recent call last):
        ...
    dalembert.errors.DalembertError: there is a formalism 'routh' already; choose another name.
    """
    expect(one, Formalism, "register takes a formalism")
    if one.name in _HOMES or _REGISTERED.get(one.name, one) != one:
        raise DalembertError(f"there is a formalism '{one.name}' already; choose another name.")
    _REGISTERED[one.name] = one
    return one


def home_of(name: str) -> tuple[str, str] | None:
    """Return the module and the file of a formalism that was registered; None for those of the library."""
    if name not in _REGISTERED:
        return None
    module = sys.modules.get(_REGISTERED[name].derive.__module__)
    file = getattr(module, "__file__", None)
    if module is None or file is None:
        raise DalembertError(
            f"the formalism '{name}' is not defined in a file that another process could read; move it into one."
        )
    return module.__name__, file


def read_home(module: str, file: str) -> None:
    """Run the file of a formalism, which registers it."""
    from importlib.util import module_from_spec, spec_from_file_location

    spec = spec_from_file_location(module, file)
    if spec is None or spec.loader is None:
        raise DalembertError(f"the file {file} of a formalism is not a Python module.")
    sys.modules[module] = found = module_from_spec(spec)
    spec.loader.exec_module(found)


def is_own(name: str) -> bool:
    """Say whether a formalism is one of the library, without reading it.

    >>> is_own("routh"), is_own("of mine")
    (True, False)
    """
    return name in _HOMES


def formalism(name: str) -> Formalism:
    """Return a formalism by its name.

    >>> formalism("semisymplectic").cites
    ('patrick-2007',)
    """
    expect(name, str, "the name of a formalism is text")
    if name in _REGISTERED:
        return _REGISTERED[name]
    if name in _HOMES:
        found = import_module(_HOMES[name]).FORMALISM
    elif name in _installed():
        found = _installed()[name].load()
    else:
        raise DalembertError(f"there is no formalism '{name}'; use one of {', '.join(formalism_names())}.")
    expect(found, Formalism, f"what is installed as the formalism '{name}' must be a Formalism")
    return cast(Formalism, found)


def obvious_formalism(system: System) -> str:
    """Return the formalism that a statement means: d'Alembert's principle, or none needed where nothing is constrained.

    Constraints on Lagrangians of higher order are meant as variational; velocities of a Lie algebra move reduced, and
    a bracket that is stated is the affair of semisymplectic.

    >>> from dalembert import System
    >>> obvious_formalism(System.of(name="fall", coordinates="z", lagrangian="z'^2/2 - z"))
    'euler-lagrange'
    """
    if system.order > 1 and system.constraints:
        return "vakonomic"
    if system.algebra is not None:
        return "reduced"
    if system.bracket is not None:
        return "semisymplectic"
    stated = [name for name in system.constraints if name not in system.units]
    return "euler-lagrange" if not stated and system.lagrangian is not None else "nonholonomic"


def claims(result: Any, only: str = "", *, verify: bool = False, effort: float | None = None) -> Decided:
    """Decide the theorems about what a formalism derived, behind the hypotheses that were decided on the way.

    ``only`` is the name of a theorem, or a part of it: no other is decided. ``effort`` is the work that each may take
    to be proved instead of certain. With ``verify`` the identities are decided too that hold for every system: that
    they do is a theorem, and a test of the program.

    >>> from dalembert import System, derive
    >>> fall = System.of(name="fall", coordinates="z", lagrangian="z'^2/2 - z", symmetry={"up": {"z": 1}})
    >>> [(claim.name, claim.verdict.kind) for claim in claims(derive(fall, "euler-lagrange"), only="energy conserved")]
    [('energy conserved', 'proved')]
    """
    from dalembert.model.claim import Decided

    system = getattr(result, "system", None)
    if system is None or isinstance(system, str):  # a system has equations, too, and equations name theirs
        raise WrongKind(f"claims takes what a formalism derived, not {kind_of(result)}.")
    how = formalism(result.equations.formalism)
    found = [system.found] if system.found is not None and system.symmetry else []
    found += result.hypotheses
    for row in (*how.theorems, *(how.laws if verify else ())):
        if _is_asked(only, row.name):
            found += row.claims(result) if effort is None else row.claims(result, effort)
    return Decided(claim for claim in found if only.lower() in claim.name.lower())


def _is_asked(only: str, name: str) -> bool:
    """Say whether a row may have a claim of the name that is asked for: the name of a row begins those of its claims.

    >>> _is_asked("momentum turn", "momentum"), _is_asked("moment", "momentum"), _is_asked("energy", "momentum")
    (True, True, False)
    """
    asked, mine = only.lower(), name.lower()
    return asked in mine or mine in asked
