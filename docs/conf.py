import inspect
import os
import sys
from pathlib import Path

import netmodel

sys.path.insert(0, str(Path(__file__).parent))
import cell_cache
import subjects

os.environ["COLUMNS"] = "100"  # of output: fits beside the menu at 1280 px
os.environ.pop("MPLBACKEND", None)  # Agg, as the Makefile has it, leaves plots out of the pages

project = "netmodel"
project_copyright = "The netmodel contributors"
author = "The netmodel contributors"
version = release = netmodel.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "numpydoc",
    "myst_nb",
    "audit_pages",
    "catalog_pages",
    "command_pages",
    "line_calculator",
    "local_math",
    "notebook_pages",
    "package_menu",
    "project_pages",
    "public_results",
    "shared_process",
    "shell_cells",
    "thumbnails",
    "word_pages",
]
exclude_patterns = ["_templates"]
templates_path = ["_templates"]

autosummary_ignore_module_all = False
autosummary_imported_members = True
autosummary_context = {"subjects": subjects.of_packages()}
autodoc_typehints = "none"
numpydoc_show_class_members = False

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
nb_execution_mode = "cache"
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_execution_excludepatterns = ["notebooks/*"]
nb_execution_cache_path = str(cell_cache.directory())
nb_render_markdown_format = "myst"  # tables that cells print; CommonMark has none

html_theme = "pydata_sphinx_theme"
html_title = "netmodel"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_search_scorer = str(Path(__file__).parent / "scorer.js")
html_theme_options = {
    "article_header_end": ["folded-toc"],
    "collapse_navigation": True,
    "footer_start": ["copyright"],
    "footer_end": [],
    "header_links_before_dropdown": 8,
    "navbar_align": "left",
    "navigation_with_keys": False,
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "show_toc_level": 2,
}
html_sidebars = {
    "index": [],
    "gallery": [],
    "reference/generated/*": ["package-menu"],
    "calculator": [],
}


def drop_docstring_of_type(app, what, name, obj, options, lines):
    """Keep autodoc from describing ``int`` where a re-exported constant has no docstring."""
    if what == "data" and lines[:1] == (inspect.getdoc(type(obj)) or "").splitlines()[:1]:
        lines.clear()


def setup(app):
    app.connect("autodoc-process-docstring", drop_docstring_of_type, priority=100)
