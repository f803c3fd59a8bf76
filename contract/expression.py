"""Regular expressions in data files, checked when they are read."""

import re
from typing import Annotated, TypeAlias

from pydantic import AfterValidator


def _compiles(value: str) -> str:
    try:
        re.compile(value)
    except re.error as error:
        raise ValueError(f"must be a regular expression: {error}") from error
    return value


Expression: TypeAlias = Annotated[str, AfterValidator(_compiles)]
"""A regular expression, as text."""
