"""M q'' + C q' + K q = 0 about families, against published matrices and against A, which is derived another way."""

import numpy as np
import pytest

from dalembert import EvaluationError, ExpressionError, System, derive, gallery, second_order_form, steady

CASES = {
    "cart with a steered wheel": (
        System.of(
            name="cart",
            coordinates={"x": "real", "y": "real", "h": "angle", "c": "angle"},
            parameters={"m": 2, "J": 0.3, "I": 0.05, "b": 0.7, "k": 0.4},
            lagrangian="m*(x'^2 + y'^2)/2 + J*h'^2/2 + I*(h' + c')^2/2 - k*c^2/2",
            speeds={"v": "x'*cos(h) + y'*sin(h)", "s": "3*c'"},
            constraints={"rear": "x'*sin(h) = y'*cos(h)", "front": "x'*sin(h + c) - y'*cos(h + c) = b*h'*cos(c)"},
        ),
        "nonholonomic",
        "v",
        {"c": 0},
    ),
    "crane that moves on": (  # the mass matrix joins its speed and the load
        System.of(
            name="crane",
            coordinates={"x": "real", "p": "angle", "q": "angle"},
            parameters={"M": 2, "m": 1, "l": 0.5, "g": 9.81, "d": 0.3},
            lagrangian="M*x'^2/2 + m*((x' + l*p'*cos(p))^2 + (l*p'*sin(p))^2)/2"
            " + m*((x' + l*p'*cos(p) + l*q'*cos(q))^2 + (l*p'*sin(p) + l*q'*sin(q))^2)/2"
            " + m*g*l*(2*cos(p) + cos(q))",
            forces={"q": "-d*q'"},
        ),
        "euler-lagrange",
        "x'",
        {"p": 0, "q": 0},
    ),
    "pendulum on a turntable": (  # the label is a parameter
        System.of(
            name="turntable",
            coordinates={"u": "real", "w": "real"},
            parameters={"O": 1.5, "k": 7, "n": 2, "d": 0.1},
            lagrangian="((u' - O*w)^2 + (w' + O*u)^2)/2 - k*u^2/2 - n*w^2/2",
            forces={"u": "-d*u'"},
        ),
        "euler-lagrange",
        "O",
        {"u": 0, "w": 0},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_eigenvalues_are_those_of_the_first_order_form(case):
    system, formalism, label, at = CASES[case]
    result = derive(system, formalism)
    form = second_order_form(result, label=label, at=at)
    values = [0.5, 2.0]
    found = steady(result, at=at, over=(label, values), exact=False)
    rows = form.eigenvalues(values)
    for row, motion in zip(rows, found.motions, strict=True):
        for value in row:
            assert np.abs(motion.linear.eigenvalues - value).min() < 1e-9
    wrong = [np.linalg.eigvals(_companion(form, v, sign=-1)) for v in values]
    assert any(
        np.abs(motion.linear.eigenvalues - w).min() > 1e-3
        for motion, r in zip(found.motions, wrong, strict=True)
        for w in r
    )


def _companion(form, value, sign):
    mass, damping, stiffness = (form.values(m, [value])[0] for m in (form.mass, form.damping, form.stiffness))
    size = len(mass)
    lower = -np.linalg.solve(mass, np.hstack([sign * stiffness, damping]))
    return np.vstack([np.hstack([np.zeros((size, size)), np.eye(size)]), lower])


def test_powers_put_together_are_the_matrices():
    system, formalism, label, at = CASES["pendulum on a turntable"]
    form = second_order_form(derive(system, formalism), label=label, at=at)
    parts = form.by_powers("O")
    assert list(parts["C"]) == ["1", "O"]
    assert list(parts["K"]) == ["1", "O^2"]
    value = 1.7
    whole = form.values(parts["K"]["1"])[0] + value**2 * form.values(parts["K"]["O^2"])[0]
    assert whole == pytest.approx(form.values(form.stiffness, [value])[0])


def test_what_has_no_such_form_is_told():
    disc = derive(gallery.load("falling-rolling-disc"), "nonholonomic")
    with pytest.raises(EvaluationError, match="closed form"):
        second_order_form(disc, label="psi'", at={"theta": 0.3})
    system, formalism, label, at = CASES["crane that moves on"]
    with pytest.raises(ExpressionError, match="neither the label"):
        second_order_form(derive(system, formalism), label=label, at=at).by_powers("mass")


@pytest.mark.thorough
def test_the_matrices_of_the_bicycle_are_the_published_ones():
    """Meijaard, Papadopoulos, Ruina and Schwab (2007), section 5 and table 2."""
    form = second_order_form(derive(gallery.load("bicycle"), "nonholonomic"), label="v", at={"phi": 0})
    assert form.names == ("phi", "delta")
    parts = form.by_powers("v", "g")
    known = {
        ("M", "1"): [[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]],
        ("C", "v"): [[0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]],
        ("K", "g"): [[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]],
        ("K", "v^2"): [[0, 76.59734589573222], [0, 2.65431523794604]],
    }
    assert {(letter, power) for letter, found in parts.items() for power in found} == set(known)
    for (letter, power), matrix in known.items():
        assert form.values(parts[letter][power])[0] == pytest.approx(np.array(matrix), rel=1e-13, abs=1e-13)
    weave, fast = -0.77534188219585 + 4.46486771378823j, -3.72016840437287 + 10.90681139476287j
    table = {
        0: [5.53094371765393, 3.13164324790656, -3.13164324790656, -5.53094371765393],
        5: [-0.32286642900409, weave.conjugate(), weave, -14.07838969279822],
        10: [0.16105338653172, fast.conjugate(), fast, -24.62459635017404],
    }
    assert form.eigenvalues(list(table)) == pytest.approx(np.array(list(table.values())), abs=1e-12)
