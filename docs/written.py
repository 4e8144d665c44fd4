"""Pages and files that extensions of the documentation write."""

from pathlib import Path


def write(target: Path, text: str) -> None:
    """Write a file and its folder, unless it has this text: Sphinx reads again what changed."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists() or target.read_text("utf-8") != text:
        target.write_text(text, "utf-8")
