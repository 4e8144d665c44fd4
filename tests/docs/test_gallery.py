"""The gallery: each plot with a section, for its thumbnail, and a text on what it shows."""

import re
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
GALLERY = (REPOSITORY / "docs/gallery.md").read_text(encoding="utf-8")


def test_every_plot_has_a_section_of_its_own() -> None:
    sections = GALLERY.split("\n## ")[1:]
    assert [section.count("```{code-cell}") for section in sections] == [1] * len(sections)
    assert GALLERY.count("```{plot-thumbnails}") == 1


def test_every_plot_of_the_gallery_has_a_text() -> None:
    cells = GALLERY.count("```{code-cell}")
    assert cells > 0
    assert len(re.findall(r"^    alt: ", GALLERY, flags=re.MULTILINE)) == cells
