import inspect
import os
import sys
from pathlib import Path

import netmodel

sys.path.insert(0, str(Path(__file__).parent))
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
    "catalog_pages",
    "comparison_pages",
    "coverage_pages",
    "evidence_pages",
    "shared_process",
]
exclude_patterns = ["_templates"]
templates_path = ["_templates"]

autosummary_ignore_module_all = False
autosummary_imported_members = True
autodoc_typehints = "none"
numpydoc_show_class_members = False

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 120

html_theme = "pydata_sphinx_theme"
html_title = "netmodel"
html_static_path = ["_static"]
html_css_files = ["wide.css"]
html_sourcelink_suffix = ""
html_theme_options = {"navigation_with_keys": False, "show_toc_level": 2}
html_sidebars = {"tutorial": [], "nomenclature": [], "gallery": []}


def drop_docstring_of_type(app, what, name, obj, options, lines):
    """Keep autodoc from describing ``int`` where a re-exported constant has no docstring."""
    if what == "data" and lines[:1] == (inspect.getdoc(type(obj)) or "").splitlines()[:1]:
        lines.clear()


def setup(app):
    app.connect("autodoc-process-docstring", drop_docstring_of_type, priority=100)
