"""A violation that looks like a known deviation of the release that the system looks like.

It excuses nothing. It tells a stranger at once that the release has the same, and what to say if the system is a build of it.
"""

from dataclasses import dataclass, field

from fencepost.contract.evidence import Mismatch
from fencepost.contract.ports import Handshake
from fencepost.contract.register import Register

from . import known_deviations
from .known_deviations import Asking, Expectations


@dataclass(frozen=True)
class Likeness:
    """What is known to deviate in the release that a system looks like: none where it looks like none, or is judged as one."""

    release: tuple[str, str] | None = None
    known: Expectations = field(default_factory=Expectations)

    @classmethod
    def of(cls, handshake: Handshake, register: Register) -> "Likeness":
        """Raises DataFileError."""
        if handshake.judged_as or handshake.looks_like is None:
            return cls()
        system, version = handshake.looks_like
        return cls(handshake.looks_like, known_deviations.load_for(system, version, False, register))

    def hint(self, requirement: str, scenario: str, violation: Mismatch | None) -> str | None:
        """What to say of this violation; None where the release is not known to do that."""
        about = (one.entry for one in self.known.of(Asking(requirement, scenario)))
        entry = next((entry for entry in about if entry.shows_in(violation)), None)
        if self.release is None or entry is None:
            return None
        system, version = self.release
        return (
            f"{system} {version} is known to do the same: {entry.reason} ({entry.link}). "
            f"If this is a build of it, --known-as {system}:{version} makes it a known deviation"
        )
