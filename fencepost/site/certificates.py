"""How far explorations went, and what they found: a section of a proposal's page, and of its requirements' pages."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fencepost.console.phrases import counted
from fencepost.explore.exploration import EXPLORED
from fencepost.pipeline.compliance.folders import UnreadableFolder


@dataclass(frozen=True)
class Certificate:
    """One proposal, explored on one system. `asked` says in how many sequences a requirement was asked and held."""

    spec: str
    system: str
    bounds: str
    sequences: int
    acts: int
    never_fired: int
    is_whole: bool
    asked: Mapping[str, int]
    finding: str | None

    @property
    def words(self) -> str:
        """How far it went, and what it found."""
        until = "" if self.is_whole else ", until the time was up"
        found = f"{self.finding} was found violated" if self.finding else "nothing was found"
        return f"{self.system}: {self.bounds}, {counted(self.sequences, 'sequence')}{until}; {found}"

    @classmethod
    def of(cls, one: Mapping[str, Any]) -> "Certificate":
        """Read it from its entry. Raises LookupError, TypeError, ValueError or AttributeError if it is none."""
        version = f" {one['version']}" if one["version"] else ""
        against = f" against {one['against']}" if one["against"] else ""
        return cls(
            str(one["spec"]),
            f"{one['system']}{version} ({one['protocol']}){against}",
            str(one["bounds"]),
            int(one["sequences"]),
            int(one["acts"]),
            len(one["acts_never_fired"]),
            bool(one["whole"]),
            {str(name): int(count) for name, count in one.get("asked", {}).items()},
            one["finding"] and str(one["finding"]["requirement"]),
        )


@dataclass(frozen=True)
class Certificates:
    """All that were named, and what could not be read."""

    all: tuple[Certificate, ...] = ()
    unreadable: tuple[UnreadableFolder, ...] = ()

    def of_proposal(self, spec: str) -> list[Certificate]:
        """Those of a proposal."""
        return [one for one in self.all if one.spec == spec]

    def of_requirement(self, requirement: str) -> list[Certificate]:
        """Those that asked about a requirement."""
        return [one for one in self.all if requirement in one.asked]

    @classmethod
    def read(cls, named: Sequence[str]) -> "tuple[Certificates, tuple[str, ...]]":
        """The certificates in the folders that are an exploration's, and the other names."""
        folders = {name for name in named if (Path(name) / EXPLORED).is_file()}
        found: list[Certificate] = []
        unreadable: list[UnreadableFolder] = []
        for name in (name for name in named if name in folders):
            try:
                document = json.loads((Path(name) / EXPLORED).read_text(encoding="utf-8"))
                found += map(Certificate.of, document["explored"])
            except (OSError, LookupError, TypeError, ValueError, AttributeError) as error:
                unreadable.append(UnreadableFolder(name, f"is no exploration that has ended: {error!r}"))
        return cls(tuple(found), tuple(unreadable)), tuple(name for name in named if name not in folders)
