"""Equations of motion as source code for elsewhere: C99, JAX, CasADi, Julia, JavaScript.

==========  =============================================================================
file        what
==========  =============================================================================
``model``   what is written: functions of time, variables and parameters, with safe names
``body``    expressions as lines, with shared parts named
``c``       C99
``jax``     JAX
``casadi``  CasADi
``julia``   Julia
``js``      JavaScript
==========  =============================================================================
"""

from dalembert.numerics.codegen.model import LANGUAGES, code

__all__ = ["LANGUAGES", "code"]
