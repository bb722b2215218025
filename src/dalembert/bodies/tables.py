"""The parts of a machine as they are stated: typed tables with the words of the model file.

Each is a dictionary, so that ``Joint(type="revolute", child="rod")`` and ``{"type": "revolute", "child": "rod"}`` are
the same, and both are what a model file has. Editors and type checkers know the keys; ``System.of`` takes them by name.
Keys that are words of Python are written in a dictionary: ``Frame({"turn": "q", "about": "y", "in": "carrier"})``.

>>> from dalembert import System, derive, tidy
>>> pendulum = System.of(
...     name="pendulum",
...     parameters={"m": 1, "l": 1, "g": 9.81, "c": 0.1},
...     bodies={"rod": Body(shape="rod", mass="m", length="l", axis="z", centre=[0, 0, "-l/2"])},
...     joints={"pin": Joint(type="revolute", child="rod", axis="y")},
...     forces={"weight": Gravity(gravity="g"), "oil": Damper(damper="pin", coefficient="c")},
... )
>>> tidy(derive(pendulum, "euler-lagrange").equations.rates()[pendulum.v[0]])
-3*c*pin'/(l^2*m) - 3*g*sin(pin)/(2*l)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Required, SupportsFloat, TypeAlias, TypedDict

from dalembert.expr.graph import Expr

Formula: TypeAlias = str | Expr | SupportsFloat
"""An expression: text, a graph, a number, or an expression of SymPy's, which is what can be asked for a float."""
Vector: TypeAlias = Sequence[Formula]
"""Three components."""
Axis: TypeAlias = Literal["x", "y", "z", "-x", "-y", "-z"] | Vector
Turn: TypeAlias = Sequence[Any]
"""An angle and an axis, ``["theta", "y"]``, or a quaternion of numbers, scalar first."""


class _In(TypedDict("_In", {"in": str}, total=False)):
    """What is given in the axes of a frame."""


class Frame(_In, total=False):
    """A frame that is turned from another one, ``in``, or from the ground: in one of four ways.

    >>> Frame({"turn": "psi", "about": "z", "in": "carrier"})["about"]
    'z'
    """

    turn: Formula
    about: Axis
    turns: Sequence[Turn]
    """Several turns, one after the other, each about an axis of the frame so far."""
    euler: str
    """Axes of Euler or Cardan angles, as ``zxz``."""
    angles: Sequence[Formula]
    rotation: str
    """A coordinate of the kind ``rotation``."""


class Point(TypedDict("_From", {"from": str, "in": str}, total=False)):
    """A point at an offset ``at`` from another one, ``from``, in the axes of a frame, ``in``.

    >>> Point({"from": "P", "at": [0, 0, "r"], "in": "carrier"})["at"]
    [0, 0, 'r']
    """

    at: Vector


class Body(TypedDict, total=False):
    """A rigid body: mass, centre and inertia, or a shape with a mass or a density.

    >>> Body(shape="disc", mass="m", radius="r", axis="y", centre="hub")["shape"]
    'disc'
    """

    mass: Formula
    density: Formula
    centre: str | Vector
    """A point, or the offset from where the body begins."""
    frame: str
    inertia: Sequence[Formula] | Sequence[Sequence[Formula]]
    """About the centre: ``[xx, yy, zz]``, ``[xx, yy, zz, xy, xz, yz]`` or the matrix."""
    turns: Sequence[Turn]
    """How the axes of the inertia are turned from those of the frame."""
    shape: Literal["sphere", "disc", "ring", "rod", "cylinder", "box", "ellipsoid"]
    axis: Axis
    radius: Formula
    length: Formula
    sides: Vector
    axes: Vector


class Joint(TypedDict, total=False):
    """A joint that places its child relative to its parent, or closes a loop where the child has a place already.

    >>> Joint(type="screw", child="spindle", axis="z", pitch="h")["type"]
    'screw'
    """

    type: Required[
        Literal[
            "revolute", "prismatic", "screw", "cylindrical", "universal", "spherical", "planar", "free", "rigid"
        ]
    ]  # fmt: skip
    parent: str
    child: Required[str]
    at: Vector
    """The place of the joint on the parent."""
    child_at: Vector
    axis: Axis
    second: Axis
    """The other axis of a universal joint."""
    coordinate: str | Sequence[str]
    """What its coordinates are called, if not as the joint."""
    pitch: Formula
    """The way of a screw for a full turn."""
    turns: Sequence[Turn]
    """How the child is fitted to the parent where the coordinates are zero."""


class Coupling(TypedDict, total=False):
    """A gear or a belt between two joints.

    >>> Coupling(type="gear", joints=["a", "b"], radii=[1, 2])["joints"]
    ['a', 'b']
    """

    type: Required[Literal["gear", "belt"]]
    joints: Required[Sequence[str]]
    ratio: Formula
    radii: Sequence[Formula]


class Surface(TypedDict, total=False):
    """A surface that a ball touches, in the axes of the frame ``on`` of the contact."""

    sphere: Formula
    cylinder: Formula
    body: str
    """Another ball, with its ``radius``."""
    parametrisation: Sequence[Formula]
    equation: str
    meridian: Sequence[Formula]
    side: Literal["inside", "outside", "above", "below"]
    axis: Axis
    radius: Formula


class Contact(TypedDict, total=False):
    """A contact of a body with a plane, or of a ball with a surface; the body is named by what touches.

    >>> Contact(wheel="rear", radius="r", axis="y", kind="rolling")["wheel"]
    'rear'
    """

    ball: str
    disc: str
    wheel: str
    ellipsoid: str
    convex: str
    blade: str
    support: Formula
    equation: str
    parametrisation: Sequence[Formula]
    radius: Formula
    axis: Axis
    axes: Vector
    centre: str
    on: str
    through: str
    normal: Axis
    at: str
    along: Axis
    kind: Literal["rolling", "rubber", "sliding"]
    surface: Surface
    one_sided: bool


class Gravity(TypedDict, total=False):
    """The weight of all bodies, or of those in ``on``, against z or along a vector."""

    gravity: Required[Formula | Vector]
    on: str | Sequence[str]


class Spring(TypedDict, total=False):
    """A spring between two points, or in a joint."""

    spring: Required[str | Sequence[str]]
    stiffness: Required[Formula]
    length: Formula
    """At which it is at rest."""


class Damper(TypedDict, total=False):
    """A damper between two points, in a joint, or in a contact that slides."""

    damper: Required[str | Sequence[str]]
    coefficient: Required[Formula]


class Force(_In, total=False):
    """A force at a point.

    >>> Force({"force": ["F", 0, 0], "at": "P", "in": "carrier"})["at"]
    'P'
    """

    force: Required[Vector]
    at: Required[str]


class Torque(_In, total=False):
    """A torque ``on`` a body, against another one; or that of a motor in a joint."""

    torque: Required[Formula | Vector]
    joint: str
    on: str
    against: str


class Friction(TypedDict, total=False):
    """Coulomb friction in a contact that slides, smoothed below a speed."""

    friction: Required[Formula]
    at: Required[str]
    regularisation: Required[Formula]


class Rayleigh(TypedDict, total=False):
    """A Rayleigh function of the velocities."""

    rayleigh: Required[Formula]


def keys_of(table: type[Any]) -> tuple[str, ...]:
    """Return the words that may stand in a table.

    >>> keys_of(Point)
    ('from', 'in', 'at')
    """
    return tuple(table.__annotations__)


Load: TypeAlias = Gravity | Spring | Damper | Force | Torque | Friction | Rayleigh
"""A force on parts of a machine."""
