"""``dalembert derive``, ``check`` and ``cite``: equations and claims, one claim decided anew, whom to cite."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Any

from dalembert.cli.complete import LANGUAGES, claims, languages
from dalembert.cli.options import (
    As,
    Ascii,
    AsJson,
    Full,
    Symmetry,
    SystemName,
    Why,
    asked,
    in_json,
    known_formalism,
    letters,
    load_system,
    paint,
    taught,
    waiting,
    width,
)
from dalembert.cli.words import Commands, Ended, argument, echo, flag, option
from dalembert.errors import DalembertError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dalembert.analysis.discovery.glance import Glance
    from dalembert.mechanics.registry import Result
    from dalembert.mechanics.second_order.search.first_integrals import FirstIntegral
    from dalembert.model.claim import Claim
    from dalembert.model.parts import Generator
    from dalembert.model.system import System
    from dalembert.model.table import Table
    from dalembert.present.page import Section
    from dalembert.present.text_writer import Letters

NET_STRUCK = 3
"""The exit status where a computation was ended by the safety net."""

_HELP = taught(
    "Derive the equations of motion of a system, and decide what holds for them.",
    "dalembert derive kepler --as euler-lagrange",
    "dalembert derive skateboard --as nonholonomic --latex",
    "dalembert derive snakeboard --as nonholonomic --equations",
    "dalembert derive pendulum:2 --as euler-lagrange --code c > pendulum.c",
    more="Each result is a yes or a no and how it is known: proved, certain (with an error bound), counterexample, "
    "measured or undecided. The status is 1 if a hypothesis of the formalism or a check FAILS.",
)
_HOW = "How it is written (one of these)"
_CODE = "Source code: c, jax, casadi, julia or js."
_CHECK = taught(
    "Decide a claim again, at other random points, and show the evidence: a proof, an error bound or a counterexample.",
    'dalembert check skateboard "nonholonomic and chaplygin as fields"',
    "dalembert check skateboard momentum --as vakonomic --json",
    "dalembert check kepler fact",
    'dalembert check kepler --that "x d/dy - y d/dx symmetry"',
    more="The names of claims are in what derive and study print; a part of a name will do. 'fact' stands for all that "
    "the model states in [facts]. The status is 1 if a check FAILS, or if the answer to a claim of "
    "your own is no.",
)
_THAT = (
    'A claim of your own: "EXPRESSION conserved", "EXPRESSION = EXPRESSION", "x d/dy - y d/dx symmetry" or '
    '"EXPRESSION density of dx dx\'".'
)
_EXPAND = taught(
    "Write a machine that is stated by its parts as a plain model file: its Lagrangian, constraints and forces.",
    "dalembert expand wheel",
    "dalembert expand gyroscope > plain.toml",
)
_CITE = taught(
    "Print the references for the statements about a system, as BibTeX.",
    "dalembert cite skateboard",
    "dalembert cite kepler --as routh > refs.bib",
    "dalembert cite heavy-top-chart --as routh --json",
)


_GEOMETRY = (
    "Add curvatures of the kinetic metric, the nonholonomic connection with its torsion and curvature, and the Jacobi "
    "endomorphism of the motion."
)


def register(app: Commands) -> None:
    """Add the command."""

    @app.command(_HELP)
    def derive(
        system: SystemName,
        formalism: As = None,
        as_text: Annotated[bool, flag("--text", "For people (the default).", _HOW)] = False,
        as_json: Annotated[bool, flag("--json", "All, for programs.", _HOW)] = False,
        as_latex: Annotated[bool, flag("--latex", "A document with all of it, for papers.", _HOW)] = False,
        full: Full = False,
        why: Why = False,
        equations: Annotated[
            bool, flag("--equations", "Leave the claims out, which take longer than the equations.")
        ] = False,
        verify: Annotated[bool, flag("--verify", "Decide the identities too that hold for every system.")] = False,
        geometry: Annotated[bool, flag("--geometry", _GEOMETRY)] = False,
        language: Annotated[str | None, option("--code", "LANGUAGE", _CODE, _HOW, offers=languages)] = None,
        symmetry: Symmetry = None,
        ascii_only: Ascii = False,
    ) -> None:
        if geometry and language is not None:
            raise DalembertError("choose one of --geometry and --code.")
        if equations and verify:
            raise DalembertError("choose one of --equations and --verify.")
        if as_json + as_latex + as_text + (language is not None) > 1:
            raise DalembertError("choose one of --json, --latex, --text and --code.")
        if language is not None and language not in LANGUAGES:
            raise DalembertError(f"there is no code for '{language}'; use one of {', '.join(LANGUAGES)}.")
        stated, wanted = asked(system, formalism, symmetry=symmetry, obvious=True)
        shapes = letters(ascii_only=ascii_only)  # asked for while stdout is the terminal

        def shown() -> str:
            from dalembert.mechanics.derivation import derive as run
            from dalembert.mechanics.registry import claims as decide
            from dalembert.studies.overview import overview

            with waiting("deriving ..."):
                result = run(stated, wanted)
                decided = () if equations or language is not None else decide(result, verify=verify)
                curved = _curved(stated, {} if as_json else result.objects()) if geometry else {}
                if as_json:
                    found = _json(result, decided, _glance(result) if decided else None, curved)
                elif as_latex:
                    found = _latex(result, decided, curved)
                elif language is not None:
                    found = _code(result, language)
                else:
                    brief = bool(decided) and not full and not curved
                    page = overview(result, decided, system, width()) if brief else _whole_page(result, decided, curved)
                    found = in_letters(_with_evidence(page, decided) if why else page, shapes)
            end_unkept(found, decided)
            return found

        from dalembert.mechanics.registry import is_own
        from dalembert.model.remembered import remembered

        how: list[object] = [as_json, as_latex, full, why, equations, verify, geometry, language, system]
        how += [width(), paint("proved", ""), shapes.formula("*")]
        # of a formalism from elsewhere we do not know when it was changed
        echo(remembered(stated, f"what is said as {wanted}", shown, *map(str, how)) if is_own(wanted) else shown())


def register_claims(app: Commands) -> None:
    """Add the commands about claims."""

    @app.command(_CHECK)
    def check(
        system: SystemName,
        claim: Annotated[
            str,
            argument("[CLAIM]", "The name of a claim, or a part of it.", claims),
        ] = "",
        that: Annotated[str | None, option("--that", "SENTENCE", _THAT)] = None,
        formalism: As = None,
        symmetry: Symmetry = None,
        as_json: AsJson = False,
        ascii_only: Ascii = False,
    ) -> None:
        from dalembert.studies.checking import check as run

        stated = load_system(system, symmetry=symmetry)
        with waiting("deciding ..."):
            wanted = run(stated, claim, formalism, that=that)
        if as_json:
            echo(in_json({name: [c.to_json() for c in several] for name, several in wanted.items()}))
        else:
            from dalembert.present.overview import grouped_claims

            echo(in_letters(grouped_claims(wanted), letters(ascii_only=ascii_only)))
        end_on_failures(one for several in wanted.values() for one in several)
        if that is not None and any(one.verdict.holds is False for several in wanted.values() for one in several):
            raise Ended(1)  # for scripts: a claim of one's own is a question, and no check that fails

    @app.command(_EXPAND)
    def expand(
        system: SystemName,
        wheels: Annotated[bool, flag("--wheels", "Let the wheels of a robot in URDF roll.")] = False,
    ) -> None:
        from dalembert.model.files import dumps

        stated = load_system(system, wheels=wheels)
        found, said = _found(stated)
        plain = dumps(replace(stated, symmetry=found))
        if stated.mechanism is not None:
            echo(f"# {stated.mobility}.")
        if said:
            echo(f"# {said}")
        echo(plain, nl=False)

    @app.command(_CITE)
    def cite(system: SystemName, formalism: As = None, as_json: AsJson = False) -> None:
        from dalembert.present.bibliography import bibtex

        names = None if formalism is None else [known_formalism(formalism)]
        stated = load_system(system)
        if as_json:
            echo(in_json(_references(stated, names)))
            return
        entries = bibtex(stated, names)
        if entries:
            echo(entries)
        else:
            echo("there is nothing to cite: no paper stands behind this, and the model names no source.", err=True)


def _found(system: System) -> tuple[Table[str, Generator], str]:
    """Return the symmetries to be written, of a machine that states none those that are found, and what to say."""
    from dalembert.mechanics.found_symmetries import find_symmetries

    if system.mechanism is None or system.symmetry:
        return system.symmetry, ""
    try:
        found = find_symmetries(system)
    except DalembertError as error:
        return system.symmetry, f"No symmetry is stated, and none was found: {error}"
    said = "those in [symmetry] were found" if found.generators else f"none was found among {found.space}"
    return found.generators, f"No symmetry is stated; {said}."


def _glance(result: Result) -> Glance | None:
    """Return a short look at what nobody stated, of the formalism that the statement means."""
    from dalembert.mechanics.registry import obvious_formalism

    name = result.equations.formalism
    if name != obvious_formalism(result.system):
        return None
    from dalembert.analysis.discovery.glance import glance

    return glance(result.system, name, result.equations)


_OF_THE_MOTION = ("sode_connection", "jacobi_endomorphism", "tension")
"""What the field of the motion has of geometry, under constraints of any kind."""


def _curved(system: System, objects: Mapping[str, object]) -> Mapping[str, object]:
    """Return the geometry of the kinetic metric, and that of the motion where a formalism has it."""
    from dalembert.mechanics.nonholonomic.kinetic_curvature import kinetic_objects

    return {**kinetic_objects(system), **{name: objects[name] for name in _OF_THE_MOTION if name in objects}}


def _json(result: Result, decided: Sequence[Claim], look: Glance | None, curved: Mapping[str, object]) -> str:
    from dalembert.present.json_export import answer

    told = answer(result, {**result.objects(), **curved} if curved else None, decided)
    if look is not None:
        from dalembert.studies.discovery_page import discovery_json

        told["discovery"] = discovery_json(look)
    return in_json(told)


def _page(
    result: Result,
    decided: Sequence[Claim],
    curved: Mapping[str, object],
    known: Sequence[FirstIntegral] | None = None,
) -> Section:
    """Return equations and claims, with the main objects and what is constant; only equations where that was asked."""
    from dalembert.mechanics.nonholonomic.symmetry_search import first_integrals_of
    from dalembert.mechanics.registry import formalism
    from dalembert.present.all_objects import geometry_section
    from dalembert.present.integrals import without_polynomials
    from dalembert.present.results import result_page

    if not decided:
        page = result_page(result)
    else:
        if known is None:
            found = tuple(formalism(result.equations.formalism).integrals(result)) or first_integrals_of(result)
            known = without_polynomials(found)
        page = result_page(result, decided, known, result.objects())
    if not curved:
        return page
    return replace(page, blocks=(*page.blocks, geometry_section(curved, result.equations)))


def _latex(result: Result, decided: Sequence[Claim], curved: Mapping[str, object]) -> str:
    from dalembert.present.bibliography import bibtex
    from dalembert.present.latex_document import latex_document

    page = _page(result, decided, curved)
    return latex_document(page, bibtex(result.system, [result.equations.formalism])).rstrip("\n")


def _whole_page(result: Result, decided: Sequence[Claim], curved: Mapping[str, object]) -> Section:
    """Return all that there is to say; the claims without their evidence."""
    from dalembert.present.page import Claims

    page, look = _page(result, decided, curved), None
    if decided:
        from dalembert.studies.known_integrals import known_integrals

        found, look = known_integrals(result, decided)
        page = _page(result, decided, curved, found)
    blocks = [replace(block, brief=True) if isinstance(block, Claims) else block for block in page.blocks]
    if look is not None:
        from dalembert.studies.discovery_page import searched_section

        blocks.append(searched_section(look))
    return replace(page, blocks=tuple(blocks))


def _with_evidence(page: Section, decided: Sequence[Claim]) -> Section:
    """Return a page with the evidence of its claims, which an overview has at its end."""
    from dalembert.present.page import Claims

    blocks = tuple(block for block in page.blocks if not isinstance(block, Claims))
    return replace(page, blocks=(*blocks, *([Claims(tuple(decided))] if decided else [])))


def in_letters(page: Section, shapes: Letters) -> str:
    """Return a page as this terminal shows it."""
    from dalembert.present.text_writer import in_text

    return in_text(page, width(), paint, shapes)


def _code(result: Result, language: str) -> str:
    from dalembert.numerics.codegen import code

    return code(result, language).rstrip("\n")


def end_unkept(shown: str, decided: Sequence[Claim]) -> None:
    """Print what was found and end if a check fails or the net struck: that is found anew every time."""
    from dalembert.expr.work import stops

    if stops() or any(claim.failed for claim in decided):
        echo(shown)
        end_on_failures(decided)
        end_on_net()


def end_on_net() -> None:
    """End with a status of its own where the safety net, and not a budget of work, ended a computation."""
    from dalembert.expr.work import stops

    for what in stops():
        echo(f"stopped by the safety net: {what}; the same command may say more another time.", err=True)
    if stops():
        raise Ended(NET_STRUCK)


def end_on_failures(claims: Iterable[Claim]) -> None:
    """End with status 1, and a sentence for each, if hypotheses or checks fail."""
    failed = [claim for claim in claims if claim.failed]
    for claim in failed:
        echo(f"FAILS: {claim.sentence} {claim.verdict.evidence}", err=True)
    if failed:
        raise Ended(1)


def _references(system: System, names: list[str] | None) -> dict[str, Any]:
    from dalembert.present.bibliography import bibtex, cited

    return {
        "system": system.name,
        "source": system.metadata.get("source", ""),
        "papers": [asdict(paper) for paper in cited(system, names)],
        "bibtex": bibtex(system, names),
    }
