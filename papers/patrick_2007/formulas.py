"""Every displayed formula of the paper, in order; the tests stand beside this list."""

from papers.record import AS_DEFINED, DATA, Formula, definition, misprint, not_checked, reproduced, stated

_CURVES = "about sets of curves; what follows from it at a point is Lemma 2.1, which is tested"

SOURCES = {
    "test_four_ways_to_be_involutive": "geometry/tangent_bundle.py:flip_invariant",
    "test_flows_that_keep_a_distribution": "geometry/tangent_bundle.py:flow_keeps",
    "test_a_product_is_symplectic_on_its_holonomic_part": "mechanics/semisymplectic/subsystems.py:ideal",
    "test_an_ideal_is_moved_symplectically": "mechanics/semisymplectic/subsystems.py:ideal",
    "test_the_first_variation": "mechanics/lagrangian/jets.py:euler_operators",
    "test_delta_L_in_coordinates": "mechanics/lagrangian/jets.py:euler_operators",
    "test_curves_in_the_distribution": "geometry/tangent_bundle.py:tangent_distribution",
    "test_the_flip_of_D_hat": "geometry/tangent_bundle.py:flip_invariant",
    "test_the_bracket_of_fields_in_D": "geometry/distributions.py:Distribution.leaving",
    "test_the_equations_of_motion_on_D": "geometry/frames.py:projected",
    "test_the_momentum_equation": "mechanics/semisymplectic/symmetry.py:semisymplectic_symmetry",
    "test_orphaned_integrals": "mechanics/semisymplectic/symmetry.py:with_orphans",
    "test_the_iteration_grows": "mechanics/semisymplectic/reduction/data.py:largest_datum",
    "test_the_tangent_space_of_the_level_set": "mechanics/semisymplectic/reduction/reduced.py:reduced",
    "test_the_complement_of_K_R": "mechanics/semisymplectic/reduction/reduced.py:reduced",
    "test_the_reduced_motion": "mechanics/semisymplectic/reduction/reduced.py:reduced",
    "test_the_motion_is_in_K_R": "mechanics/semisymplectic/reduction/reduced.py:reduced",
    "test_the_interior_product_with_a_bracket": "geometry/forms.py:interior",
    "test_locally_semi_hamiltonian_fields": "mechanics/semisymplectic/manifold.py:classes",
}
"""What tests are about that reach it by other means, or only by way of a whole result."""

_INTRODUCTION: tuple[Formula, ...] = (
    definition("1.1", "the action"),
    definition("1.2", "stationary action"),
    definition("1.3", "a variation"),
    reproduced("1.4", "the first variation, with its boundary term", "test_the_first_variation"),
    definition("1.5 (1)", "principle of Lagrange and d'Alembert"),
    definition("1.6", "variations and velocities in D"),
    definition("1.7", "semi-Hamilton's equations"),
    definition("1.8 (2)", "the principle for constraints C and displacements W"),
    definition("1.9", "vertical lift"),
    definition("1.10", "canonical involution"),
)

_DISTRIBUTIONS: tuple[Formula, ...] = (
    reproduced(
        "Lemma 2.1",
        "four ways to be involutive, and the rank of D-hat",
        "test_four_ways_to_be_involutive",
        "any D of rank 2 or 3 in four dimensions; what is said there of leaves is not looked at",
    ),
    reproduced("2.1", "rate of a curve in D", "test_curves_in_the_distribution"),
    reproduced("2.2", "TD in coordinates", "test_curves_in_the_distribution"),
    reproduced("2.3", "D-hat in coordinates", "test_curves_in_the_distribution"),
    misprint(
        "2.4 (3)",
        "basis of D-hat",
        "test_the_basis_of_D_hat",
        "the second kind is X_a^i d/dx^i + f^b X_a^j (dX_b^i/dx^j) d/dv^i",
    ),
    misprint(
        "2.5",
        "image of D-hat under the involution",
        "test_the_flip_of_D_hat",
        "the image has v' = g'^a X_a + g^a f^b X_b(X_a)",
    ),
    reproduced("2.6", "rate of the tangent flow on D (Lemma 2.2)", "test_flows_that_keep_a_distribution"),
    definition("2.7", "Lie derivative of a form on D"),
    reproduced("2.8", "Lie derivative of a form on fields", "test_the_lie_derivative_of_forms"),
    misprint(
        "2.9",
        "exterior derivative of a form on fields",
        "test_the_exterior_derivative_needs_its_signs",
        "with the signs (-1)^i and (-1)^(i+j)",
    ),
    reproduced("2.10", "Cartan's formula", "test_cartan_formula"),
    reproduced("2.11 (4)", "nu[X, Y] in coordinates", "test_the_bracket_of_fields_in_D"),
    reproduced("2.12", "derivatives of nu(X) = 0", "test_the_bracket_of_fields_in_D"),
    reproduced("2.13", "nu[X, Y] by derivatives of nu", "test_the_bracket_of_fields_in_D"),
    reproduced("2.14", "curvature Delta_D", "test_the_curvature_of_a_distribution"),
    reproduced("2.15 (5)", "curvature in coordinates", "test_the_curvature_of_a_distribution", "it is +d nu on D"),
    reproduced("2.16", "curvature of a projection", "test_the_curvature_of_a_projection"),
    reproduced("2.17", "d_kappa twice on a function", "test_the_second_derivative_of_a_function"),
    reproduced(
        "2.18",
        "d_kappa of vertical-valued forms",
        "test_the_covariant_exterior_derivative",
        "the first sum runs to r",
    ),
    reproduced("2.19", "d_kappa nu is the curvature", "test_the_covariant_exterior_derivative"),
    reproduced("2.20", "Bianchi's identity", "test_bianchi"),
    reproduced("2.21 (6)", "mixed derivatives after projection", "test_mixed_second_derivatives_after_projection"),
    reproduced("2.22", "T kappa of a second derivative", "test_mixed_second_derivatives_after_projection"),
    reproduced("2.23", "their difference in coordinates", "test_mixed_second_derivatives_after_projection"),
)

_CONSTRAINED: tuple[Formula, ...] = (
    definition("3.1", "skew variational problems"),
    definition("3.2", "curves that satisfy the constraint"),
    definition("3.3", "variations with fixed ends"),
    not_checked("3.4", "tangent vectors to those curves", _CURVES),
    not_checked("3.5", "those variations by D-hat", _CURVES),
    definition("3.6", "second-order submanifold"),
    reproduced("3.7 (7)", "the first variation by delta L and theta_L", "test_the_first_variation"),
    definition("3.8", "variations of curves and of their velocities"),
    reproduced("3.9", "delta L in coordinates", "test_delta_L_in_coordinates"),
    definition("3.10", "second fibre derivative"),
    reproduced("3.11", "second-order fields on D", "test_the_equations_of_motion_on_D"),
    reproduced("3.12", "linear equations for the accelerations", "test_the_equations_of_motion_on_D"),
    reproduced("Theorem 3.2", "the motion, delta L in ann D", "test_the_equations_are_those_of_the_library"),
    definition("3.13", "a variation in D"),
    reproduced("3.14", "variation of the restricted action", "test_the_variation_of_the_restricted_action"),
    reproduced("3.15 (8)", "delta of the restricted Lagrangian", "test_the_restricted_lagrangian_misses_the_curvature"),
)

_DEVELOPMENT: tuple[Formula, ...] = (
    definition("4.1", "the action as a function of the start"),
    reproduced("4.2", "its derivative", "test_the_action_along_a_flow", "for any L by rates; a drawn arm measured"),
    reproduced(
        "4.3 (9)", "dS_t by theta_L", "test_the_action_along_a_flow", "for any L by rates; a drawn arm measured"
    ),
    reproduced(
        "4.4", "the flow is symplectic", "test_the_action_along_a_flow", "for any L by rates; a drawn arm measured"
    ),
    reproduced(
        "4.5", "momenta are conserved", "test_the_action_along_a_flow", "for any L by rates; a drawn arm measured"
    ),
    reproduced("4.6", "the Lagrangian field and dE", "test_the_lagrangian_field"),
    reproduced("4.7", "dL by L_Y theta_L and delta L", "test_the_action_moved_by_any_second_order_field"),
    reproduced("4.8", "L_Y theta_L", "test_the_action_moved_by_any_second_order_field"),
    reproduced("4.9 (10)", "omega_L, dE and delta L", "test_omega_energy_and_delta_L"),
    reproduced(
        "4.10 (11)",
        "dS along a constrained flow",
        "test_the_action_along_a_constrained_flow",
        "any L and constraint by rates; drawn vehicle",
    ),
    definition("4.11 (12)", "projected variation"),
    reproduced(
        "4.1.1",
        "variation by a symmetry",
        "test_symmetries_move_along_the_flow",
        "any L and constraint by rates; drawn vehicle",
    ),
    reproduced(
        "4.1.2",
        "a generator in (11)",
        "test_symmetries_move_along_the_flow",
        "any L and constraint by rates; drawn vehicle",
    ),
    reproduced(
        "4.1.3", "momenta are stationary where xi q is in D", "test_momenta_are_stationary_where_a_generator_meets_D"
    ),
    reproduced("4.1.4", "rate of a momentum along xi(t)", "test_momenta_are_stationary_where_a_generator_meets_D"),
    reproduced("4.1.5", "momentum equation", "test_the_momentum_equation"),
    definition("4.2.1", "the form alpha_t"),
    reproduced(
        "4.2.2 (13)",
        "dS_t with alpha_t",
        "test_the_action_along_a_constrained_flow",
        "any L and constraint by rates; drawn vehicle",
    ),
    reproduced(
        "4.2.3",
        "F_t^* omega - omega = d alpha_t",
        "test_the_action_along_a_constrained_flow",
        "any L and constraint by rates; drawn vehicle",
    ),
    definition("4.2.4", "pairs on which the flow is symplectic"),
    definition("4.2.5", "directions of the holonomic factor, D_0"),
    definition("4.2.6", "the same on phase space, D_0'"),
    reproduced(
        "4.2.7", "the flow is symplectic on D_0'", "test_a_product_is_symplectic_on_its_holonomic_part", "by its rate"
    ),
    not_checked("4.2.8 (14)", "related fields on P and Q", "it chooses fields for a proof; Proposition 4.1 is 4.2.7"),
    reproduced("4.2.9 (15)", "d alpha on two fields", "test_the_derivative_of_a_one_form"),
    reproduced("4.3.1 (16)", "i omega_L, dE and the constraint force", "test_semi_hamilton_equations"),
    reproduced("4.3.2", "semi-Hamilton's equations on K", "test_semi_hamilton_equations"),
    reproduced("4.3.3", "omega_L in coordinates", "test_the_two_form_of_a_lagrangian"),
    reproduced("4.3.4", "omega_L on K as a block matrix", "test_the_block_matrix_of_omega"),
)

_SEMI_SYMPLECTIC: tuple[Formula, ...] = (
    reproduced("Proposition 5.1 (1), (2)", "fields and brackets are derivations", "test_fields_of_sums_and_products"),
    misprint(
        "Proposition 5.1 (3)",
        "fields under semi-symplectic maps",
        "test_fields_under_maps_need_that_K_is_carried_onto_K",
        "it needs T psi(K_1) = K_2",
    ),
    reproduced("5.1", "Y_f(g) and the bracket", "test_the_bracket_and_the_motion"),
    reproduced("5.2", "the motion by the bracket", "test_the_bracket_and_the_motion"),
    reproduced("5.3", "brackets of fields against Jacobi (Prop. 5.2)", "test_brackets_of_fields_and_of_functions"),
    reproduced(
        "Proposition 5.2 (2)",
        "L_Yf of the bivector",
        "test_the_lie_derivative_of_the_bivector",
        "with [B, B] by brackets of fields and by components",
    ),
    misprint(
        "5.4",
        "Jacobi where K is involutive (Prop. 5.3)",
        "test_jacobi_where_K_is_involutive",
        "without the factors 1/2: -L_Yf omega(Y_g, Y_h) = -d omega(Y_f, Y_g, Y_h) = J",
    ),
    reproduced("5.5", "L_Yf omega and d omega", "test_jacobi_where_K_is_involutive"),
    misprint(
        "5.6",
        "d omega on semi-Hamiltonian fields",
        "test_jacobi_where_K_is_involutive",
        "the last line is -J, not -2 J",
    ),
    reproduced(
        "after 5.6",
        "semi-Poisson manifolds are semi-symplectic ones, and back",
        "test_semi_poisson_manifolds_are_semi_symplectic",
        "on a bracket of ours and on that of a charge with a constraint",
    ),
    reproduced(
        "Proposition 5.4",
        "Poisson exactly if symplectic",
        "test_poisson_exactly_if_symplectic",
        "for any constraint in three dimensions",
    ),
    reproduced("5.7", "d(i_Yf omega) on an ideal (Thm 5.1)", "test_an_ideal_is_moved_symplectically"),
    reproduced("5.8 (17)", "L_Yf omega on an ideal", "test_an_ideal_is_moved_symplectically"),
    reproduced("Fact 1 after Corollary 5.1", "i_Yf omega = d_kappa f", "test_the_canonical_projection"),
    misprint(
        "Fact 2 after Corollary 5.1",
        "L_Yf omega on K by the curvature",
        "test_the_form_moved_by_a_semi_hamiltonian_field",
        "kappa^* L_Yf omega = d_kappa^2 f = -<df, Delta>",
    ),
    reproduced("5.9", "i_[X,Y] of a closed form", "test_the_interior_product_with_a_bracket"),
    misprint(
        "5.10",
        "brackets of semi-Hamiltonian fields (fact 3)",
        "test_the_bracket_of_semi_hamiltonian_fields",
        "the last line has the opposite sign, and it and the line before hold on K only",
    ),
    misprint(
        "5.11",
        "Jacobi by the curvature (fact 4)",
        "test_jacobi_by_the_curvature",
        "J = <dh, Delta(Y_f, Y_g)> + cyclic, so i_Yg i_Yf",
    ),
    reproduced("Fact 5 after Corollary 5.1", "L_X omega = d(i_X omega)", "test_locally_semi_hamiltonian_fields"),
    definition("5.1.1", "the semi-symplectic subgroup"),
    reproduced(
        "5.1.2", "generators under the adjoint action", "test_generators_under_the_group", "for SE(2) and SO(3)"
    ),
    reproduced("5.1.3", "generators in K under the group", "test_generators_under_the_group", "for SE(2) and SO(3)"),
    reproduced("5.1.4", "momentum equation (Thm 5.3)", "test_the_momentum_equation"),
    misprint(
        "5.1.5",
        "conservation of a momentum",
        "test_the_momentum_of_a_generator_in_K",
        "-omega(Y_H, xi_P) = -dH(xi_P), which vanishes all the same",
    ),
    reproduced("5.1.6", "rate of a momentum along xi(t)", "test_the_momentum_equation"),
    reproduced("5.1.7", "orphaned integrals", "test_orphaned_integrals"),
)

_REDUCTION: tuple[Formula, ...] = (
    definition("5.2.1", "order of reduction data"),
    definition("5.2.2", "start of the iteration"),
    misprint(
        "5.2.3",
        "step of the iteration",
        "test_the_iteration_grows",
        "xi is sought in g, and mu^(i+1), P^(i+1) are those of n^(i+1)",
    ),
    definition("5.2.4", "the group of the largest datum"),
    definition("5.2.5", "the level set P_R"),
    definition("5.2.6", "orthogonal complement within K"),
    misprint(
        "5.2.7",
        "tangent space of the level set",
        "test_the_tangent_space_of_the_level_set",
        "the left side is T P_R cap K",
    ),
    reproduced("5.2.8", "complement of K_R", "test_the_complement_of_K_R", "for one shape, any metric and slope"),
    reproduced("5.2.9", "momenta along an orbit", "test_momenta_under_the_group", "for SE(2) and SO(3)"),
    reproduced("5.2.10", "rate of exp(xi t) mu", "test_momenta_under_the_group", "for SE(2) and SO(3)"),
    definition("5.2.11", "K_R^o"),
    reproduced("5.2.12", "the motion stays on the level set", "test_the_motion_is_in_K_R"),
    reproduced("5.2.13", "the motion is orthogonal to orbits in K", "test_the_motion_is_in_K_R"),
    reproduced("5.2.14", "reduced semi-Hamilton's equations", "test_the_reduced_motion"),
    reproduced("5.2.15", "the motion projects to the reduced one", "test_the_reduced_motion"),
)

_PARTICLE: tuple[Formula, ...] = (
    misprint(
        "5.3.1",
        "data of the particle",
        "test_the_particle_and_its_potential",
        "L = |v|^2/2 - V; the potential is missing in the middle",
    ),
    misprint("5.3.2", "phase space", "test_the_phase_space_is_D", "P = D"),
    stated("5.3.3", "fields that span D", "test_the_bracket_of_D", DATA),
    reproduced("5.3.4", "their bracket", "test_the_bracket_of_D"),
    reproduced("5.3.5", "delta L", "test_the_particle_and_its_potential"),
    reproduced("5.3.6", "equations with v_z", "test_the_equations_of_the_particle"),
    reproduced("5.3.7", "elimination of v_z", "test_the_equations_of_the_particle"),
    reproduced("5.3.8", "equations on P", "test_the_equations_of_the_particle"),
    definition("5.3.9", "projection and K"),
    stated("5.3.10", "basis of K", "test_the_basis_of_K", AS_DEFINED),
    reproduced("5.3.11", "omega_L on P", "test_the_form_and_the_energy"),
    reproduced("5.3.12", "energy", "test_the_form_and_the_energy"),
    reproduced("5.3.13", "omega_L on K", "test_the_form_and_the_energy"),
    reproduced("5.3.14", "df on K", "test_the_field_of_any_function"),
    reproduced("5.3.15", "i_Y omega_L on K", "test_the_field_of_any_function"),
    reproduced("5.3.16", "Y_f", "test_the_field_of_any_function"),
    reproduced("5.3.17", "Y_E", "test_the_field_of_the_energy"),
    misprint("5.3.18", "curvature", "test_the_curvature_has_the_sign_of_d_nu", "Delta_K = +d nu = a'(y) dx ^ dy"),
    definition("5.3.19", "the invariant submanifold y = y0"),
    reproduced("5.3.20", "equations there", "test_the_motion_on_the_waist", "a'(y0) = 0 is not needed"),
    reproduced("5.3.21", "z - a0 x is constant", "test_the_motion_on_the_waist"),
    reproduced("5.3.22", "a particle in a potential", "test_the_motion_on_the_waist"),
    definition("5.3.23", "its flow"),
    misprint(
        "5.3.24",
        "flow on the submanifold",
        "test_the_flow_on_the_waist",
        "x_t and v_t depend on C = z - a0 x too, where V depends on z",
    ),
    reproduced("5.3.25", "a0 dx - dz is invariant", "test_the_flow_on_the_waist"),
    reproduced("5.3.26", "omega_L there", "test_the_form_on_the_waist"),
    misprint(
        "5.3.27",
        "omega_L moved by the flow",
        "test_the_form_moved_by_the_flow",
        "dx~ ^ dv~ = dx ^ dv only modulo dC",
    ),
    misprint(
        "5.3.28",
        "what it has changed",
        "test_the_form_moved_by_the_flow",
        "dC ^ [(1 + a0^2)(X_C d'W - W_C d'X) + a0 (dv~ - dv)], (X, W) the flow, d' at fixed C; zero on K as said",
    ),
    reproduced("5.3.29", "translations in y are no symmetry", "test_translations_of_the_particle"),
    misprint("after 5.3.29", "the symmetry group, twice", "test_the_symmetry_is_in_x_and_z", "translations in x and z"),
    reproduced("5.3.30", "Y_f of invariant functions", "test_the_fields_of_invariant_functions"),
    misprint(
        "5.3.31",
        "their span",
        "test_the_fields_of_invariant_functions",
        "vectors K_i, not forms",
    ),
    misprint(
        "after 5.3.31",
        "the span is integrable, as j is constant on it",
        "test_the_span_of_those_fields_is_not_involutive",
        "it is not; with its brackets it is ker dj; j is constant",
    ),
    reproduced("5.3.32", "reduced space", "test_the_reduced_system"),
    misprint(
        "5.3.33", "K_R", "test_the_distribution_of_the_reduced_space", "in the last line vectors K_i, not forms K^i"
    ),
    misprint("5.3.34", "its projection", "test_the_distribution_of_the_reduced_space", "vectors K_i, not forms"),
    reproduced("5.3.35", "basis on the reduced space", "test_the_distribution_of_the_reduced_space"),
    reproduced("5.3.36", "reduced form and Hamiltonian", "test_the_reduced_system"),
    definition("5.3.37", "elimination of v_x"),
    definition("5.3.38", "a leaf, by y and v_y"),
    reproduced("5.3.39", "d/dy on a leaf", "test_the_symplectic_leaves"),
    reproduced("after 5.3.39", "canonical form and Hamiltonian on a leaf", "test_the_symplectic_leaves"),
)

_NONLINEAR: tuple[Formula, ...] = (
    definition("6.1 (18)", "the principle"),
    misprint(
        "6.2",
        "Chetaev's rule",
        "test_virtual_displacements_of_chetaev",
        "w in T_q Q, not in C: it matters for affine constraints",
    ),
    reproduced("Definition 6.1", "regularity, without which there is no motion", "test_regularity"),
    reproduced("6.3 (19)", "the principle by delta L", "test_the_principle"),
    reproduced("6.4", "the motion is of second order", "test_the_principle"),
    misprint(
        "after 6.4",
        "accelerations are in C-dot",
        "test_only_differences_of_accelerations_are_tangent",
        "their differences are",
    ),
    reproduced("6.5", "two motions differ by a vertical field", "test_only_differences_of_accelerations_are_tangent"),
    reproduced(
        "6.6 (20)",
        "dS along the flow",
        "test_the_action_along_a_flow_with_a_nonlinear_constraint",
        "for any L, constraint and rule by rates; a drawn hoist measured",
    ),
    reproduced("6.7", "directions that are always virtual", "test_directions_that_are_always_virtual"),
    reproduced("6.8", "i omega_L, dE and the constraint force", "test_omega_energy_and_the_constraint_force"),
    reproduced("6.9", "K_(C,W) and M_C", "test_the_distributions_of_the_constraint"),
    reproduced("6.10 (21)", "semi-Hamilton's equations on K", "test_omega_energy_and_the_constraint_force"),
    definition("6.11", "what the equations leave open"),
    reproduced("6.12", "null-forcing", "test_the_null_forcing"),
    reproduced("6.13", "a bracket that is no derivation", "test_a_bracket_that_moves_but_is_no_derivation"),
    reproduced("6.14", "a Leibniz bracket", "test_a_leibniz_bracket", "with Z_g = T(g)/T(H) Z for any field T"),
    reproduced("6.15", "rate of the energy", "test_the_power_of_the_constraint_force"),
    reproduced("after 6.15", "the Liouville field under Chetaev's rule", "test_the_liouville_field_and_energy"),
    reproduced(
        "6.16", "momenta do not see the null-forcing", "test_momenta_do_not_see_the_null_forcing", "read dJ_xi for J_xi"
    ),
)

FORMULAS = (
    *_INTRODUCTION,
    *_DISTRIBUTIONS,
    *_CONSTRAINED,
    *_DEVELOPMENT,
    *_SEMI_SYMPLECTIC,
    *_REDUCTION,
    *_PARTICLE,
    *_NONLINEAR,
)
