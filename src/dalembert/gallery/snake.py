"""The snake with any number of links, by its parts."""

from __future__ import annotations

from dalembert.bodies.tables import Body, Contact, Damper, Joint, Load, Spring, Torque
from dalembert.model.system import System

SIZE = 4
NOTES = """\
A snake of n rods in a chain with muscles in its joints and wheels under the middle of each: it winds itself forward.

Each joint has a torque that goes to and fro, one after the other along the body, and a spring that straightens it.
Wheels do not slip sideways. It is the wheeled snake of the gallery with something that drives it, by its parts.
Source: S. Hirose, Biologically Inspired Robots, Oxford University Press (1993).
"""


def system(n: int = SIZE) -> System:
    """Return the snake with n links.

    >>> [q.data.name for q in system(3).q]
    ['x', 'y', 'heading', 'joint2', 'joint3']
    """
    links = range(1, n + 1)
    joints = {k: f"joint{k}" for k in links if k > 1}
    rod = Body(shape="rod", mass="m", length="2*l", axis="x")
    forces: dict[str, Load] = {
        f"muscle{k}": Torque(torque=f"A*sin(w*t - {k})", joint=joint) for k, joint in joints.items()
    }
    forces |= {f"spring{k}": Spring(spring=joint, stiffness="k") for k, joint in joints.items()}
    forces |= {f"oil{k}": Damper(damper=joint, coefficient="c") for k, joint in joints.items()}
    return System.of(
        name=f"snake with {n} link{'s' * (n > 1)}",
        source="S. Hirose, Biologically Inspired Robots (1993)",
        parameters={"m": 1, "l": 0.5} | ({"k": 3, "c": 0.5, "A": 2, "w": 3} if n > 1 else {}),
        bodies={f"link{k}": rod for k in links},
        joints={"ground": Joint(type="planar", child="link1", coordinate=["x", "y", "heading"])}
        | {
            joints[k]: Joint(
                type="revolute", parent=f"link{k - 1}", child=f"link{k}", at=["-l", 0, 0], child_at=["l", 0, 0]
            )
            for k in joints
        },
        contacts={f"wheels{k}": Contact(blade=f"link{k}") for k in links},
        forces=forces,
        symmetry={"e1": {"x": 1}, "e2": {"y": 1}, "e3": {"x": "-y", "y": "x", "heading": 1}},
        start={joint: f"{(-1) ** k}/2" for k, joint in joints.items()} | {"heading": 0, "x'": 0.5},
        run={"time": 10},
        notes=NOTES,
        facts={
            "dimension": n + 2,
            "energy_conserved": n == 1,
            "regular": True,
            "symmetries": dict.fromkeys(("e1", "e2", "e3"), "symmetry"),
            "algebra": "se(2)",
            "constraints": {f"wheels{k} does not slip": "linear" for k in links},
            "growth": {1: (2, 3), 2: (2, 3, 4), 3: (2, 3, 5), 4: (2, 3, 5, 6)}.get(n, ()),
            "holonomic": False,
            "varying": {"x": "x'"},
        },
    )
