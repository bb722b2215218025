"""The site of the documentation: ``make docs`` writes it to build/site, with warnings as errors.

Formulas are typeset while it is built, as MathML, which browsers show without any script. Pages open from a folder.
"""

from typing import Any

from latex2mathml.converter import convert

project = "dalembert"
html_title = "dalembert"
extensions = ["myst_nb"]
exclude_patterns = ["*.py"]
html_extra_path = ["extra"]
nb_execution_timeout = 300
nb_execution_raise_on_error = True
nb_mime_priority_overrides = [("html", "text/html", 0)]
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header"]
html_theme = "pydata_sphinx_theme"
html_static_path = ["css"]
html_css_files = ["extra.css"]
html_context = {"default_mode": "auto"}
html_show_sphinx = False
html_copy_source = False
html_theme_options = {
    "show_prev_next": False,
    "navigation_with_keys": False,
    "navbar_center": [],
    "navbar_persistent": ["search-field"],
    "navbar_end": ["theme-switcher"],
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": [],
    "footer_end": [],
}
html_sidebars = {"**": ["globaltoc.html"]}
html_math_renderer = "mathml"


def _inline(translator: Any, node: Any) -> None:
    translator.body.append(convert(node.astext()))
    raise _leave()


def _block(translator: Any, node: Any) -> None:
    translator.body.append(f'<div class="formula">{convert(node.astext(), display="block")}</div>')
    raise _leave()


def _leave() -> Exception:
    from docutils.nodes import SkipNode

    return SkipNode()


def setup(app: Any) -> None:
    """Let formulas be written as MathML."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
