"""What people and other programs see.

=====================  ===============================================================================================
for programs           ``answer`` (the JSON of derive), ``bibliography`` (BibTeX)
in the terminal        ``plain`` (equations and claims), ``lines`` (breaking and columns)
the report             ``report`` (the file), ``part`` (what a formalism contributes), ``page`` (its section),
                       ``summary`` (sentences), ``objects``, ``badges`` (verdicts and claims), ``motion``, ``style``
pictures               ``plots``, ``scene`` (a mechanism as polylines), ``ground`` (below it), ``animation`` (it plays)
in a notebook          ``notebook`` (what is registered), ``looks`` (by type), ``sheet`` (any record by its fields),
                       ``combinations`` (fields and forms), ``told`` (plain text)
shared                 ``solved`` (which equations are shown), ``lettering`` (names with Greek letters)
=====================  ===============================================================================================
"""
