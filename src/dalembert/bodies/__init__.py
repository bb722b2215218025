"""The mechanics of parts: frames that turn, points that move, bodies with inertia, contacts.

A machine is stated by the tables [frames], [points], [bodies], [joints], [contacts] and [forces] of a model file, or of
``System.of``; this package offers their types, with the same words. What they mean is worked out here, on expressions.

==============  ==========================================================================
file            what
==============  ==========================================================================
``tables``      the parts as they are stated: typed tables
``vectors``     vectors and matrices of expressions
``kinematics``  frames that turn and points that move, with their velocities
``inertia``     bodies and the moments of inertia of shapes
``contacts``    bodies that touch a plane
``surfaces``    surfaces that are not plane
==============  ==========================================================================
"""

from dalembert._front import front

__getattr__, __dir__ = front(__name__)
