"""Steady motions (relative equilibria) of every formalism: found, linearised modulo the symmetry, stability decided.

================================  ==================================================================================
file                              what
================================  ==================================================================================
``symmetries``                    fields on the state space that commute with the motion
``steady_field``                  F(z) = xi^a X_a(z), as expressions and as numbers
``families``                      solutions in closed form, with free parameters
``exact_linear_part``             the linear part of a family, and its characteristic polynomial
``conditions``                    inequalities on the parameters, freed of what is known and of what follows
``stability``                     spectral stability, decided (Hermite, Routh and Hurwitz)
``spectral_factors``              characteristic polynomials split into factors
``exact_thresholds``              where conditions hold along a label: thresholds as algebraic numbers
``conserved``                     energy, momenta and what else is constant, decided
``definite``                      quadratic forms: what it takes that one is definite
``energy_momentum``               stability by an augmented energy (Dirichlet, Routh, Simo, Lewis, Marsden, Patrick)
``nonholonomic_energy_momentum``  the same on leaves of transported momenta (Zenkov, Bloch, Marsden)
``lyapunov_malkin``               stability where all decays across the family; the dimension of the family
``search``                        solutions as numbers, curves of them, folds
``branch_points``                 where other curves pass, told from folds, and these followed
``guesses``                       what is held, and where the search begins
``existence``                     a proof that there is one near numbers (Krawczyk)
``recognised``                    families in closed form that are recognised in numbers
``second_order_form``             M q'' + C q' + K q = 0 on a family, by powers of its label
``linear_part``                   A, B, C and modes, as numbers
``laws``                          what spectra obey, as an audit: those of Hamiltonian motions are even
``floquet``                       multipliers of relatively periodic motions
``thresholds``                    where stability changes along a family
``decided_thresholds``            the same decided: algebraic numbers, each alone in a ball
``steady``                        all of it
================================  ==================================================================================
"""
