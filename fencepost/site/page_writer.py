"""Pages are rendered from templates and written; what a search finds is collected meanwhile."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from markupsafe import Markup

from fencepost.contract.folder import Folder
from fencepost.contract.page_style import page_style
from fencepost.contract.version import VERSION
from fencepost.report.compliance.templates import clean, templates_in
from fencepost.report.sequence import STYLE

CSS, JS, INDEX = "assets/site.css", "assets/site.js", "assets/index.js"


@dataclass(frozen=True)
class SearchEntry:
    """What a search finds: the title of a page, its address, and words that are no part of its title."""

    title: str
    address: str
    kind: str
    text: str = ""


@dataclass
class PageWriter:
    """Writes the pages of one site into a folder that is claimed."""

    folder: Folder
    title: str
    entries: list[SearchEntry] = field(default_factory=list)
    pages: int = 0
    size: int = 0

    def __post_init__(self) -> None:
        self._templates = templates_in(Path(__file__).parent)
        self._templates.globals |= {"site_title": self.title, "version": VERSION}

    def page(self, address: str, template: str, title: str, *, found_by: SearchEntry | None = None, **reported: Any) -> None:
        """Render a page. In templates `root` leads from this page to the top of the site."""
        root = "../" * address.count("/")
        text = self._templates.get_template(f"{template}.html.j2").render(title=title, address=address, root=root, **reported)
        self.put(address, text)
        self.pages += 1
        if found_by is not None:
            self.entries.append(found_by)

    def put(self, address: str, content: str | bytes) -> None:
        """Write any file."""
        self.folder.put(address, content)
        self.size += len(content if isinstance(content, bytes) else content.encode())

    def assets(self, code_style: str) -> None:
        """Write what all pages share. The index of the search is a script, since a page that is opened from a disk may fetch nothing."""
        self.put(CSS, page_style() + _own("site.css") + STYLE + code_style)
        self.put(JS, _own("site.js"))
        self.put(INDEX, f"window.fencepostIndex = {_as_script(self.entries)};\n")


def _own(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _as_script(entries: Sequence[SearchEntry]) -> str:
    rows = [[entry.title, entry.address, entry.kind, entry.text] for entry in entries]
    return json.dumps(rows, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")


def trusted(markup: str) -> Markup:
    """Markup that this kit has made and escaped itself."""
    return Markup(clean(markup))  # noqa: S704 - the highlighter, the Markdown renderer and the pictures escape what they show
