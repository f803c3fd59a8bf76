"""Partitions that have had transactions before: where their logs begin, nothing of an earlier life may be left."""

from collections.abc import Iterator
from functools import partial
from typing import Any, cast

from kio.schema.errors import ErrorCode
from kio.static.protocol import RequestPayload

from fencepost.adapters.kafka.kafka_core import KafkaLog
from fencepost.adapters.kafka.kafka_values import IsolationLevel, TopicPartition
from fencepost.adapters.kafka.probe import KafkaProbe
from fencepost.adapters.kafka.transport import KafkaTransport
from fencepost.contract.evidence import Violation
from fencepost.contract.outcomes import Done
from fencepost.wire.kafka.entities import api_of

from .kafka_way import Heard, RequestPerformer
from .performer import Undisturbed, own_calls
from .prelude import TIMEOUT_MS, await_end, done

_CLIENTS = "of the earlier life: "
_STRANGER = "before"
"""A transactional id that the scenario does not have."""
_MOST_PARTITIONS = 4
"""More are as they were made."""
_CONFIGURED = "cleanup.policy"


class LivedIn(RequestPerformer):
    """As soon as the scenario creates a topic, each partition gets a committed and an aborted transaction of each of the scenario's
    transactional ids that has not been initialised yet, and of another one, and a batch of an idempotent producer. Then DeleteRecords lets
    the log begin after them, and that batch arrives once more.
    """

    idle = "the scenario created no topic that keeps its records until they are deleted"

    def is_about(self, client: str, request: RequestPayload) -> bool:  # noqa: ARG002 - of every client of the scenario
        return not client.startswith(_CLIENTS)

    def finish(self, transport: KafkaTransport, request: RequestPayload, answer: Heard, deadline_s: float) -> Heard:  # noqa: ARG002
        asked = cast(Any, request)
        if api_of(request) == "create_topics" and isinstance(answer, Done) and not asked.validate_only:
            made = {one.name for one in cast(Any, answer.value).topics if one.error_code == ErrorCode.none}
            for topic in asked.topics:
                if topic.name in made and not any(one.name == _CONFIGURED for one in topic.configs):
                    count = len(topic.assignments) or max(1, topic.num_partitions)
                    with own_calls():
                        self._live([TopicPartition(topic.name, number) for number in range(min(count, _MOST_PARTITIONS))])
        return answer

    def _live(self, partitions: list[TopicPartition]) -> None:
        log = _Partitions(self._client, self.session.unique, self.session.faults, self.session.transactional_log().kind)
        for name in self._writers():
            writer = done(log.writer(name, TIMEOUT_MS), f"initialising {name}")
            for commit in (True, False):
                for where in partitions:
                    done(writer.write(str(where), f"of {name}"), f"writing as {name}")
                done(writer.end(commit), f"ending the transaction of {name}")
                await_end(writer, self.session, f"that of {name}", "before the scenario")
        probe = self._client(_STRANGER)
        idempotent = done(probe.init_producer_id(None), "initialising an idempotent producer")
        write = partial(probe.produce, values=["not of a transaction"], producer=idempotent, sequence=0, version=log.version("produce"))
        for where in partitions:
            done(write(where), f"writing to {where}")
            end = done(probe.delete_records(where), f"deleting the records of {where}")
            write(where)
            if (now := probe.end_offset(where, IsolationLevel.READ_UNCOMMITTED)) != Done(end):
                what = f"end of {where} when a batch that was deleted has arrived again"
                raise Violation(str(end), str(now), what=what, requirement="KIP890-112")
            self.did("gave an earlier life to", "partition")

    def _writers(self) -> Iterator[str]:
        """A further client, and those of the scenario that it has not initialised yet, also in steps without the disturbance."""
        of_scenario = tuple(one for one in self.session.exchanges() if not one.client.startswith(_CLIENTS))
        initialised = Undisturbed(of_scenario, self.session.unique("")).writers
        yield _STRANGER
        yield from (name for name in self.undisturbed.writers if name not in initialised)

    def _client(self, name: str) -> KafkaProbe:
        return self.session.client(f"{_CLIENTS}{name}")


class _Partitions(KafkaLog):
    """Logs that are named as partitions are."""

    def partition(self, log: str) -> TopicPartition:
        topic, _, number = log.rpartition("-")
        return TopicPartition(topic, int(number))
