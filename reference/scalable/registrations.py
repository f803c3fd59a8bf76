"""The stream consumers of a topic in the metadata store, each under the subscription that it reads. PIP-468, "Sessions"."""

from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote

from pydantic import BaseModel, ConfigDict, ValidationError

from fencepost.reference.kernel.rules import rule
from fencepost.reference.metadata.store import MetadataStore, StoreRecord, Version, under

from . import paths
from .layout_records import MalformedLayout

Kind = Literal["STREAM", "CHECKPOINT"]
"""A stream consumer acknowledges what it has read; a checkpoint consumer keeps its positions itself."""


class ConsumerRecord(BaseModel):
    """A stream consumer, as it is stored."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    consumerType: Kind  # noqa: N815 - the name in the store


@dataclass(frozen=True)
class ConsumerRegistration:
    """The membership of a consumer in a subscription. The version of its record grows when it reconnects."""

    kind: Kind
    version: Version


class Registrations:
    """What one broker reads and writes of registrations. All calls raise CommandRefused: SERVICE_NOT_READY if the store is unavailable."""

    def __init__(self, store: MetadataStore) -> None:
        self._store = store

    def put(self, topic: str, subscription: str, name: str, kind: Kind) -> ConsumerRegistration:
        """Decision: write the record of a consumer, over any of that name, even an equal one: by its version a former controller knows
        that the consumer has connected elsewhere."""
        rule("PIP460-52")
        value = ConsumerRecord(consumerType=kind).model_dump_json().encode()
        return ConsumerRegistration(kind, self._store.put(paths.consumer(topic, subscription, name), value).version)

    def of(self, topic: str, subscription: str) -> dict[str, ConsumerRegistration]:
        """Decision: the consumers of a subscription by the names that they chose. Raises MalformedLayout for an invalid record."""
        prefix = paths.consumer(topic, subscription, "")
        return {unquote(record.key.removeprefix(prefix)): _decoded(record) for record in self._store.scan(*under(prefix))}

    def delete(self, topic: str, subscription: str, name: str, expected: Version) -> None:
        """The consumer is gone for good. Raises VersionConflict if it has reconnected meanwhile."""
        self._store.delete(paths.consumer(topic, subscription, name), expected=expected)


def _decoded(record: StoreRecord) -> ConsumerRegistration:
    try:
        return ConsumerRegistration(ConsumerRecord.model_validate_json(record.value).consumerType, record.version)
    except ValidationError as error:
        raise MalformedLayout(record.key, 'expected the registration of a consumer, {"consumerType": "STREAM" or "CHECKPOINT"}') from error
