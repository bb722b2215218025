"""Numbers that are too large, too small or none: one sentence at once, in a model, in an option and from Python."""

from fractions import Fraction
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from commanding import command

from dalembert import DalembertError, Equations, System, audit, derive, gallery, loads, simulate, simulate_ensemble
from dalembert.analysis.agreement import compare_tracks
from dalembert.analysis.sweep import plan_of
from dalembert.expr import symbol
from dalembert.expr.field import normal
from dalembert.model.sizes import MOST_SAMPLES, beyond_machine
from dalembert.model.trajectory import Track
from dalembert.numerics.geometric import march
from dalembert.numerics.lyapunov import lyapunov_exponents
from dalembert.numerics.sweep.chunk import compute_chunk
from dalembert.numerics.sweep.runner import run as run_sweep
from dalembert.present.motion import plots_of
from dalembert.studies.studying import study

MODEL = """
name = "spring"
lagrangian = "m*x'^2/2 - k*x^2/2"
[coordinates]
x = "real"
[parameters]
m = 1
k = 1
[start]
x = 1
[end]
x = 2
[run]
time = 1
formalism = "euler-lagrange"
"""
LOST = "is not finite, or larger than 1.8e308"
LARGE = "is larger than 1.8e308, beyond which a machine does not compute"
SMALL = "is so small that it is zero for a machine"


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("m.toml").write_text(MODEL)


# -- models --------------------------------------------------------------------------------------------------
STATED = [
    ("k = 1\n", "k = 1e309\n", f"[parameters] k: the value of 'k' {LARGE}."),
    ("k = 1\n", 'k = "10^400"\n', f"[parameters] k: the value of 'k' {LARGE}."),
    ("k = 1\n", "k = 1e-400\n", f"[parameters] k: the value of 'k' {SMALL}."),
    ("[start]\nx = 1\n", "[start]\nx = 1e309\n", f"[start] x: its value {LARGE}."),
    ("[start]\nx = 1\n", '[start]\nx = "-10^400"\n', f"[start] x: its value {LARGE}."),
    (
        "[start]\nx = 1\n",
        '[start]\nx = "10^300*10^300*k"\n',
        "[start] x: its value is not finite, or larger than 1.8e308.",
    ),
    ("[start]\nx = 1\n", "[start]\nx = 1e-399\n", f"[start] x: its value {SMALL}."),
    ("x = 2\n", "x = 1e309\n", f"[end] x: its value {LARGE}."),
    ("time = 1\n", "time = 1e309\n", f"[run] time: its value {LARGE}."),
    ("time = 1\n", "time = 1e-399\n", f"[run] time: its value {SMALL}."),
    ("time = 1\n", "time = inf\n", "[run] time: the number is not finite."),
    ("time = 1\n", "time = nan\n", "[run] time: the number is not finite."),
    ("time = 1\n", "time = 1\nbegin = 1e309\n", f"[run] begin: its value {LARGE}."),
    ("time = 1\n", "time = 1\ntolerance = 1e309\n", f"[run] tolerance: its value {LARGE}."),
    ("time = 1\n", "time = 1\ntolerance = 1e-400\n", f"[run] tolerance: its value {SMALL}."),
    ("time = 1\n", "time = 1\ntolerance = -1\n", "[run] tolerance: the tolerance must be positive."),
    (
        "time = 1\n",
        f"time = 1\nsamples = {10**23}\n",
        f"[run] samples: samples must be at most {MOST_SAMPLES}.",
    ),
    ("time = 1\n", "time = 1\nsamples = -3\n", "[run] samples: samples must be at least 1."),
]


@pytest.mark.parametrize(("stated", "instead", "sentence"), STATED, ids=[instead for _, instead, _ in STATED])
def test_a_model_with_it_is_refused(stated, instead, sentence):
    assert MODEL.count(stated) == 1
    with pytest.raises(DalembertError) as fault:
        loads(MODEL.replace(stated, instead))
    assert str(fault.value).partition(", ")[2] == sentence


def test_what_a_machine_can_hold_is_not_refused():
    """The wrong twin: numbers just on this side."""
    for stated, instead in (("k = 1\n", "k = 1.7e308\n"), ("x = 2\n", "x = 5e-324\n"), ("x = 2\n", "x = 0\n")):
        loads(MODEL.replace(stated, instead))
    loads(MODEL.replace("time = 1\n", f"time = 1\nsamples = {MOST_SAMPLES}\n"))
    assert [beyond_machine(value) for value in (0, 1, -(10**308), Fraction(1, 10**300), 1e308)] == [""] * 5
    assert beyond_machine(float("nan")) == "is not finite, or larger than 1.8e308"


@pytest.mark.parametrize("engine", ["native", "scipy", "stiff", "taylor"])
def test_a_constant_in_the_equations_is_refused(engine):
    stated = MODEL.replace("k*x^2/2", "10^400*x^2/2")
    with pytest.raises(
        DalembertError, match=r"^a constant of the equations is larger than 1\.8e308, .* take other units"
    ):
        simulate(derive(loads(stated), "euler-lagrange"), engine=engine)
    run = simulate(derive(loads(MODEL), "euler-lagrange"), engine=engine, events={"far": "10^400*x = 1"})
    assert run.success


# -- options -------------------------------------------------------------------------------------------------
COUNT = f"the number of samples must be a whole number from 1 to {MOST_SAMPLES}, not"
GRID = "must be a whole number from 1 to 1000000000, not"
OPTIONS = [
    ("simulate m.toml --time 1e309", "the integration time must be finite."),
    ("simulate m.toml --time 10^400", "the integration time must be finite."),
    ("simulate m.toml --time 1e-400", "a number that is not zero is so small that it is zero for a machine; take"),
    ("simulate m.toml --time inf", "--time inf: column 1: unknown name 'inf'"),
    (f"simulate m.toml --samples {10**23}", f"{COUNT} 1e+23."),
    ("simulate m.toml --samples 1000000000000", f"{COUNT} 1000000000000."),
    ("simulate m.toml --samples -1", f"{COUNT} -1."),
    ("simulate m.toml --tolerance 1e309", "the tolerance must be positive, not inf."),
    ("simulate m.toml --tolerance nan", "the tolerance must be positive, not nan."),
    ("simulate m.toml --set k=1e309", "'k' = inf is not finite, as the equations assume."),
    ("simulate m.toml --set k=1e-400", "a number that is not zero is so small"),
    ("simulate m.toml --start x=1e309", "the start value of 'x' is not finite."),
    ("simulate m.toml --start x=9^9^9", "--start x=9^9^9: column 2: the exponent of a power must be at most 1000."),
    ("simulate m.toml --start x=1e999999999", "--start x=1e999999999: column 1: the exponent of a decimal number"),
    ("sweep m.toml --over k=1:2:1e309", "the count of the grid 'k=1:2:1e309' must be a whole number of at least 1."),
    ("sweep m.toml --over k=1:2:1000000000000", "the grid 'k=1:2:1000000000000' has more than 10000000 values"),
    ("sweep m.toml --over k=1:1e309:3", "the values of k are not all finite."),
    (
        "sweep m.toml --over k=1:2:1000000 --over x=1:2:1000000",
        f"the number of members, all combinations of what is varied, {GRID} 1000000000000.",
    ),
    (
        "sweep m.toml --sample k~uniform(1,2) --count 1000000000000",
        "the count of samples that are drawn must be a whole number from 1 to 100000000, not 1000000000000.",
    ),
    (
        f"sweep m.toml --sample k~uniform(1,2) --count {10**26}",
        "the count of samples that are drawn must be a whole number from 1 to 100000000, not 1e+26.",
    ),
    (f"sweep m.toml --over k=1,2 --chunk {10**44}", f"the size of a chunk {GRID} 1e+44."),
    ("sweep m.toml --over k=1,2 --chunk 0", f"the size of a chunk {GRID} 0."),
    (
        "sweep m.toml --over k=1,2 --samples 1000000000000",
        f"the number of samples must be a whole number from 2 to {MOST_SAMPLES}, not 1000000000000.",
    ),
    (
        f"sweep m.toml --over k=1,2 --workers {10**32}",
        "the number of workers must be a whole number from 1 to 1000, not 1e+32.",
    ),
    ("gallery wheeled-snake:1000000", "'wheeled-snake' has 1 to 100 links, not 1000000."),
    (f"gallery pendulum:{10**28}", "'pendulum' has 1 to 100 links, not a number of 29 digits."),
    ("study m.toml --seconds inf", "--seconds takes a positive number, not inf."),
]


@pytest.mark.parametrize(("words", "sentence"), OPTIONS, ids=[words[:60] for words, _ in OPTIONS])
def test_an_option_with_it_is_refused(words, sentence):
    more = ["--observe", "energy", "-o", "s.zarr"] if words.startswith("sweep") else []
    ended = command(*words.split(), *more)
    assert ended.status == 2
    assert ended.out == ""
    assert ended.err.startswith(sentence)
    assert len(ended.err.splitlines()) == 1
    assert not Path("s.zarr").exists()


# -- Python --------------------------------------------------------------------------------------------------
def test_from_python_it_is_refused():
    spring = derive(loads(MODEL), "euler-lagrange")
    x, k = symbol("x"), symbol("k", role="parameter")
    decay = Equations("decay", "by hand", {x: -k * x}, parameters={k: 10**400})
    tiny = Fraction(1, 10**400)
    cases = [
        lambda: simulate(decay, {"x": 1}, 1),
        lambda: simulate(spring, time=10**400),
        lambda: simulate(spring, time=(0, 10**400)),
        lambda: simulate(spring, time=float("nan")),
        lambda: simulate(spring, {"x": 10**400}),
        lambda: simulate(spring, values={"k": tiny}),
        lambda: simulate(spring, tolerance=10**400),
        lambda: simulate(spring, tolerance=tiny),
        lambda: simulate(spring, samples=10**23),
        lambda: simulate(spring, samples=True * 0),
        lambda: simulate(spring, most_steps=10**30),
        lambda: simulate(spring, most_steps=0),
        lambda: simulate(spring, events={f"e{i}": "x = 0" for i in range(10**6)}),
        lambda: simulate(spring, events=("x = 0" for _ in count())),
        lambda: simulate_ensemble(spring, {"x": [1.0, 2.0]}, samples=10**23),
        lambda: simulate_ensemble(spring, {"x": [1.0, 2.0]}, threads=10**23),
        lambda: simulate_ensemble(spring, {"x": [1.0, 2.0]}, most_steps=10**23),
        lambda: plan_of(spring, {"k": "1:2:1000000", "x": "1:2:1000000"}, ["energy"]),
        lambda: plan_of(spring, ["k=1,2"], ["energy"], most_steps=10**30),
        lambda: plan_of(spring, ["k=1,2"], ["energy"], values={"m": 10**400}),
        lambda: run_sweep(plan_of(spring, ["k=1,2"], ["energy"]), "s.zarr", workers=10**30),
        lambda: march(spring.system, step=1e-300),
        lambda: march(spring.system, step=float("nan")),
        lambda: lyapunov_exponents(spring, parts=10**12),
        lambda: lyapunov_exponents(spring, settle=float("inf")),
        lambda: study(spring.system, seconds=float("nan")),
        lambda: study(spring.system, seconds=-1),
        lambda: gallery.load("pendulum", 10**5000),
        lambda: gallery.load("pendulum", 2.5),
        lambda: System.of(name="x", coordinates="x", lagrangian="x'^2/2", run={"time": 10**310}),
    ]
    for case in cases:
        with pytest.raises(DalembertError) as fault:
            case()
        assert str(fault.value)
        assert len(str(fault.value)) < 300


@pytest.mark.thorough
def test_a_time_longer_than_clocks_count_is_no_limit():
    x = symbol("x")
    assert normal((x + 1) ** 2 - x**2, 1e300) is 2 * x + 1
    (part,) = study(loads(MODEL), formalisms=["nonholonomic"], seconds=1e300).parts
    assert part.faults


# -- numbers that become too large on the way ----------------------------------------------------------------
def test_these_tests_see_a_warning():
    """The wrong twin: NumPy left to itself."""
    with pytest.warns(RuntimeWarning, match="invalid value"):
        _ = np.array([np.inf]) - np.inf


@pytest.mark.parametrize("engine", ["native", "scipy", "taylor"])
def test_what_overflows_along_a_motion_is_said_and_not_warned_of(engine):
    """Warnings are errors here; a drift that is not a number is not called measured."""
    result = derive(loads(MODEL), "euler-lagrange")
    run = simulate(result, {"x": 1e300}, engine=engine)
    measured = audit(run, result)
    (energy,) = (drift for drift in measured.drifts if drift.name == "energy")
    assert energy.conserved.kind == "undecided"
    assert "it has no value on this motion" in energy.conserved.evidence
    assert not any(claim.name == "drift of energy" for claim in measured.claims)
    assert plots_of(run, result.system, measured.drifts)
    assert np.isinf(run.value("x^2")).all()
    small = simulate(result, engine=engine)
    assert {claim.verdict.kind for claim in audit(small, result).claims} == {"measured"}


def test_what_overflows_in_a_sweep_is_said_and_not_warned_of():
    plan = plan_of(
        derive(loads(MODEL), "euler-lagrange"),
        ["k=1,1e308", "x=1,1e300"],
        ["energy", "m: max(x^3)", "a: along(exp(x^2))"],
        samples=3,
    )
    assert (compute_chunk(plan, range(4))["status"] > 1).tolist() == [False, True, True, True]


def test_motions_that_are_not_finite_do_not_agree():
    def track(x: float, y: float) -> Track:
        path = {"x": np.array([0.0, x]), "y": np.array([0.0, y])}
        return Track(np.arange(2.0), path, {"x": 0.0, "y": 0.0}, 1e-10, np.ones(2), np.zeros(2))

    names = ("euler-lagrange", "routh")
    assert compare_tracks(track(1.0, 1.0), track(1.0, 1.0), names).verdict.kind == "measured"
    assert compare_tracks(track(1.0, np.nan), track(1.0, np.nan), names).verdict.kind == "undecided"
