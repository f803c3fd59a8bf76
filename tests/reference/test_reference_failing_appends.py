"""A disk that refuses one append: the change has not happened, and happens at the retry."""

import pytest
from reference_client import TOPIC, Client

from fencepost.reference.kafka.kafka_topics import OFFSETS_TOPIC, TRANSACTIONS_TOPIC
from fencepost.reference.kernel.journal import AppendRefused, Journal

NONE, COORDINATOR_NOT_AVAILABLE = 0, 15


def commit(client: Client, offset: int) -> int:
    """OffsetCommit of a client that is no member: the error of partition 0."""
    topics = [{"name": TOPIC, "partitions": [{"partition_index": 0, "committed_offset": offset, "committed_metadata": None}]}]
    answer = client.ask("offset_commit", 8, group_id="g", generation_id_or_member_epoch=-1, member_id="", topics=topics)
    return int(answer.topics[0].partitions[0].error_code)


def committed(client: Client) -> int:
    """OffsetFetch: the offset of partition 0."""
    answer = client.ask("offset_fetch", 8, groups=[{"group_id": "g", "topics": [{"name": TOPIC, "partition_indexes": [0]}]}])
    return int(answer.groups[0].topics[0].partitions[0].committed_offset)


def delete(client: Client) -> int:
    """DeleteGroups: the error of the group."""
    return int(client.ask("delete_groups", 2, groups_names=["g"]).results[0].error_code)


def test_a_journal_refuses_the_append_that_was_asked_for_and_no_other() -> None:
    """Nothing of the record is stored."""
    journal: Journal[int] = Journal()
    journal.refused_in = 2
    journal.append(1)
    with pytest.raises(AppendRefused):
        journal.append(2)
    journal.append(3)

    assert (list(journal), journal.refused_in) == ([1, 3], 0)


def test_an_id_that_the_log_refuses_is_refused_and_given_later() -> None:
    """A new transactional id, which no client has had before."""
    client = Client()
    client.producer("b")
    client.broker.refuse_append(TRANSACTIONS_TOPIC, 1)

    assert client.init("a")[0] == COORDINATOR_NOT_AVAILABLE
    assert client.init("a")[0] == NONE


def test_a_fault_of_one_log_is_none_of_another() -> None:
    """An append that the log of groups' offsets refuses is not refused by the transaction log."""
    client = Client()
    client.broker.refuse_append(OFFSETS_TOPIC, 1)

    client.producer("a")

    assert client.broker.append_is_to_be_refused(OFFSETS_TOPIC)


def test_offsets_outside_of_a_transaction_that_the_log_refuses_are_not_committed() -> None:
    """The coordinator is asked again, and NOT_ENOUGH_REPLICAS is no answer of it; nothing has changed."""
    client = Client()
    assert commit(client, 5) == NONE
    client.broker.refuse_append(OFFSETS_TOPIC, 1)

    assert commit(client, 6) == COORDINATOR_NOT_AVAILABLE
    assert committed(client) == 5
    assert commit(client, 6) == NONE
    assert committed(client) == 6


def test_a_group_whose_deletion_the_log_refuses_is_there() -> None:
    """With its offsets, and also after a crash; it is gone after the second attempt."""
    client = Client()
    commit(client, 5)
    client.broker.refuse_append(OFFSETS_TOPIC, 1)

    assert delete(client) == COORDINATOR_NOT_AVAILABLE
    assert committed(client) == 5

    client.broker.crash()
    client.broker.restart()

    assert committed(client) == 5
    assert delete(client) == NONE
    assert committed(client) == -1
