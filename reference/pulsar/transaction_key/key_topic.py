"""The system topic `__transaction_key` of one coordinator: what is known of its keys after a crash.

Every node reads it, so that participants refuse fenced transactions, whichever node their coordinator is on. It is compacted when a
coordinator loads it: the latest record of a key has its whole state.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass

from fencepost.reference.kernel.journal import Disk, Journal
from fencepost.reference.kernel.rules import rule
from fencepost.reference.pulsar.pulsar_types import TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError

from .key import TransactionKey
from .key_records import KeyRecord, decoded

_LOG = logging.getLogger("fencepost.transaction_key")


@dataclass
class NextWrite:
    """Whether the next record cannot be stored, in whichever topic that is, for tests."""

    fails: bool = False


class KeyTopic:
    """The topic of one coordinator. One object serves all nodes, as the disk does; all that it has in memory is read from there."""

    def __init__(self, disk: Disk, name: str) -> None:
        self._name = name
        self._entries: Journal[bytes] = disk.journal(self.stored_as(name))
        self._latest: dict[TransactionKey, KeyRecord] = {}
        self._fenced: set[TxnId] = set()
        self.next_write = NextWrite()
        self.unreadable: tuple[bytes, ...] = ()
        """The unreadable records, as the last load found them."""

    def stored_as(self, name: str) -> str:
        """Decision: the name of its records on the disk: each coordinator of each kind has a separate one."""
        return name

    def load(self) -> Mapping[TransactionKey, KeyRecord]:
        """Decision: the state of every key, deleted ones too. Unreadable records are named in the log, and stay."""
        self._latest, self._fenced = {}, set()
        unreadable: list[bytes] = []
        for number, entry in enumerate(self._entries):
            match decoded(entry):
                case KeyRecord() as record:
                    self._take_in(record)
                case why:
                    _LOG.warning("%s, record %d: %s", self._name, number, why)
                    unreadable.append(entry)
        self.unreadable = tuple(unreadable)
        self.compact()
        rule("TXKEY-20")
        return dict(self._latest)

    def compact(self) -> None:
        """Decision: what is left of the topic: the latest record of each key, and unreadable records."""
        self._entries.replace([*self.unreadable, *(self._encoded(record) for record in self._latest.values())])

    def append(self, record: KeyRecord) -> None:
        """Decision: make the state of a key durable. Raises CommandRefused: SERVICE_NOT_READY when that fails, and then nothing has
        changed.
        """
        if self.next_write.fails:
            self.next_write.fails = False
            rule("TXKEY-22")
            raise CommandRefused(ServerError.SERVICE_NOT_READY, f"{self._name} could not be written, so nothing has changed; connect again")
        self._entries.append(self._encoded(record))
        self._take_in(record)

    def damage(self, entry: bytes) -> None:
        """Put an invalid record into the topic, for tests."""
        self._entries.append(entry)

    def has(self, key: TransactionKey) -> bool:
        """Decision: whether a key was ever connected with at this coordinator."""
        return key in self._latest

    def is_fenced(self, txn: TxnId) -> bool:
        """Decision: whether a later connection of its key has fenced that transaction."""
        return txn in self._fenced

    def _take_in(self, record: KeyRecord) -> None:
        self._latest[record.key] = record
        self._fenced |= record.fenced_txns

    @staticmethod
    def _encoded(record: KeyRecord) -> bytes:
        return record.model_dump_json(exclude_defaults=True).encode()


class KeyTopics:
    """The topics of all coordinators of a broker."""

    def __init__(self, disk: Disk, topic: type[KeyTopic]) -> None:
        self._disk = disk
        self._topic = topic
        self._topics: dict[tuple[bool, int], KeyTopic] = {}
        self.next_write = NextWrite()

    def of(self, tc_id: int, *, scalable: bool) -> KeyTopic:
        """The topic of a coordinator. Both kinds number theirs from 0."""
        kind = "scalable" if scalable else "classic"
        if (scalable, tc_id) not in self._topics:
            topic = self._topic(self._disk, f"__transaction_key-{kind}-{tc_id}")
            topic.next_write = self.next_write
            self._topics[scalable, tc_id] = topic
        return self._topics[scalable, tc_id]

    def all(self) -> tuple[KeyTopic, ...]:
        """The topics that coordinators have loaded."""
        return tuple(self._topics.values())
