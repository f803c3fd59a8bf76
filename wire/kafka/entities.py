"""Kafka requests and responses from plain values, and back to plain values for people and files.

The classes are kio's, generated from Apache Kafka's message schemas: one for each API and version. kio wants its own typed
integers, names and durations; this module finds them from the type hints, so that a probe reads like the protocol:

    request("end_txn", 5, transactional_id="t", producer_id=7, producer_epoch=0, committed=True)
"""

import dataclasses
import datetime
import functools
import types
import typing
import uuid
from collections.abc import Callable
from enum import IntEnum
from typing import Any, TypeAlias

from kio.schema.index import api_key_map, schema_name_map
from kio.static.protocol import RequestPayload, ResponsePayload

from .schemas import request_class, response_class

API_KEYS: dict[str, int] = {str(name): int(key) for key, name in api_key_map.items()}
API_NAMES: dict[int, str] = {key: name for name, key in API_KEYS.items()}
_DURATIONS = ("i32Timedelta", "i64Timedelta")
_INSTANTS = ("TZAware", "TZAwareMicros")


def request(api: str, version: int, **fields: object) -> RequestPayload:
    """Build a request; a field that this version does not have is a TypeError, a value out of range too."""
    return typing.cast(RequestPayload, _build(request_class(API_KEYS[api], version), None, fields))


def response(to: RequestPayload, **fields: object) -> ResponsePayload:
    """Build the answer to a request, in the request's version.

    Fields that only other versions have are left out, so a server builds its answer once for all versions. A name that no
    version has is a TypeError.
    """
    entity = response_class(to.__api_key__, to.__version__)
    return typing.cast(ResponsePayload, _build(entity, int(to.__api_key__), fields))


def api_of(entity: RequestPayload | ResponsePayload) -> str:
    """The API's name in snake case, `end_txn`."""
    return API_NAMES[int(entity.__api_key__)]


@functools.cache
def title(api: str) -> str:
    """The API's name as Kafka's documentation writes it, `EndTxn`."""
    return "".join(part.capitalize() for part in api.split("_"))


def plain(value: Any) -> Any:
    """An entity as JSON-ready values: error codes by name, durations in ms, bytes as hexadecimal."""
    kind: Any = type(value)
    return value if kind in _PLAIN_ALREADY else _plainer(kind)(value)


_PLAIN_ALREADY = frozenset({types.NoneType, bool, int, float, str})


@functools.cache
def _plainer(kind: Any) -> Callable[[Any], Any]:
    """How a value of that kind becomes plain. Computed once: a history calls it for every value in a message."""
    if issubclass(kind, IntEnum):
        return lambda value: value.name.upper()
    if issubclass(kind, tuple(_PLAIN_ALREADY)):
        return lambda value: value
    if issubclass(kind, (bytes, bytearray)):
        return lambda value: bytes(value).hex()
    if issubclass(kind, datetime.timedelta):
        return lambda value: round(value.total_seconds() * 1000)
    if issubclass(kind, (datetime.datetime, uuid.UUID)):
        return str
    if issubclass(kind, (tuple, list)):
        return lambda value: [plain(item) for item in value]
    names = [field.name for field in dataclasses.fields(kind)]
    return lambda value: {name: plain(getattr(value, name)) for name in names}


_Coerce: TypeAlias = Callable[[Any], Any]


def _build(entity: type, answering: int | None, fields: dict[str, Any]) -> object:
    known, coerced = _plan(entity, answering, tuple(fields))
    values = fields.copy() if known is None else {name: fields[name] for name in known}
    for name, coerce in coerced:
        values[name] = coerce(values[name])
    return entity(**values)


@functools.cache
def _plan(entity: type, answering: int | None, given: tuple[str, ...]) -> tuple[tuple[str, ...] | None, tuple[tuple[str, _Coerce], ...]]:
    """Which of the given fields an entity has, None for all, and how values are coerced that are not used as they are.

    Computed once for each set of fields.
    """
    coercers = _coercers(entity, answering)
    stray = set(given) - coercers.keys()
    if unknown := stray if answering is None else _in_no_version(answering, stray):
        raise TypeError(f"{entity.__module__}.{entity.__name__} has no field {', '.join(sorted(unknown))}; it has {', '.join(coercers)}")
    known = tuple(name for name in given if name in coercers)
    return known if stray else None, tuple((name, coercers[name]) for name in known if coercers[name] is not _as_it_is)


@functools.cache
def _coercers(entity: type, answering: int | None) -> dict[str, _Coerce]:
    hints = typing.get_type_hints(entity)
    return {field.name: _coercer(hints[field.name], answering) for field in dataclasses.fields(typing.cast(Any, entity))}


@functools.cache
def _coercer(kind: Any, answering: int | None) -> _Coerce:
    if typing.get_origin(kind) is tuple:
        item = _coercer(typing.get_args(kind)[0], answering)
        return tuple if item is _as_it_is else lambda values: tuple(map(item, values))
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        inner = _coercer(next(option for option in typing.get_args(kind) if option is not type(None)), answering)
        return _as_it_is if inner is _as_it_is else lambda value: None if value is None else inner(value)
    if dataclasses.is_dataclass(kind):
        return lambda value: _build(typing.cast(type, kind), answering, value) if isinstance(value, dict) else value
    if kind.__name__ in _DURATIONS:
        return lambda ms: _duration(kind, ms)
    if kind in (bool, bytes, uuid.UUID) or kind.__name__ in _INSTANTS:
        return _as_it_is
    if issubclass(kind, IntEnum):
        return _member(kind)
    if not hasattr(kind, "__predicate__"):
        return lambda value: kind(value)
    return _checked(kind) if answering is None else _as_it_is


def _as_it_is(value: Any) -> Any:
    """The same value. The type checker checks what the reference answers, and a frame takes no value that is out of range."""
    return value


def _checked(kind: Any) -> _Coerce:
    """The same value if it is of this kind, as defined by kio's own types, else a TypeError.

    Uses the class and the condition that kio's types are made of. To ask whether a value is an instance of one gives the
    same result, by way of a metaclass, an abstract class and a protocol, and costs ten times as much.
    """
    bound, holds = kind.__bound__, kind.__predicate__
    return lambda value: value if isinstance(value, bound) and holds(value) else kind(value)


def _member(kind: type[IntEnum]) -> _Coerce:
    members = {int(member): member for member in kind}
    return lambda value: kind(value) if value not in members else members[value]


@functools.lru_cache(maxsize=256)
def _duration(kind: Any, ms: int) -> Any:
    return kind.parse(datetime.timedelta(milliseconds=ms))


def _in_no_version(api_key: int, names: set[str]) -> set[str]:
    """Those of the names that no version of this API's answer has. The newest version has most; others are loaded only if needed."""
    for version in sorted(schema_name_map[API_NAMES[api_key]], reverse=True):
        if names:
            names = names - _all_names(response_class(api_key, version))
    return names


@functools.cache
def _all_names(entity: type) -> frozenset[str]:
    """The names of its fields, and of the fields of all that it contains."""
    names: set[str] = set()
    waiting: list[Any] = [entity]
    while waiting:
        kind = waiting.pop()
        if dataclasses.is_dataclass(kind):
            hints = typing.get_type_hints(kind)
            names.update(field.name for field in dataclasses.fields(kind))
            waiting.extend(hints[field.name] for field in dataclasses.fields(kind))
        else:
            waiting.extend(typing.get_args(kind))
    return frozenset(names)
