"""The pages of `docs/`, from Markdown. What stands in them as HTML stays text."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from posixpath import dirname, normpath, relpath

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from fencepost.contract import proposals

from . import addresses
from .book import Book
from .page_writer import PageWriter, SearchEntry, trusted

_COMMENT = re.compile(r"\A(?:\s*<!--.*?-->)+\s*", re.S)
_ID = re.compile(r"\b([A-Z][A-Z0-9]*-\d{2,3})\b")
_SIZE = re.compile(r'viewBox="0 0 (\d+) (\d+)"')
_OUTSIDE = ("https://", "http://", "#", "mailto:")
_FIRST = ("tutorial", "your-own-system", "glossary", "site", "report", "known-deviations", "launchers", "serving", "check", "explore")


@dataclass(frozen=True)
class Document:
    """A page of the documentation; `name` is its path below `docs/` without its ending."""

    name: str
    title: str
    text: str

    @property
    def address(self) -> str:
        return addresses.document(self.name)


class Documents:
    """All pages of `docs/` but those that the site makes itself from the registers and vocabularies."""

    def __init__(self, book: Book, specs: Sequence[str]) -> None:
        self._book, self._specs = book, frozenset(specs)
        made_here = {*proposals.bundled().by_spec, "sentences"}
        self.all = tuple(sorted((one for one in _read(_folder(), "") if one.name not in made_here), key=_place))
        self._names = {one.name for one in self.all}
        self._markdown = MarkdownIt("commonmark", {"html": False}).enable("table")

    def write(self, site: PageWriter) -> None:
        """A page for each, and the pictures that they show."""
        pictures: dict[str, Traversable] = {}
        for one in self.all:
            body, headings, shown = self._rendered(one)
            pictures |= shown
            text = " ".join(title for _, title, _ in headings)
            site.page(
                one.address,
                "document",
                one.title,
                found_by=SearchEntry(one.title, one.address, "documentation", text),
                body=body,
                headings=[heading for heading in headings if heading[2] == "h2"],
            )
        for address, file in pictures.items():
            site.put(address, file.read_bytes())

    def _rendered(self, one: Document) -> tuple[Markup, list[tuple[str, str, str]], dict[str, Traversable]]:
        """The page, its headings as anchor, title and tag, and its pictures by their addresses."""
        tokens = self._markdown.parse(one.text)
        headings: list[tuple[str, str, str]] = []
        taken: dict[str, int] = {}
        for place, token in enumerate(tokens):
            if token.type == "heading_open":
                title = tokens[place + 1].content
                anchor = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
                taken[anchor] = taken.get(anchor, -1) + 1
                anchor = f"{anchor}-{taken[anchor]}" if taken[anchor] else anchor
                token.attrSet("id", anchor)
                headings.append((anchor, title.replace("`", ""), token.tag))
        pictures: dict[str, Traversable] = {}
        for token in tokens:
            for child in token.children or ():
                if child.type == "image":
                    pictures |= self._with_picture(one, child)
            self._with_links(one, token.children or [])
            if token.children:
                token.children = list(self._with_requirements(one, token.children))
        made = self._markdown.renderer.render(tokens, self._markdown.options, {})
        made = (
            made.replace("&lt;br&gt;", "<br>")
            .replace("<table>", '<div class="scroll" tabindex="0"><table>')
            .replace("</table>", "</table></div>")
        )
        return trusted(made.replace("<pre>", '<pre tabindex="0">')), headings, pictures

    def _with_picture(self, one: Document, image: Token) -> dict[str, Traversable]:
        """The picture is copied next to the site's other files. One that is elsewhere is not shown: a page fetches nothing from outside."""
        name = str(image.attrs.get("src", ""))
        file = _folder().joinpath(name)
        if "/" in name or not file.is_file():
            image.attrs["src"] = "data:,"
            return {}
        address = f"assets/docs/{name}"
        image.attrs["src"] = relpath(address, dirname(one.address))
        if (
            size := _SIZE.search(file.read_text(encoding="utf-8")) if name.endswith(".svg") else None
        ):  # so that nothing moves when it is there
            image.attrs |= {"width": size[1], "height": size[2]}
        return {address: file}

    def _with_links(self, one: Document, children: list[Token]) -> None:
        """Links to what has a page of the site lead there; what only a checkout has is no link."""
        for place, token in enumerate(children):
            if token.type == "link_open":
                target = self._target(one, str(token.attrs.get("href", "")))
                if target is None:
                    closing = next(inner for inner in children[place:] if inner.type == "link_close")
                    token.tag = closing.tag = "span"
                    token.attrs = {}
                else:
                    token.attrs["href"] = target

    def _with_requirements(self, one: Document, children: Sequence[Token]) -> Iterator[Token]:
        """The same with each id of a requirement that has a page as a link, outside of code and of other links."""
        is_linked = False
        for token in children:
            is_linked = token.type == "link_open" or (is_linked and token.type != "link_close")
            if token.type != "text" or is_linked:
                yield token
                continue
            for place, part in enumerate(_ID.split(token.content)):
                if place % 2 and self._book.links_to(part):
                    address = relpath(addresses.requirement(part), dirname(one.address))
                    yield from (Token("link_open", "a", 1, attrs={"href": address}), _text(part), Token("link_close", "a", -1))
                elif part:
                    yield _text(part)

    def _target(self, one: Document, href: str) -> str | None:
        if href.startswith(_OUTSIDE):
            return href
        path, _, anchor = href.partition("#")
        place = normpath(f"docs/{dirname(one.name)}/{path}")
        address = self._address_of(place)
        return None if address is None else relpath(address, dirname(one.address)) + (f"#{anchor}" if anchor else "")

    def _address_of(self, place: str) -> str | None:
        """The page of a file of the repository."""
        if place.startswith("docs/") and place.endswith(".md"):
            name = place.removeprefix("docs/").removesuffix(".md")
            if name in self._names:
                return addresses.document(name)
            if name in self._specs:
                return addresses.proposal(name)
            return "sentences/index.html" if name == "sentences" else None
        file = place if place.endswith(".py") else f"{place}/__init__.py"
        return addresses.module(file) if self._book.has(file) else None


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _folder() -> Traversable:
    return resources.files("fencepost.docs")


def _read(folder: Traversable, beginning: str) -> Iterator[Document]:
    for entry in folder.iterdir():
        if entry.is_dir() and not beginning and not entry.name.startswith("_"):
            yield from _read(entry, f"{entry.name}/")
        elif entry.name.endswith(".md"):
            text = _COMMENT.sub("", entry.read_text(encoding="utf-8"))
            title = next((line.removeprefix("# ") for line in text.splitlines() if line.startswith("# ")), entry.name)
            yield Document(beginning + entry.name.removesuffix(".md"), title.replace("`", ""), text)


def _place(one: Document) -> tuple[bool, int, str]:
    """The pages that a new reader needs come first, findings last."""
    return "/" in one.name, _FIRST.index(one.name) if one.name in _FIRST else len(_FIRST), one.name
