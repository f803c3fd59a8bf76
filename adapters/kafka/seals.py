"""The digest at the end of each kept line, which covers the line and all lines before it.

It finds a change that was made by hand, or by a disk. It is no signature: who changes a line can make new digests, and is then found only
where the change contradicts a verdict, a history or a later request.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

SEAL = "seal"
_DIGITS = 16


def sealed(lines: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The lines, each with its digest."""
    found: list[dict[str, Any]] = []
    before = ""
    for line in lines:
        before = _digest(before, line)
        found.append({**line, SEAL: before})
    return found


def first_broken(lines: Sequence[Mapping[str, Any]]) -> int | None:
    """The place of the first line that is not as it was written, counted from 0; None where all are."""
    before = ""
    for number, line in enumerate(lines):
        before = _digest(before, {name: value for name, value in line.items() if name != SEAL})
        if line.get(SEAL) != before:
            return number
    return None


def _digest(before: str, line: Mapping[str, Any]) -> str:
    return hashlib.sha256((before + json.dumps(line, sort_keys=True)).encode()).hexdigest()[:_DIGITS]
