"""The arm with any number of links."""

from __future__ import annotations

from dalembert.bodies.tables import Body, Damper, Gravity, Joint, Load, Spring
from dalembert.model.system import System

SIZE = 3
NOTES = """\
An arm of n links in space on a pillar that turns: a robot, stated by its bodies and joints.

The first joint turns the pillar about the vertical; the others lie across, about y and x in turn. Each joint has a
motor, which here holds against the weight by a spring, and friction.
"""


def system(n: int = SIZE) -> System:
    """Return the arm with n links.

    >>> [q.data.name for q in system(3).q]
    ['q1', 'q2', 'q3']
    """
    links = range(1, n + 1)
    rod = Body(shape="cylinder", mass="m", radius="r", length="l", axis="z", centre=[0, 0, "l/2"])
    joints = {"q1": Joint(type="revolute", child="link1", axis="z")}
    for k in links[1:]:
        axis = "y" if k % 2 == 0 else "x"
        joints[f"q{k}"] = Joint(type="revolute", parent=f"link{k - 1}", child=f"link{k}", axis=axis, at=[0, 0, "l"])
    held = list(joints)[1:]
    forces: dict[str, Load] = {"weight": Gravity(gravity="g")}
    forces |= {f"motor {q}": Spring(spring=q, stiffness="k") for q in held}
    forces |= {f"friction {q}": Damper(damper=q, coefficient="c") for q in held}
    return System.of(
        name=f"arm with {n} link{'s' * (n > 1)}",
        parameters={"m": 2, "r": 0.05, "l": 0.4, "g": 9.81} | ({"k": 30, "c": 0.4} if held else {}),
        bodies={f"link{k}": rod for k in links},
        joints=joints,
        forces=forces,
        symmetry={"vertical": {"q1": 1}},
        start={f"q{k}": f"{k}/5" for k in links} | {"q1'": 1},
        run={"time": 4},
        notes=NOTES,
        facts={
            "dimension": n,
            "energy_conserved": n == 1,
            "regular": True,
            "symmetries": {"vertical": "symmetry"},
            "algebra": "R",
            "varying": {"last joint": f"q{n}'" if n > 1 else "q1"},
        },
    )
