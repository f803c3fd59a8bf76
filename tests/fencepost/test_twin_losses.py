"""Lost fields: a reference that loses one field of a record at a replay is noticed by a twin, or the loss has a reason."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from twin_plays import first_noticed

from fencepost.contract.datafile import DataFileError
from fencepost.contract.errors import WrongUsage
from fencepost.proof import twin_proof
from fencepost.proof.proof_part import ProofPart, only
from fencepost.reference.defects.replay import DURABLE, losses, nothing_like, variants
from fencepost.reference.kafka import KafkaParts
from fencepost.reference.kafka.kafka_types import PartitionName
from fencepost.reference.kafka.transaction import KafkaTransaction, KafkaTransactionState
from fencepost.reference.metadata.memory_data import MemoryData
from fencepost.reference.metadata.memory_store import MemoryStore
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.pulsar.buffer import MessagePosition
from fencepost.reference.pulsar.cursor import Moved
from fencepost.reference.pulsar.pulsar_types import Position


def test_a_proof_is_about_brokers_of_some_names() -> None:
    """A pattern that no name matches is wrong usage."""
    brokers = ["replay-pulsar-moved-up-to", "replay-kafka-record-key", "profile seed (kafka)"]

    assert only(brokers, ["replay-*-key", "profile *"], str) == brokers[1:]
    assert only(brokers, (), str) == brokers
    with pytest.raises(WrongUsage, match="--only replay-none matches no broker"):
        only(brokers, ["replay-none"], str)


def test_a_proof_is_played_in_parts() -> None:
    """Each broker is in one of them, and a part is named by two numbers."""
    brokers = twin_proof.tasks(["pip31"], 1, False)

    parts = [ProofPart.named(f"{number}/3").of(brokers) for number in (1, 2, 3)]

    assert sorted(one.name for part in parts for one in part) == sorted(one.name for one in brokers)
    for name in ("0/3", "4/3", "2", "a/b", f"{len(brokers) + 1}/{len(brokers) + 1}"):
        with pytest.raises(WrongUsage, match=f"--part {name} "):
            ProofPart.named(name).of(brokers)


LOST = {
    "replay-kafka-producer-state-transaction-start": "KIP890-26*",
    "replay-kafka-transaction-partitions": "KIP890-12*",
    "replay-kafka-stored-member-share": "KIP890-352",
    "replay-kafka-committed-offset-offset": "KIP890-05*",
}


@pytest.mark.parametrize("name", LOST)
def test_a_field_that_is_lost_at_a_replay_is_noticed(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """By a twin with a crash or a clean stop."""
    broker = {one.name: one for one in variants("kafka")}[name]
    assert isinstance(broker.parts, KafkaParts)

    assert first_noticed(monkeypatch, broker.parts, LOST[name], "crash") or first_noticed(
        monkeypatch, broker.parts, LOST[name], "clean-stop"
    )


@pytest.mark.parametrize(("protocol", "least"), [("kafka", 55), ("pulsar", 25), ("pulsar-scalable", 55)])
def test_losses_follow_from_the_records(protocol: str, least: int) -> None:
    """Each field of each durable record is one, with its own name."""
    found = [one.name for one in losses(protocol)]

    assert len(found) == len(set(found)) >= least
    assert f"replay-{protocol}-{'header-created-at' if protocol == 'pulsar-scalable' else 'transaction-started-at'}" in found
    kinds = (True, 7, "a", b"a", (1,), KafkaTransactionState.ONGOING, None, Position(3, 4), MessagePosition(Position(3, 4), 1))
    assert [nothing_like(one) for one in kinds] == [
        False,
        0,
        "",
        b"",
        (),
        KafkaTransactionState.EMPTY,
        None,
        Position(0, 0),
        MessagePosition(Position(0, 0)),
    ]


def test_a_loss_reaches_what_a_record_holds_a_set_of() -> None:
    """The partitions of a transaction are a set of records."""
    lose = next(one for one in losses("kafka") if one.name == "replay-kafka-partition-name-topic")
    transaction = KafkaTransaction("t", 7, 0, 1_000, partitions=frozenset({PartitionName("payments", 1)}))

    assert lose.rewrite("any", transaction).partitions == {PartitionName("", 1)}
    assert lose.rewrite("any", replace(transaction, partitions=frozenset())).partitions == frozenset()


def test_a_loss_reaches_the_keys_of_a_mapping() -> None:
    """What a subscription has acknowledged beyond its place is a mapping."""
    lose = next(one for one in losses("pulsar") if one.name == "replay-pulsar-moved-beyond")
    place = MessagePosition(Position(1, 2))

    assert lose.rewrite("any", Moved(place, {place: frozenset({0})})) == Moved(place)


def test_a_client_of_the_store_loses_a_field_of_what_another_one_has_written() -> None:
    """It reads completely what it has written itself, and each record within a record is reached."""
    broker = {one.name: one for one in variants("pulsar-scalable")}["replay-pulsar-scalable-segment-record-created-at-ms"]
    assert isinstance(broker.parts, MetadataParts)
    data = MemoryData()
    writer, reader = (broker.parts.store_client(MemoryStore(data)) for _ in range(2))
    segment = {"segmentId": 0, "hashRange": {"start": 0, "end": 65535}, "state": "ACTIVE", "parentIds": [], "childIds": []}
    segment |= {"createdAtEpoch": 0, "sealedAtEpoch": -1, "createdAtMs": 7, "sealedAtMs": -1}
    layout = {"epoch": 0, "nextSegmentId": 1, "segments": {"0": segment}, "properties": {}}
    writer.put("/topics/public/default/orders", json.dumps(layout).encode())
    writer.put("/topics/public/default/orders/controller", b"1")

    created = [
        json.loads(found.value)["segments"]["0"]["createdAtMs"]
        for one in (writer, reader)
        if (found := one.get("/topics/public/default/orders"))
    ]

    assert created == [7, 0]
    other = reader.get("/topics/public/default/orders/controller")
    assert other is not None
    assert other.value == b"1", "it is no record of that kind"


def test_a_harmless_loss_has_a_reason(tmp_path: Path) -> None:
    """Each of the package is a loss that there is; another one is refused with its line."""
    assert set(twin_proof.harmless()) <= {one.name for protocol in DURABLE for one in losses(protocol)}
    (file := tmp_path / "data.yaml").write_text("- loss: replay-kafka-nothing\n  reason: r\n", encoding="utf-8")

    with pytest.raises(DataFileError, match=r"data\.yaml:1: 1\.loss: there is no loss 'replay-kafka-nothing'"):
        twin_proof.read_harmless(file)
