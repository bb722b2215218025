"""The text of expressions, read by a grammar and written so that it reads back to the same expression.

==================== =========================================================================================
text                 means
==================== =========================================================================================
``x'``, ``x''``      velocity and acceleration of the variable ``x``; of a let, its total time derivatives
``t``, ``pi``        time, and the number
``0.1``, ``1e-3``    numbers, exact: 1/10, 1/1000
``+ - * /``          as usual; a chain ``a + b - c`` is one sum, ``a*b/c`` one product, brackets stay together
``x^2``, ``x**2``    power; binds to the right and tighter than a sign: ``-x^2`` is ``-(x^2)``
``sin(x)``           and ``cos tan exp log sqrt abs atan asin acos sinh cosh tanh``
``V(x, y)``          an unspecified function at any arguments
``D(V, 1, 2)(x, y)`` its derivative by the first slot and by the second
``diff(e, x, y')``   partial derivative of ``e`` by the names that follow, taken while reading
``left = right``     an equation, for :func:`parse_equation`
==================== =========================================================================================

What a name means is said by a :class:`~dalembert.expr.vocabulary.Vocabulary`; a derivative ``x'`` can be taken of
variables and lets, not of parameters or functions. Columns in errors count from 1, from the start of the text.
"""

from dalembert._front import front

__getattr__, __dir__ = front(__name__)
