"""From the graph to machine code: expressions in, functions of arrays out.

``lanes`` and ``writer`` write LLVM's language line by line, ``linear``, ``elimination``, ``pivoting`` and ``reader``
say what the operations of the graph become, ``rates`` and ``observe`` make whole functions of equations and of lists of
expressions, and ``machine`` hands the text to LLVM. Everything is written for one value or for several lanes of a
vector alike.
"""

from dalembert.numerics.compile.machine import Machine
from dalembert.numerics.compile.observe import Observer, observer

__all__ = ["Machine", "Observer", "observer"]
