"""What the tests of integrators share: the systems and measures of the benchmark of orders, and one system more."""

from bench.orders import AROUND, PLANE, SLOPE, TWO_LINKS, drift, energies, kutta, measured, orders
from dalembert.model.system import System

__all__ = ["AROUND", "CENTRAL", "PLANE", "SLOPE", "TWO_LINKS", "drift", "energies", "kutta", "measured", "orders"]

CENTRAL = System.of(
    name="particle in a central field",
    coordinates="x y",
    lagrangian="(x'^2 + y'^2)/2 + 1/sqrt(x^2 + y^2)",
    start={"x": 1, "y'": 1.1},
)
