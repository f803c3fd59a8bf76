"""`python -m fencepost.site.matrix_picture`: print the matrix of known deviations as a picture, for the README.

It has what the first page of the site has. It has a background, so that it can be read on a light page and on a dark one.
"""

from collections.abc import Sequence

from fencepost.contract import proposals, register
from fencepost.report.sequence.svg import text

from .known_matrix import KnownColumn, columns_of
from .release_pages import lines_of
from .run_columns import RunColumns

_FIRST, _CELL, _HEAD, _ROW = 150, 196, 34, 28
_STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#1f2328}.h{font-weight:600}.q{fill:#545d68}.o{fill:#6b5300}.k{fill:#fbf1d0}"
    ".p{fill:#fff}.b{fill:#f1f4f6}line{stroke:#d0d7de}"
)


def drawn(specs: Sequence[str], releases: Sequence[KnownColumn]) -> str:
    """The picture: a line for each release, a column for each proposal."""
    width, height = _FIRST + _CELL * len(specs), _HEAD + _ROW * len(releases)
    title = "How many requirements of each proposal each release is known to break, always or now and then"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"',
        f'  role="img" aria-label="{title}">',
        f"<style>{_STYLE}</style>",
        f'<rect class="p" width="{width}" height="{height}"/><rect class="b" width="{width}" height="{_HEAD}"/>',
        text(10, 22, "Known to break", "h"),
        *(text(_FIRST + _CELL * place + 10, 22, proposals.bundled().title_of(spec), "h") for place, spec in enumerate(specs)),
    ]
    for row, release in enumerate(releases):
        y = _HEAD + _ROW * row
        parts += [f'<line x1="0" x2="{width}" y1="{y}" y2="{y}"/>', text(10, y + 19, release.name)]
        for place, spec in enumerate(specs):
            cell, x = release.by_spec[spec], _FIRST + _CELL * place
            if cell.address:
                parts.append(f'<rect class="k" x="{x + 4}" y="{y + 4}" width="{_CELL - 8}" height="{_ROW - 8}" rx="3"/>')
            parts.append(text(x + 10, y + 19, cell.words, "o" if cell.address else "q"))
    return "\n".join([*parts, "</svg>"]) + "\n"


def of_known_deviations() -> str:
    """The picture of all releases, without proposals that no release was tested for."""
    rows = register.bundled()
    specs = tuple(rows.by_spec)
    releases = columns_of(rows, specs, lines_of(rows, specs, RunColumns()))
    asked = [spec for spec in specs if any(release.by_spec[spec].address for release in releases)]
    return drawn(asked, releases)


if __name__ == "__main__":
    print(of_known_deviations(), end="")
