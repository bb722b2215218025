"""The mechanics of parts: frames that turn, points that move, bodies with inertia, contacts.

A machine is stated by the tables [frames], [points], [bodies], [joints], [contacts] and [forces] of a model file, or of
``System.of``; what they mean is worked out here, on expressions.
"""

from dalembert._front import front

__getattr__, __dir__ = front(__name__)
