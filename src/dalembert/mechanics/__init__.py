"""The formalisms, in folders by theory; each folder's own table says which section of its paper is which file.

``registry`` lists the formalisms and ``derivation`` runs them; the file ``formalism`` of a folder is its record, with
the theorems about it.

========================  ====================  =======================================================================
paper                     file                  what
========================  ====================  =======================================================================
..                        ``lagrangian``        Euler-Lagrange, Hamilton, Noether, momentum maps: no constraints
Sarlet and others 1995    ``nonholonomic``      motion under constraints: linear ones (1, 5), any kind (Patrick, 6)
Sarlet and others 1995    ``second_order``      geometry of second-order fields (2, 3), symmetries and integrals (4, 5)
Cantrijn and others 2002  ``chaplygin``         reduction where the group complements the constraints
Crampin, Mestdag 2008     ``routh``             reduction at a value of the momentum, and reconstruction
Bloch and others 1996     ``reduced``           reduction where constraints meet the orbits: momentum equation
Garcia, Rodrigo 2004      ``vakonomic``         constraints on the curves that are varied
Patrick 2007              ``semisymplectic``    brackets, momenta, subsystems and reduction of constrained motion
..                        ``derivation``        a formalism run on a system, by its name
..                        ``found_symmetries``  symmetries that nobody stated, and the rule by which they are taken
..                        ``registry``          the formalisms: the only list of them; the five papers; claims
..                        ``asked``             what each theorem asks for, said with every refusal
..                        ``theorem``           a theorem as a row: statement, place, how it is decided
..                        ``principal_bundle``  base and fibre coordinates of a free action, for all reductions
..                        ``common``            what formalisms do alike: the record of equations, the start
..                        ``closed_loops``      points where loops of angles close, by the other coordinates
..                        ``vanishing_on``      whether an expression is zero wherever some equations hold
..                        ``dependence``        which functions are functions of others, where constraints hold
========================  ====================  =======================================================================
"""

from dalembert._front import front

__getattr__, __dir__ = front(__name__)
