"""Connections: Ehresmann's (constraints are such), principal and affine ones.

================  =============================================================================================
file              what
================  =============================================================================================
``ehresmann``     a distribution that complements the fibres; its horizontal lifts and curvature
``principal``     the connection form of a group action, horizontal lifts, curvature; the mechanical connection
``affine``        Levi-Civita's and others: torsion, metricity, curvature, geodesics, parallel transport
``nonholonomic``  what linear constraints leave of Levi-Civita's: projector, torsion, curvature
``in_frame``      both in a moving frame, by its structure functions: bodies in space
================  =============================================================================================
"""

from dalembert._front import front

__getattr__, __dir__ = front(__name__)
