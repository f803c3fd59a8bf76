"""What the exchanges of Kafka say to the checklist.

The arrays follow from the schemas of the requests that the run has sent, in the versions that it has sent; the refusals from the answers.
The kind of an entry is its error.
"""

import dataclasses
import functools
import types
import typing
from collections.abc import Iterator, Mapping
from typing import Any

from fencepost.adapters.kafka import kept_exchanges
from fencepost.adapters.replay.replay_programs import Lines
from fencepost.wire.kafka.entities import API_KEYS, api_of, plain, title
from fencepost.wire.kafka.schemas import request_class, response_class

from .checklist_moment import ExchangeMoment, last_alone_differs, lists_at

_BEGIN = frozenset({"produce", "txn_offset_commit"})
_END = frozenset({"end_txn", "init_producer_id"})
_LOOKS = frozenset({"describe_transactions", "describe_producers", "fetch", "list_offsets", "offset_fetch", "end_txn"})
_ERROR = "error_code"
_TOPIC_FIELDS = ("topic", "name", "topic_name", "topic_id")
_DONE = "NONE"


def moments(lines: Lines, place: str) -> Iterator[ExchangeMoment]:
    """The exchanges of a play, in the order in which they ended."""
    calls, _ = kept_exchanges.read(lines, place)
    for call in sorted(calls, key=lambda call: call.ended):
        api = api_of(call.request)
        request, answer = plain(call.request), plain(call.answer) if call.answer is not None else {}
        arrays = {}
        for name, has_errors in _arrays(api, int(call.request.__version__)).items():
            _, side, *path = name.split(".")
            arrays[name] = any(_covers(entries, has_errors) for entries in lists_at(request if side == "request" else answer, path))
        errors, topics, identifier = set(_errors(answer)), _topics(request), request.get("transactional_id")
        is_done = bool(identifier) and _DONE in errors
        named = {value for key, value in _leaves(request) if key.startswith("transactional_id") and value}
        yield ExchangeMoment(
            arrays,
            frozenset(f"{title(api)} {error}" for error in errors - {_DONE}),
            frozenset(named | topics),
            is_look=api in _LOOKS,
            wrote=(str(identifier), *sorted(topics)) if is_done and api in _BEGIN else (),
            ended=str(identifier) if is_done and api in _END else None,
        )


def _topics(message: dict[str, Any]) -> set[str]:
    return {value for key, value in _leaves(message) if key in _TOPIC_FIELDS and isinstance(value, str)}


def _leaves(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _leaves(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner, key)
    else:
        yield key, value


def _errors(answer: Any) -> list[str]:
    return [value for key, value in _leaves(answer) if key == _ERROR]


def _covers(entries: list[Any], has_errors: bool) -> bool:
    return last_alone_differs([tuple(sorted(set(_errors(entry)))) for entry in entries]) if has_errors else len(entries) > 1


@functools.cache
def _arrays(api: str, version: int) -> Mapping[str, bool]:
    """The arrays of a request and its answer in a version, and whether their entries have errors."""
    sides = {"request": request_class(API_KEYS[api], version), "answer": response_class(API_KEYS[api], version)}
    return {
        f"{title(api)}.{side}.{'.'.join(path)}": has_errors for side, entity in sides.items() for path, has_errors in _arrays_in(entity)
    }


def _arrays_in(entity: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], bool]]:
    for name, hint in typing.get_type_hints(entity).items():
        kind = _without_none(hint)
        if typing.get_origin(kind) is tuple:
            inner = _without_none(typing.get_args(kind)[0])
            yield (*path, name), _has_errors(inner)
            kind = inner
        if dataclasses.is_dataclass(kind):
            yield from _arrays_in(kind, (*path, name))


def _has_errors(entity: Any) -> bool:
    if not dataclasses.is_dataclass(entity):
        return False
    hints = {name: _without_none(hint) for name, hint in typing.get_type_hints(entity).items()}
    inner = [typing.get_args(hint)[0] for hint in hints.values() if typing.get_origin(hint) is tuple]
    return _ERROR in hints or any(map(_has_errors, inner))


def _without_none(hint: Any) -> Any:
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return next(option for option in typing.get_args(hint) if option is not type(None))
    return hint
