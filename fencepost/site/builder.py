"""`fencepost site`: the folder, and what is written into it.

The pictures are always of a play on the bundled reference, which is made while the site is: it is the same for all, knows which step
made which request, and takes seconds. What a results folder recorded is drawn on the pages of what it found not met.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fencepost.console.phrases import counted
from fencepost.contract import folder, proposals, register
from fencepost.contract.errors import WrongUsage
from fencepost.contract.folder import MARKER, FolderLayout

from . import (
    addresses,
    book,
    bug_page,
    known_matrix,
    proposal_pages,
    release_pages,
    requirement_pages,
    run_pages,
    sentence_pages,
    sequence_pictures,
)
from .book import Book
from .certificates import Certificates
from .document_pages import Documents
from .page_writer import PageWriter
from .run_columns import RunColumns

TITLE = "Fencepost"
_TOP = ("index.html", "matrix.html", bug_page.ADDRESS)
_FOLDERS = ("assets", "docs", "reference", "releases", "runs", "sentences")


@dataclass(frozen=True)
class SiteOptions:
    """What the user asked for. `specs` are the proposals that have pages, all where none is named."""

    results: tuple[str, ...]
    out: Path
    specs: tuple[str, ...] = ()
    title: str | None = None


def build(options: SiteOptions) -> int:
    """Build the site; answers 0. Raises WrongUsage."""
    began = time.monotonic()
    rows = register.bundled()
    specs = tuple(options.specs) or tuple(rows.by_spec)
    shown = [row.id for row in rows.rows(specs)]
    certificates, named = Certificates.read(options.results)
    columns = RunColumns.of(named)
    layout = FolderLayout("site", "--out", _TOP, (*_FOLDERS, *sorted({addresses.edition_of(spec) for spec in specs})))
    _may_be_written(options.out, layout)
    drawn = sequence_pictures.on_the_reference(specs)
    site = PageWriter(folder.claim(options.out, layout), options.title or TITLE)
    with folder.reported(options.out):
        _write(site, specs, shown, columns, certificates, drawn)
    for one in (*columns.unreadable, *certificates.unreadable):
        print(f"not in the site: {one.path} {one.reason}")
    print(
        f"site: {options.out / 'index.html'}, {counted(site.pages, 'page')}, {site.size / 1e6:.1f} MB, "
        f"{counted(len(columns.all), 'run')}, {time.monotonic() - began:.1f} s"
    )
    return 0


def _write(
    site: PageWriter,
    specs: Sequence[str],
    shown: Sequence[str],
    columns: RunColumns,
    certificates: Certificates,
    drawn: dict[str, sequence_pictures.SequencePicture],
) -> None:
    rows = register.bundled()
    reference = Book(rows, shown, whole=set(specs) == set(rows.by_spec))
    documents = Documents(reference, specs)
    lines = release_pages.lines_of(rows, specs, columns)
    site.page(
        "index.html",
        "home",
        site.title,
        columns=columns,
        unreadable=(*columns.unreadable, *certificates.unreadable),
        proposals=proposal_pages.summaries(rows, specs, columns),
        known=known_matrix.columns_of(rows, specs, lines),
        documents=documents.all,
        requirements=len(shown),
        scenarios=len(drawn),
        titles=[proposals.bundled().title_of(spec) for spec in specs],
    )
    requirement_pages.write_all(site, rows, specs, columns, certificates, reference, drawn)
    proposal_pages.write_all(site, rows, specs, columns, certificates)
    release_pages.write_all(site, lines)
    run_pages.write_all(site, rows, frozenset(shown), columns)
    sentence_pages.write_all(site, specs)
    bug_page.write(site, rows, frozenset(shown))
    reference.write(site)
    documents.write(site)
    site.assets(book.style())


def _may_be_written(out: Path, layout: FolderLayout) -> None:
    """Raises WrongUsage for a folder in which there is anything of others: what is published is the whole folder."""
    folder.look(out, layout)
    if out.is_dir() and not (out / MARKER).exists() and any(out.iterdir()):
        raise WrongUsage(f"--out {out}: this folder is not empty, and fencepost did not make it; name a new folder, or empty this one")
