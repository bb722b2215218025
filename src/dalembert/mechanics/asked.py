"""What each theorem asks for, and where that stands: said with every refusal.

A table has the places of a paper, and under each what is asked for there, by name: that of a table of a statement
(``lagrangian``, ``[forces]``), or a kind of fault, which says more exactly which hypothesis fails. A fault of the kind
``time`` in the Lagrangian is one of a system that is not autonomous, and not of one that is not regular. Under a place
with ``beyond`` before it stands what this program asks for where the theorem holds, and its formulas are for less.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dalembert.errors import Fault, HypothesisError

Asked = Mapping[str, str]


def _rows(table: str) -> dict[str, str]:
    """Return the sentences of a table by name.

    >>> _rows("Euler, section 2" + chr(10) + "    time, order: something regular")["order"]
    'something regular (Euler, section 2)'
    """
    rows: dict[str, str] = {}
    form = ""
    for line in table.strip().replace("\n        ", " ").splitlines():
        if line.startswith(" "):
            names, said = line.strip().split(": ", 1)
            rows |= dict.fromkeys(names.split(", "), form.format(said))
        elif line.startswith("beyond "):
            place = line.removeprefix("beyond ")
            form = f"nothing that fails here ({place}); it is this program that asks for {{}}"
        else:
            form = f"{{}} ({line})"
    return rows


# -- Euler and Lagrange, Hamilton, Noether --------------------------------------------------------------------
EULER_LAGRANGE = _rows("""
Hamilton's principle
    lagrangian: a Lagrangian
    regular: a Lagrangian that is regular in the highest derivatives
    [constraints], [holonomic], [virtual]: variations that are free in all coordinates
    [algebra]: curves in a configuration space
    [forces], force: forces that are functions of the state
    [coordinates], chart, [symmetry], [bundle]: fields and coordinates on Q
Boltzmann, Hamel
    [speeds]: speeds that are independent and affine in the velocities
beyond Hamilton's principle
    order: a Lagrangian of order 1 beside rotations and directions
""")
HAMILTON = EULER_LAGRANGE | _rows("""
Legendre's transformation
    lagrangian, order: a Lagrangian on TQ, of order 1
    regular: a Lagrangian on TQ that is regular
""")
MOMENTUM_MAP = _rows("""
Noether's theorem
    lagrangian, order: a Lagrangian on TQ, of order 1
    [symmetry]: generators of a group that acts on Q
""")
GEOMETRY = _rows("""
Levi-Civita's theorem
    lagrangian: L = T - V with T a Riemannian or pseudo-Riemannian metric
Cantrijn-Cortes-de Leon-Martin de Diego, section 4
    [constraints]: a distribution: constraints linear in the velocities
""")

# -- nonholonomic ---------------------------------------------------------------------------------------------
NONHOLONOMIC = _rows("""
Sarlet-Cantrijn-Saunders, section 5; Patrick, section 6
    lagrangian: a Lagrangian of order 1 that is regular on the constraints
    regular: a Lagrangian that is regular along the virtual displacements
Sarlet-Cantrijn-Saunders, section 5; Patrick, section 3
    order: a Lagrangian on TQ, of order 1
Sarlet-Cantrijn-Saunders, section 1; Patrick, section 6
    [constraints], [holonomic], [equations]: constraints of maximal rank that leave some velocities free
    independent: constraints of maximal rank
Sarlet-Cantrijn-Saunders, section 1
    some: a submanifold of the velocities, given by one constraint or more
    directions: constraints that leave some velocities free
    linear: constraints that are affine in the velocities
    [coordinates], chart, [bundle], [algebra], [fibration]: coordinates of a space of positions
Patrick, section 6
    [virtual]: virtual displacements by as many independent forms as there are constraints
d'Alembert's principle
    [forces], [symmetry]: forces and fields on a space of positions
Boltzmann, Hamel
    [speeds]: speeds that are independent on the constraints and affine in the velocities
beyond d'Alembert's principle
    force: coordinates of a chart beside forces that are found with the motion
beyond Sarlet-Cantrijn-Saunders, section 1
    written: formulas in closed form
""")
PROJECTION = _rows("""
Cantrijn-Cortes-de Leon-Martin de Diego, section 3
    lagrangian, regular: a Lagrangian of order 1 that is regular without the constraints
    [constraints]: constraints that are admissible and compatible with L, there linear in the velocities and here affine
""")
SECOND_ORDER = _rows("""
Sarlet-Cantrijn-Saunders, section 1
    [constraints]: a constraint for each coordinate without an acceleration, solved for its velocity
    [holonomic]: constraints that are solved for the dependent velocities
Sarlet-Cantrijn-Saunders, section 2
    [equations], lagrangian: a field of second order on the constraints
    [fibration]: a fibration whose dependent velocities the constraints give
beyond Sarlet-Cantrijn-Saunders, section 2
    [coordinates]: coordinates of a chart
""")

# -- Chaplygin ------------------------------------------------------------------------------------------------
CHAPLYGIN = _rows("""
Cantrijn-Cortes-de Leon-Martin de Diego, section 1
    time: a Lagrangian, constraints and forces that do not depend on time
Cantrijn-Cortes-de Leon-Martin de Diego, section 2
    [symmetry]: a free action that keeps L and the constraints, with orbits complementary to these
Cantrijn-Cortes-de Leon-Martin de Diego, section 2.1
    group: a group that acts on Q
    action: a group that acts on Q alone, not on time
    closure: generators of a Lie group, whose brackets are combinations of them with constants
    function: functions on Q, as entries of a rotation are, and components of its quaternion not
    [bundle]: coordinates of the principal bundle Q -> Q/G
    [coordinates]: a principal bundle Q -> Q/G whose base is known
    [algebra]: a group that acts on a configuration space Q
    [speeds]: velocities of Q/G
Cantrijn-Cortes-de Leon-Martin de Diego, section 2.2
    lagrangian: a regular Lagrangian that the group leaves invariant
    order: a Lagrangian on TQ, of order 1
    invariant: L, constraints and forces that the group leaves invariant
    complement: directions that complement the orbits: TQ is their direct sum
    directions: a base Q/G, whose velocities the constraints lift
    independent: constraints of constant rank, as many as the group has dimensions
    [virtual]: virtual displacements that are those of the constraints
    [constraints], [holonomic], some: constraints that are the horizontal spaces of a principal connection on Q -> Q/G
Cantrijn-Cortes-de Leon-Martin de Diego, section 3
    [forces]: a motion by L and the constraints alone, or forces that the group leaves invariant
Cantrijn-Cortes-de Leon-Martin de Diego, section 3.1
    regular: a reduced Lagrangian L* that is regular
beyond Cantrijn-Cortes-de Leon-Martin de Diego, section 2.1
    base: coordinates of the quotient in closed form
    frame: a frame of the velocities, which a sphere of directions does not have
    chart: coordinates of a chart
beyond Cantrijn-Cortes-de Leon-Martin de Diego, section 3
    natural: L = T - V beside rotations
    force: forces that are functions of the state
    written: formulas in closed form
""")
HAMILTONISATION = _rows("""
Cantrijn-Cortes-de Leon-Martin de Diego, section 7.1
    dF: a function F on Q/G with dF ^ theta = Xi
""")

# -- reduction beside constraints -----------------------------------------------------------------------------
REDUCED = _rows("""
Bloch-Krishnaprasad-Marsden-Murray
    group: a group that acts on Q
    action: a group that acts on Q alone, not on time
    closure: generators of a Lie group, whose brackets are combinations of them with constants
    lagrangian: a Lagrangian of order 1 that is regular on the allowed directions and invariant
    order: a Lagrangian on TQ, of order 1
    regular: a kinetic energy that is regular on the allowed directions
    [symmetry]: a group that acts freely on Q and leaves L, constraints and forces invariant
    invariant: L, constraints and forces that the group leaves invariant
    free: a free action
    independent: constraints of constant rank, none of which follows from the others
    directions: constraints that leave a direction to move in
    [holonomic]: configurations that the group moves among themselves
    [forces]: forces that the group leaves invariant
    [virtual]: d'Alembert's principle, with the virtual displacements of the constraints
    function: functions on Q, as entries of a rotation are, and components of its quaternion not
    [coordinates]: velocities of Q/G that are known beside those along the orbits
    [bundle]: coordinates of Q -> Q/G
    [speeds]: velocities that the group leaves alone
    [constraints]: independent constraints that leave directions and meet orbits in constant rank
    [momentum]: a momentum that the constraints keep
Bloch-Krishnaprasad-Marsden-Murray; Patrick, section 6
    as many: d'Alembert's principle, with as many independent forms as constraints
Euler, Poincare, Suslov
    [algebra]: l on a Lie algebra, with constraints and forces by its velocities
    algebra: l on a Lie algebra alone, without a space on which its group acts
beyond Bloch-Krishnaprasad-Marsden-Murray
    force: forces that are functions of the state
    base: coordinates of the quotient in closed form
    frame: velocities that the group leaves alone, as stated or found
    chart: coordinates of a chart
    written: formulas in closed form
beyond Ado's theorem
    matrices: an adjoint group that is the group, or a name
""")

# -- Routh ----------------------------------------------------------------------------------------------------
ROUTH = _rows("""
Crampin-Mestdag, section II
    group: a group that acts on M
    action: a group that acts on M alone, not on time
    closure: generators of a Lie group, whose brackets are combinations of them with constants
    free: a free action
    [coordinates]: generators that are known as fields on M
    [algebra]: a group that acts on a configuration space M
Crampin-Mestdag, sections II and III
    [symmetry]: a group that acts freely on M and leaves L invariant
Crampin-Mestdag, section III
    lagrangian: a regular Lagrangian on TM, of order 1, with g_ab non-singular
    order: a Lagrangian on TM, of order 1
    regular: a Lagrangian that is regular, and with it the Routhian
    level: g_ab non-singular, so that the momenta give the velocities along the group
    invariant: a Lagrangian that the group leaves invariant
    cocycle: momenta that the group changes among themselves, by an affine action
    [momentum]: a value of the momentum that is attained, so that N_mu is a submanifold
    [constraints], [holonomic], [virtual], [forces], force, independent: the Euler-Lagrange equations of L alone,
        whose momenta are conserved
Crampin-Mestdag, sections II and VI
    [bundle]: coordinates adapted to M -> M/G, and a principal connection on it
beyond Crampin-Mestdag, section II
    base: coordinates of the quotient in closed form
    chart: coordinates of a chart
beyond Crampin-Mestdag, section III
    linear momenta: momenta linear in the velocities, beside total derivatives
    quadratic: a Lagrangian that is quadratic in the velocities, beside rotations
beyond Crampin-Mestdag, section VI
    written: formulas in closed form
""")
RECONSTRUCTION = ROUTH | _rows("""
Crampin-Mestdag, section V
    mechanical: a Hessian that is non-singular on g_mu
Crampin-Mestdag, section VI
    [bundle]: coordinates in which G_mu moves the fibre alone
""")
WONG = _rows("""
Crampin-Mestdag, section VIII.A
    lagrangian: L = T - V with a metric that is constant and bi-invariant along the group
    [bundle]: the connection orthogonal to the orbits
    [symmetry], [coordinates]: a group with its invariant fields in the coordinates of a chart
""")

# -- vakonomic ------------------------------------------------------------------------------------------------
VAKONOMIC = _rows("""
Garcia-Rodrigo, section 1
    lagrangian: a Lagrangian, a function of time, positions and their derivatives
    [bundle], [speeds]: a manifold with coordinates
Garcia-Rodrigo, section 2
    [constraints], [holonomic]: a submanifold of TM, or of TM and time, of constant rank along velocities
    some: a submanifold of TM, or of TM and time, given by one constraint or more
    independent: constraints of constant rank along velocities
    directions: admissible curves that can be varied
    [coordinates]: admissible curves in a manifold, and their variations
    [forces], force: critical curves of a Lagrangian, without forces
    [virtual]: variations that keep to the constraints, and no others
    [start]: a state of the system without multipliers
Garcia-Rodrigo, section 3
    [symmetry]: generators that leave L and the constraints invariant
Lie-Poisson reduction
    [algebra]: a left-invariant problem with l regular along the constraints
    algebra: a left-invariant problem, stated by its Lie algebra alone
beyond Garcia-Rodrigo, section 2
    order: a Lagrangian of order 1 beside rotations
    regular: a Lagrangian that is regular along the constraints, so that its equations give the accelerations
    quadratic: L quadratic and constraints affine in the velocities, on an [algebra]
    chart: coordinates of a chart
    written: formulas in closed form
beyond Lie-Poisson reduction
    beside: a problem on the Lie algebra alone, without other coordinates
""")
VARIATIONS = VAKONOMIC | _rows("""
Garcia-Rodrigo, section 2
    variations: a space of variations of admissible curves
beyond Garcia-Rodrigo, section 2
    regular: a Lagrangian that is regular on the variations that are chosen
""")
ABNORMAL = _rows("""
Garcia-Rodrigo, section 2
    the: an admissible curve along which the constraints have constant rank
Liu and Sussmann
    [constraints]: a distribution of rank 2, autonomous and linear in the velocities
beyond Garcia-Rodrigo, section 2
    [coordinates]: coordinates of a chart
""")

# -- semi-symplectic ------------------------------------------------------------------------------------------
SEMISYMPLECTIC = _rows("""
Patrick, section 3
    lagrangian: a Lagrangian that is regular on the constraints
    order: a Lagrangian on TQ, of order 1
    directions: a distribution D that is more than zero
    [virtual]: virtual displacements that are those of the constraints
    function: functions on Q, as entries of a rotation are, and components of its quaternion not
    [coordinates], [algebra], [speeds]: L and a distribution by coordinates of Q
Patrick, sections 3 and 6
    regular: a Lagrangian that is regular on the constraints
    [constraints], [holonomic], independent: constraints of constant rank
Patrick, section 4.1
    group: a group that leaves L and the constraints invariant
    invariant: a Lagrangian that the group leaves invariant
Patrick, sections 4.1 and 5.2
    [symmetry]: a group that leaves L and the constraints invariant, and to be reduced by it a quotient by which K_R and
        its kernel are distributions
Patrick, section 5
    [bracket], [subsystem]: a distribution with a regular form on it
Definition 5.1; Patrick, section 5
    time: one manifold P with omega and K for all times
Patrick, section 5.1
    section: a section of the algebra that lies in W, by symmetries of L and of the constraints
Patrick, section 5.2
    [bundle]: coordinates of Q -> Q/G
Patrick, sections 5 and 5.2
    [forces]: forces on one manifold for all times, and to be reduced none: the motion is Y_H of a function H
beyond Patrick, section 3
    some: constraints, for without them omega is symplectic
    chart: coordinates of a chart
beyond Patrick, section 5
    force: forces that are functions of the state
    subsystem: coordinates of a chart beside [subsystem]
beyond Patrick, section 6
    written: formulas in closed form
""")
SEMISYMPLECTIC_REDUCTION = SEMISYMPLECTIC | _rows("""
Patrick, sections 4.3 and 5
    [constraints], [holonomic], [virtual], linear: linear constraints with virtual displacements of their own,
        whose motion is Y_H
Patrick, sections 4.1 and 5.2
    [symmetry]: a group that leaves L and the constraints invariant, and a quotient by which K_R and its kernel are
        distributions
Patrick, section 5.1
    action: a group that acts on Q alone, not on time
    closure: generators of a Lie group, whose brackets are combinations of them with constants
Patrick, section 5.2
    lagrangian: a Lagrangian of order 1 whose momenta have mu as a regular value
    [forces]: a motion Y_H of an invariant function H
    [bundle], [coordinates]: a smooth quotient by the group
    datum, momenta, the: a datum (H, n, mu) by symmetries, with mu a regular value
beyond Patrick, section 5.2
    base: coordinates of the quotient in closed form
    frame: velocities that the group leaves alone, as stated or found
""")

# -- asked of what is derived ---------------------------------------------------------------------------------
EXTREMALS = _rows("""
Pontryagin's principle
    lagrangian: costates that give the velocities: L quadratic and constraints affine in these
    natural: L quadratic in the velocities and autonomous, so that extremals have a length
    order: a Lagrangian on TQ, of order 1
    [constraints]: constraints linear in the velocities that leave two free or more
    the: a regular point or motion: independent constraints, a positive form, no abnormal extremal
beyond Pontryagin's principle
    size: two or three free velocities, to draw
    [coordinates]: rotations or coordinates of a chart
""")
PHASES = _rows("""
Marsden, Montgomery, Ratiu
    lagrangian: an autonomous Lagrangian, of which reduced motions are closed
""")
RELATIVE_EQUILIBRIA = _rows("""
Smale's amended potential
    lagrangian: L = T - V that does not depend on time
""")
COMPARED = _rows("""
beyond Garcia-Rodrigo, section 2
    [coordinates]: coordinates of a chart
""")

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
