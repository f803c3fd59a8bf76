"""The release of Apache Kafka that a system is, or resembles, and the profile by which observed requirements are judged.

The release follows from the highest metadata.version that the system supports. A system that is no known release gets the nearest profile
and a note about it; requirements of the proposals themselves are judged all the same.
"""

from collections.abc import Iterable

from fencepost.adapters.common.releases import TEXT, Identity, nearest
from fencepost.contract.releases import version_of

from .kafka_settings import KafkaRelease
from .offer import VersionRange


def identify(metadata_version: VersionRange | None, releases: Iterable[KafkaRelease], exact_version: str | None = None) -> Identity:
    """Find the profile by the range of metadata.version that the system supports, None if it reports none.

    An exact version only gives the name: the tag of an image may follow any numbering, and a tag such as 4.3 names a release line.
    """
    exact = exact_version is not None and _is_whole(exact_version)
    if metadata_version is None:
        note = f"the system reports no metadata.version, so it is no known release; judged by the profile {TEXT}"
        return Identity(exact_version or "unknown", exact, TEXT, (note,))
    level = metadata_version.highest
    release = nearest(sorted(releases, key=lambda release: release.highest), lambda release: release.lowest > level)
    if release.lowest <= level <= release.highest:
        return Identity(exact_version or release.release, exact, release.profile)
    note = (
        f"the system supports metadata.version up to {level}, and no known release does; "
        f"judged by the profile of the nearest, {release.release} with up to {release.highest}"
    )
    return Identity(exact_version or "unknown", exact, release.profile, (note,))


def reported_by(metadata_version: VersionRange | None, releases: Iterable[KafkaRelease]) -> str | None:
    """The release line that follows from the metadata.versions that a broker supports; None if no known release has these."""
    if metadata_version is None:
        return None
    return next((release.release for release in releases if release.lowest <= metadata_version.highest <= release.highest), None)


def said_by(metadata_version: VersionRange | None) -> str:
    """What the system reported, in words."""
    return "reports no metadata.version" if metadata_version is None else f"supports metadata.version up to {metadata_version.highest}"


def _is_whole(version: str) -> bool:
    known = version_of(version)
    return known is not None and len(known.release) > 2
