"""Known mutants: those that break no promise, and those that were killed before."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Annotated

import yaml
from pydantic import Field

from fencepost.contract import datafile
from fencepost.contract.datafile import DataFileError, Row

from .mutation_sites import MutantKey, MutationSite

Words = Annotated[str, Field(min_length=1)]


class MutantEntry(Row):
    """One change: the file, the function and the line, and what the line becomes, as `fencepost prove --mutants` prints it."""

    file: Words
    function: Words
    line: Words
    change: Words
    nth: Annotated[int, Field(ge=1)] = 1
    """Which one of the places that are otherwise equal."""

    @property
    def key(self) -> MutantKey:
        return MutantKey(self.file, self.function, self.line, self.change, self.nth)


class HarmlessMutant(MutantEntry):
    """A change that no client can ever see as a broken promise, with the reason."""

    reason: Annotated[str, Field(min_length=10)]


@dataclass(frozen=True)
class KnownMutants:
    """Both files."""

    harmless: dict[MutantKey, str]
    killed: frozenset[MutantKey]


def _folder() -> Traversable:
    return resources.files("fencepost.fixtures").joinpath("mutants")


def load(places: Iterable[MutationSite]) -> KnownMutants:
    """Both files; `places` are all places of the reference. Raises DataFileError, also for a conforming change of an unknown place."""
    harmless = _harmless(_folder().joinpath("harmless.yaml"), {place.key for place in places})
    killed = datafile.load(_folder().joinpath("killed.yaml"), list[MutantEntry])
    return KnownMutants(harmless, frozenset(one.key for one in killed))


def _harmless(path: Traversable, there: Collection[MutantKey]) -> dict[MutantKey, str]:
    rows = datafile.load(path, list[HarmlessMutant])
    for number, one in enumerate(rows):
        if one.key not in there:
            raise _wrong(
                path, number, f"no place of the reference is so any more; remove the entry, or say what the line is now: {one.line}"
            )
        if one.key in (other.key for other in rows[:number]):
            raise _wrong(path, number, f"this change is named twice: {one.line}")
    return {one.key: one.reason for one in rows}


def killed_text(keys: Iterable[MutantKey]) -> str:
    """The text of the file of killed changes with these keys."""
    head = "# Changes of the reference that were killed by a verdict: `fencepost prove --mutants 60 --seed 1 --write-killed`.\n"
    rows = [{name: value for name, value in key._asdict().items() if (name, value) != ("nth", 1)} for key in sorted(keys)]
    return head + yaml.safe_dump(rows, sort_keys=False, allow_unicode=True, width=10_000)


def _wrong(path: Traversable, number: int, why: str) -> DataFileError:
    return DataFileError(f"{path}:{datafile.lines_of(path)[number]}: {number + 1}: {why}")
