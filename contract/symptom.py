"""How a failure shows: the mark that distinguishes a violation from others of the same scenario.

Defects of the reference and known deviations of released systems are recorded with one. It matches the fields of a violation
and not a sentence made of them, so that the wording of a report can change.
"""

import re

from pydantic import field_validator, model_validator

from .datafile import Row
from .evidence import Mismatch
from .expression import Expression


class Symptom(Row):
    """Regular expressions that must be found in the fields of the same name; a field without one may be anything.

    `code` is a number and must be the same. At least one field is given: a symptom that every violation has identifies nothing.
    """

    what: Expression | None = None
    expected: Expression | None = None
    seen: Expression | None = None
    error: Expression | None = None
    code: int | None = None

    @field_validator("what", "expected", "seen", "error")
    @classmethod
    def _is_not_empty(cls, value: str | None) -> str | None:
        if value == "":
            raise ValueError("must not be empty: it would be found in everything")
        return value

    @model_validator(mode="after")
    def _reports_something(self) -> "Symptom":
        if not self._fields:
            raise ValueError(f"must say one of {', '.join(type(self).model_fields)}")
        return self

    @property
    def _fields(self) -> dict[str, str | int]:
        return self.model_dump(exclude_none=True)

    def shows_in(self, mismatch: Mismatch | None) -> bool:
        """Whether every given field is found; never if there is no violation."""
        return mismatch is not None and all(_is_found(due, getattr(mismatch, name)) for name, due in self._fields.items())

    def __str__(self) -> str:
        """As it stands in a file: a backslash is one backslash."""
        return ", ".join(f"{name} {due}" if isinstance(due, int) else f"{name} '{due}'" for name, due in self._fields.items())


def _is_found(due: str | int, value: str | int | None) -> bool:
    if value is None or isinstance(due, int):
        return value == due
    return re.search(due, str(value)) is not None
