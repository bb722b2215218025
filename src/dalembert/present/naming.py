"""Which names a page uses for things of a system and of a theory: parts of formulas get others."""

from __future__ import annotations

from collections.abc import Iterable

from dalembert.errors import DalembertError
from dalembert.mechanics.registry import MainObject, formalism
from dalembert.model.equations import Equations
from dalembert.model.system import System


def names_used(system: System, equations: Iterable[Equations] = ()) -> frozenset[str]:
    """Return the names of a statement, of the variables of some equations, and of the main objects of their theories.

    >>> disc = System.of(name="disc", coordinates="a", lagrangian="a'^2/2", symmetry={"k1": {"a": 1}})
    >>> sorted(names_used(disc))
    ['a', 'k1']
    """
    stated = [*system.coordinates, *system.parameters, *system.controls, *system.stated_speeds]
    names = {one.data.name for one in stated} | {f.name for f in system.functions} | {*system.let, *system.symmetry}
    for one in equations:
        brought = (*one.kinematics, *one.velocities, *one.momenta, *one.speeds, *one.parameters, *one.reconstruction)
        names |= {v.data.name for v in (*brought, *one.implicit)}
        names |= {main.letter.strip("{}'") for main in _main(one.formalism)}
    return frozenset(name for name in names if name)


def _main(name: str) -> tuple[MainObject, ...]:
    try:
        return tuple(formalism(name).main)
    except DalembertError:  # equations by hand are of no formalism
        return ()
