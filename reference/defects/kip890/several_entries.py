"""Defects in answers with an entry for each of several partitions or transactional ids."""

import dataclasses
from collections.abc import Iterator
from typing import Any

from kio.schema.errors import ErrorCode
from kio.static.protocol import ResponsePayload

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.response_order import ResponseOrder
from fencepost.wire.kafka.entities import api_of

_ABOUT_SEVERAL = frozenset({"describe_producers", "list_offsets", "delete_records", "describe_transactions"})


class _OneErrorForAll(ResponseOrder):
    """Every entry of such an answer has the error that `chosen` is the place of."""

    chosen: int

    def arrange(self, answer: ResponsePayload) -> ResponsePayload:
        arranged = super().arrange(answer)
        errors = _errors(arranged)
        return _with_error(arranged, errors[self.chosen]) if api_of(answer) in _ABOUT_SEVERAL and errors else arranged


@defect({"KIP890-410": seen("^success, .*success$", what="^entries of the answer$")}, origin="textbook: the error of the first entry")
class FirstErrorForAll(_OneErrorForAll):
    """The answer to a request about several partitions or ids has the error of its first entry in all of them."""

    chosen = 0


@defect({"KIP890-410": seen("^a refusal", what="^entries of the answer$")}, origin="textbook: an error that each turn of a loop overwrites")
class LastErrorForAll(_OneErrorForAll):
    """The answer to a request about several partitions or ids has the error of its last entry in all of them."""

    chosen = -1


@defect(
    {"KIP890-410": seen("^success, a refusal.*, a refusal", what="^entries of the answer$")},
    origin="red team: a variable for the error that lives longer than a turn of the loop",
)
class ErrorStaysForTheRest(ResponseOrder):
    """In the answer to a request about several partitions or ids, each entry after the first refused one has that one's error."""

    def arrange(self, answer: ResponsePayload) -> ResponsePayload:
        arranged = super().arrange(answer)
        if api_of(answer) not in _ABOUT_SEVERAL:
            return arranged
        errors = _errors(arranged)
        wrong = next((place for place, error in enumerate(errors) if error is not ErrorCode.none), len(errors))
        left = iter([*errors[:wrong], *errors[wrong : wrong + 1] * (len(errors) - wrong)])
        changed: ResponsePayload = _with_each_error(arranged, left)
        return changed


def _errors(value: Any) -> list[Any]:
    if isinstance(value, tuple):
        return [error for entry in value for error in _errors(entry)]
    if not dataclasses.is_dataclass(value):
        return []
    own = [value.error_code] if hasattr(value, "error_code") else []
    return own + [error for field in dataclasses.fields(value) for error in _errors(getattr(value, field.name))]


def _with_error(value: Any, error: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_with_error(entry, error) for entry in value)
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return value
    changed = {field.name: _with_error(getattr(value, field.name), error) for field in dataclasses.fields(value)}
    return dataclasses.replace(value, **changed | ({"error_code": error} if hasattr(value, "error_code") else {}))


def _with_each_error(value: Any, errors: Iterator[Any]) -> Any:
    if isinstance(value, tuple):
        return tuple(_with_each_error(entry, errors) for entry in value)
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return value
    own = {"error_code": next(errors)} if hasattr(value, "error_code") else {}
    changed = {field.name: _with_each_error(getattr(value, field.name), errors) for field in dataclasses.fields(value)}
    return dataclasses.replace(value, **changed | own)
