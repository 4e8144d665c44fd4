"""
Small images that lead to plots: those of the same page, or the first one of each notebook.

As a Sphinx extension it has the directives ``plot-thumbnails`` and ``notebook-thumbnails``; both
are filled in when all pages have been read.
"""

from collections.abc import Iterator
from typing import Any

import notebook_pages
from docutils import nodes
from sphinx.util.docutils import SphinxDirective


class PlotThumbnails(nodes.General, nodes.Element):
    """Where those of the plots below stand."""


class NotebookThumbnails(nodes.General, nodes.Element):
    """Where those of the notebooks stand."""


class _OfPlots(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        return [PlotThumbnails()]


class _OfNotebooks(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        return [NotebookThumbnails()]


def _fill(app: Any, doctree: nodes.document, docname: str) -> None:
    for place in list(doctree.findall(PlotThumbnails)):
        place.replace_self(_cards(_card(*each) for each in _plots(doctree)))
    for place in list(doctree.findall(NotebookThumbnails)):
        place.replace_self(_cards(_card(*each) for each in _notebooks(app, docname)))


def _plots(doctree: nodes.document) -> Iterator[tuple[str, str, nodes.image | None, str]]:
    """Address, title and plot of each section that has one."""
    for section in doctree.findall(nodes.section):
        image = next(section.findall(nodes.image), None)
        is_innermost = not any(isinstance(child, nodes.section) for child in section.children)
        if image is not None and is_innermost:
            yield f"#{section['ids'][0]}", section[0].astext(), image, ""


def _notebooks(app: Any, docname: str) -> Iterator[tuple[str, str, nodes.image | None, str]]:
    """Address, title, first plot and first sentence of each notebook."""
    for file in notebook_pages.notebooks():
        page = f"{notebook_pages.TARGET}/{file.stem}"
        image = next(app.env.get_doctree(page).findall(nodes.image), None)
        address = app.builder.get_relative_uri(docname, page)
        yield address, notebook_pages.title(file), image, notebook_pages.summary(file)


def _card(address: str, title: str, image: nodes.image | None, text: str) -> nodes.container:
    link = nodes.reference("", "", refuri=address, internal=True)
    if image is not None:
        small = image.deepcopy()
        # the title beside it says the same to those who hear the page
        small["alt"] = ""
        for name in ("width", "height", "scale", "align", "ids"):
            small.attributes.pop(name, None)
        small["ids"] = []
        small["classes"] = ["site-thumbnail"]
        link += small
    link += nodes.inline("", title, classes=["site-card-title"])
    card = nodes.container("", classes=["site-card"])
    card += nodes.paragraph("", "", link)
    if text:
        card += nodes.paragraph("", text)
    return card


def _cards(cards: Iterator[nodes.container]) -> nodes.container:
    return nodes.container("", *cards, classes=["site-cards"])


def setup(app: Any) -> dict[str, bool]:
    """Add the directives, and what fills them."""
    for kind in (PlotThumbnails, NotebookThumbnails):
        app.add_node(kind)
    app.add_directive("plot-thumbnails", _OfPlots)
    app.add_directive("notebook-thumbnails", _OfNotebooks)
    app.connect("doctree-resolved", _fill)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
