"""What results print: one of each name of the public surface, and the commands, which print the same as ``str``."""

import inspect
import re
from functools import cache
from math import pi

import numpy as np
import pytest
from commanding import command
from places import TESTS

import dalembert as da
from dalembert import Equations, System, derive, gallery, symbol
from dalembert.analysis.extremals import second_variation
from dalembert.errors import WrongKind
from dalembert.geometry.groups import so3
from dalembert.mechanics.chaplygin.chaplygin import reduce
from dalembert.mechanics.registry import formalism
from dalembert.model.claim import Decided
from dalembert.records import dataclass
from dalembert.shown import Shown

SPRING = System.of(name="spring", coordinates="x", lagrangian="x'^2/2 - x^2/2", start={"x": 1}, run={"time": 2})
KEPLER = System.of(
    name="Kepler", coordinates={"r": "positive", "phi": "angle"}, parameters={"l": 2}, momentum=["l"],
    lagrangian="(r'^2 + r^2*phi'^2)/2 + 1/r", symmetry={"turn": {"phi": 1}},
)  # fmt: skip
WHEEL = System.of(
    name="wheel", coordinates={"x": "real", "y": "real", "phi": "angle"}, symmetry={"turn": {"phi": 1}}, momentum=[0],
    lagrangian="(x'^2 + y'^2 - x^2 - y^2)/2 + (phi' + (x*y' - y*x')/2)^2/2",
)  # fmt: skip
SLOPE = System.of(
    name="particle", coordinates="x y z", lagrangian="(x'^2 + y'^2 + z'^2)/2", constraints={"slope": "z' = y*x'"},
    symmetry={"e1": {"z": 1}},
)  # fmt: skip
RAMP = System.of(name="ramp", coordinates="x z", lagrangian="(x'^2 + z'^2)/2 - z", constraints={"c": "z' = x*x'"})
LINE = System.of(name="line", coordinates="x y", lagrangian="(x'^2 + y'^2)/2", constraints={"c": "y' = x'"})
TROLLEY = System.of(
    name="trolley", coordinates={"x": "real", "y": "real", "h": "angle"}, speeds={"v": "x'*cos(h) + y'*sin(h)"},
    parameters={"m": 1, "J": 1, "a": 0.2, "k": 3}, constraints={"blade": "x'*sin(h) = y'*cos(h)"},
    lagrangian="m*((x' - a*sin(h)*h')^2 + (y' + a*cos(h)*h')^2)/2 + J*h'^2/2 - k*h^2/2",
)  # fmt: skip
X, Y, H = (symbol(name) for name in "xyh")
ANGLE = symbol("a", domain="angle")
CIRCLE = Equations("circle", "by hand", {X: Y + X * (1 - X**2 - Y**2), Y: -X + Y * (1 - X**2 - Y**2), H: 3 + X})
NAMED = {"spring": SPRING, "Kepler": KEPLER, "wheel": WHEEL, "ramp": RAMP, "line": LINE, "trolley": TROLLEY}


@cache
def derived(name, how):
    return derive(NAMED.get(name) or gallery.load(name), how)


@cache
def moved():
    return da.simulate(derived("spring", "euler-lagrange"))


@cache
def studied():
    return da.study(SPRING, formalisms=["euler-lagrange"], answers=False)


@cache
def steadily():
    return da.steady(derived("chaplygin-sleigh", "nonholonomic"))


def oscillating(function, *more):
    return lambda _: function(derived("spring", "euler-lagrange"), *more)


def swept(folder):
    return da.sweep(SPRING, "euler-lagrange", over=["x=1,2"], observables="energy", time=1, store=folder / "s.zarr")


def loaded(folder):
    da.save(SPRING, folder / "spring.toml")
    return da.load(folder / "spring.toml")


SURFACE = {  # one result of each name; nothing of what returns text, numbers, or a name that is only raised
    "Claim": lambda _: da.claims(derived("spring", "euler-lagrange"), only="energy conserved")[0],
    "Equations": lambda _: derived("chaplygin-sleigh", "nonholonomic").equations,
    "Expr": lambda _: X + 1,
    "Formalism": lambda _: formalism("routh"),
    "Function": lambda _: da.Function("V", 1),
    "Sentence": lambda _: da.Sentence("The energy is conserved."),
    "Study": lambda _: studied(),
    "Symbol": lambda _: da.Symbol("x"),
    "System": lambda _: gallery.load("chaplygin-sleigh"),
    "Theorem": lambda _: formalism("routh").theorems[0],
    "Trajectory": lambda _: moved(),
    "Verdict": lambda _: da.Verdict("proved", "it is the number 0."),
    "Vocabulary": lambda _: da.Vocabulary.of("x y", "m g"),
    "Witness": lambda _: da.is_zero(X + 1).witness,
    "audit": lambda _: da.audit(moved(), derived("spring", "euler-lagrange")),
    "bibtex": None,
    "check": lambda _: da.check(SPRING, "energy conserved", "euler-lagrange"),
    "check_facts": lambda _: da.check_facts(SPRING.but(facts={"integrals": {"energy": "x'^2 + x^2"}})),
    "cited": lambda _: da.cited(KEPLER, ["routh"]),
    "claims": oscillating(da.claims),
    "code": None,
    "compare": lambda _: da.compare(LINE),
    "compare_engines": oscillating(da.compare_engines, {"x": 1}, 1),
    "compare_formalisms": lambda _: da.compare_formalisms(
        [derived("chaplygin-sleigh", how) for how in ("nonholonomic", "semisymplectic")], time=1
    ),
    "constant": lambda _: da.constant(X / X),
    "controllability": lambda _: da.controllability(derived("chaplygin-sleigh", "nonholonomic")),
    "derive": lambda _: derived("chaplygin-sleigh", "nonholonomic"),
    "discover": lambda _: da.discover(SPRING),
    "dumps": None,
    "equal": lambda _: da.equal(X, Y),
    "equilibrium": oscillating(da.equilibrium, {"x": 0.1, "x'": 0}),
    "evident_symmetries": lambda _: da.evident_symmetries(gallery.load("chaplygin-sleigh")),
    "film": lambda _: da.film(moved()),
    "floquet": lambda _: da.floquet(CIRCLE, {"x": 1, "y": 0, "h": 0}, 2 * pi),
    "formalism_names": None,
    "from_sympy": lambda _: X,
    "gallery": None,
    "generic_rank": lambda _: da.generic_rank([[X, Y], [X * Y, Y**2]]),
    "holonomy": lambda _: da.holonomy(reduce(SLOPE), {"x": "cos(t)", "y": "sin(t)"}),
    "is_zero": lambda _: da.is_zero(X),
    "latex": None,
    "linearise": oscillating(da.linearise, {"x": 0, "x'": 0}),
    "load": loaded,
    "loads": lambda _: da.loads(da.dumps(SPRING)),
    "lyapunov_exponents": oscillating(da.lyapunov_exponents, {"x": 1}, 5),
    "march": lambda _: da.march(SPRING, {"x": 1}, 1, step=0.1),
    "mathml": None,
    "monodromy": oscillating(da.monodromy, {"x": 1, "x'": 0}, 2 * pi),
    "never_zero": lambda _: da.never_zero(X),
    "normal": lambda _: da.normal(X + X),
    "parse": lambda _: X,
    "parse_equation": lambda _: da.parse_equation("x = 1", da.Vocabulary.of("x")),
    "phases": lambda _: da.phases(derived("wheel", "routh"), {"x": 1, "y'": 0.5}, longest=10),
    "reconstruct": lambda _: da.reconstruct(so3(), lambda t: np.array([0 * t, 0 * t, 0 * t + 1]), [0, 0.5, 1]),
    "reconstruct_along": lambda _: da.reconstruct_along(so3(), moved(), ["0", "0", "x"]),
    "refusals": lambda _: da.refusals(LINE, "euler-lagrange"),
    "register": None,
    "relative_equilibria": lambda _: da.relative_equilibria(derived("Kepler", "routh")),
    "retrace": lambda folder: da.retrace(swept(folder).path, x=0),
    "save": None,
    "second_order_form": lambda _: da.second_order_form(derived("trolley", "nonholonomic"), label="v", at={"h": 0}),
    "section": lambda _: da.section(moved(), "x = 0"),
    "simulate": lambda _: moved(),
    "simulate_ensemble": oscillating(da.simulate_ensemble, {"x": [1.0, 2.0]}, 1),
    "solve_boundary": lambda _: da.solve_boundary(
        derived("line", "vakonomic"), {"x": 0, "y": 0}, {"x": 1, "y": 1}, 1.0, attempts=1
    ),
    "steady": lambda _: steadily(),
    "study": lambda _: studied(),
    "sweep": swept,
    "symbol": lambda _: X,
    "symplectic_defect": lambda _: da.symplectic_defect(
        derived("ramp", "semisymplectic"), {"x": 1, "z": 0.5}, time=1, samples=101
    ),
    "text": None,
    "tidy": lambda _: da.tidy(X + X),
    "to_sympy": None,
    "volume_change": lambda _: da.volume_change(
        Equations("shrinking", "by hand", {X: -X, ANGLE: X * 0 + 1}), {X: 0, ANGLE: 0}, 2 * pi
    ),
}  # fmt: skip
WITHIN = {  # results within results
    "boundary solution": lambda folder: SURFACE["solve_boundary"](folder).best,
    "both motions": lambda folder: SURFACE["compare"](folder).motions({"x": 0, "y": 0, "x'": 1}, 1),
    "control answer": lambda folder: SURFACE["controllability"](folder).answers[0],
    "drift": lambda folder: SURFACE["audit"](folder).drifts[0],
    "family": lambda _: steadily().families[0],
    "relative equilibrium": lambda folder: SURFACE["relative_equilibria"](folder).points[0],
    "second variation": lambda _: second_variation(derived("heisenberg", "vakonomic"), {"area": 2}, 1),
    "steady motion": lambda _: numbers().motions[0],
    "linear part": lambda _: numbers().motions[0].linear,
    "steady motions as numbers": lambda _: numbers(),
    **{how: lambda _, how=how: derived("chaplygin-sleigh", how) for how in ("reduced", "vakonomic", "semisymplectic")},
    "chaplygin": lambda _: derive(SLOPE, "chaplygin"),
    "routh": lambda _: derived("Kepler", "routh"),
}


@cache
def numbers():
    return da.steady(derived("chaplygin-sleigh", "nonholonomic"), over=("u", [1.0, 2.0]), exact=False)


def faults(thing):
    """Return what is wrong with how a thing prints."""
    found = []
    line, page = repr(thing), str(thing)
    if len(line) >= 120 or "\n" in line:
        found.append(f"its repr is no short line: {line[:200]}")
    for text in (line, page):
        found += [f"{strange!r} in {text[:200]}" for strange in (" object at 0x", "mappingproxy(") if strange in text]
    if isinstance(thing, Shown):
        if re.search(r"\w\(\w+=", page):
            found.append(f"its str is a record: {page[:200]}")
        if not thing._repr_html_():
            found.append("a notebook shows nothing")
    elif (
        type(thing).__module__.startswith("dalembert")
        and page.startswith(f"{type(thing).__name__}(")
        and len(page) > 60
    ):
        found.append(f"it does not print as a result: {page[:200]}")
    return found


def test_the_sweep_is_over_the_whole_surface():
    errors = {name for name in dir(da) if isinstance(getattr(da, name, None), type) and name.endswith("Error")}
    assert set(SURFACE) | errors >= set((TESTS / "surface.txt").read_text().split())


@pytest.mark.parametrize("name", [*(name for name, make in SURFACE.items() if make is not None), *WITHIN])
def test_a_result_prints_as_a_page_and_is_named_in_one_line(name, tmp_path):
    thing = {**SURFACE, **WITHIN}[name](tmp_path)
    several = thing if type(thing) in (tuple, list) else thing.values() if type(thing) is dict else [thing]
    assert [fault for one in several for fault in faults(one)] == []


def test_a_result_without_the_hook_is_found():
    """The wrong twins: a record as Python prints it, and one whose own line is long or says where it is in memory."""

    @dataclass(frozen=True)
    class Bare:
        system: str
        formalism: str

    Bare.__module__ = "dalembert.analysis.bare"
    assert faults(Bare("a system with a name that is long", "nonholonomic"))

    class Hooked(Shown):
        def summary(self):
            return object.__repr__(self)

    assert faults(Hooked())
    plain = dataclass(frozen=True)(type("Plain", (Shown,), {"__annotations__": {"system": "str"}}))("top")
    assert repr(plain) == "<plain of top>"


COMMANDS = {
    "steady chaplygin-sleigh": steadily,
    "control chaplygin-sleigh": lambda: da.controllability(derived("chaplygin-sleigh", "nonholonomic")),
    "discover chaplygin-sleigh": lambda: da.discover(gallery.load("chaplygin-sleigh")),
    "extremal heisenberg --start area=2 --time 1": lambda: second_variation(
        derived("heisenberg", "vakonomic"), {"area": "2"}, 1.0
    ),
}


@pytest.mark.parametrize("words", COMMANDS)
def test_a_command_prints_what_str_says(words):
    assert command(*words.split()).out == f"{COMMANDS[words]()}\n"


def test_simulate_prints_the_motion_and_its_audit():
    result = derived("chaplygin-sleigh", "nonholonomic")
    run = da.simulate(result)
    assert command("simulate", "chaplygin-sleigh").out == f"{run}\n\n{da.audit(run, result)}\n"


def test_derive_and_study_print_what_str_says(tmp_path):
    da.save(SPRING, tmp_path / "spring.toml")
    said = command("derive", str(tmp_path / "spring.toml"), "--as", "euler-lagrange").out
    assert said.replace(str(tmp_path / "spring.toml"), "MODEL").startswith(str(derived("spring", "euler-lagrange")))
    said = command("study", str(tmp_path / "spring.toml"), "-o", str(tmp_path / "spring.html")).out
    said = re.sub(r"^Report: .*\n", "", said, flags=re.MULTILINE)  # what it wrote
    assert said.replace(str(tmp_path / "spring.toml"), "MODEL").startswith(str(da.study(SPRING)))


def test_sweep_prints_its_end(tmp_path):
    done = swept(tmp_path)
    da.save(SPRING, tmp_path / "spring.toml")
    words = ["spring.toml", "--as", "euler-lagrange", "--over", "x=1,2", "--observe", "energy", "--time", "1"]
    words[0] = str(tmp_path / "spring.toml")
    said = command("sweep", *words, "-o", str(tmp_path / "t.zarr")).out
    seconds = re.compile(r"in \d+\.\d s")
    assert seconds.sub("", said) == seconds.sub("", f"{done}\n").replace("s.zarr", "t.zarr")


def test_naming_a_result_decides_nothing(monkeypatch):
    """The wrong twin: a line that decides claims would fail here."""
    result = derived("chaplygin-sleigh", "nonholonomic")

    def refuse(*_):
        raise AssertionError("no claim is decided for a name")

    monkeypatch.setattr("dalembert.studies.overview.claims", refuse)
    assert repr(result) == "<nonholonomic equations of Chaplygin sleigh: x, y, theta, u, theta'>"
    with pytest.raises(AssertionError, match="no claim"):
        str(result)


def test_claims_stay_a_tuple():
    found = da.claims(derived("spring", "euler-lagrange"), only="energy conserved")
    assert isinstance(found, tuple)
    assert found == tuple(found)
    assert isinstance(found, Decided)
    assert "The energy is conserved." in str(found)
    assert "normal form" not in str(found)  # evidence is asked for with `check`


def test_every_result_has_a_page_of_its_own():
    """No hooked type is shown by its fields."""
    from dalembert.mechanics.common import Derived
    from dalembert.present.known_types import LOOKS

    own = {"dalembert.expr.truth.verdict", "dalembert.errors"}  # which have a sentence
    waiting, seen = [Shown], set()
    while waiting:
        for kind in waiting.pop().__subclasses__():
            waiting.append(kind)
            seen.add(kind)
    hooked = {kind for kind in seen if kind.__module__.startswith("dalembert.") and not issubclass(kind, Derived)}
    missing = [k for k in hooked if (k.__module__, k.__name__) not in LOOKS and k.__module__ not in own]
    missing = [k for k in missing if "__str__" not in vars(k) and not inspect.isabstract(k)]
    assert missing == []


def test_claims_are_counted_by_answer():
    several = da.claims(derived("trolley", "nonholonomic"))
    yes = sum(one.verdict.holds is True for one in several)
    no = sum(one.verdict.holds is False for one in several)
    assert yes
    assert no
    assert repr(several).startswith(f"<{len(several)} claims: {yes} yes, {no} no")


def test_what_is_no_system_and_no_list_gets_one_sentence():
    motion = derived("trolley", "nonholonomic")
    with pytest.raises(WrongKind, match=r"^check_facts takes a system, of which .*, not what 'nonholonomic' derived"):
        da.check_facts(motion)
    with pytest.raises(WrongKind, match=r"^compare_formalisms takes a list of two results, \[derive"):
        da.compare_formalisms(motion, motion)
