"""How the probe interprets the answers to an administrator's calls."""

import pytest
from scripted_broker import BOOTSTRAP, SECOND, Answer, ScriptedBroker, leader_at, says

from fencepost.adapters.common.address import Address
from fencepost.adapters.kafka.kafka_values import TopicPartition
from fencepost.adapters.kafka.offer import KafkaOffer, VersionRange
from fencepost.contract.outcomes import Done, Refused, Unknown
from fencepost.wire.kafka.acl_codes import AclOperation, Resource, ResourceKind, Right, principal_of

DONE, REFUSED = (0, None), (95, "not this level")


def result(code: int, message: str | None) -> dict[str, object]:
    return {"feature": "transaction.version", "error_code": code, "error_message": message}


@pytest.mark.parametrize("version", [1, 2])
def test_a_change_of_a_level_is_done_when_nothing_is_refused(version: int) -> None:
    """With one result for all, and with one for each feature."""
    broker = ScriptedBroker(update_features=[says(error_code=0, error_message=None, results=[result(*DONE)])])
    probe, _ = broker.probe(KafkaOffer({"update_features": VersionRange(0, version)}))

    assert probe.update_feature("transaction.version", 1, lower=True) == Done(None)


@pytest.mark.parametrize(("version", "whole", "single"), [(1, DONE, REFUSED), (1, REFUSED, REFUSED), (2, REFUSED, DONE)])
def test_a_refusal_is_reported_wherever_it_stands(version: int, whole: tuple[int, str | None], single: tuple[int, str | None]) -> None:
    """Up to version 1 the request may succeed and the one feature be refused; the call is not retried."""
    broker = ScriptedBroker(update_features=[says(error_code=whole[0], error_message=whole[1], results=[result(*single)])])
    probe, _ = broker.probe(KafkaOffer({"update_features": VersionRange(0, version)}))

    assert probe.update_feature("transaction.version", 9, lower=False) == Refused("INVALID_UPDATE_VERSION", 95, "not this level")
    assert broker.count("update_features") == 1


def listed(error_code: int, leader_epoch: int = -1) -> dict[str, object]:
    """A node's answer to ListOffsets of the partition that moves."""
    return {"partition_index": 1, "error_code": error_code, "timestamp": -1, "offset": 0, "leader_epoch": leader_epoch}


AS_BEFORE, NOT_THE_LEADER, AS_NOW = listed(0, 0), listed(6), listed(0, 1)


FORMER, NEW = BOOTSTRAP, SECOND


@pytest.mark.parametrize(
    ("answers", "asked"),
    [
        ([NOT_THE_LEADER, AS_NOW], [FORMER, NEW]),
        ([AS_BEFORE, AS_BEFORE, NOT_THE_LEADER, AS_NOW], [FORMER, FORMER, FORMER, NEW]),
        ([NOT_THE_LEADER, NOT_THE_LEADER, NOT_THE_LEADER, AS_NOW], [FORMER, NEW, FORMER, NEW]),
        ([AS_NOW], [FORMER, NEW]),
    ],
    ids=["both know", "the former one learns of it later", "the new one learns of it later", "every node answers for all"],
)
def test_a_partition_has_moved_when_both_leaders_know(answers: list[dict[str, object]], asked: list[Address]) -> None:
    """Metadata of one node names the new leader before the former and the new one know of it. The only id is node 1's."""
    broker = moving([says(topics=[{"name": "t", "partitions": [answer]}]) for answer in answers])
    probe, _ = broker.probe()

    assert probe.move_partition(TopicPartition("t", 1), 1) == Done(None)
    assert [address for address, api in broker.asked if api == "list_offsets"] == asked


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (AS_BEFORE, f"{FORMER} still answers as the leader before epoch 1"),
        (NOT_THE_LEADER, f"{NEW} does not answer as the leader yet"),
    ],
    ids=["the former one", "the new one"],
)
def test_a_partition_has_not_moved_while_a_leader_does_not_know(answer: dict[str, object], reason: str) -> None:
    """Readers would see the old log, or writers be refused; the outcome names the node."""
    broker = moving([says(topics=[{"name": "t", "partitions": [answer]}])])
    probe, _ = broker.probe()

    outcome = probe.move_partition(TopicPartition("t", 1), 1)

    assert isinstance(outcome, Unknown)
    assert reason in outcome.reason


def moving(listing: list[Answer]) -> ScriptedBroker:
    """A cluster that moves a partition at the request."""
    moved = says(
        error_code=0,
        error_message=None,
        responses=[{"name": "t", "partitions": [{"partition_index": 1, "error_code": 0, "error_message": None}]}],
    )
    return ScriptedBroker(
        metadata=[leader_at(BOOTSTRAP), leader_at(SECOND, leader_epoch=1)], alter_partition_reassignments=[moved], list_offsets=listing
    )


def test_a_right_is_granted_when_each_node_knows_it() -> None:
    """A client may send its next request to any of them, and each decides by what it knows."""
    made = says(results=[{"error_code": 0, "error_message": None}])
    known = says(error_code=0, error_message=None, resources=[{"resource_type": 2, "resource_name": "t", "acls": []}])
    unknown = says(error_code=0, error_message=None, resources=[])
    nodes = [{"node_id": number, "host": at.host, "port": at.port, "rack": None} for number, at in ((1, BOOTSTRAP), (2, SECOND))]
    both = says(brokers=nodes, controller_id=1, cluster_id="c", topics=[])
    broker = ScriptedBroker(metadata=[both], create_acls=[made], describe_acls=[known, unknown, known])
    probe, _ = broker.probe()

    assert probe.grant(Right(principal_of("user"), AclOperation.WRITE, Resource(ResourceKind.TOPIC, "t"))) == Done(None)

    assert [address for address, api in broker.asked if api == "describe_acls"] == [SECOND, BOOTSTRAP, BOOTSTRAP]
