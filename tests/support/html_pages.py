"""What an HTML page links to and loads."""

from collections import Counter
from html.parser import HTMLParser

_CHECKED = {"a": "href", "img": "src", "script": "src", "link": "href"}


class Page(HTMLParser):
    """What a page links to and loads, its anchors, and its headings."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.ids: list[str] = []
        self.tags: Counter[str] = Counter()
        self.described: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        reported = {name: value or "" for name, value in attrs}
        self.tags[tag] += 1
        if "id" in reported:
            self.ids.append(reported["id"])
        if "aria-describedby" in reported:
            self.described.append(reported["aria-describedby"])
        if tag in _CHECKED and _CHECKED[tag] in reported:
            (self.links if tag == "a" else self.loads).append(reported[_CHECKED[tag]])
