"""The proposals: what each folder in `features/` is about, as its `spec.yaml` says.

title: KIP-890
source: https://...          # where its text stands
protocols: [kafka]           # whose systems it binds
vocabularies: [kafka]        # whose sentences its features use, beside its own in steps/<proposal>, where it has some
"""

import functools
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated

from pydantic import Field

from .datafile import Row, load
from .errors import UnknownName


class Proposal(Row):
    """One proposal. The core is one too: what every transactional log promises."""

    title: str
    source: str
    protocols: Annotated[list[str], Field(min_length=1)]
    vocabularies: list[str]


class Proposals:
    """All proposals, by the names of their folders."""

    def __init__(self, by_spec: dict[str, Proposal]) -> None:
        self.by_spec = by_spec

    def __getitem__(self, spec: str) -> Proposal:
        try:
            return self.by_spec[spec]
        except KeyError:
            raise UnknownName("proposal", spec, self.by_spec) from None

    def protocols_of(self, spec: str) -> tuple[str, ...]:
        """The protocols whose systems a proposal binds."""
        return tuple(self[spec].protocols)

    def binding(self, protocol: str) -> tuple[str, ...]:
        """The proposals that bind systems of a protocol."""
        return tuple(spec for spec, proposal in self.by_spec.items() if protocol in proposal.protocols)


def read(folder: Path | Traversable) -> Proposals:
    """Read every `<proposal>/spec.yaml` under `folder`."""
    rooms = sorted((room for room in folder.iterdir() if room.is_dir()), key=lambda room: room.name)
    return Proposals({room.name: load(path, Proposal) for room in rooms if (path := room / "spec.yaml").is_file()})


@functools.cache
def bundled() -> Proposals:
    """The proposals that come with the kit."""
    return read(resources.files("fencepost.features"))
