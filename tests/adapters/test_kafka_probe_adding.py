"""AddPartitionsToTxn of the probe: what each partition is answered, and when the request is sent again."""

from typing import Any

import pytest
from scripted_broker import (
    ATTEMPTS,
    ScriptedBroker,
    says,
)

from fencepost.adapters.kafka.kafka_transaction_calls import BatchedAddition
from fencepost.adapters.kafka.kafka_values import (
    ProducerIdentity,
    TopicPartition,
)
from fencepost.contract.outcomes import Done, Refused

PAIR = ProducerIdentity(7, 3)
PAYMENTS = TopicPartition("payments", 0)


def added(*codes: int) -> list[dict[str, Any]]:
    results = [{"partition_index": index, "partition_error_code": code} for index, code in enumerate(codes)]
    return [{"name": "payments", "results_by_partition": results}]


def test_adding_partitions_names_the_cause_and_not_its_company() -> None:
    """The other partitions of the request are answered OPERATION_NOT_ATTEMPTED, which explains nothing."""
    broker = ScriptedBroker(add_partitions_to_txn=[says(results_by_topic_v3_and_below=added(55, 29))])
    probe, _ = broker.probe()

    outcome = probe.add_partitions("t", PAIR, [PAYMENTS, TopicPartition("payments", 1)])

    assert outcome == Refused("TOPIC_AUTHORIZATION_FAILED", 29, "payments-1")


def test_a_batched_addition_reports_each_partition_by_itself() -> None:
    """One partition in the transaction and one that is not: both results are kept."""
    entry = {"transactional_id": "t", "topic_results": added(0, 120)}
    broker = ScriptedBroker(add_partitions_to_txn=[says(error_code=0, results_by_transaction=[entry])])
    probe, _ = broker.probe()
    other = TopicPartition("payments", 1)

    outcome = probe.add_partitions_batched([BatchedAddition("t", PAIR, (PAYMENTS, other), verify_only=True)])

    assert outcome == Done({"t": {PAYMENTS: Done(None), other: Refused("TRANSACTION_ABORTABLE", 120, "payments-1")}})


def test_a_batched_addition_waits_for_a_coordinator_that_is_away() -> None:
    """If every partition has the error that the coordinator is elsewhere, the request is retried."""
    away = says(error_code=0, results_by_transaction=[{"transactional_id": "t", "topic_results": added(16)}])
    there = says(error_code=0, results_by_transaction=[{"transactional_id": "t", "topic_results": added(0)}])
    broker = ScriptedBroker(add_partitions_to_txn=[away, there])
    probe, _ = broker.probe()

    assert probe.add_partitions_batched([BatchedAddition("t", PAIR, (PAYMENTS,))]) == Done({"t": {PAYMENTS: Done(None)}})


@pytest.mark.parametrize("codes", [(3,), (16, 51)])
def test_a_verdict_on_each_partition_is_waited_for_while_it_is_too_early_for_all(codes: tuple[int, ...]) -> None:
    """A client repeats the request to a node that does not know the topic yet, or whose coordinator is not reachable or busy."""
    early = [says(results_by_topic_v3_and_below=added(code, code)) for code in codes]
    broker = ScriptedBroker(add_partitions_to_txn=[*early, says(results_by_topic_v3_and_below=added(0, 0))])
    probe, _ = broker.probe()
    other = TopicPartition("payments", 1)

    assert probe.add_each_partition("t", PAIR, [PAYMENTS, other]) == Done({PAYMENTS: Done(None), other: Done(None)})


def test_a_verdict_on_each_partition_stands_when_one_is_a_cause() -> None:
    """One unknown partition among others is what the caller needs; the request is not retried."""
    broker = ScriptedBroker(add_partitions_to_txn=[says(results_by_topic_v3_and_below=added(3, 55))])
    probe, _ = broker.probe()
    other = TopicPartition("payments", 1)

    outcome = probe.add_each_partition("t", PAIR, [PAYMENTS, other])

    unknown, beside = Refused("UNKNOWN_TOPIC_OR_PARTITION", 3, "payments-0"), Refused("OPERATION_NOT_ATTEMPTED", 55, "payments-1")
    assert outcome == Done({PAYMENTS: unknown, other: beside})
    assert broker.count("add_partitions_to_txn") == 1


def test_a_verdict_on_each_partition_is_the_last_one_when_patience_ends() -> None:
    """Then too it is by partition."""
    broker = ScriptedBroker(add_partitions_to_txn=[says(results_by_topic_v3_and_below=added(51))])
    probe, _ = broker.probe()

    outcome = probe.add_each_partition("t", PAIR, [PAYMENTS])

    assert outcome == Done({PAYMENTS: Refused("CONCURRENT_TRANSACTIONS", 51, "payments-0")})
    assert broker.count("add_partitions_to_txn") == ATTEMPTS


def test_a_batched_addition_can_be_refused_as_a_whole() -> None:
    """CLUSTER_AUTHORIZATION_FAILED is at the top of the answer; the number of results below it is kept."""
    broker = ScriptedBroker(add_partitions_to_txn=[says(error_code=31, results_by_transaction=[])])
    probe, _ = broker.probe()

    assert probe.add_partitions_batched([BatchedAddition("t", PAIR, (PAYMENTS,))]) == Refused(
        "CLUSTER_AUTHORIZATION_FAILED", 31, fields={"results": 0}
    )
