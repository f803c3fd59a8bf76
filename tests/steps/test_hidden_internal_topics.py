"""A broker whose clients do not see its internal topics, as in clusters whose operators keep them from clients, breaks no requirement."""

import dataclasses
from typing import Any

import pytest
from kio.schema.errors import ErrorCode
from kio.static.protocol import ResponsePayload

from fencepost.contract.registration import SpecifiedSystem
from fencepost.contract.verdict import Verdict
from fencepost.reference import defects
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka import KafkaParts
from fencepost.reference.kafka.kafka_topics import INTERNAL
from fencepost.reference.kafka.response_order import ResponseOrder
from fencepost.run.options import RunOptions
from fencepost.run.plays import Plays
from fencepost.run.selection import Selection
from fencepost.wire.kafka.entities import api_of

NAME = "internal-topics-hidden"


class Hiding(ResponseOrder):
    """Metadata and DescribeProducers answer UNKNOWN_TOPIC_OR_PARTITION for the internal topics, which transactions have partitions of."""

    def arrange(self, answer: ResponsePayload) -> ResponsePayload:
        if api_of(answer) not in ("metadata", "describe_producers"):
            return answer
        topics: tuple[Any, ...] = getattr(answer, "topics", ())
        return dataclasses.replace(answer, topics=tuple(hidden(topic) if topic.name in INTERNAL else topic for topic in topics))


def hidden(topic: Any) -> Any:
    unknown: dict[str, Any] = {"error_code": ErrorCode.unknown_topic_or_partition}
    if hasattr(topic, "is_internal"):
        return dataclasses.replace(topic, **unknown, is_internal=False, partitions=())
    shown = (dataclasses.replace(partition, **unknown, active_producers=()) for partition in topic.partitions)
    return dataclasses.replace(topic, partitions=tuple(shown))


def test_what_is_about_them_is_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is violated or inconclusive, although transactions have partitions of these topics, and the rest is met."""
    monkeypatch.setitem(defects.DEFECTS, NAME, Defect(NAME, "hides topics", "this test", KafkaParts(response_order=Hiding)))
    about_them, other = ("KIP890-046", "KIP890-047", "KIP890-217", "KIP890-255", "KIP890-256"), ("KIP890-049", "KIP890-060")
    asked = RunOptions(asked=SpecifiedSystem({"defect": NAME}), selection=Selection(only=(*about_them, *other)))

    with Plays(asked) as plays:
        shown = {(play.requirement, plays.judge(play).result.verdict) for play in plays}

    assert {verdict for _, verdict in shown} == {Verdict.MET, Verdict.NOT_OFFERED}
    assert {row for row, verdict in shown if verdict is Verdict.NOT_OFFERED} == set(about_them)
    assert {verdict for row, verdict in shown if row in other} == {Verdict.MET}
