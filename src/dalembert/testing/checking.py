"""The laws by what they speak of, and all that speak of something of one's own decided at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

from dalembert.errors import HypothesisError, WrongKind, kind_of
from dalembert.expr.walk import Reader
from dalembert.mechanics.registry import Formalism, formalism, formalism_names
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.testing.expression_laws import EXPRESSION_LAWS
from dalembert.testing.frame_laws import FRAME_LAWS
from dalembert.testing.geometry_laws import GEOMETRY_LAWS
from dalembert.testing.law import Law, claims_of
from dalembert.testing.motion_laws import MOTION_LAWS
from dalembert.testing.reading_laws import READER_LAWS
from dalembert.testing.system_laws import FORMALISMS_LAWS, SYSTEM_LAWS

Subject = Literal["system", "formalisms", "motion", "reader", "expressions", "geometry"]
_LAWS: dict[str, tuple[Law[Any], ...]] = {
    "system": SYSTEM_LAWS,
    "formalisms": FORMALISMS_LAWS,
    "motion": MOTION_LAWS,
    "reader": READER_LAWS,
    "expressions": EXPRESSION_LAWS,
    "geometry": (*GEOMETRY_LAWS, *FRAME_LAWS),
}


def laws(of: Subject | None = None) -> tuple[Law[Any], ...]:
    """Return the laws that speak of one kind of subject, or all of them.

    ``system`` is a :class:`~dalembert.System`, ``motion`` what a formalism derived, ``formalisms`` what several derived
    from one system, by their names, ``reader`` a reader of expressions (see :func:`reader_laws`); ``expressions`` and
    ``geometry`` speak of random objects, by their seed.

    >>> [law.name for law in laws("system")]
    ['model file', 'texts', 'coordinates']
    >>> jacobi = next(law for law in laws("geometry") if law.name == "Jacobi's identity of brackets")
    >>> jacobi.claim(1).verdict.holds, jacobi.twin_is_caught(1)
    (True, True)
    """
    if of is None:
        return tuple(law for rows in _LAWS.values() for law in rows)
    if of not in _LAWS:
        raise WrongKind(f"there are no laws of '{of}'; ask for those of {', '.join(_LAWS)}.")
    return _LAWS[of]


def check_laws(thing: Any, *, formalisms: Sequence[str | Formalism] | None = None, only: str = "") -> tuple[Claim, ...]:
    """Decide all laws that speak of a system, or of what a formalism derived, and return them as claims.

    Of a system, every formalism that applies is derived and judged; ``formalisms`` names those to be taken instead, or
    has records of one's own, which need not be registered. ``only`` is a part of the name of a law.

    >>> from dalembert import System
    >>> skate = System.of(name="skate", coordinates={"x": "real", "y": "real", "th": "angle"},
    ...                   lagrangian="(x'^2 + y'^2 + th'^2)/2", constraints={"blade": "x'*sin(th) = y'*cos(th)"})
    >>> for claim in check_laws(skate, formalisms=["nonholonomic"], only="e"):
    ...     print(claim.name, claim.verdict.holds)
    model file True
    texts True
    coordinates True
    energy balance: nonholonomic True
    compiled field: nonholonomic True
    code in C: nonholonomic True
    """
    found = (law.claim(subject, of) for law, subject, of in _spoken_of(thing, formalisms, only))
    return tuple(found)


def uncaught(thing: Any, *, formalisms: Sequence[str | Formalism] | None = None, only: str = "") -> tuple[str, ...]:
    """Return the names of the laws whose wrong twin is not seen to be wrong on this thing: there they say nothing.

    >>> from dalembert import System
    >>> rest = System.of(name="rest", coordinates="x", lagrangian="x'^2/2")
    >>> uncaught(rest, only="virtual work")
    ()
    """
    rows = _spoken_of(thing, formalisms, only)
    return tuple(
        f"{law.name}: {of}" if of else law.name for law, subject, of in rows if not law.twin_is_caught(subject)
    )


def _spoken_of(
    thing: Any, formalisms: Sequence[str | Formalism] | None, only: str
) -> Iterator[tuple[Law[Any], Any, str]]:
    """Yield the laws that speak of something, each with its subject and with what tells its claim from others."""

    def asked(which: Subject, subject: Any, of: str = "") -> Iterator[tuple[Law[Any], Any, str]]:
        return ((law, subject, of) for law in laws(which) if only in law.name and law.applies(subject))

    if isinstance(thing, System):
        yield from asked("system", thing)
        results = _derived(thing, formalism_names() if formalisms is None else formalisms)
        if len(results) > 1:
            yield from asked("formalisms", results)
        for name, result in results.items():
            yield from asked("motion", result, name)
    elif isinstance(getattr(thing, "equations", None), Equations) and isinstance(
        getattr(thing, "system", None), System
    ):
        yield from asked("motion", thing)
    else:
        raise WrongKind(f"check_laws takes a system, or what a formalism derived, not {kind_of(thing)}.")


def _derived(system: System, formalisms: Sequence[str | Formalism]) -> dict[str, Any]:
    """Return what every formalism that applies derives."""
    found = {}
    for one in formalisms:
        how = one if isinstance(one, Formalism) else formalism(one)
        try:
            found[how.name] = how.derive(system)
        except HypothesisError:
            continue
    return found


def reader_laws(reader: Callable[[Mapping[Any, Any]], Reader[Any]]) -> tuple[Claim, ...]:
    """Decide the laws of a reader of expressions: that it reads every operation as balls of 300 bits do.

    ``reader`` makes one from the values of the symbols, as the class ``Floats`` does. A number it reads may be exact, a
    float (right to 9 digits) or a ball; where it refuses by ``EvaluationError`` nothing is said against it.

    >>> from dalembert.expr.readers import Floats
    >>> class Careless(Floats):
    ...     def root(self, base, exponent):
    ...         return -super().root(base, exponent)
    >>> [claim.name for claim in reader_laws(Careless) if claim.failed]
    ['roots', 'everything together']
    >>> any(claim.failed for claim in reader_laws(Floats))
    False
    """
    return claims_of(READER_LAWS, reader)
