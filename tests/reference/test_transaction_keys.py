"""Transaction keys in the reference: what holds after whatever clients, administrators and crashes do, and its bounds."""

from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fencepost.reference.kernel.journal import Disk
from fencepost.reference.pulsar import Parts, PulsarProfile, ReferencePulsar
from fencepost.reference.pulsar.connection import Connection
from fencepost.reference.pulsar.errors import Refused
from fencepost.reference.pulsar.transaction_key.key import MOST_BYTES, TransactionKey, key_of
from fencepost.reference.pulsar.transaction_key.key_topic import KeyTopic
from fencepost.reference.pulsar.transaction_key.keys import LAST_EPOCH, MOST_REMEMBERED, NEW
from fencepost.reference.pulsar.transaction_key.records import KeyRecord
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.admin import AdminRequest
from fencepost.wire.pulsar.frames import frame_of

KEYS = ("billing", "shipping")
TIMEOUT_MS = 3_600_000


class Broker:
    """A broker of one node, and the newest connection of each key."""

    def __init__(self, disk: Disk | None = None) -> None:
        self.broker = ReferencePulsar(PulsarProfile.load("seed"), Parts(), nodes=1, disk=disk)
        self.newest: dict[str, Connection] = {}
        self.epochs: defaultdict[str, list[int]] = defaultdict(list)

    def connect(self, key: str, epoch: int = NEW) -> pb.CommandTcClientConnectResponse:
        """What a new connection with the key is answered."""
        connection = self.broker.connect()
        assert connection is not None
        asked = pb.CommandTcClientConnectRequest(request_id=1, tc_id=0, transaction_key=key.encode(), transaction_key_epoch=epoch)
        answer: pb.CommandTcClientConnectResponse = said(connection, asked, self.broker)
        if not answer.HasField("error"):
            self.newest[key] = connection
            self.epochs[key].append(answer.transaction_key_epoch)
        return answer

    def begin(self, key: str) -> None:
        """A transaction on the newest connection of the key, if that is there still."""
        connection = self.newest.get(key)
        if connection is not None and connection.is_open:
            assert not said(connection, pb.CommandNewTxn(request_id=2, tc_id=0, txn_ttl_millis=TIMEOUT_MS), self.broker).HasField("error")

    def end(self, key: str) -> None:
        """A commit of what the key has open."""
        connection, found = self.newest.get(key), self.broker.run(lambda node: node.keys_of(0, scalable=False))
        assert found is not None
        for txn in found.describe(TransactionKey("", key))[1] if TransactionKey("", key) in found.listed() else ():
            if connection is not None and connection.is_open:
                said(connection, pb.CommandEndTxn(request_id=3, txnid_least_bits=txn.sequence, txn_action=pb.COMMIT), self.broker)

    def delete(self, key: str) -> None:
        self.broker.admin(AdminRequest("DELETE", f"/admin/v2/transactions/transaction-keys/{key}"))

    def crash(self, key: str) -> None:  # noqa: ARG002 - every key's broker is the same
        self.broker.crash()
        self.broker.restart()

    def open_transactions(self) -> int:
        coordinator = self.broker.run(lambda node: node.coordinator(0))
        assert coordinator is not None
        return sum(transaction.status.value == "OPEN" for transaction in coordinator.transactions())


def said(connection: Connection, command: object, broker: ReferencePulsar) -> object:
    """The answer to a command, however long the broker needs for what comes before it."""
    connection.handle(frame_of(command))  # type: ignore[arg-type]  # one of the messages
    broker.advance(1_000)
    frame = connection.take()
    assert frame is not None, "there was no answer"
    return frame.body


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(("connect", "begin", "end", "delete", "crash")), st.sampled_from(KEYS)), max_size=30))
def test_a_key_has_one_connection_one_open_transaction_and_no_epoch_twice(done: list[tuple[str, str]]) -> None:
    """Whatever is done in whichever order."""
    world = Broker()
    connections: defaultdict[str, list[Connection]] = defaultdict(list)
    for act, key in done:
        getattr(world, act)(key)
        if act == "connect":
            connections[key].append(world.newest[key])
        assert all(sum(connection.is_open for connection in those) <= 1 for those in connections.values())
        assert world.open_transactions() <= len(world.newest)
    assert all(epochs == sorted(set(epochs)) for epochs in world.epochs.values())


@pytest.mark.parametrize("sent", [b"", b"a&b", b"&", b"\xff\xfe", b"k" * (MOST_BYTES + 1), b"k" * 65_536])
def test_what_may_be_no_key_is_refused(sent: bytes) -> None:
    """With what was sent, or its length, and what is expected."""
    with pytest.raises(Refused, match="transaction key"):
        key_of("", sent)


@pytest.mark.parametrize("sent", ["k", "a/b", "schlüssel", "k" * MOST_BYTES])
def test_every_other_name_is_a_key(sent: str) -> None:
    """Also one with a slash, and the longest."""
    assert key_of("owner", sent.encode()) == TransactionKey("owner", sent)


def test_a_key_that_had_its_last_epoch_is_refused_and_fences_nobody() -> None:
    """There is no epoch behind the largest, and its client goes on."""
    disk = Disk()
    KeyTopic(disk, "__transaction_key-classic-0").append(KeyRecord(owner="", name="billing", epoch=LAST_EPOCH - 1, connectedAt=0))
    world = Broker(disk)
    assert world.connect("billing").transaction_key_epoch == LAST_EPOCH

    answer = world.connect("billing")

    assert (answer.error, "last epoch" in answer.message) == (pb.NotAllowedError, True)
    assert world.newest["billing"].is_open


def test_a_record_that_nobody_can_read_is_named_and_stays(caplog: pytest.LogCaptureFixture) -> None:
    """Of another version, half a record, or no JSON; the keys beside it are there, also behind a compaction."""
    topic = KeyTopic(Disk(), "__transaction_key-classic-0")
    topic.append(KeyRecord(owner="", name="billing", epoch=3, connectedAt=0))
    for entry in (b'{"version":2}', b'{"owner":"","na', b"\x00\xff"):
        topic.damage(entry)

    loaded = [topic.load(), topic.load()]

    assert [{key.name: record.epoch for key, record in one.items()} for one in loaded] == [{"billing": 3}] * 2
    assert len(topic.unreadable) == 3
    assert "__transaction_key-classic-0, record 1" in caplog.text


def test_the_newest_fenced_transactions_are_remembered() -> None:
    """A key that is fenced again and again stays of one size."""
    world = Broker()
    keys = world.broker.run(lambda node: node.keys_of(0, scalable=False))
    assert keys is not None
    known = tuple((0, number) for number in range(MOST_REMEMBERED))

    assert keys.remembered(known, ()) == known
    assert len(keys.remembered((*known, (0, MOST_REMEMBERED)), ())) == MOST_REMEMBERED
