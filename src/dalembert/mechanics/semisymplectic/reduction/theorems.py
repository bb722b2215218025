"""Whether a tuple (H, n, mu) is a reduction datum: the four conditions of Definition 5.7 (Patrick), one by one.

The connected part of H is decided by its generators. Discrete elements are part of H only where they are given, as maps
of the manifold by the images of its coordinates.

What is true of a reduction is said of the motion on its shape space and of the reduced system (section 5.2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from dalembert.errors import Fault
from dalembert.expr.calculus import gradient, tangent
from dalembert.expr.graph import Expr, Operand, as_expr, symbol, total
from dalembert.expr.linear import constant_null_space
from dalembert.expr.truth import Verdict, all_hold, full_rank, generic_rank, vanish
from dalembert.expr.truth.many import ProofBudget, all_vanish
from dalembert.expr.walk import substitute, symbols
from dalembert.geometry.distributions import Distribution
from dalembert.geometry.forms import pull_back
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.lagrangian.multipliers import by_multipliers
from dalembert.mechanics.lagrangian.regularity import DIVIDES, divided_claims
from dalembert.mechanics.nonholonomic.constraint_manifold import ConstraintManifold
from dalembert.mechanics.semisymplectic.reduction.data import Datum, SymmetricManifold, combined, sum_of
from dalembert.mechanics.semisymplectic.reduction.principal_case import PrincipalReduction
from dalembert.mechanics.semisymplectic.reduction.reduced import SemiReduction, on_level, orbits
from dalembert.mechanics.theorem import Sentence, Theorem
from dalembert.model.claim import Claim, ClaimRole


def datum_claims(
    space: SymmetricManifold,
    datum: Datum,
    discrete: Mapping[str, Sequence[Operand]] | None = None,
    role: ClaimRole = "hypothesis",
) -> list[Claim]:
    """Decide Definition 5.7 on the level set of n: what is semi-Hamiltonian, semi-symplectic, invariant.

    >>> from dalembert.expr import symbol
    >>> from dalembert.geometry.fields import Chart, VectorField
    >>> from dalembert.geometry.forms import Form
    >>> from dalembert.mechanics.semisymplectic.reduction.data import reduction_datum
    >>> from dalembert.mechanics.semisymplectic.manifold import SemiSymplectic
    >>> x, y, p, q = (symbol(n) for n in "xypq")
    >>> space = Chart.of(x, y, p, q)
    >>> plane = SemiSymplectic(space, Form.of(space, 2, {(0, 2): 1, (1, 3): 1}),
    ...                        tuple(VectorField.of(space, {c: 1}) for c in (x, y, p, q)))
    >>> whole = SymmetricManifold.of(plane, {"along": VectorField.of(space, {x: 1})}, [p], p**2 / 2 + q**2 / 2 + y)
    >>> stated = reduction_datum(whole, ["along"], {"along": 3})
    >>> [c.verdict.holds for c in datum_claims(whole, stated, {"mirror": [x, -y, p, -q]})]
    [True, True, True, True]
    >>> [c.verdict.holds for c in datum_claims(whole, stated, {"half a mirror": [x, -y, p, q], "back": [-x, y, -p, q]})]
    [True, False, True, False]
    """
    facts, level = space.manifold.facts, datum.level
    maps = {name: _Map(space, datum, name, images) for name, images in (discrete or {}).items()}
    inside = all_vanish(space.semi_hamiltonian(datum.momenta, level), facts)
    kept = {"the generators": all_vanish(space.semi_symplectic(datum.group, level), facts)}
    kept |= {name: one.semi_symplectic() for name, one in maps.items()}
    stays, fixed = _adjoint(space, datum)
    stays |= {name: one.keeps_n() for name, one in maps.items()}
    fixed |= {name: one.keeps_mu() for name, one in maps.items()}
    named = {
        "n semi-Hamiltonian": ("n lies in K on its level set, with i_xi omega = dJ_xi", inside),
        "H semi-symplectic": ("H preserves omega and K on the level set of n", all_hold(kept)),
        "n invariant": ("n is invariant under the adjoint action of H", all_hold(stays)),
        "mu fixed": ("H leaves mu alone", all_hold(fixed)),
    }
    return [Claim(f"datum: {name}", said, role, verdict) for name, (said, verdict) in named.items()]


def _adjoint(space: SymmetricManifold, datum: Datum) -> tuple[dict[str, Verdict], dict[str, Verdict]]:
    """Decide [h, n] in n, and <mu, [h, n]> = 0."""
    stays: dict[str, Verdict] = {"the generators": Verdict("proved", "there are no generators, or no momenta.")}
    fixed = dict(stays)
    for i, left in enumerate(datum.group, 1):
        for j, right in enumerate(datum.momenta, 1):
            inner = space.action.algebra.bracket(left, right)
            weights, stays_inside = _weights(inner, datum.momenta)
            name = f"[h{i}, n{j}]"
            stays[name] = stays_inside
            if weights is None:
                continue
            moved = dot(weights, datum.values)
            fixed[name] = all_vanish({f"<mu, {name}>": moved}, space.manifold.facts)
    return stays, fixed


def _weights(vector: Sequence[Operand], rows: Sequence[Sequence[Operand]]) -> tuple[list[Expr] | None, Verdict]:
    """Return the constants by which a vector is a combination of rows, or None; and the verdict that it is one."""
    return _combination([as_expr(c) for c in vector], [[as_expr(c) for c in row] for row in rows])


def _combination(vector: Sequence[Expr], others: Sequence[Sequence[Expr]]) -> tuple[list[Expr] | None, Verdict]:
    """Return the constants, in which parameters may stand, by which functions are a combination of others, or None.

    With them comes the verdict that it is one: there is none for sure only where all relations were found.
    """
    known = [symbol(x) for x in symbols([*vector, *(e for row in others for e in row)]) if x.role == "parameter"]
    columns = [list(vector), *map(list, others)]
    found = constant_null_space(columns, known) if known else constant_null_space(columns)
    for k, verdict in enumerate(found.verdicts):
        first, *rest = map(as_expr, found.basis[k])
        if not vanish([first]):
            return [-c / first for c in rest], verdict
    said = f"it is not a combination of them: {found.complete.evidence}"
    return None, Verdict("refuted" if found.complete.holds else "undecided", said)


class _Map:
    """A discrete element of the group, by the images of the coordinates."""

    def __init__(self, space: SymmetricManifold, datum: Datum, name: str, images: Sequence[Operand]) -> None:
        self.space, self.datum = space, datum
        self.images = [as_expr(e) for e in images]
        coordinates = space.manifold.chart.coordinates
        if len(self.images) != len(coordinates):
            what = f"it has {len(self.images)} images for {len(coordinates)} coordinates"
            raise refusal("reduction", [Fault(f"the discrete element '{name}'", what)])
        self.there = dict(zip(coordinates, self.images, strict=True))
        found = [self._moved(row) for row in datum.momenta]
        self._adjoint = [weights for weights, _ in found]
        self._inside = {f"Ad_g of the element {k}, in n": verdict for k, (_, verdict) in enumerate(found, 1)}

    def semi_symplectic(self) -> Verdict:
        """Decide g^* omega = omega on K, and T g K in K, on the level set."""
        manifold = self.space.manifold
        pulled = pull_back(manifold.form, manifold.chart, self.images)
        parts = {
            f"omega on K_{i}, K_{j}": pulled(a, b) - manifold.form(a, b)
            for (i, a), (j, b) in combinations(enumerate(manifold.basis, 1), 2)
        }
        forms = [substitute(list(row), self.there) for row in Distribution.from_fields(manifold.basis).forms]
        for i, k in enumerate(manifold.basis, 1):
            moved = k.apply(self.images)
            for n, form in enumerate(forms, 1):
                parts[f"K_{i}, along {n}"] = dot(form, moved)
        here = substitute(list(parts.values()), dict(self.datum.level))
        return all_vanish(dict(zip(parts, here, strict=True)), manifold.facts)

    def _moved(self, row: Sequence[Operand]) -> tuple[list[Expr] | None, Verdict]:
        """Return Ad_g xi as a combination of n, or None where it leaves n: T g xi(p) = (Ad_g xi)(g p)."""
        pushed = sum_of(row, self.space.fields).apply(self.images)
        others = [substitute(list(sum_of(n, self.space.fields).components), self.there) for n in self.datum.momenta]
        return _combination(pushed, others)

    def keeps_n(self) -> Verdict:
        """Decide Ad_g n = n."""
        return all_hold(self._inside)

    def keeps_mu(self) -> Verdict:
        """Decide <mu, Ad_g xi> = <mu, xi> on n."""
        parts = {
            f"the element {n}": total(
                [(-1, mu), *((1, w * v) for w, v in zip(weights, self.datum.values, strict=True))]
            )
            for n, (weights, mu) in enumerate(zip(self._adjoint, self.datum.values, strict=True), 1)
            if weights is not None
        }
        return all_vanish(parts, self.space.manifold.facts)


def lifted_map(manifold: ConstraintManifold, images: Mapping[Expr, Expr]) -> list[Expr]:
    """Return the images of (q, u) under the lift of a map of configurations; coordinates left out stay."""
    system = manifold.system
    moved = [images.get(q, q) for q in system.q]
    velocities = manifold.along(moved, dict(zip(system.q, manifold.velocities, strict=True)))
    return [*moved, *(velocities[i] for i in manifold.independent)]


# -- what is true of a reduction -------------------------------------------------------------------------------
# -- the motion on the shape space -----------------------------------------------------------------------------
def equations_close(found: PrincipalReduction, proofs: ProofBudget) -> Verdict:
    """Decide whether mass and force of the frame are invariant, and those of the equations in body velocities."""
    entries = [*(e for row in found.unreduced.mass for e in row), *found.unreduced.force]
    reduced = [*(e for row in found.motion.mass for e in row), *found.motion.force]
    closes = {f"entry {n}": e(x) for n, x in enumerate(entries) for e in found.bundle.generators}
    meets = {f"reduced entry {n}": e - x for n, (e, x) in enumerate(zip(reduced, entries, strict=True))}
    return proofs.all_vanish({**closes, **meets}, found.system.facts)


def meets_multipliers(found: PrincipalReduction, proofs: ProofBudget) -> Verdict:
    """Decide whether the whole field, not yet reduced, is that of Lagrange's multipliers in the stated coordinates."""
    bundle, system = found.bundle, found.system
    rates = found.unreduced.accelerations()
    seed = dict(zip((*bundle.chart.coordinates, *found.speeds), (*found.velocities(), *rates), strict=True))
    images = [bundle.configuration.get(q, q) for q in system.q]
    velocities = tangent(images, seed)
    accelerations = tangent(velocities, seed)
    put = dict(zip((*system.q, *system.v), (*images, *velocities), strict=True))
    wanted = substitute(by_multipliers(system)[0], put)
    parts = {q.data.label: a - w for q, a, w in zip(system.q, accelerations, wanted, strict=True)}
    return proofs.all_vanish(parts, system.facts)


# -- the reduced system ----------------------------------------------------------------------------------------
def assumptions(found: SemiReduction, _: ProofBudget) -> list[Claim]:
    """Decide the four assumptions of section 5.2, as far as generic points of the level set decide them."""
    space, datum = found.space, found.datum
    put = dict(datum.level)
    fixed = [combined(row, space.momenta) for row in datum.momenta]
    slopes = [substitute(gradient(j, list(space.manifold.chart.coordinates)), put) for j in fixed]
    moved = [list(x.components) for x in orbits(space, datum)]

    def full(rows: list[list[Expr]], what: str) -> Verdict:
        return full_rank(generic_rank(rows), len(rows), what)

    named = {
        "regular value": ("mu is a regular value of J on n", full(slopes, "dJ on the level set")),
        "quotient": ("H acts locally freely on P_R; that it acts properly is assumed", full(moved, "h")),
        "K_R": ("K_R is a distribution", _constant(found.rank)),
        "kernel": ("ker T pi cap K_R is a distribution", _constant(found.rank - len(found.manifold.basis))),
    }
    role: ClaimRole = "hypothesis" if found.is_stated else "question"  # a datum that was stated has to fit
    return [Claim(f"assumption: {name}", said, role, answer) for name, (said, answer) in named.items()]


def stays_on_level(found: SemiReduction, proofs: ProofBudget) -> Verdict:
    """Decide whether the motion is tangent to the level set."""
    put, whole = dict(found.datum.level), found.space.motion
    along = on_level(found.space, found.datum, whole)
    escape = {
        repr(x): substitute([c], put)[0] - along(put[x])
        for x, c in zip(whole.chart.coordinates, whole.components, strict=True)
        if x in put
    }
    return proofs.all_vanish(escape, found.manifold.facts)


def reduced_form(found: SemiReduction, _: ProofBudget) -> Verdict:
    """Decide whether omega_R is non-degenerate on the reduced distribution."""
    return full_rank(found.manifold.regular(), len(found.manifold.basis), "omega_R")


def reduced_motion(found: SemiReduction, proofs: ProofBudget) -> list[Claim]:
    """Decide whether the motion projects to Y_E; where it has a null-forcing upstairs, that is a question."""
    manifold, space = found.manifold, found.space
    (hamiltonian,) = manifold.field_of(found.energy)
    apart = {
        repr(x): c for x, c in zip(manifold.chart.coordinates, (hamiltonian - found.field).components, strict=True)
    }
    role: ClaimRole = "check"
    if not space.invariant:
        (plain,) = space.manifold.field_of(space.energy)
        forcing = {str(i): c for i, c in enumerate((space.motion - plain).components)}
        role = "check" if all_vanish(forcing, space.manifold.facts).holds else "question"
    said = "the motion projects to the semi-Hamiltonian field of the reduced energy"
    return [Claim("reduced motion", said, role, proofs.all_vanish(apart, manifold.facts))]


def _constant(rank: int) -> Verdict:
    return Verdict("certain", f"its rank is {rank} at generic points of the level set, and constant around them.")


SHAPE_THEOREMS = (
    Theorem(
        "reduced equations close",
        "Patrick, section 5.1",
        "mass and force of the frame are invariant and meet Hamel's equations, which close on (r, r', xi)",
        "hypothesis",
        equations_close,
    ),
    Theorem(
        DIVIDES,
        "Patrick, section 5.1",
        "the reduced equations divide by nothing that vanishes",
        "question",
        lambda result, _: divided_claims(result.equations.pivots, result.system.facts, "the reduced equations"),
    ),
)
SHAPE_LAWS = (
    Theorem(
        "multipliers in the frame",
        "Lagrange",
        "the motion in the invariant frame is that of Lagrange's multipliers",
        "check",
        meets_multipliers,
    ),
)

_PLACE = "Patrick, section 5.2"
_HAMILTONIAN = "After reduction by its symmetry the bracket satisfies Jacobi's identity and gives a Hamiltonian motion."
_DATUM = Theorem(
    "datum",
    _PLACE,
    "(H, n, mu) is a reduction datum",
    "hypothesis",
    lambda found, _: datum_claims(found.space, found.datum),
    needs=lambda found: found.is_stated,
)
REDUCTION_THEOREMS = (
    Theorem("assumption", _PLACE, "the assumptions of the reduction hold at generic points", "question", assumptions),
    Theorem(
        "reduced motion",
        _PLACE,
        "the motion projects to the semi-Hamiltonian field of the reduced energy",
        "check",
        reduced_motion,
    ),
    Theorem(
        "reduced system is symplectic",
        _PLACE,
        "the reduced bracket satisfies Jacobi's identity: the reduced system is Hamiltonian on its leaves",
        "question",
        lambda found, _: found.manifold.jacobi(),
        yes=(Sentence(_HAMILTONIAN, given=("reduced motion",)),),
        topic="reduction",
    ),
)
REDUCTION_LAWS = (
    Theorem("level set", _PLACE, "the motion stays on the level set of the momenta", "check", stays_on_level),
    Theorem(
        "reduced form",
        _PLACE,
        "omega_R is non-degenerate on the reduced distribution at generic points",
        "check",
        reduced_form,
    ),
)


def reduction_claims(found: SemiReduction) -> list[Claim]:
    """Decide what is true of a reduced system; first the datum, where it was given."""
    return [claim for row in (_DATUM, *REDUCTION_THEOREMS, *REDUCTION_LAWS) for claim in row.claims(found)]
