"""DOP853 compiled whole, together with the equations it integrates: stages, dense output, and the loop over steps."""

from dalembert.numerics.dop853.compiled import Dop853, compiled

__all__ = ["Dop853", "compiled"]
