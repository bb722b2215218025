"""The verbs: one theorem, one file. A formalism exports ``check``, ``derive`` and ``CITES``; where to look for what:

==================  ==================================================================================================
euler-lagrange      ``euler_lagrange``, ``noether``, ``hamilton``, ``higher_order``; ``momentum`` for momentum maps
nonholonomic        ``lagrange_dalembert`` chooses: ``nonholonomic`` (linear, affine), ``nonlinear`` (any kind, on a
                    ``constraint_manifold``) or ``stated_field`` (given by [equations]); further roads
                    ``fundamental_form``, ``projection``, ``multipliers``; ``regularity``, ``integrable_part``;
                    the motion alone ``adapted_motion``, in other frames ``second_charts``
the field's         ``sode``, ``sode_*``, ``second_order``, ``covariant``; searches: ``findings`` over
geometry            ``first_integrals``, ``symmetries``, ``adjoint_symmetries``, ``alternative_lagrangians`` with
                    ``ansatz`` and ``determining``
reductions          ``principal_bundle`` (base and fibre), ``principal_reduction`` (constraints that meet the orbits)
chaplygin           ``chaplygin``, ``chaplygin_*``, ``gyroscopic``, ``upsilon``; connections ``affine``, ``affine_*``;
                    invariant measures ``measure``, ``measure_*``, ``hamiltonisation``, ``exponentials``
routh               ``routh``, ``routh_*``, ``wong``; back to the whole motion ``reconstruction``, ``reconstruction_*``
vakonomic           ``vakonomic``, ``vakonomic_*``, ``variational``, ``variations*``, ``saddle_point``
semisymplectic      ``semisymplectic``, ``semisymplectic_*``, ``canonical_projection``, ``cotangent_side``,
                    ``gauge_momenta``, ``subsystem*``, ``restricted_lagrangian``
for all             ``formalisms`` (the names), ``common``, ``vanishing`` (verdicts on many), ``vanishing_on`` (where
                    equations hold), ``shortening`` (formulas)
==================  ==================================================================================================
"""
