"""The style that all pages have in common: colours for light, dark and paper, tables, and verdicts."""

from importlib import resources


def page_style() -> str:
    """The style sheet."""
    return resources.files(__package__).joinpath("page_style.css").read_text(encoding="utf-8")
