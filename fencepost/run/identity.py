"""The identity of the judged system, as in every file and report of a run.

The name, the version and the defect distinguish systems: a broken reference is never counted with the unchanged one. Labels and the image
are reported in addition.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fencepost.contract.errors import WrongUsage
from fencepost.contract.ports import Handshake, Image
from fencepost.deviations.known_as import KnownAs

_LONGEST = 100


@dataclass(frozen=True)
class DeclaredSystem:
    """What the user declares about the system that is judged."""

    name: str | None = None
    version: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    known_as: KnownAs | None = None

    @classmethod
    def of(
        cls, name: str | None = None, version: str | None = None, labels: Iterable[str] = (), known_as: str | None = None
    ) -> "DeclaredSystem":
        """Read the options. Raises WrongUsage."""
        return cls(
            None if name is None else _plain("--name", name, "a name such as my-broker"),
            None if version is None else _plain("--version", version, "a version such as 2.7.0"),
            _labels(labels),
            None if known_as is None else KnownAs.of(known_as),
        )


@dataclass(frozen=True)
class RunIdentity:
    """What was judged. Version and profile are None until the system has answered, except a version that the user has declared."""

    name: str
    version: str | None
    profile: str | None
    labels: Mapping[str, str]
    image: Image | None
    defect: str | None
    known_as: str | None

    @classmethod
    def of(cls, system: str, named: DeclaredSystem, defect: str | None, handshake: Handshake | None) -> "RunIdentity":
        """The system by the user's name, else by its image if that is not the project's own, with what it reported about itself.

        So a build under another name is never counted with the release that it may be.
        """
        stranger = handshake.image.stranger if handshake and handshake.image else None
        return cls(
            named.name or stranger or system,
            named.version or (handshake.version if handshake else None),
            handshake.profile if handshake else None,
            named.labels,
            handshake.image if handshake else None,
            defect,
            None if named.known_as is None else str(named.known_as),
        )

    def __str__(self) -> str:
        profile = None if self.profile is None else f"profile {self.profile}"
        reported = [" ".join(filter(None, (self.name, self.version))), profile, self._broken]
        return ", ".join(filter(None, reported))

    @property
    def called(self) -> str:
        """Its name in a sentence."""
        return " ".join(filter(None, (self.name, self._broken)))

    @property
    def _broken(self) -> str | None:
        return None if self.defect is None else f"with the defect {self.defect}"

    def as_json(self) -> dict[str, Any]:
        """The `system` of compliance.json; its names are published and do not change."""
        return {
            "name": self.name,
            "version": self.version,
            "profile": self.profile,
            "labels": dict(self.labels),
            "image": None if self.image is None else {"name": self.image.name, "digest": self.image.digest},
            "defect": self.defect,
            "known_as": self.known_as,
        }


def _labels(given: Iterable[str]) -> dict[str, str]:
    labels: dict[str, str] = {}
    for text in given:
        key, is_set, value = text.partition("=")
        if not is_set:
            raise WrongUsage(f"--label {text}: expected KEY=VALUE, such as commit=1a2b3c")
        _plain("--label", key, "KEY=VALUE with a key, such as commit=1a2b3c", of=text)
        if value:
            _plain("--label", value, "KEY=VALUE, such as commit=1a2b3c", of=text)
        if key in labels:
            raise WrongUsage(f"--label {text}: {key} is given twice, first as {labels[key]!r}")
        labels[key] = value
    return labels


def _plain(option: str, text: str, expected: str, of: str | None = None) -> str:
    """The text, which is one line in every report. Raises WrongUsage."""
    shown = repr(text if of is None else of)
    if not text.strip() or not text.isprintable():
        raise WrongUsage(f"{option} {shown}: expected {expected}, in one line of printable characters")
    if len(text) > _LONGEST:
        raise WrongUsage(f"{option} {shown[:_LONGEST]}...: has {len(text)} characters; expected {_LONGEST} at most")
    return text.strip()
