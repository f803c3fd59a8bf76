"""Which release of Apache Kafka a system is, or is like, and by which profile observed requirements are therefore judged.

The release is read off the highest metadata.version that the system supports. A system that is no known release gets the
nearest profile and a note that says so; what the proposal itself requires is judged all the same.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from .offer import Range
from .settings import Release

TEXT = "seed"
"""The profile of the proposal's text, for systems that are no release of Apache Kafka."""


@dataclass(frozen=True)
class Identity:
    """Who the system is. `exact` says whether `version` is known, or only the release that the system looks like."""

    version: str
    exact: bool
    profile: str
    notes: tuple[str, ...] = ()


def identify(metadata_version: Range | None, releases: Iterable[Release], exact_version: str | None = None) -> Identity:
    """Find the profile by the range of metadata.version that the system supports, None where it tells none.

    An exact version is taken at its word for the name only: the tag of an image may be anybody's numbering.
    """
    exact = exact_version is not None
    if metadata_version is None:
        note = f"the system tells no metadata.version, so it is no known release; judged by the profile {TEXT}"
        return Identity(exact_version or "unknown", exact, TEXT, (note,))
    level = metadata_version.highest
    nearest = _nearest(sorted(releases, key=lambda release: release.highest), level)
    if nearest.lowest <= level <= nearest.highest:
        return Identity(exact_version or nearest.release, exact, nearest.profile)
    note = (
        f"the system supports metadata.version up to {level}, and no known release does; "
        f"judged by the profile of the nearest, {nearest.release} with up to {nearest.highest}"
    )
    return Identity(exact_version or "unknown", exact, nearest.profile, (note,))


def _nearest(by_age: list[Release], level: int) -> Release:
    """The newest release that is not newer than the system; the oldest one where all are."""
    return next((release for release in reversed(by_age) if release.lowest <= level), by_age[0])
