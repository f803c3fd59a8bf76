"""Deletions of topics."""

from typing import Any

import pytest
from reference_client import TOPIC, Client

OK, UNKNOWN_TOPIC, INVALID_TOPIC = 0, 3, 17


class Administrator(Client):
    """A client that deletes."""

    def delete(self, name: str, version: int = 6) -> int:
        wanted: dict[str, Any] = {"topics": [{"name": name, "topic_id": None}]} if version >= 6 else {"topic_names": [name]}
        return int(self.ask("delete_topics", version, timeout=1000, **wanted).responses[0].error_code)

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
