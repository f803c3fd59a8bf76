"""From a violation to the symptom by which it is known again: expressions that match the whole of each field.

What a system or the kit makes up anew in each run is left open: producer ids, the ends of names, addresses, points in time, bytes.
All else is kept as it was, so that a failure of another kind is no known one. A text of several lines is known by its first.
"""

import re

from fencepost.contract.evidence import Mismatch
from fencepost.contract.symptom import Symptom

_OPEN = {
    r"-[0-9a-f]{6}\b": "-[0-9a-f]{6}",  # what a session puts behind its names
    r"\b(?:\d{1,3}(?:\.\d{1,3}){3}|localhost):\d+": r"[\w.]+:\d+",
    r"(?<=producer id )\d+": r"\d+",
    r"(?<=correlation id )\d+": r"\d+",
    r"(?<=the bytes: )[0-9a-f ]+": "[0-9a-f ]+",
    r"(?<![\d.])\d{10,}(?![\d.])": r"\d+",  # points in time
    r"\b\d+\.\d+ (?=s\b)": r"\d+\.\d+ ",
}
"""What is made up, and what stands for it."""
_MADE_UP = re.compile("|".join(f"({made_up})" for made_up in _OPEN))
_STANDS_FOR = tuple(_OPEN.values())
_SPECIAL = re.compile(r"([\\.^$*+?{}\[\]()|])")


def symptom_of(violation: Mismatch) -> Symptom:
    """The symptom that shows in this violation, and in the same one of another run."""
    return Symptom(
        what=_whole(violation.what),
        expected=_whole(violation.expected),
        seen=_whole(violation.seen),
        error=_whole(violation.error) if violation.error else None,
        code=violation.code,
    )


def _whole(text: str) -> str:
    """An expression for this text and nothing else, but for what is made up."""
    first, *more = text.split("\n")
    told, end = "", 0
    for found in _MADE_UP.finditer(first):
        told += _escaped(first[end : found.start()]) + _STANDS_FOR[(found.lastindex or 1) - 1]
        end = found.end()
    return f"^{told}{_escaped(first[end:])}" + ("" if more else "$")


def _escaped(text: str) -> str:
    """Only what an expression would read otherwise: people read these files."""
    return _SPECIAL.sub(r"\\\1", text)
