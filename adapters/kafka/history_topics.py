"""The logs of a history, each by one name, and the logs whose records a history does not have.

Requests name a topic by its name or by its id, and a new topic may get the name of a deleted one. A checker identifies a log by its name
alone, so events have the name that belongs to the id, and a topic that was created again has a separate log.

To a checker, records that the log cleaner removes from a compacted topic look like records that a broker has lost. So events have no
records of compacted topics; the scenarios judge them.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, cast

from fencepost.contract.events import Mop
from fencepost.wire.kafka.entities import api_of

from .kafka_recording import RecordedRequest

_RECORDS = ("send", "recv")


class SessionTopics:
    """The topics of a session, as known from the calls that have ended."""

    def __init__(self) -> None:
        self._deleted: Counter[str] = Counter()
        self._by_id: dict[str, tuple[str, int]] = {}
        self._compacted: set[str] = set()

    def learn(self, call: RecordedRequest) -> None:
        """Note the topics' ids, and deleted and compacted topics, from a call's answer."""
        answer: Any = call.answer
        if answer is None:
            return
        request: Any = call.request
        if api_of(request) == "create_topics":
            self._compacted |= {str(topic.name) for topic in request.topics if _is_compacted(topic)}
        match api_of(request):
            case "metadata" | "create_topics":
                for topic in answer.topics:
                    if topic.name is not None and getattr(topic, "topic_id", None) is not None and not topic.error_code:
                        self._by_id.setdefault(str(topic.topic_id), (str(topic.name), self._deleted[str(topic.name)]))
            case "delete_topics":
                for gone in answer.responses:
                    self._deleted[str(gone.name)] += not gone.error_code

    def placed(self, mops: Sequence[Mop]) -> list[Mop]:
        """The same operations, each with the name of its log, without the records of compacted topics."""
        if not mops:  # as for most calls
            return []
        return [placed for placed in map(self._placed, mops) if placed["m"] not in _RECORDS or placed["topic"] not in self._compacted]

    def _placed(self, mop: Mop) -> Mop:
        reported = str(mop["topic"])
        name, generation = self._by_id.get(reported, (reported, self._deleted[reported]))
        log = f"{name}-{mop['part']}" if generation == 0 else f"{name}, made again {generation}-{mop['part']}"
        return cast("Mop", {**mop, "topic": name, "log": log})


def _is_compacted(topic: Any) -> bool:
    """Whether a topic in CreateTopics has a compacting cleanup policy."""
    return any(config.name == "cleanup.policy" and "compact" in (config.value or "") for config in topic.configs)
