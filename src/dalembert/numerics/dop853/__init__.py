"""DOP853 compiled whole, together with the equations it integrates.

``memory`` and ``stages`` write the step for one motion and for several side by side: stages, error, sizes
of steps, dense output. ``stepping`` is the loop over the steps of one motion; that of an ensemble is in ``ensemble``.
"""

from dalembert.numerics.dop853.compiled import Dop853, compiled

__all__ = ["Dop853", "compiled"]
