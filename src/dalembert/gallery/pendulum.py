"""The pendulum with any number of links."""

from __future__ import annotations

from dalembert.model.system import System

SIZE = 2
NOTES = """\
A chain of n point masses on rigid massless rods that swings in a vertical plane: the n-pendulum.

With the angles q1, ..., qn of the rods from the downward vertical, the k-th mass is lk sin(qk) to the side of the one
before it and lk cos(qk) below it. With its place (sk, hk) and its velocity (uk, vk)

    L = sum of mk (uk^2 + vk^2)/2 - mk g hk

Places and velocities are named one after the other, so the Lagrangian has size n. Beyond the single pendulum nothing
but the energy is conserved; without gravity the whole would turn.
"""


def system(n: int = SIZE) -> System:
    """Return the pendulum with n links.

    >>> system(3).q
    (q1, q2, q3)
    """
    links = range(1, n + 1)
    let = {}
    joints = [["0", "0"]]
    for k in links:
        joints.append([f"s{k}", f"h{k}"])
        before = {name: f"{name}{k - 1} " if k > 1 else "" for name in "shuv"}
        let[f"s{k}"] = f"{before['s']}+l{k}*sin(q{k})"
        let[f"h{k}"] = f"{before['h']}-l{k}*cos(q{k})"
        let[f"u{k}"] = f"{before['u']}+l{k}*cos(q{k})*q{k}'"
        let[f"v{k}"] = f"{before['v']}+l{k}*sin(q{k})*q{k}'"
    return System.of(
        name=f"pendulum with {n} link{'s' * (n > 1)}",
        coordinates={f"q{k}": "angle" for k in links},
        parameters={"g": 9.81} | {f"m{k}": 1 for k in links} | {f"l{k}": 1 for k in links},
        let=let,
        lagrangian=" + ".join(f"m{k}*((u{k}^2 + v{k}^2)/2 - g*h{k})" for k in links),
        symmetry={"turn": dict.fromkeys([f"q{k}" for k in links], 1)},
        start={f"q{k}": f"{k + 1}/2" for k in links},
        drawing={"shapes": [{"trace": joints[-1]}, {"line": joints}, *({"point": joint} for joint in joints[1:])]},
        run={"time": 10},
        notes=NOTES,
        facts={
            "dimension": n,
            "energy_conserved": True,
            "regular": True,
            "symmetries": {"turn": "none"},
            "algebra": "R",
            "varying": {"rate of the first rod": "q1'"},
        },
    )
