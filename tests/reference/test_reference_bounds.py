"""A broker's state does not grow with its history, and it works without what it drops."""

from typing import Any

import pytest
from reference_client import COMMITTED, TOPIC, Client, Pair

from fencepost.reference.kafka import Profile, ReferenceKafka, Settings
from fencepost.reference.kafka.transaction_log import KafkaTransactionLog

MOST = 20


class Bounded(Client):
    """A client of a broker whose logs keep little."""

    def __init__(self) -> None:
        self.broker = ReferenceKafka(Profile.load("seed"), settings=Settings(retained_batches=MOST))
        self.create(TOPIC, 3)

    def transactions(self, name: str, pair: Pair, count: int, *, commit: bool = True) -> Pair:
        for _ in range(count):
            assert self.error_of_write(name, pair, 0, 0) == 0
            error, pair = self.end(name, pair, commit=commit)
            assert error == 0
        return pair

    def start(self, partition: int = 0) -> int:
        fields = {"replica_id": -1, "isolation_level": 0}
        wanted = [{"name": TOPIC, "partitions": [{"partition_index": partition, "timestamp": -2}]}]
        return int(self.ask("list_offsets", 7, topics=wanted, **fields).topics[0].partitions[0].offset)

    def restart(self) -> None:
        self.broker.crash()
        self.broker.restart()


def journals(client: Client) -> dict[str, int]:
    """The length of each journal."""
    disk: Any = client.broker._machine.disk
    return {name: len(journal) for name, journal in disk._journals.items()}


def test_ten_thousand_transactions_of_one_id_leave_little() -> None:
    """The journals and logs stay short, offsets continue, and the producer continues after a crash."""
    client = Bounded()
    pair = client.transactions("x", client.producer("x"), 10_000)

    assert max(journals(client).values()) <= 10_002
    assert journals(client)[f"log of {TOPIC}-0"] <= MOST + 2
    assert client.end_offset(0) == 20_000
    before = (client.state("x"), client.start(), client.end_offset(0, COMMITTED))
    client.restart()
    assert (client.state("x"), client.start(), client.end_offset(0, COMMITTED)) == before
    client.transactions("x", pair, 3)


def test_a_compacted_transaction_log_knows_the_latest_of_every_id() -> None:
    """In the order in which the ids appeared, and no producer id is given out twice."""
    client = Client()
    pairs = {name: client.producer(name) for name in ("a", "b", "c")}
    for _ in range(6_000):
        for name in ("b", "a"):
            _, pairs[name] = client.end(name, pairs[name], commit=False)
    known = client.broker._machine.disk
    replayed = KafkaTransactionLog(known).replay()

    assert len(known.journal("__transaction_state")) < 12_000
    assert {name: Pair(one.producer_id, one.producer_epoch) for name, one in replayed.items()} == pairs
    assert list(replayed) == ["a", "b", "c"]
    assert client.producer("d").producer_id == max(pair.producer_id for pair in pairs.values()) + 1


def test_what_is_dropped_is_out_of_range_and_the_rest_is_as_it_was() -> None:
    """Readers learn where the log begins; aborted transactions that are still there stay aborted, after a crash too."""
    client = Bounded()
    client.transactions("x", client.producer("x"), 40, commit=False)
    start = client.start()

    assert start > 0
    assert int(client.fetch(0, offset=start - 1).error_code) == 1
    kept = client.fetch(0, offset=start)
    client.restart()
    assert client.fetch(0, offset=start) == kept
    assert len(kept.aborted_transactions) == (client.end_offset(0) - start) // 2


def test_nothing_undecided_is_dropped() -> None:
    """An open transaction keeps its first record and all later ones, however many; then they are dropped."""
    client = Bounded()
    slow = client.producer("slow", timeout_ms=900_000)
    client.write("slow", slow, 0, 0)
    pair = client.transactions("x", client.producer("x"), 100)
    assert (client.start(), client.end_offset(0, COMMITTED)) == (0, 0)

    client.restart()
    assert client.end_offset(0, COMMITTED) == 0
    client.end("slow", slow, commit=True)
    client.transactions("x", pair, 2)
    assert client.start() > 100
    assert len(client.batches(0)) == 0
    assert client.end_offset(0, COMMITTED) == client.end_offset(0)


@pytest.mark.parametrize("crash", [False, True])
def test_committed_offsets_outlive_their_log(crash: bool) -> None:
    """The offsets' log is compacted, not cut: each group keeps its offsets, and pending ones are still decided."""
    client = Bounded()
    pair = client.producer("x")

    def commit(group: str, offset: int, pair: Pair) -> None:
        entry = {"partition_index": 0, "committed_offset": offset, "committed_metadata": None}
        fields = {"group_id": group, "producer_id": pair.producer_id, "producer_epoch": pair.epoch}
        client.ask("txn_offset_commit", 5, transactional_id="x", topics=[{"name": TOPIC, "partitions": [entry]}], **fields)

    def committed(group: str) -> int:
        groups = [{"group_id": group, "topics": [{"name": TOPIC, "partition_indexes": [0]}]}]
        answer = client.ask("offset_fetch", 8, groups=groups, require_stable=False)
        return int(answer.groups[0].topics[0].partitions[0].committed_offset)

    commit("first", 7, pair)
    _, pair = client.end("x", pair, commit=True)
    for offset in range(200):
        commit("busy", offset, pair)
        _, pair = client.end("x", pair, commit=True)
    commit("busy", 1_000, pair)
    if crash:
        client.restart()

    assert journals(client)["log of __consumer_offsets-0"] <= 200
    assert (committed("first"), committed("busy")) == (7, 199)
    client.end("x", pair, commit=True)
    assert committed("busy") == 1_000
