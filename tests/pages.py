"""HTML pages, parsed strictly."""

from html.parser import HTMLParser

VOID = {"meta"}


class Page(HTMLParser):
    """Elements of a page: tag, attributes and the text inside; refuses what is not closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None], list[str]]] = []
        self._open: list[int] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs), []))
        if tag not in VOID:
            self._open.append(len(self.elements) - 1)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs), []))

    def handle_endtag(self, tag: str) -> None:
        assert self.elements[self._open.pop()][0] == tag

    def handle_data(self, data: str) -> None:
        for number in self._open:
            self.elements[number][2].append(data)

    def texts(self, tag: str, kind: str | None = None) -> list[str]:
        """What the elements say that have this tag and class."""
        return [
            " ".join("".join(text).split())
            for name, attributes, text in self.elements
            if name == tag and (kind is None or kind in (attributes.get("class") or "").split())
        ]

    def attributes(self, tag: str, kind: str) -> list[dict[str, str | None]]:
        return [
            attributes
            for name, attributes, _ in self.elements
            if name == tag and kind in (attributes.get("class") or "").split()
        ]
