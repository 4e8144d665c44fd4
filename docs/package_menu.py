"""
A menu of the names of a package, for the pages of these names.

The menu of the theme is made anew for each of some 500 pages, which takes a quarter of the time of
writing them all. As a Sphinx extension it gives ``package_menu`` to templates.
"""

from typing import Any

GENERATED = "reference/generated/"


def names_beside(docname: str, env: Any) -> tuple[str, list[str]] | None:
    """The page of the package that a name belongs to, and the pages of all its names."""
    if not docname.startswith(GENERATED):
        return None
    above = {docname, docname.rpartition(".")[0]}
    for package in sorted(above, key=len, reverse=True):
        if names := env.toctree_includes.get(package):
            return package, names
    return None


def _add(app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    found = names_beside(pagename, app.env)
    if found:
        package, names = found
        context["package_menu"] = {
            "page": package,
            "title": package.removeprefix(GENERATED),
            "names": [(name, name.rpartition(".")[2]) for name in names],
        }


def setup(app: Any) -> dict[str, bool]:
    """Connect it."""
    app.connect("html-page-context", _add)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
