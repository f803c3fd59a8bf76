"""Words in an SVG: escaped, and cut where they do not fit."""

from html import escape

from fencepost.report.compliance.templates import clean


def cut(said: str, longest: int) -> str:
    """At most so many letters."""
    return said if len(said) <= longest else f"{said[: longest - 3]}..."


def cleaned(said: str) -> str:
    """The words as markup, with nothing else in it."""
    return escape(clean(said))


def text(x: float, y: float, said: str, look: str = "", *, anchor: str = "", tip: str = "") -> str:
    classes = f' class="{look}"' if look else ""
    anchored = f' text-anchor="{anchor}"' if anchor else ""
    title = f"<title>{cleaned(tip)}</title>" if tip else ""
    return f'<text x="{x:.0f}" y="{y:.0f}"{classes}{anchored}>{cleaned(said)}{title}</text>'
