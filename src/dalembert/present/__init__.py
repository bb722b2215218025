"""What people and other programs see.

==============  =======================  =============================================================================
for             file                     what
==============  =======================  =============================================================================
programs        ``json_export``          the JSON of derive
programs        ``bibliography``         BibTeX
the terminal    ``plain``                equations and claims
the terminal    ``lines``                breaking and columns
the report      ``report``               the file
the report      ``part``                 what a formalism contributes
the report      ``page``                 its section
the report      ``summary``              sentences
the report      ``objects``              geometric objects
the report      ``badges``               verdicts and claims
the report      ``motion``               plots and tables of a motion
the report      ``style``                its style sheet
pictures        ``plots``                curves
pictures        ``scene``                a mechanism as polylines
pictures        ``axes``                 the grid, floor or axes below it
pictures        ``animation``            it plays
a notebook      ``notebook``             what is registered
a notebook      ``notebook_renderers``   how things look, by type
a notebook      ``html_renderer``        any record by its fields
a notebook      ``combinations``         fields and forms
a notebook      ``plain_repr``           plain text
all of them     ``displayed_equations``  which equations are shown
all of them     ``symbol_text``          names with Greek letters
==============  =======================  =============================================================================
"""

from dalembert._front import front

__getattr__, __dir__ = front(__name__)
