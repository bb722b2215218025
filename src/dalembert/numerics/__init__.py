"""Motion: equations compiled to machine code, integrated by one of several engines behind one face.

==================  =========================================================================
file                what
==================  =========================================================================
``simulate``        equations, a start and a time give a trajectory with names
``problem``         what an engine is given and what it gives back
``engines``         the engines by name: native, scipy, taylor, stiff
``dop853``          the method of Dormand and Prince, compiled together with the equations
``compile``         from the graph to machine code
``codegen``         equations as source code: C99, JAX, CasADi, Julia
``late``            sums and products with what is known last added last, in both
``scheduling``      operations in an order that keeps a processor busy, in both
``ensemble``        thousands of motions at once, in lanes over all cores
``sweep``           grids and samples of motions, kept in a store
``geometric``       integrators of fixed step that keep a structure
``lie_groups``      reconstruction on matrix groups (Runge, Kutta, Munthe-Kaas)
``specialise``      equations with a value for every function, control and parameter
``forms``           in which form a motion is followed: independent velocities or saddle form
``few_operations``  the form that takes the fewest operations
``collecting``      the same for small systems: terms collected, so that what cancels is not computed
``start``           the state at the begin of a motion, from what the user says of it
``start_values``    what a start says, in numbers
``start_rows``      what a start has to meet, with its Jacobian
``start_search``    one start, found; or why there is none
``regular_start``   whether equations may be singular where a motion begins
``exact_start``     the same decided from the exact values that are given
``not_free``        which generators do not move a point, where a group is divided out
``wording``         what the names of a system mean in terms of equations
``words_in_use``    the same for equations with values, kept
``field``           the right-hand side as a function of numbers
``following``       a motion from begin to end, or to where its constraints lose rank
``closely``         the same with a look at steps: past poles and features that they do not see
``features``        pulses and wells that are narrower than a step
``stretches``       stretches of a motion as one
``rank``            the rank of the constraints along a motion
``losses``          losses of rank as a watch found them
``leaps``           over a loss of rank, where the velocity is continuous
``charts``          on in other variables, where those of the equations end
``recorded``        what an engine found, as a trajectory
``outcome``         how a motion can end, and the sentence for it
``events``          events by text
``crossings``       where an event happens within a step
``roots``           every zero of an expression along pieces of a motion; none is missed
``sampling``        zeros of something that has no bounds
``pieces``          steps as polynomials, and bounds along parts of them
``jets``            bounds of an expression and its derivatives: Taylor coefficients as balls
``models``          bounds over a whole step: Taylor models of second order
``sections``        Poincare sections
``linearise``       equilibria, exact Jacobians, eigenvalues, the flow along a motion
``lyapunov``        Lyapunov exponents
``state_manifold``  the manifold that states lie on, and its tangent directions
``windings``        how fast a motion on a torus winds, by its returns
``quadrature``      nodes and weights of Gauss and Radau
==================  =========================================================================
"""
