"""DOP853 compiled whole, together with the equations it integrates.

================  =============================================================================
file              what
================  =============================================================================
``coefficients``  the numbers of the method 8(5,3) and of its dense output
``memory``        where everything is that a step works in
``stages``        one step, of one motion or of several: stages, error, size of the next
``dense``         the state within a step
``projecting``    the end of a step brought back to the constraints
``stepping``      the loop over the steps of one motion; that of an ensemble is in ``ensemble``
``watching``      events while stepping
``turns``         angles are carried within two turns
``compiled``      equations and method together, and what it takes to call them
================  =============================================================================
"""

from dalembert.numerics.dop853.compiled import Dop853, compiled

__all__ = ["Dop853", "compiled"]
