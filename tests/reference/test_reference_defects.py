"""Defects and conforming variants: each changes its one decision, as a client sees it, and nothing else."""

import inspect
import re
from dataclasses import replace
from typing import TypeAlias

import pytest
from reference_client import COMMITTED, TOPIC, Client, Pair

from fencepost.reference.defects import CONFORMING, DEFECTS, Defect
from fencepost.reference.kafka import KafkaParts

_Seen: TypeAlias = dict[str, object]
COORDINATOR_LOAD_IN_PROGRESS = 14


def observe(parts: KafkaParts) -> _Seen:
    """What a client sees of the decisions that the defects change."""
    client = Client(parts=parts)
    client.not_now |= {14, 51}  # errors while the coordinator loads, or is busy

    def settle(name: str) -> str:
        for _ in range(20):
            state = client.state(name)[0]
            if state and not state.startswith("Prepare"):  # there is none while the coordinator loads
                break
            client.broker.advance(20)
        return state

    for _ in range(20):
        if client.init("first")[0] != COORDINATOR_LOAD_IN_PROGRESS:
            break
        client.broker.advance(20)
    pair = client.producer("x")
    client.write("x", pair, 0, 0)
    client.write("x", pair, 1, 0)
    open_until = client.end_offset(0, COMMITTED)
    error, bumped = client.end("x", pair, commit=True)
    state = settle("x")
    seen: _Seen = {
        "the epoch after a commit": (error, bumped.epoch - pair.epoch),
        "where committed data ends while a transaction is open": open_until,
        "the state after a commit": state,
        "the partitions with a marker": [len(client.markers(partition)) for partition in (0, 1)],
    }

    other = client.producer("y")
    client.write("y", other, 2, 0)
    _, later = client.end("y", other, commit=True)
    settle("y")
    client.write("y", later, 2, 0)
    seen["a late record during the next transaction"] = client.error_of_write("y", Pair(other.producer_id, later.epoch - 1), 2, 1)

    third = client.producer("z")
    client.write("z", third, 0, 0)
    client.end("z", third, commit=True)
    client.broker.crash()
    client.broker.restart()
    seen["a decision after a crash"] = settle("z")
    return seen


CHANGED = {
    "decision-forgotten-by-crash": {"a decision after a crash"},
    "lso-ignores-open-transactions": {"where committed data ends while a transaction is open"},
    "marker-missing-on-one-partition": {"the partitions with a marker"},
    # Without the bump the "late record" has an epoch that never existed: it is refused all the same.
    "no-epoch-bump": {"the epoch after a commit"},
    "stale-epoch-accepted": {"a late record during the next transaction"},
}


def test_the_conforming_broker_is_seen_as_it_should_be() -> None:
    """The observations with which those of the defects are compared."""
    assert observe(KafkaParts()) == {
        "the epoch after a commit": (0, 1),
        "where committed data ends while a transaction is open": 0,
        "the state after a commit": "CompleteCommit",
        "the partitions with a marker": [1, 1],
        "a late record during the next transaction": 47,
        "a decision after a crash": "CompleteCommit",
    }


@pytest.mark.parametrize("name", sorted(CHANGED))
def test_a_defect_changes_one_decision(name: str) -> None:
    """And a client can see it."""
    conforming, broken = observe(KafkaParts()), observe(DEFECTS[name].parts)

    assert {what for what in conforming if conforming[what] != broken[what]} == CHANGED[name]


@pytest.mark.parametrize("name", sorted(name for name, variant in CONFORMING.items() if variant.protocol == "kafka"))
def test_a_conforming_variant_keeps_every_promise(name: str) -> None:
    """A client that waits sees the same."""
    assert observe(CONFORMING[name].parts) == observe(KafkaParts())


def decisions(part: type) -> list[str]:
    """The methods that a variant's part overrides; if it has none, those that it shares with other variants."""
    of_defects = [one for one in part.__mro__ if one.__module__.startswith("fencepost.reference.defects")]
    overriding = (
        [name for name, member in vars(one).items() if (inspect.isfunction(member) or isinstance(member, property)) and name != "__init__"]
        for one in of_defects
    )
    return next(filter(None, overriding), [])


def test_every_variant_changes_one_decision_in_few_places() -> None:
    """In up to three parts, each a subclass with up to three methods, memory aside; it documents its effect, source and symptom."""
    variants = (DEFECTS | CONFORMING).values()

    assert not changes_little(replace(next(iter(variants)), parts=KafkaParts()))
    assert [variant.name for variant in variants if not changes_little(variant)] == []
    assert [variant.name for variant in variants if not re.fullmatch(r"[a-z]+(-[a-z]+)*", variant.name)] == []
    assert [variant.name for variant in variants if not (variant.story.endswith(".") and variant.origin)] == []


def changes_little(defect: Defect) -> bool:
    """Whether it is one decision, in a few places."""
    conforming = type(defect.parts)()
    replaced = [part for field, part in vars(defect.parts).items() if part is not getattr(conforming, field)]
    overrides = any(decisions(part) or "__init__" in vars(part) for part in replaced)
    return overrides and len(replaced) <= 3 and all(len(decisions(part)) <= 3 for part in replaced)


def test_late_completion_makes_clients_wait_but_not_for_ever() -> None:
    """CONCURRENT_TRANSACTIONS at first, and done after some requests, or after 50 ms."""
    client = Client(parts=CONFORMING["late-completion"].parts)
    pair = client.producer("x")
    client.write("x", pair, 0, 0)
    _, bumped = client.end("x", pair, commit=True)

    errors = [client.error_of_write("x", bumped, 0, 0) for _ in range(10)]
    assert errors[0] == 51
    assert 0 in errors

    _, bumped = client.end("x", bumped, commit=True)
    client.broker.advance(50)
    assert client.state("x")[0] == "CompleteCommit"


def test_offsets_have_gaps_that_readers_can_pass() -> None:
    """The end of the log is beyond the marker; a Fetch from within the gap finds the next record."""
    client = Client(parts=CONFORMING["gaps-in-offsets"].parts)
    pair = client.producer("x")
    client.write("x", pair, 0, 0)
    client.end("x", pair, commit=True)
    end = client.end_offset(0)

    assert end > 2
    assert client.end_offset(0, COMMITTED) == end
    assert client.plain(0) == end
    assert client.fetch(0, offset=2).records == client.fetch(0, offset=end).records != b""


def test_not_enough_replicas_is_an_answer_to_produce_alone() -> None:
    """The group coordinator's log takes its first record: no client of a group gets an error of Produce."""
    client = Client(parts=CONFORMING["not-enough-replicas-at-first"].parts)
    client.not_now = frozenset()
    topics = [{"name": TOPIC, "partitions": [{"partition_index": 0, "committed_offset": 5, "committed_metadata": None}]}]

    stored = client.ask("offset_commit", 8, group_id="g", generation_id_or_member_epoch=-1, member_id="", topics=topics)
    assert stored.topics[0].partitions[0].error_code == 0
    assert [client.error_of_write(None, Pair(-1, -1), 0, -1) for _ in range(2)] == [19, 0]
