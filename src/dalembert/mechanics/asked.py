"""What each theorem asks for, and where that stands: said with every refusal.

A row is for a table of a statement (``"lagrangian"``, ``"[forces]"``), or for a kind of fault, which says more exactly
which hypothesis fails: a fault of the kind ``"time"`` in the Lagrangian is one of a system that is not autonomous, and
not of one that is not regular. Where the theorem holds and it is a formula that is missing, the row says that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dalembert.errors import Fault, HypothesisError

Asked = Mapping[str, str]


def _beyond(place: str, asked: str) -> str:
    """Return what is said where a theorem holds, and its formulas are written down for less."""
    return f"nothing that fails here ({place}); it is this program that asks for {asked}"


_CLOSED = "formulas in closed form"
_CHART = "coordinates of a chart"
_FRAME = "velocities that the group leaves alone, as stated or found"
_BASE = "coordinates of the quotient in closed form"

# -- Euler and Lagrange, Hamilton, Noether --------------------------------------------------------------------
_HAMILTON = "Hamilton's principle"
EULER_LAGRANGE: Asked = {
    "lagrangian": f"a Lagrangian ({_HAMILTON})",
    "regular": f"a Lagrangian that is regular in the highest derivatives ({_HAMILTON})",
    "order": _beyond(_HAMILTON, "a Lagrangian of order 1 beside rotations and directions"),
    **dict.fromkeys(
        ("[constraints]", "[holonomic]", "[virtual]"), f"variations that are free in all coordinates ({_HAMILTON})"
    ),
    "[algebra]": f"curves in a configuration space ({_HAMILTON})",
    "[speeds]": "speeds that are independent and affine in the velocities (Boltzmann, Hamel)",
    **dict.fromkeys(("[forces]", "force"), f"forces that are functions of the state ({_HAMILTON})"),
    **dict.fromkeys(("[coordinates]", "chart", "[symmetry]", "[bundle]"), f"fields and coordinates on Q ({_HAMILTON})"),
}
_LEGENDRE = "Legendre's transformation"
HAMILTON: Asked = {
    **EULER_LAGRANGE,
    "lagrangian": f"a Lagrangian on TQ, of order 1 ({_LEGENDRE})",
    "regular": f"a Lagrangian on TQ that is regular ({_LEGENDRE})",
    "order": f"a Lagrangian on TQ, of order 1 ({_LEGENDRE})",
}
MOMENTUM_MAP: Asked = {
    "lagrangian": "a Lagrangian on TQ, of order 1 (Noether's theorem)",
    "order": "a Lagrangian on TQ, of order 1 (Noether's theorem)",
    "[symmetry]": "generators of a group that acts on Q (Noether's theorem)",
}
GEOMETRY: Asked = {
    "lagrangian": "L = T - V with T a Riemannian or pseudo-Riemannian metric (Levi-Civita's theorem)",
    "[coordinates]": _beyond("Levi-Civita's theorem", "a frame of all velocities"),
    "[constraints]": "a distribution: constraints linear in the velocities (Cantrijn-Cortes-de Leon-Martin de Diego, "
    "section 4)",
}

# -- nonholonomic ---------------------------------------------------------------------------------------------
_SCS = "Sarlet-Cantrijn-Saunders, section"
_PATRICK = "Patrick, section"
NONHOLONOMIC: Asked = {
    "lagrangian": f"a Lagrangian of order 1 that is regular on the constraints ({_SCS} 5; {_PATRICK} 6)",
    "order": f"a Lagrangian on TQ, of order 1 ({_SCS} 5; {_PATRICK} 3)",
    "regular": f"a Lagrangian that is regular along the virtual displacements ({_SCS} 5; {_PATRICK} 6)",
    **dict.fromkeys(
        ("[constraints]", "[holonomic]", "[equations]"),
        f"constraints of maximal rank that leave some velocities free ({_SCS} 1; {_PATRICK} 6)",
    ),
    "some": f"a submanifold of the velocities, given by one constraint or more ({_SCS} 1)",
    "independent": f"constraints of maximal rank ({_SCS} 1; {_PATRICK} 6)",
    "directions": f"constraints that leave some velocities free ({_SCS} 1)",
    "linear": f"constraints that are affine in the velocities ({_SCS} 1)",
    "[virtual]": f"virtual displacements by as many independent forms as there are constraints ({_PATRICK} 6)",
    "force": _beyond(f"{_PATRICK} 3", "coordinates of a chart beside forces that are found with the motion"),
    **dict.fromkeys(("[forces]", "[symmetry]"), f"forces and fields on a space of positions ({_PATRICK} 3)"),
    "[speeds]": f"speeds that are independent on the constraints and affine in the velocities ({_SCS} 1)",
    **dict.fromkeys(
        ("[coordinates]", "chart", "[bundle]", "[algebra]", "[fibration]"),
        f"coordinates of a space of positions ({_SCS} 1)",
    ),
    "written": _beyond(f"{_SCS} 1", _CLOSED),
}
_PROJECTION = "Cantrijn-Cortes-de Leon-Martin de Diego, section 3"
PROJECTION: Asked = {
    "lagrangian": f"a Lagrangian of order 1 that is regular without the constraints ({_PROJECTION})",
    "regular": f"a Lagrangian of order 1 that is regular without the constraints ({_PROJECTION})",
    "[constraints]": f"constraints that are affine, admissible and compatible with L ({_PROJECTION})",
}
SECOND_ORDER: Asked = {
    "[equations]": f"a field of second order on the constraints ({_SCS} 2)",
    "[constraints]": f"a constraint for each coordinate without an acceleration, solved for its velocity ({_SCS} 1)",
    "[holonomic]": f"constraints that are solved for the dependent velocities ({_SCS} 1)",
    "[fibration]": f"a fibration whose dependent velocities the constraints give ({_SCS} 1)",
    "lagrangian": f"a field of second order on the constraints ({_SCS} 2)",
    "[coordinates]": _beyond(f"{_SCS} 2", _CHART),
}

# -- Chaplygin ------------------------------------------------------------------------------------------------
_CCLM = "Cantrijn-Cortes-de Leon-Martin de Diego, section"
CHAPLYGIN: Asked = {
    "lagrangian": f"a regular Lagrangian that the group leaves invariant ({_CCLM}s 2.2 and 3)",
    "order": f"a Lagrangian on TQ, of order 1 ({_CCLM} 2.2)",
    "time": f"a Lagrangian, constraints and forces that do not depend on time ({_CCLM} 2.2)",
    "regular": f"a reduced Lagrangian L* that is regular ({_CCLM} 3)",
    "natural": _beyond(f"{_CCLM} 3", "L = T - V beside rotations"),
    "[symmetry]": f"a free action that keeps L and the constraints, with orbits complementary to these ({_CCLM} 2)",
    "group": f"a group that acts on Q ({_CCLM} 2.1)",
    "action": f"a group that acts on Q alone, not on time ({_CCLM} 2.1)",
    "closure": f"generators of a Lie group, whose brackets are combinations of them with constants ({_CCLM} 2.1)",
    "invariant": f"L, constraints and forces that the group leaves invariant ({_CCLM} 2.2)",
    "complement": f"directions that complement the orbits: TQ is their direct sum ({_CCLM} 2.2)",
    "directions": f"a base Q/G, whose velocities the constraints lift ({_CCLM} 2.2)",
    "independent": f"constraints of constant rank, as many as the group has dimensions ({_CCLM} 2.2)",
    "base": _beyond(f"{_CCLM} 2.1", _BASE),
    "frame": _beyond(f"{_CCLM} 2.1", "a frame of the velocities, which a sphere of directions does not have"),
    "chart": _beyond(f"{_CCLM} 2.1", _CHART),
    "function": f"functions on Q, as entries of a rotation are, and components of its quaternion not ({_CCLM} 2.1)",
    "force": _beyond(f"{_CCLM} 3", "forces that are functions of the state"),
    "written": _beyond(f"{_CCLM} 3", _CLOSED),
    "[bundle]": f"coordinates of the principal bundle Q -> Q/G ({_CCLM} 2.1)",
    "[coordinates]": f"a principal bundle Q -> Q/G whose base is known ({_CCLM} 2.1)",
    "[forces]": f"a motion by L and the constraints alone, or forces that the group leaves invariant ({_CCLM} 3)",
    "[algebra]": f"a group that acts on a configuration space Q ({_CCLM} 2.1)",
    "[virtual]": f"virtual displacements that are those of the constraints ({_CCLM} 2.2)",
    "[speeds]": f"velocities of Q/G ({_CCLM} 2.1)",
    **dict.fromkeys(
        ("[constraints]", "[holonomic]", "some"),
        f"constraints that are the horizontal spaces of a principal connection on Q -> Q/G ({_CCLM} 2.2)",
    ),
}
HAMILTONISATION: Asked = {"dF": f"a function F on Q/G with dF ^ theta = Xi ({_CCLM} 7)"}

# -- reduction beside constraints -----------------------------------------------------------------------------
_BKMM = "Bloch-Krishnaprasad-Marsden-Murray, section"
REDUCED: Asked = {
    "lagrangian": f"a Lagrangian of order 1 that is regular on the allowed directions and invariant ({_BKMM} 2)",
    "order": f"a Lagrangian on TQ, of order 1 ({_BKMM} 2)",
    "regular": f"a kinetic energy that is regular on the allowed directions ({_BKMM} 2)",
    "[symmetry]": f"a group that acts freely on Q and leaves L, constraints and forces invariant ({_BKMM} 2)",
    "group": f"a group that acts on Q ({_BKMM} 2)",
    "action": f"a group that acts on Q alone, not on time ({_BKMM} 2)",
    "closure": f"generators of a Lie group, whose brackets are combinations of them with constants ({_BKMM} 2)",
    "invariant": f"L, constraints and forces that the group leaves invariant ({_BKMM} 2)",
    "free": f"a free action ({_BKMM} 2)",
    "base": _beyond(f"{_BKMM} 3", _BASE),
    "frame": _beyond(f"{_BKMM} 3", _FRAME),
    "written": _beyond(f"{_BKMM} 4", _CLOSED),
    "chart": _beyond(f"{_BKMM} 3", _CHART),
    "[constraints]": f"independent constraints that leave directions and meet orbits in constant rank ({_BKMM} 4)",
    "independent": f"constraints of constant rank, none of which follows from the others ({_BKMM} 2)",
    "directions": f"constraints that leave a direction to move in ({_BKMM} 2)",
    "[holonomic]": f"configurations that the group moves among themselves ({_BKMM} 2)",
    "[forces]": f"forces that the group leaves invariant ({_BKMM} 2)",
    "force": _beyond(f"{_BKMM} 2", "forces that are functions of the state"),
    "[virtual]": f"d'Alembert's principle, with the virtual displacements of the constraints ({_BKMM} 2)",
    "as many": f"d'Alembert's principle, with as many independent forms as constraints ({_BKMM} 2; {_PATRICK} 6)",
    "[coordinates]": f"velocities of Q/G that are known beside those along the orbits ({_BKMM} 3)",
    "[bundle]": f"coordinates of Q -> Q/G ({_BKMM} 3)",
    "[algebra]": "l on a Lie algebra, with constraints and forces by its velocities (Euler, Poincare, Suslov)",
    "algebra": "l on a Lie algebra alone, without a space on which its group acts (Euler, Poincare, Suslov)",
    "matrices": _beyond("Ado's theorem", "an adjoint group that is the group, or a name"),
    "function": f"functions on Q, as entries of a rotation are, and components of its quaternion not ({_BKMM} 2)",
    "[momentum]": f"a momentum that the constraints keep ({_BKMM} 4)",
    "[speeds]": f"velocities that the group leaves alone ({_BKMM} 3)",
}

# -- Routh ----------------------------------------------------------------------------------------------------
_CM = "Crampin-Mestdag, section"
ROUTH: Asked = {
    "lagrangian": f"a regular Lagrangian on TM, of order 1, with g_ab non-singular ({_CM}s II and III)",
    "order": f"a Lagrangian on TM, of order 1 ({_CM} II)",
    "regular": f"a Lagrangian that is regular, and with it the Routhian ({_CM}s II and III)",
    "level": f"g_ab non-singular, so that the momenta give the velocities along the group ({_CM} III)",
    "[symmetry]": f"a group that acts freely on M and leaves L invariant ({_CM} II)",
    "group": f"a group that acts on M ({_CM} II)",
    "action": f"a group that acts on M alone, not on time ({_CM} II)",
    "closure": f"generators of a Lie group, whose brackets are combinations of them with constants ({_CM} II)",
    "free": f"a free action ({_CM} II)",
    "invariant": f"a Lagrangian that the group leaves invariant ({_CM} II)",
    "cocycle": f"momenta that the group changes among themselves, by an affine action ({_CM} III)",
    "linear momenta": _beyond(f"{_CM} III", "momenta linear in the velocities, beside total derivatives"),
    "quadratic": _beyond(f"{_CM} III", "a Lagrangian that is quadratic in the velocities, beside rotations"),
    "base": _beyond(f"{_CM} II", _BASE),
    "chart": _beyond(f"{_CM} II", _CHART),
    "written": _beyond(f"{_CM} VI", _CLOSED),
    "force": f"the Euler-Lagrange equations of L alone, whose momenta are conserved ({_CM} II)",
    "[momentum]": f"a value of the momentum that is attained, so that N_mu is a submanifold ({_CM} III)",
    "[bundle]": f"coordinates adapted to M -> M/G, and a principal connection on it ({_CM}s II and VI)",
    "[coordinates]": f"generators that are known as fields on M ({_CM} II)",
    "[algebra]": f"a group that acts on a configuration space M ({_CM} II)",
    **dict.fromkeys(
        ("[constraints]", "[holonomic]", "[virtual]", "[forces]", "independent"),
        f"the Euler-Lagrange equations of L alone, whose momenta are conserved ({_CM} II)",
    ),
}
RECONSTRUCTION: Asked = {
    **ROUTH,
    "mechanical": f"a Hessian that is non-singular on g_mu ({_CM} V)",
    "[bundle]": f"coordinates in which G_mu moves the fibre alone ({_CM} VI)",
}
WONG: Asked = {
    "lagrangian": f"L = T - V with a metric that is constant and bi-invariant along the group ({_CM} VIII.A)",
    "[bundle]": f"the connection orthogonal to the orbits ({_CM} VIII.A)",
    "[symmetry]": f"a group with its invariant fields in the coordinates of a chart ({_CM} VIII.A)",
    "[coordinates]": f"a group with its invariant fields in the coordinates of a chart ({_CM} VIII.A)",
}

# -- vakonomic ------------------------------------------------------------------------------------------------
_GR = "Garcia-Rodrigo, section"
VAKONOMIC: Asked = {
    "lagrangian": f"a Lagrangian density on the jets, regular along the constraints ({_GR} 2)",
    "order": _beyond(f"{_GR} 2", "a Lagrangian of order 1 beside rotations"),
    "regular": f"a Lagrangian that is regular along the constraints ({_GR} 2)",
    "quadratic": _beyond(
        f"{_GR} 3", "L quadratic and constraints affine in the velocities, beside rotations or [algebra]"
    ),
    "[constraints]": f"constraints that are a submanifold of the jets, of constant rank along velocities ({_GR} 2)",
    "[holonomic]": f"constraints that are a submanifold of the jets, of constant rank along velocities ({_GR} 2)",
    "some": f"a submanifold of the jets, given by one constraint or more ({_GR} 2)",
    "independent": f"constraints of constant rank along velocities ({_GR} 2)",
    "directions": f"admissible curves that can be varied ({_GR} 1)",
    "[coordinates]": f"admissible curves and their variations in a fibred manifold ({_GR} 1)",
    "chart": _beyond(f"{_GR} 1", _CHART),
    "[forces]": f"critical curves of a Lagrangian, without forces ({_GR} 1)",
    "force": f"critical curves of a Lagrangian, without forces ({_GR} 1)",
    "[virtual]": f"variations that keep to the constraints, and no others ({_GR} 1)",
    "[start]": f"a state of the system without multipliers ({_GR} 2)",
    "[algebra]": f"a left-invariant problem with l regular along the constraints ({_GR} 3)",
    "algebra": f"a left-invariant problem, stated by its Lie algebra alone ({_GR} 3)",
    "beside": _beyond(f"{_GR} 3", "a problem on the Lie algebra alone, without other coordinates"),
    "[symmetry]": f"generators that leave L and the constraints invariant ({_GR} 3)",
    "[bundle]": f"a fibred manifold with coordinates ({_GR} 1)",
    "[speeds]": f"a fibred manifold with coordinates ({_GR} 1)",
    "written": _beyond(f"{_GR} 1", _CLOSED),
}
VARIATIONS: Asked = {
    **VAKONOMIC,
    "regular": f"a Lagrangian that is regular on the variations that are chosen ({_GR} 1)",
    "variations": f"a bundle of variations of admissible curves ({_GR} 1)",
}
ABNORMAL: Asked = {
    "the": f"an admissible curve along which the constraints have constant rank ({_GR} 2)",
    "[coordinates]": _beyond(f"{_GR} 2", _CHART),
    "[constraints]": "a distribution of rank 2, autonomous and linear in the velocities (Liu and Sussmann, section 2)",
}

# -- semi-symplectic ------------------------------------------------------------------------------------------
SEMISYMPLECTIC: Asked = {
    "lagrangian": f"a Lagrangian that is regular on the constraints ({_PATRICK} 3)",
    "order": f"a Lagrangian on TQ, of order 1 ({_PATRICK} 3)",
    "regular": f"a Lagrangian that is regular on the constraints ({_PATRICK}s 3 and 6)",
    "time": f"one manifold P with omega and K for all times (Definition 5.2; {_PATRICK} 5)",
    **dict.fromkeys(("[constraints]", "[holonomic]"), f"constraints of constant rank ({_PATRICK}s 3 and 6)"),
    "some": f"a distribution D that is less than TQ: without constraints omega is symplectic ({_PATRICK} 3)",
    "independent": f"constraints of constant rank ({_PATRICK}s 3 and 6)",
    "directions": f"a distribution D that is more than zero ({_PATRICK} 3)",
    "[symmetry]": f"a group that leaves L and the constraints invariant ({_PATRICK} 5.1), and to be reduced by it a "
    f"quotient by which K_R and its kernel are distributions ({_PATRICK} 5.2)",
    "group": f"a group that leaves L and the constraints invariant ({_PATRICK} 5.1)",
    "invariant": f"a Lagrangian that the group leaves invariant ({_PATRICK} 5.1)",
    "[forces]": f"forces on one manifold for all times, and to be reduced none: the motion is Y_H of a function H "
    f"({_PATRICK}s 5 and 5.2)",
    "force": _beyond(f"{_PATRICK} 5", "forces that are functions of the state"),
    "linear": _beyond(f"{_PATRICK} 6", "linear constraints beside rotations"),
    "positions": _beyond(f"{_PATRICK} 3", "free coordinates of Q beside rotations"),
    "subsystem": _beyond(f"{_PATRICK} 5", "coordinates of a chart beside [subsystem]"),
    "[virtual]": f"virtual displacements that are those of the constraints ({_PATRICK} 3)",
    "function": f"functions on Q, as entries of a rotation are, and components of its quaternion not ({_PATRICK} 3)",
    "[bundle]": f"coordinates of Q -> Q/G ({_PATRICK} 5.2)",
    "chart": _beyond(f"{_PATRICK} 3", _CHART),
    "written": _beyond(f"{_PATRICK} 6", _CLOSED),
    **dict.fromkeys(
        ("[coordinates]", "[algebra]", "[speeds]"), f"L and a distribution by coordinates of Q ({_PATRICK} 3)"
    ),
    **dict.fromkeys(("[bracket]", "[subsystem]"), f"a distribution with a regular form on it ({_PATRICK} 5)"),
    "section": f"a section of the algebra that lies in W, by symmetries of L and of the constraints ({_PATRICK} 5.1)",
}
_PLAIN = f"linear constraints with virtual displacements of their own, whose motion is Y_H ({_PATRICK}s 4.3 and 5)"
SEMISYMPLECTIC_REDUCTION: Asked = {
    **SEMISYMPLECTIC,
    "lagrangian": f"a Lagrangian of order 1 whose momenta have mu as a regular value ({_PATRICK} 5.2)",
    "[symmetry]": f"a group that leaves L and the constraints invariant ({_PATRICK} 5.1), and a quotient by which K_R "
    f"and its kernel are distributions ({_PATRICK} 5.2)",
    "action": f"a group that acts on Q alone, not on time ({_PATRICK} 5.1)",
    "closure": f"generators of a Lie group, whose brackets are combinations of them with constants ({_PATRICK} 5.1)",
    **dict.fromkeys(("[constraints]", "[holonomic]", "[virtual]", "linear"), _PLAIN),
    "[forces]": f"a motion Y_H of an invariant function H ({_PATRICK} 5.2)",
    "base": _beyond(f"{_PATRICK} 5.2", _BASE),
    "frame": _beyond(f"{_PATRICK} 5.2", _FRAME),
    **dict.fromkeys(("[bundle]", "[coordinates]"), f"a smooth quotient by the group ({_PATRICK} 5.2)"),
    **dict.fromkeys(
        ("datum", "momenta", "the"), f"a datum (H, n, mu) by symmetries, with mu a regular value ({_PATRICK} 5.2)"
    ),
}

# -- asked of what is derived ---------------------------------------------------------------------------------
_PONTRYAGIN = "Pontryagin's principle"
EXTREMALS: Asked = {
    "lagrangian": f"costates that give the velocities: L quadratic and constraints affine in these ({_PONTRYAGIN})",
    "natural": f"L quadratic in the velocities and autonomous, so that extremals have a length ({_PONTRYAGIN})",
    "order": f"a Lagrangian on TQ, of order 1 ({_PONTRYAGIN})",
    "[constraints]": f"constraints linear in the velocities that leave two free or more ({_PONTRYAGIN})",
    "size": _beyond(_PONTRYAGIN, "two or three free velocities, to draw"),
    "[coordinates]": _beyond(_PONTRYAGIN, "rotations or coordinates of a chart"),
    "the": f"a regular point or motion: independent constraints, a positive form, no abnormal extremal ({_PONTRYAGIN})",
}
PHASES: Asked = {"lagrangian": f"an autonomous Lagrangian, of which reduced motions are closed ({_CM} VI)"}
RELATIVE_EQUILIBRIA: Asked = {
    "lagrangian": "L = T - V that does not depend on time (Smale's amended potential)",
}
COMPARED: Asked = {"[coordinates]": _beyond(f"{_GR} 1", _CHART)}

_BY_NAME: Mapping[str, Asked] = {
    "euler-lagrange": EULER_LAGRANGE,
    "hamilton": HAMILTON,
    "momentum": MOMENTUM_MAP,
    "geometry": GEOMETRY,
    "nonholonomic": NONHOLONOMIC,
    "projection": PROJECTION,
    "second-order field": SECOND_ORDER,
    "chaplygin": CHAPLYGIN,
    "hamiltonisation": HAMILTONISATION,
    "reduced": REDUCED,
    "routh": ROUTH,
    "reconstruction": RECONSTRUCTION,
    "wong": WONG,
    "vakonomic": VAKONOMIC,
    "variations": VARIATIONS,
    "abnormal extremals": ABNORMAL,
    "semisymplectic": SEMISYMPLECTIC,
    "momentum equation": SEMISYMPLECTIC,
    "reduction": SEMISYMPLECTIC_REDUCTION,
    **dict.fromkeys(("wave fronts", "Maxwell times", "second variation"), EXTREMALS),
    "phases": PHASES,
    "relative equilibria": RELATIVE_EQUILIBRIA,
    "compare": COMPARED,
}


def refusal(name: str, faults: Iterable[Fault]) -> HypothesisError:
    """Return the refusal of a formalism, or of a theorem that is asked for apart, with the hypotheses that fail.

    >>> print(refusal("wong", [Fault("[bundle] connection", "it is another one")]))
    wong: [bundle] connection: it is another one. The theorem asks for the connection orthogonal to the orbits \
(Crampin-Mestdag, section VIII.A).
    """
    return HypothesisError(name, faults).asking(_BY_NAME.get(name, {}))
