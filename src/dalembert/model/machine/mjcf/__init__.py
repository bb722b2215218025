"""Robots in MJCF, the XML of MuJoCo, as the tables of a machine.

============== ==========================================================================================
file           what
============== ==========================================================================================
``document``   the file: what it includes, its defaults and classes, and what it leaves unsaid
``places``     where things are and how they are turned
``solids``     masses and moments of inertia, stated or of geoms
``tree``       bodies and their joints
``equalities`` what closes loops and couples joints
``actuators``  motors as torques with controls
``reader``     all of it in turn, and the notes
============== ==========================================================================================
"""

from dalembert.model.machine.mjcf.reader import tables_of_mjcf

__all__ = ["tables_of_mjcf"]
