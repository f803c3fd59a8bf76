"""The digest at the end of each kept line, which covers the line and all lines before it.

It detects a change by hand or by a disk. It is no signature: a person who changes a line can make new digests, and the change is then
detected only if it contradicts a verdict, a history or a later request.
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
    """The place of the first changed line, counted from 0; None if none was changed."""
    before = ""
    for number, line in enumerate(lines):
        before = _digest(before, {name: value for name, value in line.items() if name != SEAL})
        if line.get(SEAL) != before:
            return number
    return None


def _digest(before: str, line: Mapping[str, Any]) -> str:
    return hashlib.sha256((before + json.dumps(line, sort_keys=True)).encode()).hexdigest()[:_DIGITS]
