"""The versions of releases, as they are compared: a system's version may be known in full, or only its release line."""

import re

from packaging.version import InvalidVersion, Version


def version_of(text: str) -> Version | None:
    """A version that can be compared, None if it is none; a milestone such as 5.0.0-M1 is one before its release."""
    try:
        return Version(re.sub(r"-M(\d+)", r"b\1", text))
    except InvalidVersion:
        return None


def agree(one: str, other: str) -> bool:
    """Whether two versions can be of one release: they are equal, or one is the line of the other, as 4.3 is of 4.3.1."""
    try:
        left, right = Version(one), Version(other)
    except InvalidVersion:
        return False
    if len(left.release) == len(right.release):
        return left.public == right.public
    short = min(len(left.release), len(right.release))
    return left.release[:short] == right.release[:short]


def more_exact(one: str, other: str) -> str:
    """The more exact of two versions that agree; the first if they are the same."""
    return max(one, other, key=lambda text: len(Version(text).release))
