"""The tree of any number of links."""

from __future__ import annotations

from dalembert.bodies.tables import Body, Damper, Gravity, Joint, Load, Spring
from dalembert.model.system import System

SIZE = 3
NOTES = """\
A tree of n branches that sways: each carries two others, and every fork is a joint with a spring and friction.

The k-th branch grows out of the tip of the branch k/2, the first out of the ground; they sway about x and y in turn.
With weights that grow as their number it is the shape of robots with several arms and legs.
"""


def system(n: int = SIZE) -> System:
    """Return the tree with n branches.

    >>> [q.data.name for q in system(3).q]
    ['q1', 'q2', 'q3']
    """
    branches = range(1, n + 1)
    rod = Body(shape="rod", mass="m", length="l", axis="z", centre=[0, 0, "l/2"])
    joints = {"q1": Joint(type="revolute", child="branch1", axis="y")}
    for k in branches[1:]:
        joints[f"q{k}"] = Joint(
            type="revolute", parent=f"branch{k // 2}", child=f"branch{k}", axis="y" if k % 2 else "x",
            at=[0, 0, "l"], turns=[["s", "-x" if k % 2 else "x"]],
        )  # fmt: skip
    forces: dict[str, Load] = {"weight": Gravity(gravity="g")}
    forces |= {f"wood {q}": Spring(spring=q, stiffness="k") for q in joints}
    forces |= {f"friction {q}": Damper(damper=q, coefficient="c") for q in joints}
    return System.of(
        name=f"tree with {n} branch{'es' * (n > 1)}",
        parameters={"m": 0.3, "l": 0.5, "g": 9.81, "k": 20, "c": 0.05} | ({"s": 0.5} if n > 1 else {}),
        bodies={f"branch{k}": rod for k in branches},
        joints=joints,
        forces=forces,
        start={"q1": "1/5"},
        run={"time": 5},
        notes=NOTES,
        facts={
            "dimension": n,
            "energy_conserved": False,
            "regular": True,
            "varying": {"trunk": "q1'"},
        },
    )
