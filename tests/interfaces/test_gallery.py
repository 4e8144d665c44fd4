"""The gallery of the documentation names every notebook and shows every plot over connections."""

import re
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
GALLERY = (REPOSITORY / "docs/gallery.md").read_text(encoding="utf-8")


def test_the_gallery_names_every_notebook() -> None:
    named = re.findall(r"\(?<\.\./notebooks/(\S+)\.md>", GALLERY)
    assert sorted(named) == sorted(file.stem for file in (REPOSITORY / "notebooks").glob("*.md"))


def test_every_plot_of_the_gallery_has_a_text() -> None:
    cells = GALLERY.count("```{code-cell}")
    assert cells > 0
    assert len(re.findall(r"^    alt: ", GALLERY, flags=re.MULTILINE)) == cells
