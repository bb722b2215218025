"""Linkages through all their losses of rank, over long times and at many tolerances."""

from pathlib import Path

import numpy as np
import pytest
from mechanisms import bricard, bricard_reference
from scipy.integrate import solve_ivp

from dalembert import derive, gallery, simulate
from dalembert.model.files import load
from dalembert.numerics.outcome import END

pytestmark = pytest.mark.long

LINKAGES = Path(__file__).parent.parent / "linkages"
TOLERANCES = [(1e-8, 3e-6), (1e-9, 1e-6), (1e-10, 1e-7), (1e-11, 1e-7), (1e-12, 1e-7), (1e-13, 1e-7)]


def pendulum(bend, start, time):
    """Return the angle of a'' = bend(a, a')."""
    steps = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-13}
    return solve_ivp(lambda _, y: [y[1], bend(*y)], (0, time), start, dense_output=True, **steps).sol


@pytest.mark.parametrize(("tolerance", "error"), TOLERANCES)
@pytest.mark.parametrize(("angle", "speed"), [(1.0, 0.0), (np.pi / 2, 1.0), (np.pi / 2, -4.0)])
def test_four_bars_for_ten_seconds(tolerance, error, angle, speed):
    bars = derive(load(LINKAGES / "four_bar.toml"), "nonholonomic")
    start = {"a0": angle, "a1": angle, "a0'": speed, "a1'": speed}
    run = simulate(bars, start, 10, tolerance=tolerance, through=True)
    exact = pendulum(lambda a, _: -1.2 * 9.81 * np.cos(a), [angle, speed], 10)
    assert run.status == END
    assert abs(run["a0"][-1] - exact(10)[0]) < error
    assert abs(run["a1"][-1] - exact(10)[0]) < error
    aligned = np.count_nonzero(np.diff(np.sign(np.sin(exact(np.linspace(0, 10, 40_001))[0]))))
    assert len(run.provenance["rank_losses"]) == aligned


@pytest.mark.parametrize(("tolerance", "error"), TOLERANCES)
def test_slider_crank_for_five_seconds(tolerance, error):
    """On b = -a the slider is at 2 cos(a), and the energy says how fast."""
    crank = derive(load(LINKAGES / "slider_crank.toml"), "nonholonomic")
    run = simulate(crank, tolerance=tolerance, through=True)

    def bend(a, w):
        # L = (1/6 + 1/24 + (9 sin^2 + cos^2)/8 + 2 sin^2) w^2 - g sin(a)
        mass, slope = 2 * (1 / 6 + 1 / 24 + 1 / 8 + 3 * np.sin(a) ** 2), 12 * np.sin(a) * np.cos(a)
        return (-slope * w**2 / 2 - 9.81 * np.cos(a)) / mass

    exact = pendulum(bend, [np.pi / 4, 4], 5)(5)[0]
    assert exact == pytest.approx(23.48, abs=0.005)
    assert run.status == END
    assert abs(run["a"][-1] - exact) < error
    assert abs(run["b"][-1] + exact) < error
    assert len(run.provenance["rank_losses"]) == 7


@pytest.mark.parametrize("tolerance", [1e-8, 1e-10, 1e-12])
def test_bricard_with_all_five_equations(tolerance):
    linkage = bricard(bars=True)
    run = simulate(derive(linkage, "nonholonomic"), None, 1.2, tolerance=tolerance)
    end = np.array([run[q.data.label][-1] for q in linkage.q])
    assert np.abs(end - bricard_reference(linkage, 1.2)).max() < 1e-7


def constrained():
    """Return the names of the systems of the gallery that move under constraints, without rotations, of order one."""
    systems = {name: gallery.load(name) for name in gallery.names()}
    return [
        n for n, s in systems.items() if s.constraints and not s.points and s.lagrangian is not None and s.order == 1
    ]


@pytest.mark.parametrize("name", constrained())
def test_the_saddle_form_is_the_motion_of_every_frame(name):
    result = derive(gallery.load(name), "nonholonomic")
    usual, saddle = (simulate(result, time=0.7, form=form) for form in ("frame", "saddle"))
    assert (usual.status, saddle.status) == (END, END)
    for q in result.system.q:
        label = q.data.label
        assert saddle[label][-1] == pytest.approx(usual[label][-1], rel=1e-8, abs=1e-8)
