"""What nobody stated: symmetries, first integrals and invariant measures of a system, found and decided.

======================  =====================================================================================
file                    what
======================  =====================================================================================
``discover``            all of it, from the statement alone
``glance``              a short look, for pages that ask for more
``point_symmetries``    the symmetry algebra: xi^i d/dq^i + tau d/dt
``field_ansatz``        which fields are tried: harmonics of several angles, denominators
``structure``           what the algebra is, taken apart
``first_integrals``     first integrals that are polynomial in the speeds
``momenta``             momenta of the symmetries, which motions keep by Noether's theorem
``moving_energies``     the energy less the momentum of a symmetry of L (Fasso, Sansonetto)
``gauge_momenta``       linear integrals whose coefficients obey a linear differential equation
``brackets``            Poisson brackets of integrals, and the algebra they make
``densities``           invariant volumes: Gamma(ln rho) + div Gamma = 0
``position_densities``  densities that depend on position alone: decided by brackets (Kozlov)
``steady_traces``       no volume, by the trace at a steady motion
``measures``            what is known of invariant measures: found, absent, undecided
``algebra_measures``    measures on Lie algebras (Kozlov, Jovanovic, Zenkov and Bloch)
``integrability``       Euler and Jacobi, Liouville: by what integrals and measures say together
``tori``                the torus of a motion: angles, ratio of frequencies, Phi and actions by quadrature
``level_surfaces``      what integrals leave, as numbers, and closed curves on it
``poisson_structures``  Poisson structures of rank 2 by which reduced motions are Hamiltonian
``gauged_brackets``     brackets that a 2-form and a factor make Poisson's (Borisov and Mamaev, Garcia-Naranjo)
``variational``         whether motions are those of a Lagrangian that nobody stated
``alphabets``           which letters integrals are sought in, one choice after the other
``letters``             the functions that a search is made of: those that occur in the equations
======================  =====================================================================================
"""

from dalembert._front import front

__getattr__, __dir__ = front(__name__)
