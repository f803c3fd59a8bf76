"""Transaction keys of coordinators whose transactions are in a metadata store, which may be away for a while."""

import pytest

from fencepost.reference.metadata.memory_data import MemoryData
from fencepost.reference.metadata.memory_store import MemoryStore
from fencepost.reference.metadata.store import Unavailable
from fencepost.reference.metadata.store_faults import StoreFaults
from fencepost.reference.metadata_transactions import MetadataKind, MetadataParts, MetadataProfile, paths
from fencepost.reference.pulsar import PulsarParts, PulsarProfile, ReferencePulsar
from fencepost.reference.pulsar.connection import ServerConnection
from fencepost.reference.pulsar.transaction_key.coordinator_keys import NEW, TransactionKeys
from fencepost.reference.pulsar.transaction_key.key import TransactionKey
from fencepost.reference.scalable.scalable_profile import ScalableProfile
from fencepost.wire.pulsar import messages_pb2 as pb
from fencepost.wire.pulsar.admin import AdminRequest
from fencepost.wire.pulsar.frames import frame_of

KEY = "billing"
TIMEOUT_MS = 3_600_000
METRICS = AdminRequest("GET", "/metrics")


class World:
    """A broker of one node, whose store may be away; task one has an open transaction of the key."""

    def __init__(self) -> None:
        self.faults, data = StoreFaults(), MemoryData()
        kind = MetadataKind(
            MetadataProfile.load("seed"), MetadataParts(), lambda: MemoryStore(data, self.faults), ScalableProfile.load("seed")
        )
        self.broker = ReferencePulsar(PulsarProfile.load("seed"), PulsarParts(), nodes=1, kinds=[kind])
        self.home = self.broker.run(lambda node: node.home_of(TransactionKey("", KEY), scalable=True))
        self.task_one, answer = self.connect()
        assert isinstance(answer, pb.CommandTcClientConnectResponse)
        assert isinstance(self.heard(self.task_one, self.new()), pb.CommandNewTxnResponse)

    def new(self) -> pb.CommandNewTxn:
        return pb.CommandNewTxn(request_id=2, tc_id=self.home, txn_ttl_millis=TIMEOUT_MS, scalable=True)

    def connect(self, *, scalable: bool = True) -> tuple[ServerConnection, object | None]:
        """A new connection that has asked for the key, and its answer."""
        connection = self.broker.connect()
        assert connection is not None
        asked = pb.CommandTcClientConnectRequest(
            request_id=1,
            tc_id=self.home if scalable else 0,
            transaction_key=KEY.encode(),
            transaction_key_epoch=NEW,
            scalable=scalable,
        )
        return connection, self.heard(connection, asked)

    def delete(self) -> int:
        path = f"/admin/v2/transactions/transaction-keys/{KEY}"
        return self.broker.admin(AdminRequest("DELETE", path, {"scalable": "true"})).status

    def heard(self, connection: ServerConnection, command: object) -> object | None:
        connection.handle(frame_of(command))  # type: ignore[arg-type]  # one of the messages
        return taken(connection)

    def open_transactions(self) -> int:
        coordinator = self.broker.run(lambda node: node.coordinator(self.home, scalable=True))
        assert coordinator is not None
        return sum(transaction.status.value == "OPEN" for transaction in coordinator.transactions())

    def keys(self) -> TransactionKeys:
        found = self.broker.run(lambda node: node.keys_of(self.home, scalable=True))
        assert found is not None
        return found


def taken(connection: ServerConnection) -> object | None:
    """The answers."""
    frame = connection.take()
    return None if frame is None else frame.body


def take_away(patched: pytest.MonkeyPatch) -> None:
    """Make the store unavailable until that is undone."""

    def asked(_self: MemoryStore, key: str) -> None:
        raise Unavailable(f"{key!r} was not answered")

    patched.setattr(MemoryStore, "_asked", asked)


@pytest.mark.parametrize("act", ["connect", "new", "delete"])
def test_an_abort_that_the_store_did_not_take_is_tried_again(act: str) -> None:
    """Whatever fenced the transaction, and long before its timeout; the waiting client is answered then."""
    world = World()
    world.faults.arm("write-fails-before", paths.HEADERS)
    who, answer = world.task_one, None
    match act:
        case "connect":
            who, answer = world.connect()
        case "new":
            answer = world.heard(who, world.new())
        case _:
            assert world.delete() == 204
    assert (answer, world.open_transactions()) == (None, 1)

    world.broker.advance(5_000)

    assert world.open_transactions() == (1 if act == "new" else 0)
    assert (taken(who) is None) == (act == "delete")


def test_a_connect_while_the_store_is_away_is_refused_and_fences_no_client() -> None:
    """It is unknown whether the predecessor has committed; the next one gets the epoch."""
    world = World()
    with pytest.MonkeyPatch.context() as patched:
        take_away(patched)
        _, answer = world.connect()
        assert getattr(answer, "error", None) == pb.ServiceNotReady
        assert world.delete() == 503

    assert (world.task_one.is_open, world.open_transactions()) == (True, 1)
    _, answer = world.connect()
    assert getattr(answer, "transaction_key_epoch", None) == 1
    assert world.open_transactions() == 0


def test_a_connect_that_waits_while_the_store_is_away_is_answered_when_it_is_back() -> None:
    """The timer continues meanwhile, and metrics are answered."""
    world = World()
    world.faults.arm("write-fails-before", paths.HEADERS)
    successor, answer = world.connect()
    assert answer is None
    with pytest.MonkeyPatch.context() as patched:
        take_away(patched)
        world.broker.advance(5_000)
        assert (taken(successor), world.broker.admin(METRICS).status) == (None, 200)

    world.broker.advance(5_000)

    assert getattr(taken(successor), "transaction_key_epoch", None) == 1
    assert world.open_transactions() == 0


def test_a_key_at_coordinators_of_both_kinds_is_measured_once() -> None:
    """With the higher epoch, and the age of the last connect: Prometheus accepts no sample twice."""
    world = World()
    world.connect()
    world.broker.advance(1_000)
    world.connect(scalable=False)

    samples = [line.rpartition(" ") for line in world.broker.admin(METRICS).body.decode().splitlines() if line[0] != "#"]
    values = {name.partition("{")[0].removeprefix("pulsar_txn_transaction_key_"): float(value) for name, _, value in samples}

    assert len(samples) == len(values)
    assert values == {"count": 1, "epoch": 1, "age_count": 1, "age_sum": 0}
