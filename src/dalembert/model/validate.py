"""What cannot be seen in one entry alone: whether the parts of a system fit together.

Each check looks only at tables that could be read, so that one fault is not told again in other words. What would take
long to decide is passed over here: the formalisms ask again, and have time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from dalembert.errors import ExpressionError
from dalembert.expr import truth
from dalembert.expr.calculus import jacobian
from dalembert.expr.graph import ONE, ZERO, Expr, total
from dalembert.expr.walk import substitute
from dalembert.model.faults import Faults, Path, suggestion
from dalembert.model.parts import Bundle
from dalembert.model.ranks import independent, is_quick
from dalembert.model.repeated import dependence, repeated
from dalembert.model.speeds import check_speeds
from dalembert.model.system import System
from dalembert.model.values import check_values


def validate(system: System, faults: Faults) -> None:
    """Note all that does not fit together."""
    _check_sort(system, faults)
    for check, table, needed in _CHECKS:
        if not faults.inside(*needed):
            try:
                check(system, faults)
            except ExpressionError as error:  # a division by zero, say, where an assumption is put in
                remedy = "see whether [assume] fits" if system.assume else ""
                faults.add((table,), f"this cannot be worked out: {error}", remedy)
    check_values(system, faults)


def _names(several: Sequence[Expr]) -> str:
    return ", ".join(repr(one) for one in several)


def _counted(number: int, what: str, several: str = "") -> str:
    return f"{number} {what if number == 1 else several or what + 's'}"


def _check_sort(system: System, faults: Faults) -> None:
    if system.lagrangian is not None and system.equations:
        faults.add(("equations",), "a system has a Lagrangian or equations, not both", "remove one of them")
    if system.bracket is not None or faults.inside("bracket"):
        beside = ("equations", "constraints", "forces", "virtual", "momentum")
        if system.points:
            what = f"beside [bracket] '{system.points[0].name}' has to be numbers"
            faults.add(("coordinates",), what, "state its entries and momenta as coordinates, with their brackets")
            return
        stated = [table for table in beside if getattr(system, table)]
        for table in [*(["lagrangian"] if system.lagrangian is not None else []), *stated]:
            what = "beside [bracket], which gives the motion, this has no meaning"
            faults.add((table,), what, "remove one of them")
        return
    if system.lagrangian is not None or faults.inside("lagrangian"):
        return
    if not system.equations and not faults.inside("equations"):
        remedy = 'add lagrangian = "..." above the first [table]'
        faults.add((), "there is neither a Lagrangian nor a table [equations]", remedy)
    for table in ("forces", "virtual", "momentum"):
        if getattr(system, table) and system.equations:
            faults.add((table,), "without a Lagrangian this has no meaning", "put it into the equations")


def _check_assumptions(system: System, faults: Faults) -> None:
    """Look for assumptions that cannot be used; the first is told."""
    for size, name in enumerate(system.assume if not _are_usable(system.facts) else (), 1):
        try:
            truth.Facts.of(system.facts[:size])
        except ExpressionError as error:
            faults.add(("assume", name), str(error))
            return


def _are_usable(facts: Sequence[tuple[Expr, Expr]]) -> bool:
    try:
        truth.Facts.of(facts)
    except ExpressionError:
        return False
    return True


# -- constraints ---------------------------------------------------------------------------------------------
_NOWHERE: Final = "it holds nowhere, as its two sides are never equal"


def _check_constraints(system: System, faults: Faults) -> None:
    rows = system.constraint_jacobian()
    for (name, constraint), row in zip(system.constraints.items(), rows, strict=True):
        wrong = _wrong_with(system, constraint.expression, row) if constraint.origin == "stated" else None
        if wrong is not None:
            faults.add(("constraints", name), *wrong)
    for name, equation in system.holonomic.items():
        if equation.expression is ZERO:
            faults.add(("holonomic", name), "both sides are the same, so it says nothing", "remove it")
        elif not truth.depends_on([equation.expression], system.q) and not truth.vanish([equation.expression]):
            faults.add(*_never(system, name))
        elif _path_of(system, name)[0] == "holonomic" and truth.excludes_zero(equation.expression) is not None:
            faults.add(("holonomic", name), _NOWHERE, "correct or remove it")
    if not faults.inside("coordinates", "constraints", "holonomic", "equations", "assume", "joints", "contacts"):
        _check_rank(system, rows, faults)


def _wrong_with(system: System, f: Expr, row: Sequence[Expr]) -> tuple[str, str] | None:
    """Return what is wrong with a constraint by itself, and what to do."""
    slopes = [slope for slope in row if slope is not ZERO]
    if not slopes and truth.vanish([f]):
        return "both sides are the same, so it says nothing", "remove it"
    if (not slopes or truth.depends_on(slopes, system.v)) and truth.excludes_zero(f) is not None:
        return _NOWHERE, "correct or remove it"
    if slopes:
        return None
    if truth.depends_on([f], system.q):
        return "it contains no velocities", "move it to [holonomic], where it is differentiated for you"
    return "it contains neither velocities nor coordinates", "remove it"


def _check_rank(system: System, rows: Sequence[Sequence[Expr]], faults: Faults) -> None:
    """Look for constraints that contradict those before them, or say nothing.

    What only repeats others is no fault of a system with a Lagrangian: it has a motion, in saddle form.
    """
    found = dependence(system, rows)
    facts = truth.Facts.of(system.facts)
    for name in found.empty:
        _tell_empty(system, name, facts, faults)
    for name in found.contradicting:
        remedy = "correct one of them, or remove it"
        faults.add(_path_of(system, name), "it contradicts the constraints before it", remedy)
    for name in found.flat:
        path = _path_of(system, name)
        stated = path[0] in {"constraints", "holonomic"}  # what a joint or a contact forbids nobody has written
        remedy = "state it so that it has a slope there, without a square say" if stated else "see to axes and places"
        faults.add(path, f"its rate says nothing: its derivatives all vanish {found.where}", remedy)
    if system.lagrangian is None:
        for name, one in found.repeating.items():
            faults.add(_path_of(system, name), one.what, "remove it")


def _tell_empty(system: System, name: str, facts: truth.Facts, faults: Faults) -> None:
    """Say what is wrong with a constraint from which all velocities drop out."""
    left = facts.apply(substitute([system.constraints[name].expression], {q.dot: ZERO for q in system.q}))[0]
    path = _path_of(system, name)
    if truth.is_zero(left).holds:
        faults.add(path, "it always holds, so it says nothing", "remove it")
    elif truth.depends_on([left], system.q):
        remedy = "move it to [holonomic], where it is differentiated for you"
        faults.add(path, "its velocities cancel, so that it is about positions", remedy)
    else:
        faults.add(path, "its velocities cancel, and what is left does not hold", "correct or remove it")


def _never(system: System, name: str) -> tuple[Path, str, str]:
    """Return what is wrong with a constraint on positions in which there are none."""
    path = _path_of(system, name)
    if path[0] == "joints":
        return path, "it closes a loop that nothing moves: its two ends never meet", "a body hangs on one joint"
    if path[0] == "contacts":
        return path, "the body never touches, however the machine moves", "see where its centre is"
    return path, "it contains no coordinates", "remove it"


def _path_of(system: System, name: str) -> Path:
    """Return where a constraint stands: of a machine, the joint or contact that it comes from."""
    owners = {} if system.mechanism is None else system.mechanism.owners
    constraint = system.constraints.get(name)  # none where its rate could not be taken, which was told
    return owners.get(name, ("holonomic" if constraint is None else constraint.table, name))


def _check_equations(system: System, faults: Faults) -> None:
    """Look whether each coordinate is given once: by its acceleration, or its velocity by a constraint."""
    if not system.equations or system.lagrangian is not None:
        return
    second = {variable.data.name for variable in system.equations if variable.data.order == 2}
    first = {variable.data.name for variable in system.equations if variable.data.order == 1}
    for name in sorted(second & first):
        faults.add(("equations", f"{name}'"), f"'{name}' is given by a second-order equation as well", "remove one")
    others = [q for q in system.q if q.data.name not in second]
    if second & first:
        return
    open_ones = [q for q in others if q.data.name not in first]
    stated = len(system.constraints) - len(first)
    if len(open_ones) != stated:
        what = f"there is no equation for {_names(open_ones)}"
        if stated:
            without = f"{_counted(len(open_ones), 'coordinate')} without an equation"
            what = f"{_counted(stated, 'constraint')} for {without}"
        remedy = "each coordinate takes one for its acceleration, or an equation or constraint for its velocity"
        faults.add(("equations",), what, remedy)
    elif others and not _gives(system, others):
        faults.add(("equations",), f"the constraints do not give the velocities of {_names(others)}")


def _gives(system: System, dependent: Sequence[Expr]) -> bool:
    """Say whether the constraints can be solved for some velocities at a generic point."""
    rows = jacobian([c.expression for c in system.constraints.values()], [q.dot for q in dependent])
    kept = independent(rows)
    return kept is None or len(kept) == len(dependent)


def _check_fibration(system: System, faults: Faults) -> None:
    _check_dependent(system, system.dependent, ("fibration", "dependent"), faults)
    _check_dependent(system, system.other_dependent, ("fibration", "other"), faults)
    if any(q.dot.dot in system.equations for q in system.dependent):
        remedy = "choose others"
        faults.add(("fibration", "dependent"), "a coordinate with a second-order equation is not dependent", remedy)


def _check_dependent(system: System, chosen: Sequence[Expr], path: tuple[str, ...], faults: Faults) -> None:
    if not chosen:
        return
    if len(chosen) != len(system.constraints):
        counted = _counted(len(system.constraints), "constraint")
        what = f"{_counted(len(chosen), 'dependent coordinate')} for {counted}"
        faults.add(path, what, "name as many as there are constraints")
    elif not _gives(system, chosen):
        faults.add(path, f"the constraints do not give the velocities of {_names(chosen)}", "choose others")


def _check_virtual(system: System, faults: Faults) -> None:
    if not system.virtual:
        return
    named = [name in system.constraints for name in system.virtual]
    if any(named) and not all(named):
        stranger = next(name for name in system.virtual if name not in system.constraints)
        what = f"'{stranger}' is not the name of a constraint, but others here are"
        faults.add(("virtual", stranger), what, suggestion(stranger, system.constraints))
    elif not any(named) and len(named) != len(system.stated_constraints):
        what = f"{_counted(len(named), 'one-form')} for {_counted(len(system.stated_constraints), 'constraint')}"
        faults.add(("virtual",), what, "there are as many of one as of the other, unless they bear the same names")
    else:
        kept = independent(system.virtual_matrix())
        if kept is not None and len(kept) < len(system.constraints) - len(repeated(system)):
            faults.add(("virtual",), "the one-forms are not independent", "correct or remove one")


# -- symmetry and bundles ------------------------------------------------------------------------------------
def _check_symmetry(system: System, faults: Faults) -> None:
    for name, generator in system.symmetry.items():
        if truth.vanish([*generator.components.values(), generator.time]):
            faults.add(("symmetry", name), "this generator is zero", "remove it, or give it a component")
        for point in system.points:
            across = total([(1, q * generator.components.get(q, ZERO)) for q in point.components])
            if truth.is_zero(across, [*system.facts, truth.Sphere(point.components)]).holds is False:
                what = f"it leaves the unit length of '{point.name}'"
                faults.add(("symmetry", name), what, "its components must be at right angles to it")
    if not system.momentum or faults.inside("symmetry", "momentum"):
        return
    for name in system.momentum:
        if name not in system.symmetry:
            faults.add(("momentum", name), f"'{name}' is not a generator", suggestion(name, system.symmetry))
    missing = [name for name in system.symmetry if name not in system.momentum]
    if missing:
        shown = ", ".join(f"'{name}'" for name in missing)
        faults.add(("momentum",), f"there is no value for {shown}", "every generator has a momentum")


def _check_bundle(system: System, faults: Faults) -> None:
    bundle = system.bundle
    if bundle is None:
        return
    both = [q for q in bundle.base if q in bundle.fibre]
    for q in both:
        faults.add(("bundle", "fibre"), f"'{q!r}' is in the base as well", "name it once")
    chosen = [*bundle.base, *bundle.fibre]
    if both:
        return
    size = len(system.q)
    if bundle.base and bundle.fibre and len(chosen) != size:
        left = [q for q in system.q if q not in chosen]
        what = f"base and fibre have {len(chosen)} coordinates, and the system has {size}"
        remedy = f"add {_names(left)}" if left and not bundle.adapted else "name each in one of them"
        faults.add(("bundle",), what, remedy)
    elif bundle.unsolved:
        pass  # the inverse says whether they are independent
    elif not _areindependent(system, [bundle.adapted.get(q, q) for q in (*chosen, *_unused(bundle))][:size]):
        faults.add(("bundle",), f"{_names([*chosen, *_unused(bundle)])} are not independent")
    _check_connection(system, bundle, faults)
    _check_inverse(system, bundle, faults)


def _unused(bundle: Bundle) -> list[Expr]:
    return [y for y in bundle.adapted if y not in bundle.base and y not in bundle.fibre]


def _areindependent(system: System, expressions: Sequence[Expr]) -> bool:
    kept = independent(jacobian(expressions, system.q)) if expressions else ()
    return kept is None or len(kept) == len(expressions)


def _check_connection(system: System, bundle: Bundle, faults: Faults) -> None:
    if bundle.connection is None or isinstance(bundle.connection, str):
        return
    forms = list(bundle.connection.values())
    wanted, of = (len(bundle.fibre), "fibre coordinate") if bundle.fibre else (len(system.symmetry), "generator")
    path = ("bundle", "connection")
    if len(forms) != wanted:
        faults.add(path, f"{_counted(len(forms), 'one-form')} for {_counted(wanted, of)}")
        return
    rows = [[form.get(q, ZERO) for q in system.q] for form in forms]
    on_fibre = [[row[system.q.index(q)] for q in bundle.fibre if q in system.q] for row in rows]
    kept = independent(on_fibre if bundle.fibre and not bundle.adapted else rows)
    if kept is not None and len(kept) != wanted:
        along = " along the fibre" if bundle.fibre and not bundle.adapted else ""
        faults.add(path, f"the one-forms are not independent{along}")


def _check_inverse(system: System, bundle: Bundle, faults: Faults) -> None:
    """Look whether the adapted coordinates, put into the inverse, give themselves back up to a constant."""
    if not bundle.inverse:
        return
    path = ("bundle", "inverse")
    kept = [q for q in system.q if q not in bundle.inverse]
    new = [*bundle.adapted, *bundle.unsolved, *kept]
    if len(new) != len(system.q):
        count = len(new) - len(kept)
        what = f"{_names(list(bundle.inverse))} in terms of {_counted(count, 'adapted coordinate')}"
        faults.add(path, what, "give one coordinate for each adapted one")
        return
    try:
        back = substitute(list(bundle.adapted.values()), bundle.inverse)
    except ExpressionError as error:
        faults.add(path, str(error))
        return
    rows = independent(jacobian(list(bundle.inverse.values()), [*bundle.adapted, *bundle.unsolved]))
    if bundle.unsolved and rows is not None and len(rows) != len(bundle.inverse):
        faults.add(path, f"{_names(list(bundle.inverse))} are not independent there", "correct it")
    for y, row in zip(bundle.adapted, jacobian(back, new), strict=True):
        slopes = [slope - (ONE if z is y else ZERO) for z, slope in zip(new, row, strict=True)]
        if is_quick(slopes) and any(truth.is_zero(slope).holds is False for slope in slopes):
            faults.add(path, f"it does not give '{y!r}' back", "correct it, or the adapted coordinate")


_CONSTRAINTS: Final = ("coordinates", "constraints", "holonomic", "equations")
_CHECKS: Final[tuple[tuple[Callable[[System, Faults], None], str, tuple[str, ...]], ...]] = (
    (_check_assumptions, "assume", ()),
    (_check_constraints, "constraints", ()),
    (check_speeds, "speeds", ("speeds", "coordinates")),
    (_check_equations, "equations", _CONSTRAINTS),
    (_check_fibration, "fibration", (*_CONSTRAINTS, "fibration")),
    (_check_virtual, "virtual", (*_CONSTRAINTS, "virtual")),
    (_check_symmetry, "symmetry", ()),
    (_check_bundle, "bundle", ("coordinates", "bundle")),
)
"""Each check, the table it is about, and the tables it can only look at when they are without faults."""
