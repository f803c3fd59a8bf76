"""Brokers that lose one field of a record when they read it again, generated from the definitions of the records.

The live state is complete. Only what a restarted broker, or a new leader, reads from a journal has lost one field, which then has its
default value. So each field has a broker that does not write or does not read it, also a field that is added later. These losses break
no stated requirement and are not in `DEFECTS`: twins with a restart must notice them.
"""

import dataclasses
import json
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from fencepost.reference import kafka, pulsar
from fencepost.reference.kafka.groups import OffsetAndMetadata
from fencepost.reference.kafka.kafka_topics import KafkaTopic
from fencepost.reference.kafka.partition_log import LogEntry, Snapshot
from fencepost.reference.kafka.transaction import KafkaTransaction
from fencepost.reference.kernel.journal import Disk, Journal
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.pulsar import cursor, ledger, pending_ack_journal, pending_ack_store, topic, transaction
from fencepost.wire.kafka.batches import Record

from .default_values import default_of, nothing_like
from .defect import Defect
from .replay_stored import IN_JOURNALS, IN_STORE, fields_of, forgetful_client, without

DURABLE: Mapping[str, tuple[type, ...]] = {
    "kafka": (KafkaTransaction, LogEntry, Snapshot, KafkaTopic),
    "pulsar": (
        transaction.PulsarTransaction,
        ledger.Entry,
        cursor.Moved,
        pending_ack_store.PendingAck,
        pending_ack_journal.TransactionEnded,
        topic.Subscribed,
    ),
    "pulsar-scalable": (ledger.Entry, cursor.Moved, topic.Subscribed),
}
"""The records of each protocol's journals; their fields say what they are made of. `replay_stored` has those that are stored as JSON."""

_GROUP = ("generation", "members")
_MEMBER = ("name", "protocol_type", "protocols", "session_timeout_ms", "instance", "share")
"""The fields that `group_records` writes of a group and of a member, in this order."""
_OFFSETS = "log of __consumer_offsets-0"


@dataclass(frozen=True)
class Loss:
    """What is lost at a replay: `rewrite` returns a record of that journal without it."""

    name: str
    story: str
    rewrite: Callable[[str, Any], Any]
    in_store: bool = False
    """Whether the record is in the metadata store; then its key takes the place of the journal."""


def variants(protocol: str) -> tuple[Defect, ...]:
    """A broker for each thing that can be lost."""
    return tuple(
        Defect(loss.name, loss.story, "generated from the definitions of durable records", _parts(protocol, loss))
        for loss in losses(protocol)
    )


def _parts(protocol: str, loss: Loss) -> kafka.KafkaParts | pulsar.PulsarParts:
    if loss.in_store:
        return MetadataParts(store_client=forgetful_client(loss.rewrite))
    if protocol == "kafka":
        return kafka.KafkaParts(disk=_disk(loss))
    return (pulsar.PulsarParts if protocol == "pulsar" else MetadataParts)(disk=_disk(loss))


def losses(protocol: str) -> Iterator[Loss]:
    """Each field of each record that is durable."""
    seen: dict[type, None] = {}
    waiting = list(DURABLE[protocol])
    while waiting:
        kind = waiting.pop(0)
        if kind in seen:
            continue
        seen[kind] = None
        hints = typing.get_type_hints(kind)
        for one in dataclasses.fields(kind):
            waiting += _records_in(hints[one.name])
            if not dataclasses.is_dataclass(hints[one.name]):
                yield _of_field(protocol, kind, one)
    if protocol == "kafka":
        yield from (
            _of_json(f"committed offset: {each.name}", 3, (place,)) for place, each in enumerate(dataclasses.fields(OffsetAndMetadata))
        )
        yield from (_of_json(f"stored group: {each}", 1, (place,)) for place, each in enumerate(_GROUP))
        yield from (_of_json(f"stored member: {each}", 1, (1, place)) for place, each in enumerate(_MEMBER))
        return
    yield from (_of_model(protocol, kind, name, IN_JOURNALS, in_store=False) for kind, name in fields_of([*IN_JOURNALS.values()]))
    if protocol == "pulsar-scalable":
        yield from (_of_model(protocol, kind, name, IN_STORE, in_store=True) for kind, name in fields_of([*IN_STORE.values()]))


def _of_field(protocol: str, kind: type, field: "dataclasses.Field[Any]") -> Loss:
    title = _title(kind, protocol)

    def forget(value: Any) -> Any:
        is_one: bool = type(value) is kind
        if is_one:
            value = dataclasses.replace(value, **{field.name: default_of(field, getattr(value, field.name))})
        return _within(value, forget)

    return Loss(
        f"replay-{protocol}-{title}-{field.name}".replace("_", "-").lower(),
        f"When a {title} is read again, its {field.name} has its default.",
        lambda _, record: forget(record),
    )


def _of_model(protocol: str, kind: type[BaseModel], field: str, records: Mapping[str, type[BaseModel]], *, in_store: bool) -> Loss:
    """What is stored as JSON, without that field."""
    title = _title(kind, protocol)

    def forget(key: str, stored: Any) -> Any:
        return without(kind, field, stored, records, key) if isinstance(stored, bytes) else stored

    return Loss(
        f"replay-{protocol}-{title}-{_kebab(field)}".lower(),
        f"When a {title} is read again, its {field} has its default.",
        forget,
        in_store,
    )


def _within(value: Any, forget: Callable[[Any], Any]) -> Any:
    """The value with its members rewritten; the same object where nothing changes."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        held = {one.name: getattr(value, one.name) for one in dataclasses.fields(value) if one.init}
        changed = {name: after for name, before in held.items() if (after := forget(before)) is not before}
        return dataclasses.replace(value, **changed) if changed else value
    if isinstance(value, dict):
        entries = {forget(key): forget(held) for key, held in value.items()}
        return value if all(entries.get(key) is held for key, held in value.items()) else entries
    if type(value) is frozenset:
        changed_items = frozenset(map(forget, value))
        return value if changed_items == value else changed_items
    if type(value) is tuple:
        items = tuple(map(forget, value))
        return value if all(one is other for one, other in zip(items, value, strict=True)) else items
    return value


def _of_json(what: str, length: int, path: Sequence[int]) -> Loss:
    """What the log of a group's offsets has as JSON: of records whose key has so many parts, the value at that path."""

    def forget(journal: str, record: Any) -> Any:
        if journal != _OFFSETS or not isinstance(record, LogEntry) or record.batch.control:
            return record
        records = tuple(map(one, record.batch.records))
        return dataclasses.replace(record, batch=dataclasses.replace(record.batch, records=records))

    def one(record: Record) -> Record:
        if record.value is None or len(json.loads(record.key or b"[]")) != length:
            return record
        value = json.loads(record.value)
        for holder in [value] if len(path) == 1 else value[path[0]]:
            holder[path[-1]] = nothing_like(holder[path[-1]])
        return dataclasses.replace(record, value=json.dumps(value).encode())

    record, _, field = what.partition(": ")
    name = f"replay-kafka-{record}-{field}".replace(" ", "-").replace("_", "-")
    return Loss(name, f"When a {record} is read again, its {field} has its default.", forget)


def _disk(loss: Loss) -> type[Disk]:
    """A disk whose journals have lost it when they are opened by a reader that has not written them."""

    class Forgetful(Disk):
        def journal(self, name: str) -> Journal[Any]:
            is_known = name in self._journals
            journal = super().journal(name)
            if is_known:
                journal.replace([loss.rewrite(name, record) for record in journal])
            return journal

    return Forgetful


def _records_in(hint: Any) -> list[type]:
    """The dataclasses that a type is made of."""
    if dataclasses.is_dataclass(hint):
        return [typing.cast(type, hint)]
    return [one for inner in typing.get_args(hint) for one in _records_in(inner)]


def _title(kind: type, protocol: str) -> str:
    name = kind.__name__.removeprefix(protocol.capitalize())
    return _kebab(name).strip("-")


def _kebab(name: str) -> str:
    return "".join(f"-{letter}" if letter.isupper() else letter for letter in name)
