"""The register: every requirement of every proposal, tested, planned, or excluded with a reason.

Each proposal has one `requirements.yaml` next to its features. Ids are never reused; a scenario is bound to its row by the
tag on its Rule.
"""

import functools
import re
from collections.abc import Iterable, Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Literal

from pydantic import Field, field_validator, model_validator

from .datafile import DataFileError, Row, line_of, load
from .errors import UnknownName

_ID = re.compile(r"[A-Z0-9]+-\d{2,3}")


class Requirement(Row):
    """One row: a promise that a system can be seen to keep or to break.

    `level` binds as RFC 2119 has it. `source` is "text" if the proposal says it; "decided" if the text is silent, contradicts
    itself or would break its own promise, and `question` has the decision; "implementation" if only one implementation's
    behaviour says it. `varies` describes how releases differ.
    `rests_on` names more fundamental requirements: if one of them is broken, this one most likely is by the same cause.
    """

    id: str
    level: Literal["MUST", "SHOULD", "MAY"]
    source: Literal["text", "decided", "implementation"]
    section: str
    statement: str
    check: str
    planned: bool = False
    excluded: str | None = None
    question: str | None = None
    varies: str | None = None
    rests_on: tuple[str, ...] = Field(default=(), strict=False)

    @field_validator("id")
    @classmethod
    def _shape_of_ids(cls, value: str) -> str:
        if not _ID.fullmatch(value):
            raise ValueError("must be a proposal and two or three digits, such as KIP890-060")
        return value

    @model_validator(mode="after")
    def _planned_or_excluded(self) -> "Requirement":
        if self.planned and self.excluded:
            raise ValueError(f"{self.id} is both planned and excluded: an excluded row is not going to be tested")
        return self

    @model_validator(mode="after")
    def _decided_with_a_question(self) -> "Requirement":
        if self.source == "decided" and not self.question:
            raise ValueError(f"{self.id} has the source decided and no question: say there what the text leaves open, and the decision")
        return self

    @property
    def is_tested(self) -> bool:
        return not self.planned and self.excluded is None


class Register:
    """All rows, by id, in the order of their files."""

    def __init__(self, rows: Mapping[str, tuple[Requirement, ...]]) -> None:
        self.by_spec = dict(rows)
        self.by_id = {row.id: row for rows in self.by_spec.values() for row in rows}
        self._spec_of = {row.id: spec for spec, rows in self.by_spec.items() for row in rows}

    def __getitem__(self, requirement: str) -> Requirement:
        try:
            return self.by_id[requirement]
        except KeyError:
            raise UnknownName("requirement", requirement, self.by_id) from None

    def spec_of(self, requirement: str) -> str:
        return self._spec_of[self[requirement].id]

    def rows(self, specs: Iterable[str] = ()) -> tuple[Requirement, ...]:
        """The rows of some proposals; all rows if none is named."""
        wanted = tuple(specs) or tuple(self.by_spec)
        for spec in wanted:
            if spec not in self.by_spec:
                raise UnknownName("proposal", spec, self.by_spec)
        return tuple(row for spec in wanted for row in self.by_spec[spec])


def read(folder: Path | Traversable) -> Register:
    """Read every `<proposal>/requirements.yaml` under `folder`; a repeated id is an error."""
    rows: dict[str, tuple[Requirement, ...]] = {}
    first_seen: dict[str, str] = {}
    for proposal in sorted(folder.iterdir(), key=lambda entry: entry.name):
        path = proposal / "requirements.yaml"
        if not (proposal.is_dir() and path.is_file()):
            continue
        rows[proposal.name] = tuple(load(path, list[Requirement]))
        for index, row in enumerate(rows[proposal.name]):
            if row.id in first_seen:
                raise DataFileError(f"{path}:{line_of(path, index)}: id: {row.id} appears twice, first in {first_seen[row.id]}")
            first_seen[row.id] = str(path)
    register = Register(rows)
    for room_name, those in rows.items():
        _check_bases(folder.joinpath(room_name, "requirements.yaml"), those, register)
    return register


def _check_bases(path: Path | Traversable, rows: Iterable[Requirement], register: Register) -> None:
    """Raises DataFileError for a row that rests on an untested one, or directly or indirectly on itself."""
    for index, row in enumerate(rows):
        for base in row.rests_on:
            if base not in register.by_id or not register[base].is_tested:
                raise DataFileError(
                    f"{path}:{line_of(path, index, 'rests_on')}: {row.id} rests on {base}, which is not a tested requirement"
                )
        seen, waiting = set[str](), list(row.rests_on)
        while waiting:
            base = waiting.pop()
            if base == row.id:
                raise DataFileError(f"{path}:{line_of(path, index, 'rests_on')}: {row.id} rests on itself; remove the base that leads back")
            if base not in seen:
                seen.add(base)
                waiting += register[base].rests_on if base in register.by_id else ()


@functools.cache
def bundled() -> Register:
    """The register that the kit includes."""
    return read(resources.files("fencepost.features"))
