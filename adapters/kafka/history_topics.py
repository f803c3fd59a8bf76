"""The logs of a history by one name each.

Requests name a topic by its name or by its id, and a name may be given again to another topic. A checker knows a log by its name alone, so
events have the name that the id stands for, and a topic that was made anew has a log of its own.
"""

from collections import Counter
from typing import Any, cast

from fencepost.contract.events import Mop
from fencepost.wire.kafka.entities import api_of

from .recording import Recorded


class Topics:
    """What is known of the topics of a session, as its calls end."""

    def __init__(self) -> None:
        self._deleted: Counter[str] = Counter()
        self._by_id: dict[str, tuple[str, int]] = {}

    def learn(self, call: Recorded) -> None:
        """Take in which ids topics have, and which topics are gone."""
        answer: Any = call.answer
        if answer is None:
            return
        match api_of(call.request):
            case "metadata" | "create_topics":
                for topic in answer.topics:
                    if topic.name is not None and getattr(topic, "topic_id", None) is not None and not topic.error_code:
                        self._by_id.setdefault(str(topic.topic_id), (str(topic.name), self._deleted[str(topic.name)]))
            case "delete_topics":
                for gone in answer.responses:
                    self._deleted[str(gone.name)] += not gone.error_code

    def placed(self, mop: Mop) -> Mop:
        """The same, in the log that is meant."""
        told = str(mop["topic"])
        name, generation = self._by_id.get(told, (told, self._deleted[told]))
        log = f"{name}-{mop['part']}" if generation == 0 else f"{name}, made again {generation}-{mop['part']}"
        return cast("Mop", {**mop, "topic": name, "log": log})
