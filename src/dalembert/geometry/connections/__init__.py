"""Connections: Ehresmann's (constraints are such), principal and affine ones."""

from dalembert.geometry.connections.affine import (
    AffineConnection,
    levi_civita,
    metric_connection,
    metricity,
    riemann,
    torsion,
)
from dalembert.geometry.connections.ehresmann import EhresmannConnection, constraint_connection
from dalembert.geometry.connections.principal import PrincipalConnection, equivariance, structure_equation

__all__ = [
    "AffineConnection", "EhresmannConnection", "PrincipalConnection", "constraint_connection", "equivariance",
    "levi_civita", "metric_connection", "metricity", "riemann", "structure_equation", "torsion",
]  # fmt: skip
