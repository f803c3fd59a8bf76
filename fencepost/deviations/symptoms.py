"""From a violation to the symptom by which it is recognised: expressions that match the whole of each field.

What differs in each run is left open: producer ids, UUIDs and member ids, the suffixes of names, addresses, points in time, checksums and
bytes, and the topics of other scenarios, of which there may be any number. All else is kept as it was, so that a failure of another kind
does not match. A text of several lines is recognised by its first.
"""

import re

from fencepost.contract.evidence import Mismatch
from fencepost.contract.symptom import Symptom

_UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_ENDED = r"[\w.-]+?-[0-9a-f]{6}\b(?:-\d+)?"
"""A name that a session made unique, perhaps with a partition."""
_END_OF_NAME = r"-[0-9a-f]{6}\b"
"""The suffix that a session appends to its names."""
_OPEN = {
    rf"\b{_UUID}\b": _UUID,
    rf"{_ENDED}(?:, {_ENDED}){{3,}}": rf"{_ENDED}(?:, {_ENDED})*",  # all topics, also those of other scenarios
    _END_OF_NAME: "-[0-9a-f]{6}",
    r"(?:\b\d{1,3}(?:\.\d{1,3}){3}|\blocalhost|\[[0-9a-f:]+\]):\d+": r"[\w.:\[\]-]+:\d+",
    r"(?<=port )\d+": r"\d+",
    r"(?<=producer id )\d+": r"\d+",
    r"(?<=producer_id=)\d+": r"\d+",
    r"(?<=member id )'?[\w.-]*\d[\w.-]*'?": r"\S+",
    r"(?<=member_id=)'[^']+'": "'[^']+'",
    r"\b0x[0-9a-f]{8,}\b": "0x[0-9a-f]+",
    r"(?<=correlation id )\d+": r"\d+",
    r"(?<=the bytes: )[0-9a-f ]+": "[0-9a-f ]+",
    r"\bb'(?:[^'\\]|\\.)*'": r"b'.*'",
    r"(?<![\d.])\d{10,}(?![\d.])": r"\d+",  # points in time
    r"\b\d+\.\d+ (?=s\b)": r"\d+\.\d+ ",
}
"""Patterns of what differs in each run, with their replacements."""
_MADE_UP = re.compile("|".join(f"({made_up})" for made_up in _OPEN))
_STANDS_FOR = tuple(_OPEN.values())
_ENDS_A_NAME = tuple(_OPEN).index(_END_OF_NAME) + 1
_SPECIAL = re.compile(r"([\\.^$*+?{}\[\]()|])")


def symptom_of(violation: Mismatch) -> Symptom:
    """The symptom that matches this violation, and the same one in another run."""
    return Symptom(
        what=_whole(violation.what),
        expected=_whole(violation.expected),
        seen=_whole(violation.seen),
        error=_whole(violation.error) if violation.error else None,
        code=violation.code,
    )


def reason_of(reason: str) -> str:
    """An expression for why a scenario could not be judged: its first clause, since the rest is particular to one run."""
    return _whole(reason.partition("; ")[0] + "\n")


def steady(text: str) -> str:
    """A text in a form that is the same in every run: names without their unique suffix, and an ellipsis for all else that differs."""
    return _MADE_UP.sub(lambda found: "" if found.lastindex == _ENDS_A_NAME else "…", text)


def _whole(text: str) -> str:
    """An expression for exactly this text, except for what differs in each run."""
    first, *more = text.split("\n")
    reported, end = "", 0
    for found in _MADE_UP.finditer(first):
        reported += _escaped(first[end : found.start()]) + _STANDS_FOR[(found.lastindex or 1) - 1]
        end = found.end()
    return f"^{reported}{_escaped(first[end:])}" + ("" if more else "$")


def _escaped(text: str) -> str:
    """Escape only what has a meaning in an expression: people read these files."""
    return _SPECIAL.sub(r"\\\1", text)
