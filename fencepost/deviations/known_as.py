"""Which release's bundled deviations hold in a run, by the system's handshake and the user's `--known-as`.

Fencepost's own systems report whether they are a genuine release. A package's system may be anything, so what it reports only makes it
resemble that release. With `--known-as` the user declares the release of any system: its entries may then also pass, since a build of a
release may have fixed some of them. A release that the system contradicts is refused: it would excuse what no release did.
"""

import re
from dataclasses import dataclass, field, replace

from fencepost.adapters import registry
from fencepost.contract.errors import UnknownName, WrongUsage
from fencepost.contract.evidence import Mismatch
from fencepost.contract.ports import Handshake
from fencepost.contract.register import Register
from fencepost.contract.releases import agree, more_exact, version_of

from .known_deviations import Asking, Expectations, LocatedDeviation, everything, load_for

RELEASED = tuple(name for name in registry.BUNDLED if name != registry.REFERENCE)
"""The systems that have known releases."""

_VERSION = re.compile(r"\d+\.\d+(\.\d+)?(-M\d+|-?(rc|RC)\d+)?")


@dataclass(frozen=True)
class KnownAs:
    """A release, as `--known-as kafka:4.3.1` names it."""

    system: str
    version: str

    def __str__(self) -> str:
        return f"{self.system}:{self.version}"

    @property
    def comparable(self) -> str:
        """The version in a form that can be compared with others."""
        return str(version_of(self.version))

    @classmethod
    def of(cls, text: str) -> "KnownAs":
        """Parse the option's value. Raises WrongUsage."""
        system, colon, version = text.partition(":")
        if not (colon and version):
            raise WrongUsage(f"--known-as {text}: expected a system and the version of a release, such as kafka:4.3.1")
        if system not in RELEASED:
            raise UnknownName("system of --known-as", system, RELEASED)
        if not _VERSION.fullmatch(version):
            raise WrongUsage(
                f"--known-as {text}: {version!r} is no version of a release; expected one such as 4.3.1, or a line such as 4.3"
            )
        return cls(system, version)

    def check(self, system: str, protocols: tuple[str, ...]) -> None:
        """Raises WrongUsage if the system cannot be a build of that release."""
        if system == registry.REFERENCE:
            raise WrongUsage(
                f"--known-as {self}: the reference has the deviations of the release that its --profile imitates; leave it out"
            )
        if self.system not in protocols:
            raise WrongUsage(f"--known-as {self}: {system} speaks {' and '.join(protocols)}, so it is no {self.system}")
        if not self._is_known():
            lines = [name.removeprefix(f"{self.system}-") for name in registry.find(self.system).profiles() if name.startswith(self.system)]
            raise WrongUsage(
                f"--known-as {self}: nothing is known of that release; known: {', '.join(lines)} and their patch levels. Leave it out"
            )

    def _is_known(self) -> bool:
        """Whether the release has a known deviation, or its line a profile."""
        line = ".".join(self.version.split(".")[:2]).partition("-")[0]
        bundled = (
            LocatedDeviation(entry, name, number, is_own=False) for name, number, entry in everything() if name == f"{self.system}.yaml"
        )
        return f"{self.system}-{line}" in registry.find(self.system).profiles() or any(one.holds_for(self.comparable) for one in bundled)


def settled(system: str, handshake: Handshake, known_as: KnownAs | None) -> Handshake:
    """The handshake with the release whose deviations hold in this run. Raises WrongUsage if `--known-as` contradicts it."""
    if system not in registry.BUNDLED:
        handshake = _of_a_package(system, handshake)
    if known_as is None:
        return handshake
    reported = handshake.judged_as or handshake.looks_like
    if reported is None:
        confirmed = f"the system does not report its release, so Fencepost cannot confirm that it is {known_as.system} {known_as.version}"
        return _excused(handshake, known_as, known_as.comparable, confirmed)
    if reported[0] != known_as.system or not agree(reported[1], known_as.comparable):
        raise WrongUsage(
            f"--known-as {known_as}: {system} reports that it is {reported[0]} {reported[1]}; "
            f"use --known-as {reported[0]}:{reported[1]}, or leave it out"
        )
    version = more_exact(reported[1], known_as.comparable)
    if handshake.judged_as == (reported[0], version):
        return handshake
    return _excused(handshake, known_as, version, f"it reports that it is {reported[1]}")


def _excused(handshake: Handshake, known_as: KnownAs, version: str, confirmed: str) -> Handshake:
    why = f"the bundled deviations of {known_as.system} {version} hold because of --known-as {known_as}; {confirmed}"
    return replace(handshake, judged_as=(known_as.system, version), looks_like=None, deviations=why)


def _of_a_package(system: str, handshake: Handshake) -> Handshake:
    reported = handshake.judged_as or handshake.looks_like
    if reported is None or reported[0] not in RELEASED:
        return replace(handshake, judged_as=None, looks_like=None)
    why = f"no bundled deviations: {system} reports that it is {reported[0]} {reported[1]}, which Fencepost cannot confirm; "
    return replace(
        handshake, judged_as=None, looks_like=reported, deviations=f"{why}if it is that release, use --known-as {reported[0]}:{reported[1]}"
    )


@dataclass(frozen=True)
class Likeness:
    """Known deviations of the release that a system resembles. Empty if it resembles none, or is already judged as that release.

    They excuse nothing. They show that the release has the same deviation, and which option to give if the system is a build of it.
    """

    release: tuple[str, str] | None = None
    known: Expectations = field(default_factory=Expectations)

    @classmethod
    def of(cls, handshake: Handshake, register: Register) -> "Likeness":
        """Raises DataFileError."""
        if handshake.judged_as or handshake.looks_like is None:
            return cls()
        system, version = handshake.looks_like
        return cls(handshake.looks_like, load_for(system, version, False, register))

    def hint(self, requirement: str, scenario: str, violation: Mismatch | None) -> str | None:
        """The hint for this violation; None if the release is not known to have it."""
        about = (one.entry for one in self.known.of(Asking(requirement, scenario)))
        entry = next((entry for entry in about if entry.shows_in(violation)), None)
        if self.release is None or entry is None:
            return None
        system, version = self.release
        return (
            f"{system} {version} is known to do the same: {entry.reason} ({entry.link}). "
            f"If this is a build of it, --known-as {system}:{version} makes it a known deviation"
        )
