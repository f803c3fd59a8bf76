"""Deletions: of topics, of the beginnings of logs, of groups."""

from typing import Any

import pytest
from reference_client import TOPIC, Client

OK, OUT_OF_RANGE, UNKNOWN_TOPIC, INVALID_TOPIC, UNKNOWN_GROUP = 0, 1, 3, 17, 69


class Administrator(Client):
    """A client that deletes."""

    def delete(self, name: str, version: int = 6) -> int:
        wanted: dict[str, Any] = {"topics": [{"name": name, "topic_id": None}]} if version >= 6 else {"topic_names": [name]}
        return int(self.ask("delete_topics", version, timeout=1000, **wanted).responses[0].error_code)

    def cut(self, partition: int, offset: int) -> tuple[int, int]:
        topics = [{"name": TOPIC, "partitions": [{"partition_index": partition, "offset": offset}]}]
        result = self.ask("delete_records", 2, topics=topics, timeout=1000).topics[0].partitions[0]
        return int(result.error_code), int(result.low_watermark)

    def remove(self, group: str) -> int:
        return int(self.ask("delete_groups", 2, groups_names=[group]).results[0].error_code)

    def topic_id(self) -> Any:
        wanted = [{"name": TOPIC, "topic_id": None}]
        return self.ask("metadata", 12, topics=wanted, include_topic_authorized_operations=False).topics[0].topic_id


@pytest.mark.parametrize("version", [5, 6])
def test_a_topic_is_deleted_once(version: int) -> None:
    """The second time it is unknown; internal topics stay."""
    client = Administrator()
    client.producer("x")
    client.ask("find_coordinator", 4, key_type=1, coordinator_keys=["x"])

    assert [client.delete(TOPIC, version), client.delete(TOPIC, version)] == [OK, UNKNOWN_TOPIC]
    assert client.delete("__transaction_state", version) == INVALID_TOPIC


def test_a_topic_of_the_same_name_is_another_one() -> None:
    """It has its own id, no records, and both it and the deletion outlive a crash."""
    client = Administrator()
    client.plain(0)
    before = client.topic_id()
    client.delete(TOPIC)
    client.create(TOPIC, 1)

    assert client.topic_id() != before
    client.broker.crash()
    client.broker.restart()
    assert client.topic_id() != before
    assert client.plain(0) == 0
    assert client.delete(TOPIC) == OK
    client.broker.crash()
    client.broker.restart()
    assert client.delete(TOPIC) == UNKNOWN_TOPIC


def test_records_are_deleted_up_to_the_high_watermark() -> None:
    """-1 stands for it, and a larger offset is refused; what is deleted already stays deleted."""
    client = Administrator()
    for _ in range(4):
        client.plain(0)

    assert client.cut(0, 5) == (OUT_OF_RANGE, -1)
    assert client.cut(0, -2) == (OUT_OF_RANGE, -1)
    assert client.cut(0, 3) == (OK, 3)
    assert client.cut(0, 1) == (OK, 3)
    assert client.cut(0, -1) == (OK, 4)
    assert client.plain(0) == 4


def test_a_group_is_deleted_with_its_offsets() -> None:
    """A group without offsets is unknown."""
    client = Administrator()
    topics = [{"name": TOPIC, "partitions": [{"partition_index": 0, "committed_offset": 7, "committed_metadata": None}]}]
    client.ask("offset_commit", 8, group_id="g", generation_id_or_member_epoch=-1, member_id="", topics=topics)

    assert [client.remove("g"), client.remove("g")] == [OK, UNKNOWN_GROUP]
