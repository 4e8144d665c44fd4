"""
Links of the built site to the outside: which are gone.

Usage: python tests/outside_links.py build/docs. Exit code 1 if a server says that a page is gone; a
server that cannot be reached, as without a network, is only named.
"""

import html
import re
import sys
import urllib.error
import urllib.request
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

GONE = {404, 410}
"""HTTP: not found, and gone (RFC 9110, 15.5.5 and 15.5.11)."""
TIMEOUT_S = 20
"""Servers of journals take up to ten seconds."""
MANY = 8
"""Servers that are asked at once."""
AGENT = "Mozilla/5.0 (links of a documentation)"
"""Some servers refuse what does not call itself a browser."""


def outside_links(site: Path) -> list[str]:
    """Addresses that pages link to, without anchors."""
    found = {
        html.unescape(link).partition("#")[0]
        for page in site.rglob("*.html")
        for link in re.findall(r'<a\b[^>]*?\bhref="(https?://[^"]+)"', page.read_text("utf-8"))
    }
    return sorted(found)


def state(address: str) -> str:
    """What becomes of a request: "there", "gone", or why it is not known."""
    request = urllib.request.Request(address, headers={"User-Agent": AGENT})
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S):
            return "there"
    except urllib.error.HTTPError as error:
        return "gone" if error.code in GONE else f"answers {error.code}"
    except OSError as error:
        return f"not reached: {getattr(error, 'reason', error)}"


def report(addresses: Iterable[str], states: Iterable[str]) -> tuple[str, int]:
    """What to print, and the exit code."""
    found = [(address, each) for address, each in zip(addresses, states, strict=True)]
    lines = [f"{each}: {address}" for address, each in found if each != "there"]
    there = sum(each == "there" for _, each in found)
    lines.append(f"{there} of {len(found)} outside links are there")
    return "\n".join(lines), int(any(each == "gone" for _, each in found))


if __name__ == "__main__":
    links = outside_links(Path(sys.argv[1]))
    with ThreadPoolExecutor(MANY) as servers:
        text, code = report(links, servers.map(state, links))
    print(text)
    sys.exit(code)
