"""The producers of a topic, no two of which have the same name, until the topic is terminated."""

from dataclasses import dataclass

from fencepost.reference.kernel.journal import Disk, Journal
from fencepost.reference.kernel.rules import rule

from .server_errors import CommandRefused, ServerError


@dataclass(eq=False)
class TopicProducer:
    """A producer of a topic."""

    name: str


class Producers:
    """The producers of one topic that are connected, and whether the topic is terminated, which lasts."""

    def __init__(self, topic: str, disk: Disk) -> None:
        self._topic = topic
        self._terminations: Journal[str] = disk.journal(f"terminated {topic}")
        self._by_name: dict[str, TopicProducer] = {}

    def __len__(self) -> int:
        return len(self._by_name)

    def attach(self, producer: TopicProducer) -> None:
        """Accept a producer. Raises CommandRefused: TOPIC_TERMINATED, or PRODUCER_BUSY when one of that name is connected."""
        self.check_open()
        if self.is_busy(producer.name):
            rule("PIP31-143")
            raise CommandRefused(ServerError.PRODUCER_BUSY, f"a producer called {producer.name!r} is connected to {self._topic}")
        self._by_name[producer.name] = producer

    def is_busy(self, name: str) -> bool:
        """Decision: whether a name is taken: by a producer that is connected."""
        return name in self._by_name

    def detach(self, producer: TopicProducer) -> None:
        """Decision: what a producer leaves when it is gone: its messages stay, and its name is free."""
        self._by_name.pop(producer.name, None)

    def terminate(self) -> None:
        """No producer can write any more; repeating it changes nothing."""
        if not self._terminations:
            self._terminations.append(self._topic)

    @property
    def is_terminated(self) -> bool:
        """Decision: whether the topic accepts nothing any more, also after it was reloaded."""
        rule("PIP31-147")
        return len(self._terminations) > 0

    def ends_strays(self) -> bool:
        """Decision: whether the topic ends by itself what it holds of transactions that are over: not where no marker can be written."""
        return not self.is_terminated

    def check_takes_an_end(self, *, by_marker: bool) -> None:
        """Decision: whether a transaction can end here. An end that is a marker needs a topic that accepts messages, any other does not.

        Raises CommandRefused: TOPIC_TERMINATED.
        """
        if by_marker:
            self.check_open()
        elif self.is_terminated:
            rule("PIP471-49")
            rule("PIP471-50")
            rule("PIP471-51")
            rule("PIP471-54")
            rule("CORE-43")

    def check_open(self) -> None:
        """Raises CommandRefused: TOPIC_TERMINATED."""
        if self.is_terminated:
            rule("PIP460-13")
            rule("CORE-44")
            raise CommandRefused(ServerError.TOPIC_TERMINATED, f"{self._topic} is terminated")
