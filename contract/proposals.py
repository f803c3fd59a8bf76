"""The proposals: what each folder in `features/` is about, according to its `spec.yaml`.

title: KIP-890               # its usual name
source: https://...          # where its text is
protocols: [kafka]           # the protocols whose systems it binds
vocabularies: [kafka]        # whose sentences its features use, in addition to its own in steps/<proposal>, if any

A mistake in it is the mistake of the proposal's author: it is reported as wrong usage, with the file, the line, the key, and what is
expected there.
"""

import functools
from collections.abc import Collection, Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated

from pydantic import Field

from .datafile import DataFileError, Row, line_of, load
from .errors import UnknownName, WrongUsage

_FILE = "spec.yaml"
_EXPECTED = "expected: title and source, protocols as a list such as [kafka], vocabularies as a list, [] for none"


class Proposal(Row):
    """One proposal. The core is one too: what every transactional log promises."""

    title: Annotated[str, Field(min_length=1)]
    source: Annotated[str, Field(min_length=1)]
    protocols: Annotated[list[str], Field(min_length=1)]
    vocabularies: list[str]


class Proposals:
    """All proposals, by the names of their folders. `files` are the places that they were read from."""

    def __init__(self, by_spec: Mapping[str, Proposal], files: Mapping[str, Path | Traversable] | None = None) -> None:
        self.by_spec = dict(by_spec)
        self._files = dict(files or {})

    def __getitem__(self, spec: str) -> Proposal:
        try:
            return self.by_spec[spec]
        except KeyError:
            raise UnknownName("proposal", spec, self.by_spec) from None

    def title_of(self, spec: str) -> str:
        """The usual name of a proposal's folder: `kip890` is KIP-890."""
        return self[spec].title

    def protocols_of(self, spec: str) -> tuple[str, ...]:
        """The protocols whose systems a proposal binds."""
        return tuple(self[spec].protocols)

    def binding(self, protocol: str) -> tuple[str, ...]:
        """The proposals that bind systems of a protocol."""
        return tuple(spec for spec, proposal in self.by_spec.items() if protocol in proposal.protocols)

    def check(self, protocols: Collection[str]) -> None:
        """Raises WrongUsage, with file, line and key, for a proposal that binds a protocol which is not among these."""
        for spec, proposal in self.by_spec.items():
            for index, name in enumerate(proposal.protocols):
                if name not in protocols:
                    place = f"{self._files[spec]}:{line_of(self._files[spec], 'protocols', index)}: protocols.{index + 1}"
                    raise WrongUsage(f"{place}: {name!r} is unknown; expected one of {', '.join(sorted(protocols))}")


def read(folder: Path | Traversable) -> Proposals:
    """Read every `<proposal>/spec.yaml` under `folder`. Raises WrongUsage.

    A folder with a register and without this file is a mistake too: its requirements would never run.
    """
    found: dict[str, Proposal] = {}
    files: dict[str, Path | Traversable] = {}
    for spec in sorted((spec for spec in folder.iterdir() if spec.is_dir()), key=lambda spec: spec.name):
        path = spec / _FILE
        if path.is_file():
            found[spec.name], files[spec.name] = _load(path), path
        elif (spec / "requirements.yaml").is_file():
            raise WrongUsage(f"{path}: there is no such file next to requirements.yaml; {_EXPECTED}")
    return Proposals(found, files)


def _load(path: Path | Traversable) -> Proposal:
    try:
        return load(path, Proposal)
    except DataFileError as error:
        raise WrongUsage(f"{error}; {_EXPECTED}") from error


@functools.cache
def bundled() -> Proposals:
    """The proposals that come with the kit."""
    return read(resources.files("fencepost.features"))
