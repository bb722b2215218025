"""The tree of any number of links."""

from __future__ import annotations

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
    rod = {"shape": "rod", "mass": "m", "length": "l", "axis": "z", "centre": [0, 0, "l/2"]}
    joints = {
        f"q{k}": {"type": "revolute", "child": f"branch{k}", "axis": "xy"[k % 2]}
        | ({"parent": f"branch{k // 2}", "at": [0, 0, "l"], "turns": [["s", "-x" if k % 2 else "x"]]} if k > 1 else {})
        for k in branches
    }
    return System.of(
        name=f"tree with {n} branch{'es' * (n > 1)}",
        parameters={"m": 0.3, "l": 0.5, "g": 9.81, "k": 20, "c": 0.05} | ({"s": 0.5} if n > 1 else {}),
        bodies={f"branch{k}": rod for k in branches},
        joints=joints,
        forces={"weight": {"gravity": "g"}}
        | {f"wood {q}": {"spring": q, "stiffness": "k"} for q in joints}
        | {f"friction {q}": {"damper": q, "coefficient": "c"} for q in joints},
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
