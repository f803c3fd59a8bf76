"""Transaction keys in the reference: what holds after any actions of clients, administrators and crashes, and its bounds."""

from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fencepost.reference.kernel.journal import Disk
from fencepost.reference.pulsar import PulsarParts, PulsarProfile, ReferencePulsar
from fencepost.reference.pulsar.connection import ServerConnection
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
from fencepost.reference.pulsar.pulsar_types import TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError
from fencepost.reference.pulsar.transaction_key.coordinator_keys import LAST_EPOCH, MOST_REMEMBERED, NEW
from fencepost.reference.pulsar.transaction_key.key import MOST_BYTES, TransactionKey, key_of
from fencepost.reference.pulsar.transaction_key.key_records import KeyRecord
from fencepost.reference.pulsar.transaction_key.key_topic import KeyTopic
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.admin import AdminRequest
from fencepost.wire.pulsar.frames import Payload, frame_of

KEYS = ("billing", "shipping")
TIMEOUT_MS = 3_600_000
TOPIC = "persistent://public/default/orders"


class Broker:
    """A broker of one node, and the newest connection of each key."""

    def __init__(self, disk: Disk | None = None) -> None:
        self.broker = ReferencePulsar(PulsarProfile.load("seed"), PulsarParts(), nodes=1, disk=disk)
        self.newest: dict[str, ServerConnection] = {}
        self.epochs: defaultdict[str, list[int]] = defaultdict(list)

    def connect(self, key: str, epoch: int = NEW) -> pb.CommandTcClientConnectResponse:
        """The answer to a new connection with the key."""
        connection = self.broker.connect()
        assert connection is not None
        asked = pb.CommandTcClientConnectRequest(request_id=1, tc_id=0, transaction_key=key.encode(), transaction_key_epoch=epoch)
        answer: pb.CommandTcClientConnectResponse = said(connection, asked, self.broker)
        if not answer.HasField("error"):
            self.newest[key] = connection
            self.epochs[key].append(answer.transaction_key_epoch)
        return answer

    def begin(self, key: str) -> None:
        """A transaction on the newest connection of the key, if that is still open."""
        connection = self.newest.get(key)
        if connection is not None and connection.is_open:
            assert not said(connection, pb.CommandNewTxn(request_id=2, tc_id=0, txn_ttl_millis=TIMEOUT_MS), self.broker).HasField("error")

    def end(self, key: str) -> None:
        """A commit of the key's open transaction."""
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


def said(connection: ServerConnection, command: object, broker: ReferencePulsar) -> object:
    """The answer to a command, however long the broker needs for what comes before it."""
    found = heard(connection, command, broker)
    assert found is not None, "there was no answer"
    return found


def heard(connection: ServerConnection, command: object, broker: ReferencePulsar) -> object | None:
    """The same for an answer that may take long: None as long as there is none."""
    connection.handle(frame_of(command))  # type: ignore[arg-type]  # one of the messages
    broker.advance(1_000)
    return taken(connection)


def taken(connection: ServerConnection) -> object | None:
    """The answers that came meanwhile."""
    frame = connection.take()
    return None if frame is None else frame.body


def connecting(epoch: int = NEW) -> pb.CommandTcClientConnectRequest:
    """A connect with the first key."""
    return pb.CommandTcClientConnectRequest(request_id=1, tc_id=0, transaction_key=KEYS[0].encode(), transaction_key_epoch=epoch)


class SlowEnds:
    """A broker on which task one's transaction 0 of one topic is being ended, while its participants get nothing until `go_on`."""

    def __init__(self, action: int | None = pb.COMMIT) -> None:
        self.world = Broker()
        self.broker = self.world.broker
        self.world.connect(KEYS[0])
        self.world.begin(KEYS[0])
        self.task_one = self.world.newest[KEYS[0]]
        producer = pb.CommandProducer(topic=TOPIC, producer_id=1, request_id=4)
        partition = pb.CommandAddPartitionToTxn(request_id=5, txnid_least_bits=0, partitions=[TOPIC])
        for command in (producer, partition):
            said(self.task_one, command, self.broker)
        self.broker.network.hold(lambda _: True)
        if action is not None:
            heard(self.task_one, pb.CommandEndTxn(request_id=3, txnid_least_bits=0, txn_action=action), self.broker)

    def connected(self) -> tuple[ServerConnection, object | None]:
        """A new connection that has asked for the key, and its answer."""
        connection = self.broker.connect()
        assert connection is not None
        return connection, heard(connection, connecting(), self.broker)

    def statuses(self) -> dict[int, str]:
        coordinator = self.broker.run(lambda node: node.coordinator(0))
        assert coordinator is not None
        return {transaction.txn.sequence: transaction.status.value for transaction in coordinator.transactions()}

    def go_on(self) -> None:
        self.broker.network.release()
        self.broker.advance(2_000)


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(("connect", "begin", "end", "delete", "crash")), st.sampled_from(KEYS)), max_size=30))
def test_a_key_has_one_connection_one_open_transaction_and_no_epoch_twice(done: list[tuple[str, str]]) -> None:
    """Whatever happens, in any order."""
    world = Broker()
    connections: defaultdict[str, list[ServerConnection]] = defaultdict(list)
    for act, key in done:
        getattr(world, act)(key)
        if act == "connect":
            connections[key].append(world.newest[key])
        assert all(sum(connection.is_open for connection in those) <= 1 for those in connections.values())
        assert world.open_transactions() <= len(world.newest)
    assert all(epochs == sorted(set(epochs)) for epochs in world.epochs.values())


@pytest.mark.parametrize("sent", [b"", b"a&b", b"&", b"\xff\xfe", b"k" * (MOST_BYTES + 1), b"k" * 65_536])
def test_what_may_be_no_key_is_refused(sent: bytes) -> None:
    """With the text that was sent, or its length, and what is expected."""
    with pytest.raises(CommandRefused, match="transaction key"):
        key_of("", sent)


@pytest.mark.parametrize("sent", ["k", "a/b", "schlüssel", "k" * MOST_BYTES])
def test_every_other_name_is_a_key(sent: str) -> None:
    """Also one with a slash, and the longest."""
    assert key_of("owner", sent.encode()) == TransactionKey("owner", sent)


def test_a_key_at_its_last_epoch_is_refused_and_fences_no_client() -> None:
    """There is no epoch after the largest, and its client goes on."""
    disk = Disk()
    KeyTopic(disk, "__transaction_key-classic-0").append(KeyRecord(owner="", name="billing", epoch=LAST_EPOCH - 1, connectedAt=0))
    world = Broker(disk)
    assert world.connect("billing").transaction_key_epoch == LAST_EPOCH

    answer = world.connect("billing")

    assert (answer.error, "last epoch" in answer.message) == (pb.NotAllowedError, True)
    assert world.newest["billing"].is_open


def test_a_key_that_was_deleted_at_its_last_epoch_is_refused() -> None:
    """The deletion has used the epoch after it, which no message can carry."""
    disk = Disk()
    KeyTopic(disk, "__transaction_key-classic-0").append(KeyRecord(owner="", name="billing", epoch=LAST_EPOCH, connectedAt=0))
    world = Broker(disk)
    world.delete("billing")

    answer = world.connect("billing")

    assert (answer.error, "last epoch" in answer.message) == (pb.NotAllowedError, True)


def test_an_unreadable_record_is_named_and_stays(caplog: pytest.LogCaptureFixture) -> None:
    """Of another version, half a record, or no JSON; other keys are there, also after a compaction."""
    topic = KeyTopic(Disk(), "__transaction_key-classic-0")
    topic.append(KeyRecord(owner="", name="billing", epoch=3, connectedAt=0))
    for entry in (b'{"version":2}', b'{"owner":"","na', b"\x00\xff"):
        topic.damage(entry)

    loaded = [topic.load(), topic.load()]

    assert [{key.name: record.epoch for key, record in one.items()} for one in loaded] == [{"billing": 3}] * 2
    assert len(topic.unreadable) == 3
    assert "__transaction_key-classic-0, record 1" in caplog.text


def test_the_newest_fenced_transactions_are_remembered() -> None:
    """A key that is fenced again and again keeps its size."""
    world = Broker()
    keys = world.broker.run(lambda node: node.keys_of(0, scalable=False))
    assert keys is not None
    known = tuple((0, number) for number in range(MOST_REMEMBERED))

    assert keys.remembered(known, ()) == known
    assert len(keys.remembered((*known, (0, MOST_REMEMBERED)), ())) == MOST_REMEMBERED


@pytest.mark.parametrize("between", [(), ("connect",), ("connect", "connect"), ("delete",), ("delete", "connect"), ("connect", "delete")])
@pytest.mark.parametrize("action", [pb.COMMIT, pb.ABORT])
def test_a_connect_is_answered_when_all_is_over_that_any_connection_before_had(between: tuple[str, ...], action: int) -> None:
    """However many connections came since, and whether the key was deleted in between."""
    slow = SlowEnds(action)
    for act in between:
        slow.connected() if act == "connect" else slow.world.delete(KEYS[0])
    connection, answer = slow.connected()
    assert answer is None

    slow.go_on()

    assert isinstance(taken(connection), pb.CommandTcClientConnectResponse)
    assert slow.statuses().get(0) in (None, "COMMITTED" if action == pb.COMMIT else "ABORTED")


@pytest.mark.parametrize("action", [pb.COMMIT, pb.ABORT, None])
@pytest.mark.parametrize("crashes", [1, 2, 3])
def test_a_connect_has_the_same_answer_after_crashes(crashes: int, action: int | None) -> None:
    """Also if the first one came as soon as the epoch was durable, and whether the client or the key ended the transaction."""
    slow = SlowEnds(action)
    for number in range(crashes):
        if number == 0:
            slow.broker.crash_at("after-epoch-persisted")
        slow.connected()
        slow.broker.crash()
        slow.broker.restart()

    connection, answer = slow.connected()
    assert answer is None
    slow.go_on()

    assert isinstance(taken(connection), pb.CommandTcClientConnectResponse)


def test_of_two_new_transactions_that_have_waited_one_is_open() -> None:
    """The one that was requested last."""
    slow = SlowEnds()
    new = pb.CommandNewTxn(request_id=7, tc_id=0, txn_ttl_millis=TIMEOUT_MS)
    assert [heard(slow.task_one, new, slow.broker) for _ in range(2)] == [None, None]

    slow.go_on()

    assert list(slow.statuses().values()).count("OPEN") == 1


def test_a_request_that_waits_is_refused_when_its_own_connection_connects_again() -> None:
    """A new transaction, or a connect: each client gets an answer, as long as it has a connection."""
    slow = SlowEnds()
    new = pb.CommandNewTxn(request_id=7, tc_id=0, txn_ttl_millis=TIMEOUT_MS)
    assert heard(slow.task_one, new, slow.broker) is None

    refused = [heard(slow.task_one, connecting(epoch), slow.broker) for epoch in (0, 1)]
    slow.go_on()

    assert [getattr(answer, "error", None) for answer in refused] == [pb.InvalidTxnStatus] * 2
    last = taken(slow.task_one)
    assert isinstance(last, pb.CommandTcClientConnectResponse)
    assert (last.transaction_key_epoch, taken(slow.task_one)) == (2, None)


def test_a_new_transaction_that_waits_does_not_bring_a_deleted_key_back() -> None:
    """Its connection has lost the key."""
    slow = SlowEnds()
    assert heard(slow.task_one, pb.CommandNewTxn(request_id=7, tc_id=0, txn_ttl_millis=TIMEOUT_MS), slow.broker) is None
    slow.world.delete(KEYS[0])

    slow.go_on()

    keys = slow.broker.run(lambda node: node.keys_of(0, scalable=False))
    assert keys is not None
    assert (keys.listed(), "OPEN" in slow.statuses().values()) == ((), False)


def test_a_connect_waits_while_its_coordinator_cannot_say_what_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """As while its store is away: the connect waits, and is answered later."""

    def away(_self: LogCoordinator, _txn: TxnId) -> bool:
        raise CommandRefused(ServerError.SERVICE_NOT_READY, "the store is away")

    slow = SlowEnds()
    with monkeypatch.context() as patched:
        patched.setattr(LogCoordinator, "is_applied", away)
        connection, answer = slow.connected()
        slow.go_on()
        assert (answer, taken(connection)) == (None, None)

    slow.go_on()

    assert isinstance(taken(connection), pb.CommandTcClientConnectResponse)


@pytest.mark.parametrize("crashes", [False, True])
def test_what_has_timed_out_is_fenced_like_the_transaction_after_it(crashes: bool) -> None:
    """A paused client may not know of the timeout, and continue with that transaction concurrently with the later one."""
    world = Broker()
    world.connect(KEYS[0])
    world.begin(KEYS[0])
    world.broker.advance(TIMEOUT_MS + 2_000)
    world.begin(KEYS[0])
    world.connect(KEYS[0])
    if crashes:
        world.crash(KEYS[0])
    client = world.broker.connect()
    assert client is not None
    said(client, pb.CommandProducer(topic=TOPIC, producer_id=1, request_id=4), world.broker)

    late = pb.CommandSend(producer_id=1, sequence_id=0, txnid_most_bits=0, txnid_least_bits=0)
    metadata = pb.MessageMetadata(producer_name="late", sequence_id=0, publish_time=1)
    client.handle(frame_of(late, Payload(metadata, b"late")))
    sent = taken(client)
    added = said(client, pb.CommandAddPartitionToTxn(request_id=5, txnid_least_bits=0, partitions=[TOPIC]), world.broker)
    ended = said(client, pb.CommandEndTxn(request_id=3, txnid_least_bits=0, txn_action=pb.COMMIT), world.broker)

    for answer in (sent, added, ended):
        assert "ExpiredTransaction" in getattr(answer, "message", "")


@pytest.mark.parametrize("action", [pb.COMMIT, pb.ABORT])
def test_what_its_client_has_ended_is_not_remembered_as_fenced(action: int) -> None:
    """A key remembers only a limited number, and must not lose for these one that a paused client may still use."""
    world = Broker()
    for _ in range(3):
        world.connect(KEYS[0])
        world.begin(KEYS[0])
    for number in range(3, 3 + 5):
        ended = pb.CommandEndTxn(request_id=3, txnid_least_bits=number - 1, txn_action=action)
        assert not said(world.newest[KEYS[0]], ended, world.broker).HasField("error")
        world.begin(KEYS[0])

    keys = world.broker.run(lambda node: node.keys_of(0, scalable=False))
    assert keys is not None
    assert keys.describe(TransactionKey("", KEYS[0]))[0].fenced == ((0, 0), (0, 1))


def test_who_asks_again_for_a_commit_that_was_forgotten_is_not_reported_that_it_expired() -> None:
    """After another connection of the key, a coordinator that forgets ended transactions answers that it has no such transaction."""
    broker = Broker()
    broker.broker = ReferencePulsar(
        PulsarProfile.load("seed").model_copy(update={"ended_transactions": "forgotten"}), PulsarParts(), nodes=1
    )
    broker.connect("billing")
    broker.begin("billing")
    broker.end("billing")
    broker.connect("billing")

    again = said(broker.newest["billing"], pb.CommandEndTxn(request_id=4, txnid_least_bits=0, txn_action=pb.COMMIT), broker.broker)
    undone = said(broker.newest["billing"], pb.CommandEndTxn(request_id=5, txnid_least_bits=0, txn_action=pb.ABORT), broker.broker)

    assert (again.error, undone.error) == (pb.TransactionNotFound, pb.InvalidTxnStatus)  # type: ignore[attr-defined]  # both are answers
