"""The release that a system is, or resembles most, and the profile by which its observed requirements are judged."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

R = TypeVar("R")

TEXT = "seed"
"""The profile of the proposal's text, for systems that are no known release."""


@dataclass(frozen=True)
class Identity:
    """Which release the system is. `exact`: whether `version` is known, or only the release that the system looks like."""

    version: str
    exact: bool
    profile: str
    notes: tuple[str, ...] = ()


def nearest(by_age: Sequence[R], is_newer: Callable[[R], bool]) -> R:
    """The newest of these releases that is not newer than the system; the oldest if all are newer."""
    return next((release for release in reversed(by_age) if not is_newer(release)), by_age[0])
