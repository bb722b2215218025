"""What people and other programs see.

==============  =======================  =============================================================================
for             file                     what
==============  =======================  =============================================================================
the model       ``page``                 the tree of what is shown, and how much
the model       ``shortening``           short forms of its formulas
made of         ``answers``              answers and numbers, as a person reads them
made of         ``run_page``             a motion, an audit, an ensemble, a sweep
made of         ``steady_page``          steady motions
made of         ``analyses``             what other analyses find: reach, spectra, phases, curves, conjugate points
made of         ``results``              what was stated and derived
made of         ``motion_equations``     the equations of motion
made of         ``main_objects``         the objects that say most, as equations
made of         ``all_objects``          all of them, each behind its title
made of         ``alike``                parts that are equal, in one form
made of         ``entries``              what is zero of entries of rotations
made of         ``report``               a study: what each formalism contributes, sentences, the summary
made of         ``study_page``           a study: the whole report
made of         ``overview``             a derivation, as a terminal shows it first
made of         ``study_overview``       a study, as a terminal shows it first
made of         ``motion``               motions
made of         ``conserved``            sentences on what is conserved
made of         ``integrals``            first integrals, in letters that are defined and each once
made of         ``naming``               the names that parts of formulas do not get
made of         ``discovered_page``      what a search found: symmetries and integrals
..              ``discovered_dynamics``  and what these say of measures, integrability, brackets, Lagrangians and tori
made of         ``things``               anything, by its type or its fields
made of         ``known_types``          things of known types, each in a way of its own
writers         ``html_writer``          HTML, for a report and for a notebook
writers         ``style``                the look of a page
writers         ``typeset``              sentences with mathematics in them
writers         ``text_writer``          text, for a terminal, and brief
writers         ``lines``                breaking and columns
writers         ``latex_writer``         LaTeX
writers         ``latex_document``       a document of LaTeX
writers         ``json_export``          the JSON of derive
writers         ``answer_schema``        the shape of answers in JSON
writers         ``combinations``         fields and forms, in all of them
writers         ``bibliography``         BibTeX
pictures        ``plots``                curves
pictures        ``fronts``               wave fronts of vakonomic problems
pictures        ``spectra``              eigenvalues along a family
pictures        ``scene``                a mechanism as polylines, how near each is, and what follows it
pictures        ``ground``               what it stands on
pictures        ``figures``              what is drawn of a system, as expressions
pictures        ``animation``            it plays
pictures        ``filming``              it plays in a file
on a page       ``living``               a motion that the page integrates itself
on a page       ``scripts``              the scripts of a page
a notebook      ``notebook``             what is registered
a notebook      ``widget``               the living view
a notebook      ``frames``               pages within a page, packed or not
==============  =======================  =============================================================================
"""

from dalembert._front import front

__getattr__, __dir__ = front(__name__)
