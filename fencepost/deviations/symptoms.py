"""From a violation to the symptom by which it is known again: expressions that match the whole of each field.

What a system or the kit makes up anew in each run is left open: producer ids, UUIDs and member ids, the ends of names, addresses, points
in time, checksums and bytes, and the topics of other scenarios, of which there may be any number. All else is kept as it was, so that a
failure of another kind is no known one. A text of several lines is known by its first.
"""

import re

from fencepost.contract.evidence import Mismatch
from fencepost.contract.symptom import Symptom

_UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_ENDED = r"[\w.-]+?-[0-9a-f]{6}\b(?:-\d+)?"
"""A name that a session made unique, perhaps with a partition."""
_END_OF_NAME = r"-[0-9a-f]{6}\b"
"""What a session puts behind its names."""
_OPEN = {
    rf"\b{_UUID}\b": _UUID,
    rf"{_ENDED}(?:, {_ENDED}){{3,}}": rf"{_ENDED}(?:, {_ENDED})*",  # all that there is, also of others
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
"""What is made up, and what stands for it."""
_MADE_UP = re.compile("|".join(f"({made_up})" for made_up in _OPEN))
_STANDS_FOR = tuple(_OPEN.values())
_ENDS_A_NAME = tuple(_OPEN).index(_END_OF_NAME) + 1
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


def reason_of(reason: str) -> str:
    """An expression for why a scenario could not be judged: its first clause, since what follows is the circumstances of one run."""
    return _whole(reason.partition("; ")[0] + "\n")


def steady(text: str) -> str:
    """A text as it reads in every run: names without what made them unique, and an ellipsis for all else that is made up anew."""
    return _MADE_UP.sub(lambda found: "" if found.lastindex == _ENDS_A_NAME else "…", text)


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
