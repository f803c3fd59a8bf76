"""The logs of a history by one name each, and those of which it can tell nothing.

Requests name a topic by its name or by its id, and a name may be given again to another topic. A checker knows a log by its name alone, so
events have the name that the id stands for, and a topic that was made anew has a log of its own.

What a log cleaner removes from a compacted topic looks to a checker like what a broker has lost. So events have none of its records; the
scenarios judge them.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any, cast

from fencepost.contract.events import Mop
from fencepost.wire.kafka.entities import api_of

from .recording import Recorded

_RECORDS = ("send", "recv")


class Topics:
    """What is known of the topics of a session, as its calls end."""

    def __init__(self) -> None:
        self._deleted: Counter[str] = Counter()
        self._by_id: dict[str, tuple[str, int]] = {}
        self._compacted: set[str] = set()

    def learn(self, call: Recorded) -> None:
        """Take in which ids topics have, and which topics are gone."""
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

    def placed(self, mops: Iterable[Mop]) -> list[Mop]:
        """The same, each in the log that is meant, without the records of compacted topics."""
        return [placed for placed in map(self._placed, mops) if placed["m"] not in _RECORDS or placed["topic"] not in self._compacted]

    def _placed(self, mop: Mop) -> Mop:
        told = str(mop["topic"])
        name, generation = self._by_id.get(told, (told, self._deleted[told]))
        log = f"{name}-{mop['part']}" if generation == 0 else f"{name}, made again {generation}-{mop['part']}"
        return cast("Mop", {**mop, "topic": name, "log": log})


def _is_compacted(topic: Any) -> bool:
    """Whether a topic of CreateTopics is to be compacted."""
    return any(config.name == "cleanup.policy" and "compact" in (config.value or "") for config in topic.configs)
