"""The car with any number of trailers."""

from __future__ import annotations

from typing import Any

from dalembert.model.system import System

SIZE = 3
NOTES = """\
A car with n trailers, seen from above and stated by its parts: bodies, hitches, and axles that do not slip sideways.

The car has its origin in the middle of the rear axle, and a steered front axle ahead of it; the k-th trailer hangs on
the middle of the axle before it, with its own axle at a distance d behind. The engine pushes the car with a constant
force against the drag of the air; steering is held by a spring.
Source: O. Sordalen, Conversion of the kinematics of a car with n trailers into a chained form, IEEE Conf. Robotics and
Automation (1993).
"""


def system(n: int = SIZE) -> System:
    """Return the car with n trailers.

    >>> [q.data.name for q in system(2).q]
    ['x', 'y', 'heading', 'steer', 'hitch1', 'hitch2']
    """
    trailers = range(1, n + 1)
    axles = ("car", "front", *(f"trailer{k}" for k in trailers))
    bodies: dict[str, Any] = {
        "car": {"shape": "box", "mass": "m", "sides": [3.5, 1.6, 0.5], "centre": ["l/2", 0, 0]},
        "front": {"shape": "rod", "mass": 40, "length": 1.5, "axis": "y"},
    }
    joints: dict[str, Any] = {
        "road": {"type": "planar", "child": "car", "coordinate": ["x", "y", "heading"]},
        "steer": {"type": "revolute", "parent": "car", "child": "front", "at": ["l", 0, 0], "axis": "z"},
    }
    for k in trailers:
        bodies[f"trailer{k}"] = {"shape": "box", "mass": "M", "sides": [2, 1.4, 0.5]}
        before = "car" if k == 1 else f"trailer{k - 1}"
        joints[f"hitch{k}"] = {"type": "revolute", "parent": before, "child": f"trailer{k}", "child_at": ["d", 0, 0]}
    forces: dict[str, Any] = {
        "engine": {"force": ["F", 0, 0], "at": "car", "in": "car"},
        "air": {"rayleigh": "f*(x'^2 + y'^2)/2"},
        "springs": {"spring": "steer", "stiffness": "k"},
        "oil": {"damper": "steer", "coefficient": "c"},
    }
    return System.of(
        name=f"car with {n} trailer{'s' * (n > 1)}",
        source="O. Sordalen, IEEE Conf. Robotics and Automation (1993)",
        parameters={"m": 900, "M": 300, "l": 2.5, "d": 3, "k": 400, "c": 200, "F": 500, "f": 50},
        bodies=bodies,
        joints=joints,
        contacts={name: {"blade": name, "at": name} for name in axles},
        forces=forces,
        symmetry={"e1": {"x": 1}, "e2": {"y": 1}, "e3": {"x": "-y", "y": "x", "heading": 1}},
        start={"steer": 0.3, "heading": 0} | {f"hitch{k}": "-1/10" for k in trailers} | {"x'": 3},
        run={"time": 20},
        notes=NOTES,
        facts={
            "dimension": n + 4,
            "energy_conserved": False,
            "regular": True,
            "symmetries": dict.fromkeys(("e1", "e2", "e3"), "symmetry"),
            "algebra": "se(2)",
            "constraints": {f"{name} does not slip": "linear" for name in axles},
            "growth": tuple(range(2, n + 5)) if n <= SIZE else (),  # Goursat's
            "holonomic": False,
            "varying": {"steering": "steer'"},
        },
    )
