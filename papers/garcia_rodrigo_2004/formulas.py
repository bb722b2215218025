"""Every displayed formula of the paper, in order; the tests stand beside this list.

Displays are counted by section, through its subsections.
"""

from papers.record import definition, misprint, reproduced

SOURCES = {
    "test_momenta_of_symmetries_are_constant": "mechanics/vakonomic/densities.py:Density.boundary",
    "test_the_differential_of_a_cartan_form": "mechanics/vakonomic/densities.py:Density",
    "test_the_projector": "mechanics/vakonomic/projector.py:Projector",
    "test_the_adjoint_and_its_commutation_rule": "mechanics/vakonomic/projector.py:Projector",
    "test_skate_projector": "mechanics/vakonomic/projector.py:Projector",
    "test_elastica_adjoint": "mechanics/vakonomic/projector.py:Projector",
    "test_fields_that_both_kinds_of_variation_share": "mechanics/vakonomic/projector.py:Projector",
    "test_elastica_of_euler": "mechanics/vakonomic/vakonomic.py:derive",
}
"""What tests are about that reach it by other means, or only by way of a whole result."""

FORMULAS = (
    # 1 Introduction
    definition("1.1", "action"),
    definition("1.2 (1)", "first variation"),
    definition("1.3", "lifted curves"),
    reproduced("1.4", "lifted fields", "test_prolonged_fields_keep_contact_forms", "they keep contact forms"),
    definition("1.5 (2)", "Cartan form"),
    definition("1.6", "structure form"),
    reproduced("1.7", "momentum form", "test_momenta_and_euler_operators", "for orders 1 to 3"),
    reproduced("1.8 (3)", "differential of the Cartan form", "test_the_differential_of_a_cartan_form", "orders 1, 2"),
    reproduced("1.9 (4)", "Euler form along a curve", "test_the_euler_form_along_a_curve", "for orders 1 and 2"),
    reproduced("1.10 (5)", "first variation formula", "test_the_first_variation", "for orders 1 and 2"),
    reproduced("1.11 (6)", "its integral", "test_the_first_variation_at_order_three", "under the integral; order 3"),
    reproduced("after 1.11", "Theorem 1.2: Cartan equations", "test_cartan_equations", "for orders 1 and 2"),
    # 2 Vakonomic mechanics
    definition("2.1", "two kinds of admissible variations"),
    reproduced("2.2 (7)", "non-holonomic critical curves", "test_nonholonomic_critical_curves"),
    reproduced("2.3 (8)", "Main Hypothesis", "test_normal_fields", "normal fields that the library finds"),
    reproduced("2.4 (9)", "projector on admissible variations", "test_the_projector"),
    reproduced("2.5 (10)", "change of a constraint", "test_change_of_a_constraint"),
    reproduced("2.6", "image of the projector", "test_the_projector", "and its kernel"),
    reproduced("2.7 (11)", "adjoint of the projector", "test_the_adjoint_and_its_commutation_rule"),
    reproduced("2.8 (12)", "commutation rule", "test_the_adjoint_and_its_commutation_rule"),
    reproduced(
        "2.9", "first variation with constraints", "test_the_first_variation_with_constraints", "under the integral"
    ),
    definition("2.10 (13)", "constrained Cartan form"),
    misprint(
        "2.11 (14)",
        "its differential",
        "test_the_constrained_cartan_form",
        "a product of forms in the first term, and f d lambda ^ dt besides, which vanishes on S (r = 1 and 2)",
    ),
    reproduced(
        "2.12 (15)", "constrained Euler form along a curve", "test_the_constrained_euler_form_along_a_curve", "r = 1, 2"
    ),
    reproduced("after 2.12", "Theorem 2.2: critical curves", "test_critical_curves_in_every_form", "r = 1, 2"),
    reproduced("before 3.1", "Remarks 1 and 2", "test_fields_that_both_kinds_of_variation_share"),
    # 3 Noether theorem and momentum map
    definition("3.1", "infinitesimal symmetries"),
    reproduced(
        "3.2",
        "Noether's theorem",
        "test_momenta_of_symmetries_are_constant",
        "any L and constraint that a shift leaves alone; r = 1, 2",
    ),
    reproduced(
        "3.3",
        "the Cartan form along admissible curves",
        "test_symmetries_leave_the_cartan_form_on_admissible_curves",
        "any L and constraint that a shift leaves alone; r = 1, 2",
    ),
    definition("3.4", "momentum map"),
    definition("3.5 (16)", "its values"),
    # 4 Examples
    misprint("4.1", "skate: equations of N", "test_skate_normal_field", "two rows, so that (0, 1) stands on the right"),
    reproduced("4.2 (17)", "skate: N", "test_skate_normal_field"),
    reproduced("4.3", "skate: projector", "test_skate_projector"),
    reproduced("4.4", "skate: vakonomic equations", "test_skate_vakonomic_equations", "with the Euler operator above"),
    reproduced("with 4.4", "skate: non-holonomic equations", "test_skate_nonholonomic_equations"),
    reproduced("4.5", "skate: Cartan form", "test_skate_cartan_form"),
    reproduced("4.6", "skate: conservation laws", "test_skate_conservation_laws"),
    reproduced("4.7", "skate: equation along Nbar", "test_skate_shared_variation"),
    reproduced("4.8", "skate: reduced system", "test_skate_reduced_system"),
    misprint(
        "4.9",
        "elastica: Euler operator",
        "test_elastica_euler_operator",
        "a factor |q'|; as printed it holds where |q'| = 1",
    ),
    definition("4.10", "elastica: tangent and normal"),
    misprint(
        "4.11",
        "elastica: projector",
        "test_elastica_projector",
        "plus before div(D) N / kappa",
    ),
    reproduced("with 4.11", "elastica: adjoint of the projector", "test_elastica_adjoint"),
    reproduced("4.12", "elastica: equations", "test_elastica_equations", "vakonomic and non-holonomic"),
    reproduced("4.13", "elastica: F = kappa^2", "test_elastica_of_euler"),
    misprint(
        "4.14",
        "elastica: Cartan form",
        "test_elastica_cartan_form",
        "a term - (F'_ss/kappa + kappa F' - F) dt is missing",
    ),
    reproduced("4.15", "elastica: conservation laws", "test_elastica_conservation_laws"),
    reproduced("4.16", "elastica: a parallel field", "test_elastica_conservation_laws"),
    reproduced("after 4.16", "elastica: F' is affine in the position", "test_elastica_conservation_laws"),
)
