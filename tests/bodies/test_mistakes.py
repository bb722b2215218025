"""What somebody gets wrong who states a machine for the first time: each is one sentence, with its place."""

import pytest

from dalembert import System, derive
from dalembert.errors import HypothesisError, ModelError
from dalembert.model.files import loads

ROD = 'rod = { shape = "rod", mass = "m", length = 1, axis = "x", centre = [0.5, 0, 0] }'
PIN = 'pin = { type = "revolute", child = "rod", axis = "y" }'
WEIGHT = 'weight = { gravity = "g" }'
PENDULUM = f"""name = "pendulum"
[parameters]
m = 1
g = 9.81
[bodies]
{ROD}
[joints]
{PIN}
[forces]
{WEIGHT}
"""
AXES = "x, y, z, -x, -y, -z"


def but(old, new, more=""):
    assert old in PENDULUM
    return PENDULUM.replace(old, new) + more


def also(more):
    return PENDULUM + more


ANGLE = '[coordinates]\na = "angle"\n'
MISTAKES = [
    (
        but(ROD, 'rod = { shape = "rod", mass = "m", length = 1, frame = "lnk" }'),
        "line 6, [bodies] rod: 'lnk' is not a frame that is known here; known: ground, rod.",
    ),
    (
        also('[points]\nP = { from = "rod", at = [1, 0, 0], in = "rodd" }\n'),
        "line 12, [points] P: 'rodd' has no place; did you mean 'rod'?",
    ),
    (
        also(
            ANGLE + '[frames]\nA = { in = "B", turn = "a", about = "z" }\nB = { in = "A", turn = "a", about = "x" }\n'
        ),
        "line 14, [frames] A: these stand on each other in a circle: 'A' on 'B' on 'A'; begin one of them elsewhere.",
    ),
    (but(ROD, f"{ROD}\n{ROD}"), "line 7: column 82: this is not TOML: a key is stated twice."),
    (but('mass = "m"', "mass = -2"), "line 6, [bodies] rod.mass: a mass is not negative, and this is -2."),
    (but('mass = "m"', 'mass = "1 - 2*m"'), "line 6, [bodies] rod.mass: a mass is not negative, and this is -1."),
    (
        but(ROD, "rod = { mass = 1, inertia = [1, 1, 5] }"),
        (
            "line 6, [bodies] rod.inertia: this is the inertia of no body: its principal moments are 1, 1 and 5, "
            "and the largest is more than the others together."
        ),
    ),
    (
        but(ROD, "rod = { mass = 1, inertia = [1, 1, 1, 2, 0, 0] }"),
        (
            "line 6, [bodies] rod.inertia: this is the inertia of no body: its principal moments are -1, 1 and 3, "
            "and one is negative."
        ),
    ),
    (
        but(ROD, "rod = { mass = 1, inertia = [[1, 0.5, 0], [0.2, 1, 0], [0, 0, 1]] }"),
        (
            "line 6, [bodies] rod.inertia: an inertia is a symmetric matrix, and this is not; "
            "see which of two entries is meant."
        ),
    ),
    (
        but(ROD, "rod = { mass = 1, inertia = [1, 2] }"),
        (
            "line 6, [bodies] rod.inertia: an inertia has 3 or 6 entries, or is a matrix, and this one has 2; "
            "write [xx, yy, zz], [xx, yy, zz, xy, xz, yz] or a matrix."
        ),
    ),
    (but("length = 1", "length = -1"), "line 6, [bodies] rod.length: a length is positive, and this is -1."),
    (
        but('axis = "y"', "axis = [0, 0, 0]"),
        f"line 8, [joints] pin.axis: an axis of length 0 has no direction; write one of {AXES}, or a vector.",
    ),
    (
        but('axis = "y"', 'axis = ["pin", 1, 0]'),
        "line 8, [joints] pin.axis: 'pin' cannot stand in an axis; an axis stands still in its frame; turn the frame.",
    ),
    (
        but('axis = "y"', 'axis = "up"'),
        f"line 8, [joints] pin.axis: 'up' is not an axis; write one of {AXES}, or a vector.",
    ),
    (
        but('child = "rod"', 'parent = "wall", child = "rod"'),
        "line 8, [joints] pin: 'wall' has no place; state a joint, a frame or a point of that name.",
    ),
    (
        but('child = "rod"', 'child = "rood"'),
        "line 6, [bodies] rod: the body 'rod' has no place; the child of joint 'pin' is 'rood': did you mean 'rod'?",
    ),
    (
        but('child = "rod"', 'parent = "rod", child = "rod"'),
        "line 8, [joints] pin.child: this joint hangs a body on itself; the child is the body that the joint moves.",
    ),
    (
        but('"revolute"', '"revolut"'),
        "line 8, [joints] pin.type: 'revolut' is not a type of joint; did you mean 'revolute'?",
    ),
    (
        but(PIN, PIN + '\npin2 = { type = "revolute", child = "rod", axis = "z", at = [1, 0, 0] }'),
        (
            "line 9, [joints] pin2: it closes a loop that nothing moves: its two ends never meet; "
            "a body hangs on one joint."
        ),
    ),
    (
        also('[frames]\nA = { turn = "alpha", about = "z" }\n'),
        "line 12, [frames] A: column 1: unknown name 'alpha'.",
    ),
    (
        also(ANGLE + '[frames]\nA = { turn = "a" }\n'),
        "line 14, [frames] A: 'about' is missing beside turn; add about = ...",
    ),
    (
        also("[frames]\nA = { }\n"),
        "line 12, [frames] A: how this frame is turned is not said; state one of turn, turns, euler, rotation.",
    ),
    (
        but("centre = [0.5, 0, 0]", "centre = [0.5, 0]"),
        "line 6, [bodies] rod.centre: a vector has 3 components, and this one has 2; write [x, y, z].",
    ),
    (
        but('axis = "y"', 'axis = "y", at = "0.5, 0, 0"'),
        "line 8, [joints] pin.at: text stands where a vector is expected; write [x, y, z].",
    ),
    (
        but('axis = "y"', 'axis = "y", turns = [[90, "x"]]'),
        "line 8, [joints] pin.turns: an angle of 90 is more than a full turn; angles are in radians: pi/2, not 90.",
    ),
    (
        but(f"[joints]\n{PIN}", '[coordinates]\nx = "real"', '[contacts]\nc = { wheel = "rod", radius = 1 }\n'),
        (
            "line 6, [bodies] rod: the body 'rod' has no place; "
            "state a joint whose child it is, from which its centre is counted, or name a point as that."
        ),
    ),
    (
        also('[contacts]\nc = { wheel = "rod", axis = "y" }\n'),
        "line 12, [contacts] c: 'radius' is missing; add radius = ...",
    ),
    (
        also('[contacts]\nc = { blade = "rod" }\n'),
        (
            "line 12, [contacts] c: it forbids nothing: the machine cannot move so anyway; "
            "remove it, or see to its directions."
        ),
    ),
    (
        but('mass = "m"', 'mass = "m", inertia = [1, 1, 1]'),
        "line 6, [bodies] rod.inertia: a rod has its own inertia; leave out inertia, or shape.",
    ),
    (
        but("length = 1", "length = 1, radius = 2"),
        "line 6, [bodies] rod.radius: a rod has no radius; leave out radius, or shape.",
    ),
    (
        but("rod = {", '"r d" = {'),
        "line 6, [bodies] r d: 'r d' is not a name: it takes a letter, then letters, digits or '_', up to 60 in all.",
    ),
    (but(WEIGHT, "push = { force = [1, 0, 0] }"), "line 10, [forces] push: 'at' is missing; add at = ..."),
    (but(WEIGHT, 's = { spring = "pin" }'), "line 10, [forces] s: 'stiffness' is missing; add stiffness = ..."),
    (
        but(WEIGHT, 's = { spring = ["rod", "rod"], stiffness = 1 }'),
        "line 10, [forces] s: both of its ends are at 'rod'; name two different points.",
    ),
    (
        but(WEIGHT, 's = { spring = ["rod", [0, 0, 1]], stiffness = 1 }'),  # a raw fault of Python before
        (
            "line 10, [forces] s: a list stands where the name of a point is expected; "
            "state a point of its own in [points], and write its name here."
        ),
    ),
    (
        but(WEIGHT, 's = { force = [1, 0, 0], at = "rod", in = ["rod"] }'),
        (
            "line 10, [forces] s: a list stands where the name of a frame is expected; "
            "state a frame of its own in [frames], and write its name here."
        ),
    ),
    (  # what hangs on a joint that is wrong is not told again
        but(
            'axis = "y" }',
            'axis = "y", coordinate = ["a", "b"] }',
            '[points]\nend = { from = "rod", at = [1, 0, 0] }\n',
        ).replace(WEIGHT, WEIGHT + '\npull = { force = [1, 0, 0], at = "end" }'),
        "line 8, [joints] pin: a revolute joint has 1 coordinate; name as many in coordinate.",
    ),
    (
        but('child = "rod"', 'parent = "ramp", child = "rod"', '[frames]\nramp = { turn = 0.1, about = "y" }\n'),
        "line 8, [joints] pin: 'ramp' is a frame, and where it begins is not said; state a point of that name.",
    ),
    (
        but(PIN, PIN.replace('"y"', '"z"'), '[contacts]\nc = { wheel = "rod", axis = "z", radius = 1 }\n'),
        (
            "line 12, [contacts] c: a wheel touches with its rim, and this one always lies flat: "
            "its axis is the normal of the plane; see to its axis."
        ),
    ),
    (
        but(WEIGHT, 'motor = { torque = 1, joint = "pin", against = "rod" }'),  # left out in silence before
        "line 10, [forces] motor.against: the torque of a motor in a joint has no against; leave it out, or joint.",
    ),
    (  # a joint and a contact of one name
        but(
            PIN,
            PIN.replace("pin", "rod"),
            '[contacts]\nrod = { wheel = "rod", axis = "y", radius = 1, centre = "rod" }\n',
        ),
        ("line 12, [contacts] rod: the body never touches, however the machine moves; see where its centre is."),
    ),
    (
        but(PIN, PIN + '\ng = { type = "gear", joints = ["pin", "pan"] }'),
        "line 9, [joints] g: there is no joint 'pan' that moves; did you mean 'pin'?",
    ),
    (
        but(PIN, PIN + '\ng = { type = "gear", joints = ["pin", "pin"] }'),
        "line 9, [joints] g: a gear couples a joint with itself; name two joints.",
    ),
    *(
        (
            but(ROD, ROD + "\nbob = { mass = 1 }").replace(
                PIN,
                f'{PIN}\nrope = {{ type = "prismatic", child = "bob" }}\n'
                f'g = {{ type = "belt", joints = ["pin", "rope"], {more} }}',
            ),
            f"line 11, [joints] g: {said}",
        )
        for more, said in (
            ("radii = [1, 0]", "a radius of 0 couples nothing; give the radii of both."),
            ('radii = ["sin(1)^2 + cos(1)^2 - 1", 1]', "a radius of 0 couples nothing; give the radii of both."),
            ("ratio = 0", "a ratio of 0 couples nothing; give the speed of the first by that of the second."),
            ("radii = [1, 2], ratio = 2", "ratio and radii both say how fast these turn; keep one of them."),
        )
    ),
    (
        but(ROD, ROD + "\nbob = { mass = 1 }").replace(
            PIN, PIN + '\nrope = { type = "revolute", parent = "rod", child = "bob", coordinate = "pin" }'
        ),
        (
            "line 10, [joints] rope.coordinate: 'pin' is the coordinate of joint 'pin' already; "
            "name another one, and couple them by a gear or a belt."
        ),
    ),
    (
        also("[points]\nrod = [0, 0, 0]\n"),
        "line 8, [joints] pin: 'rod' is a point of [points] already, but no frame; leave out the point 'rod'.",
    ),
    (
        '[coordinates]\nx = "real"\n[bodies]\nbox = { shape = "sphere", mass = 1, radius = 1, centre = ["x", 0, 0] }\n',
        (
            "line 4, [bodies] box: the body 'box' has no place; "
            "state a joint whose child it is, from which its centre is counted, or name a point as that."
        ),
    ),
    (
        'lagrangian = "x\'^2/2"\n[coordinates]\nx = "real"\n[forces]\nweight = { gravity = 9.81 }\n',
        (
            "line 5, [forces] weight: this is a force on a body, and no bodies are stated; "
            "state [bodies], or a force on a coordinate as an expression."
        ),
    ),
]


@pytest.mark.parametrize(("text", "sentence"), MISTAKES, ids=map(str, range(len(MISTAKES))))
def test_a_mistake_is_one_sentence_with_its_place(text, sentence):
    with pytest.raises(ModelError) as refused:
        loads(text)
    assert str(refused.value) == sentence


def test_a_structure_is_refused_in_words():
    """Two links whose end is pinned too: as many conditions as it has coordinates, a raw fault of an index before."""
    rods = {name: {"shape": "rod", "mass": 1, "length": 1, "axis": "x"} for name in ("thigh", "shank")}
    pin = {"type": "revolute", "axis": "y"}
    joints = {
        "hip": pin | {"child": "thigh", "at": ["-1/2", 0, 0]},
        "knee": pin | {"parent": "thigh", "child": "shank", "at": ["1/2", 0, 0]},
        "foot": pin | {"child": "shank", "at": [1, 0, 0], "child_at": ["1/2", 0, 0]},
    }
    braced = System.of(name="braced", bodies=rods, joints=joints)
    with pytest.raises(HypothesisError, match="leave no direction to move in; the machine is a structure"):
        derive(braced, "nonholonomic")
    with pytest.raises(HypothesisError, match="leave no direction to move in"):
        derive(
            System.of(name="held", coordinates="x", lagrangian="x'^2/2", constraints={"hold": "x' = 1"}), "nonholonomic"
        )


def test_what_is_right_is_not_refused():
    pendulum = loads(PENDULUM)
    assert list(pendulum.q) == [pendulum.vocabulary["pin"]]
    hung = but(WEIGHT, 'weight = { gravity = "g", on = "rod" }')  # one name, as well as a list
    assert loads(hung) == pendulum
    plate = but(ROD, "rod = { mass = 1, inertia = [0.1667, 0.1667, 0.3335], centre = [0.5, 0, 0] }")  # rounded
    assert loads(plate).lagrangian is not None
