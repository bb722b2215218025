"""Machines stated by their parts: [frames], [points], [bodies], [joints], [contacts], and [forces] on them.

================  ==========================================================================================
file              what
================  ==========================================================================================
``workshop``      what has been built so far, and how its entries are read: vectors, axes, frames, points
``shapes``        that names in them are names, before anything is built
``frames``        [frames] and [points]
``joints``        [joints]: those that place a body, those that close a loop, gears and belts
``solids``        [bodies]
``contacts``      [contacts]: rolling, blades, sliding, and where they end
``surfaces``      surfaces in them by an equation, a parametrisation, a meridian, a support function
``loads``         entries of [forces] that are tables: gravity, springs, dampers, torques, motors, friction
``robots``        robots in XML as such tables: ``urdf``, with its ``wheels``, and ``mjcf``; ``xml`` reads them
``sympy_bodies``  machines made of SymPy's bodies and joints
``drawing``       how they look
``assembly``      all of it in turn, and what comes out: a Lagrangian, constraints, forces, names
================  ==========================================================================================
"""
