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
    return typing.cast(RequestPayload, _build(request_class(API_KEYS[api], version), fields, None))


def response(to: RequestPayload, **fields: object) -> ResponsePayload:
    """Build the answer to a request, in the request's version.

    Fields that only other versions have are left out, so a server states its answer once for all versions. A name that no
    version has is a TypeError.
    """
    entity = response_class(to.__api_key__, to.__version__)
    return typing.cast(ResponsePayload, _build(entity, fields, int(to.__api_key__)))


def api_of(entity: RequestPayload | ResponsePayload) -> str:
    """The API's name in snake case, `end_txn`."""
    return API_NAMES[int(entity.__api_key__)]


def title(api: str) -> str:
    """The API's name as Kafka's documentation writes it, `EndTxn`."""
    return "".join(part.capitalize() for part in api.split("_"))


def plain(value: object) -> Any:
    """An entity as JSON-ready values: error codes by name, durations in ms, bytes as hexadecimal."""
    if isinstance(value, IntEnum):
        return value.name.upper()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).hex()
    if isinstance(value, datetime.timedelta):
        return round(value.total_seconds() * 1000)
    if isinstance(value, (datetime.datetime, uuid.UUID)):
        return str(value)
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(typing.cast(Any, value))}


_Coerce: TypeAlias = Callable[[Any], Any]


def _build(entity: type, fields: dict[str, Any], answering: int | None) -> object:
    coercers = _coercers(entity, answering)
    known = {name: coercers[name](value) for name, value in fields.items() if name in coercers}
    if len(known) != len(fields):
        elsewhere = frozenset() if answering is None else _names_in_any_version(answering)
        if stray := fields.keys() - coercers.keys() - elsewhere:
            raise TypeError(f"{entity.__module__}.{entity.__name__} has no field {', '.join(sorted(stray))}; it has {', '.join(coercers)}")
    return entity(**known)


@functools.cache
def _coercers(entity: type, answering: int | None) -> dict[str, _Coerce]:
    hints = typing.get_type_hints(entity)
    return {field.name: _coercer(hints[field.name], answering) for field in dataclasses.fields(entity)}


@functools.cache
def _coercer(kind: Any, answering: int | None) -> _Coerce:
    if typing.get_origin(kind) is tuple:
        item = _coercer(typing.get_args(kind)[0], answering)
        return lambda values: tuple(item(value) for value in values)
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        inner = _coercer(next(option for option in typing.get_args(kind) if option is not type(None)), answering)
        return lambda value: None if value is None else inner(value)
    if dataclasses.is_dataclass(kind):
        return lambda value: _build(typing.cast(type, kind), value, answering) if isinstance(value, dict) else value
    if kind.__name__ in _DURATIONS:
        return lambda ms: kind.parse(datetime.timedelta(milliseconds=ms))
    if kind in (bool, bytes, uuid.UUID) or kind.__name__ in _INSTANTS:
        return lambda value: value
    return lambda value: kind(value)


@functools.cache
def _names_in_any_version(api_key: int) -> frozenset[str]:
    """Every field name, nested ones included, that some version of this API's answer has."""
    names: set[str] = set()
    for version in schema_name_map[API_NAMES[api_key]]:
        waiting: list[Any] = [response_class(api_key, version)]
        while waiting:
            kind = waiting.pop()
            if dataclasses.is_dataclass(kind):
                hints = typing.get_type_hints(kind)
                names.update(field.name for field in dataclasses.fields(kind))
                waiting.extend(hints[field.name] for field in dataclasses.fields(kind))
            else:
                waiting.extend(typing.get_args(kind))
    return frozenset(names)
