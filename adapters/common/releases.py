"""Which release a system is, or is most like, and by which profile its observed requirements are therefore judged."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from packaging.version import InvalidVersion, Version

R = TypeVar("R")

TEXT = "seed"
"""The profile of the proposal's text, for systems that are no known release."""


@dataclass(frozen=True)
class Identity:
    """Who the system is. `exact` says whether `version` is known, or only the release that the system looks like."""

    version: str
    exact: bool
    profile: str
    notes: tuple[str, ...] = ()


def nearest(by_age: Sequence[R], is_newer: Callable[[R], bool]) -> R:
    """The newest of these releases that is not newer than the system; the oldest one where all are."""
    return next((release for release in reversed(by_age) if not is_newer(release)), by_age[0])


def version_of(text: str) -> Version | None:
    """A version that can be compared, None where it is none; a milestone such as 5.0.0-M1 is one before its release."""
    try:
        return Version(re.sub(r"-M(\d+)", r"b\1", text))
    except InvalidVersion:
        return None
