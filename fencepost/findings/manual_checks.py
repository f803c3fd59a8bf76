"""The manual checks of a broker's red scenarios: a small file that is reviewed, and kept when a page is rewritten.

An entry is about all scenarios of a requirement (`KIP890-029`) or about one (`KIP890-029 [2]`), which overrides the first. A scenario
without an entry is open.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, field_validator

from fencepost.contract import gherkin
from fencepost.contract.datafile import DataFileError, Row, line_of, load
from fencepost.contract.errors import WrongUsage, hint
from fencepost.contract.register import Register

_ROW = re.compile(r"(\S+?)(?: \[(\d+)\])?")
_WANTED = "expected a requirement, such as KIP890-029, or one of its scenarios, such as KIP890-029 [2]"
_Text = Annotated[str, Field(min_length=1)]
_Link = Annotated[str, Field(pattern=r"^https?://[^\s<>]+$")]


class Check(Row):
    """One entry: these rows are true, or the suite's own fault, or open, for this reason."""

    rows: Annotated[list[str], Field(min_length=1)]
    checked: Literal["true", "suite's fault", "open"]
    reason: _Text
    link: _Link | None = None

    @field_validator("checked", mode="before")
    @classmethod
    def _is_a_word(cls, value: object) -> object:
        return "true" if value is True else value


@dataclass(frozen=True)
class Checked:
    """All entries of a file; none if there is no file."""

    of_rows: dict[str, Check]

    @classmethod
    def read(cls, path: Path, register: Register) -> "Checked":
        """Raises WrongUsage, with file, line, value and remedy, for an entry that cannot match anything, or is there twice."""
        if not path.exists():
            return cls({})
        try:
            checks = load(path, list[Check])
            return cls(_by_row(path, checks, register))
        except DataFileError as error:
            raise WrongUsage(str(error)) from error

    def of(self, requirement: str, scenario: str) -> Check | None:
        """What was found about a scenario of a requirement, by the scenario's name."""
        return self.of_rows.get(row_of(requirement, scenario), self.of_rows.get(requirement))

    def unused(self, red: Iterable[tuple[str, str]]) -> list[str]:
        """The rows that an entry names and that are not red."""
        names = {name for requirement, scenario in red for name in (requirement, row_of(requirement, scenario))}
        return [row for row in self.of_rows if row not in names]


def row_of(requirement: str, scenario: str) -> str:
    """`KIP890-029 [2]`."""
    number, bracket, _ = scenario.partition("]")
    return f"{requirement} {number}]" if bracket else requirement


def _by_row(path: Path, checks: Sequence[Check], register: Register) -> dict[str, Check]:
    found: dict[str, Check] = {}
    for index, check in enumerate(checks):
        for at, row in enumerate(check.rows):
            for why in _faults(row, found, register):
                raise DataFileError(f"{path}:{line_of(path, index, 'rows', at)}: rows: {row!r}{why}")
            found[row] = check
    return found


def _faults(row: str, before: Iterable[str], register: Register) -> Iterator[str]:
    parts = _ROW.fullmatch(row)
    if parts is None:
        yield f" names no row; {_WANTED}"
        return
    requirement, number = parts.groups()
    if requirement not in register.by_id:
        yield f" names no requirement{hint(requirement, register.by_id)}"
    elif number and not any(row_of(requirement, scenario.name) == row for _, scenario in gherkin.scenarios_of(requirement)):
        yield f" names no scenario: {requirement} has {len(gherkin.scenarios_of(requirement))}; {_WANTED}"
    if row in before:
        yield " appears twice; remove one"
