"""A system that is judged by the profile that the user named, whatever profile its handshake has."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from fencepost.contract.ports import Handshake, Session, System


class JudgedByProfile:
    """A system with another profile in its handshake. Its known deviations stay the same: a profile excuses nothing."""

    def __init__(self, system: System, profile: str) -> None:
        self.name = system.name
        self._system = system
        self._profile = profile

    def __getattr__(self, name: str) -> Any:
        """The system's other abilities: report what it is doing, and the best order of scenarios."""
        return getattr(self._system, name)

    def prepare(self, needs: Collection[frozenset[str]] = ()) -> None:
        self._system.prepare(needs)

    def open(self) -> Handshake:
        handshake = self._system.open()
        return replace(
            handshake,
            profile=self._profile,
            notes=(f"judged by the profile {self._profile}, as --profile says, instead of {handshake.profile}", *handshake.notes),
        )

    def session(self, title: str, needs: frozenset[str] = frozenset()) -> Session:
        return self._system.session(title, needs)

    def close(self) -> None:
        self._system.close()


def judged_by(profile: str | None, system: System) -> System:
    """The system, judged by that profile if one is named."""
    return system if profile is None else JudgedByProfile(system, profile)
