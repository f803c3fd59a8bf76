"""The templates of the report. What they print is escaped, and holds no character that would break XML or turn text around."""

import re
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

_UNWANTED = re.compile(r"[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\u202a-\u202e\u2066-\u2069]")


def clean(value: Any) -> str:
    """A value's text, with a replacement character for each that is not allowed; what is markup already was cleaned when it was made."""
    return value if isinstance(value, Markup) else _UNWANTED.sub("\ufffd", str(value))


def templates_in(folder: Path) -> Environment:
    """The templates of a folder."""
    environment = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=clean,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["clean"] = clean
    return environment


TEMPLATES = templates_in(Path(__file__).parent)
