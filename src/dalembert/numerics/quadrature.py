"""Nodes and weights of implicit Runge-Kutta methods by collocation: those of Gauss and of Radau, any number of stages.

Source: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, 2nd edition (1996), IV.5.
"""

from __future__ import annotations

import numpy as np
from numpy.polynomial import legendre

from dalembert.model.trajectory import Array


def gauss_nodes(stages: int) -> Array:
    """Return the nodes of Gauss in [0, 1]: collocation there has order twice their number.

    >>> gauss_nodes(2).round(6)
    array([0.211325, 0.788675])
    """
    return (1 + legendre.leggauss(stages)[0]) / 2


def radau_nodes(stages: int) -> Array:
    """Return the right nodes of Radau in [0, 1], the last of which is 1: order twice their number, less one.

    >>> radau_nodes(3).round(6)
    array([0.155051, 0.644949, 1.      ])
    """
    series = np.zeros(stages + 1)
    series[stages - 1 :] = -1, 1
    roots = np.sort(legendre.legroots(series).real)
    for _ in range(2):  # what the eigenvalue solver leaves is taken out by Newton's method
        roots -= legendre.legval(roots, series) / legendre.legval(roots, legendre.legder(series))
    nodes = (1 + roots) / 2
    nodes[-1] = 1.0
    return nodes


def lagrange(nodes: Array, at: Array) -> Array:
    """Return the values of the polynomials that are 1 at one node and 0 at the others, rows by places.

    >>> lagrange(np.array([0.0, 1.0]), np.array([0.25]))
    array([[0.75, 0.25]])
    """
    gaps = nodes[:, None] - nodes
    np.fill_diagonal(gaps, 1.0)
    parts = (at[:, None] - nodes)[:, None, :] / gaps
    own = np.arange(len(nodes))
    parts[:, own, own] = 1.0
    product: Array = parts.prod(axis=2)
    return product


def collocation(nodes: Array) -> tuple[Array, Array]:
    """Return A and b of the method that collocates at some nodes: the integrals of their polynomials up to each node
    and up to 1.

    >>> matrix, weights = collocation(gauss_nodes(1))
    >>> matrix, weights
    (array([[0.5]]), array([1.]))
    """
    x, w = legendre.leggauss(len(nodes))
    rows = [(end / 2) * w @ lagrange(nodes, end * (1 + x) / 2) for end in (*nodes, 1.0)]
    return np.array(rows[:-1]), rows[-1]
