"""Lost fields of records that are stored as JSON: in the metadata store, and in the topics of transaction keys.

A client of the metadata store reads completely what it has written itself. What another client has written, so everything after a restart,
has lost one field. The losses are generated from the models of the records, as those of journals are from their dataclasses.
"""

import dataclasses
import functools
import re
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from fencepost.reference.metadata.store import IndexEntry, MetadataStore, StoreRecord, Value, Version
from fencepost.reference.metadata_transactions import paths
from fencepost.reference.metadata_transactions.record_models import Counter, EndedEvent, Header, OperationRecord, Resolved
from fencepost.reference.metadata_transactions.store_client import StoreClient
from fencepost.reference.pulsar.transaction_key.key_records import KeyRecord
from fencepost.reference.scalable.layout_records import LayoutRecord
from fencepost.reference.scalable.layout_store import ChangeNote
from fencepost.reference.scalable.paths import CHANGES, TOPICS
from fencepost.reference.scalable.registrations import ConsumerRecord

from .default_values import nothing_like

IN_STORE: Mapping[str, type[BaseModel]] = {
    re.escape(paths.next_sequence(0)).removesuffix("0"): Counter,
    re.escape(paths.HEADERS): Header,
    re.escape(paths.OPERATIONS): OperationRecord,
    re.escape(paths.EVENTS): EndedEvent,
    f"{re.escape(paths.WATERMARKS)}|{re.escape(paths.ABORTED)}": Resolved,
    rf"{TOPICS}[^/]+/[^/]+/[^/]+$": LayoutRecord,
    rf"{TOPICS}.*/consumers/": ConsumerRecord,
    re.escape(CHANGES): ChangeNote,
}
"""The records of the metadata store, by the beginnings of their keys."""

_KEPT = 1_024
"""How many records are kept as they were rewritten: brokers read the same ones again and again."""

IN_JOURNALS: Mapping[str, type[BaseModel]] = {"__transaction_key-": KeyRecord}
"""The records of journals that are stored as JSON, by the beginnings of the journals' names."""


def fields_of(models: Iterator[type[BaseModel]] | Sequence[type[BaseModel]]) -> Iterator[tuple[type[BaseModel], str]]:
    """Each field of these models, and of the models in them, that is not itself a model and can have several values."""
    waiting, seen = list(models), dict[type[BaseModel], None]()
    while waiting:
        model = waiting.pop(0)
        if model in seen:
            continue
        seen[model] = None
        for name, field in model.model_fields.items():
            within = _models_in(field.annotation)
            waiting += within
            if field.annotation not in within and len(_values(field)) != 1:
                yield model, name


def without(kind: type[BaseModel], name: str, stored: bytes, records: Mapping[str, type[BaseModel]], key: str) -> bytes:
    """A stored record without that field; the same bytes if it has none, or is unreadable."""
    model = next((one for beginning, one in records.items() if re.match(beginning, key)), None)
    if model is None or not stored.startswith(b"{"):
        return stored
    try:
        before = model.model_validate_json(stored)
    except ValidationError:
        return stored
    after = _forgotten(before, kind, name)
    return stored if after is before else typing.cast(BaseModel, after).model_dump_json(exclude_none=True, warnings=False).encode()


def forgetful_client(rewrite: Callable[[str, bytes], bytes]) -> type[StoreClient]:
    """A client of the metadata store for which the records of other clients are rewritten."""

    cached = functools.lru_cache(_KEPT)(rewrite)

    class ForgetfulClient(StoreClient):
        def __init__(self, store: MetadataStore) -> None:
            super().__init__(store)
            self._written: dict[str, Version] = {}

        def get(self, key: str, *, partition_key: str | None = None) -> StoreRecord | None:
            record = super().get(key, partition_key=partition_key)
            return record and self._read(record)

        def put(
            self,
            key: str,
            value: Value,
            *,
            expected: Version | None = None,
            partition_key: str | None = None,
            indexes: Sequence[IndexEntry] = (),
        ) -> StoreRecord:
            return self._noted(super().put(key, value, expected=expected, partition_key=partition_key, indexes=indexes))

        def append(self, prefix: str, value: Value, *, partition_key: str, indexes: Sequence[IndexEntry] = ()) -> StoreRecord:
            return self._noted(super().append(prefix, value, partition_key=partition_key, indexes=indexes))

        def scan(self, first: str, end: str, *, partition_key: str | None = None) -> list[StoreRecord]:
            return [self._read(record) for record in super().scan(first, end, partition_key=partition_key)]

        def scan_by_index(self, index: str, first: str, end: str) -> list[StoreRecord]:
            return [self._read(record) for record in super().scan_by_index(index, first, end)]

        def _noted(self, record: StoreRecord) -> StoreRecord:
            self._written[record.key] = record.version
            return record

        def _read(self, record: StoreRecord) -> StoreRecord:
            if self._written.get(record.key) == record.version:
                return record
            return dataclasses.replace(record, value=cached(record.key, record.value))

    return ForgetfulClient


def _forgotten(value: Any, kind: type[BaseModel], name: str) -> Any:
    """The value with the field of that model lost wherever it is; the same object where nothing changes."""
    if isinstance(value, BaseModel):
        held = {one: getattr(value, one) for one in type(value).model_fields}
        changed = {one: after for one, before in held.items() if (after := _forgotten(before, kind, name)) is not before}
        if type(value) is kind:
            changed[name] = _default(kind.model_fields[name], held[name])
        return value.model_copy(update=changed) if changed else value
    if isinstance(value, dict):
        items = {key: _forgotten(one, kind, name) for key, one in value.items()}
        return value if all(items[key] is one for key, one in value.items()) else items
    if isinstance(value, list | tuple):
        members = [_forgotten(one, kind, name) for one in value]
        return value if all(one is other for one, other in zip(members, value, strict=True)) else type(value)(members)
    return value


def _default(field: FieldInfo, value: Any) -> Any:
    """What is read if the field is not there."""
    if not field.is_required():
        return field.get_default(call_default_factory=True)
    return _values(field)[0] if _values(field) else nothing_like(value)


def _values(field: FieldInfo) -> tuple[Any, ...]:
    """The values that a field may have, if it has few."""
    return typing.get_args(field.annotation) if typing.get_origin(field.annotation) is Literal else ()


def _models_in(hint: Any) -> list[type[BaseModel]]:
    if isinstance(hint, type) and issubclass(hint, BaseModel):
        return [hint]
    return [one for inner in typing.get_args(hint) for one in _models_in(inner)]
