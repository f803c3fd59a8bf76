"""The probe: Pulsar's commands and admin calls as calls that return an outcome.

A step calls one of these and judges what came back. Nothing here knows what a right answer is.
"""

from fencepost.contract.errors import NotOffered
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown

from .connection import Connection
from .errors import LOOKING
from .greeting import GreetingCalls
from .transaction_keys import TransactionKeyCalls
from .values import Consumer, Position, Received, Subscription, persistent
from .whole_topics import WholeTopicCalls

__all__ = ["LOOKING", "Connection", "PulsarProbe"]

_QUIET_S = 0.3
"""How long a consumer is watched that was given all it may have: nothing more must come."""


class PulsarProbe(TransactionKeyCalls, WholeTopicCalls, GreetingCalls):
    """One client of a Pulsar system, with its own connections."""

    settles_later = False
    """Whether what an answered end means is seen only later, with nobody to ask when."""
    is_scalable = False
    """Whether its transactions are those of scalable topics."""

    def make_topic(self, name: str, namespace: str = "public/default") -> Outcome[str]:
        """A topic of the kind that this client's transactions are for, by its full name."""
        made = self.create_topic(topic := persistent(name, namespace))
        return Done(topic) if isinstance(made, Done) else made

    def make_segments(self, name: str, count: int, namespace: str = "public/default") -> Outcome[tuple[str, ...]]:
        """A scalable topic of so many segments, by their names, the lowest hashes first."""
        topic = f"topic://{namespace}/{name}"
        if not isinstance(made := self.create_scalable_topic(topic, count), Done):
            return made
        match self.segments(topic):
            case Done(segments):
                return Done(tuple(segment.topic for segment in segments))
            case trouble:
                return trouble

    def seal_topic(self, topic: str) -> Outcome[None]:
        """Close a topic for all messages, so that others take its place. Raises NotOffered."""
        raise NotOffered(f"sealing: a classic topic that is terminated, such as {topic}, holds up the ends of its transactions")

    def mark_delete(self, subscription: Subscription) -> Outcome[Position | None]:
        """Up to where the subscription has acknowledged everything; None where there is none of that name."""
        match self.log_stats(subscription.topic):
            case Done(stats):
                return Done(stats.mark_deletes.get(subscription.name))
            case trouble:
                return trouble

    def receive_visible(self, consumer: Consumer, sentinel: str) -> Outcome[tuple[Received, ...]]:
        """What a consumer is given up to the sentinel that ends its log, or, where an open transaction stops every reader, up to there.

        A broker that has no such statistics is asked for the sentinel alone.
        """
        topic = consumer.subscription.topic
        buffer, log = self.buffer_stats(topic), self.log_stats(topic)
        if isinstance(buffer, Refused) or isinstance(log, Refused):
            return self.receive_until(consumer, sentinel)
        if not isinstance(buffer, Done):
            return buffer
        if not isinstance(log, Done):
            return log
        if buffer.value.max_read_position >= log.value.last:
            return self.receive_until(consumer, sentinel)
        self._await_dispatch(consumer, buffer.value.max_read_position)
        return self._until_quiet(consumer)

    def receive_decided(self, consumer: Consumer, sentinel: str) -> Outcome[tuple[Received, ...]]:
        """The same of a topic in which nobody has an open transaction: then the sentinel must come."""
        return self.receive_visible(consumer, sentinel)

    def _await_dispatch(self, consumer: Consumer, limit: Position) -> None:
        """Wait until the broker has read all for the consumer that it may. One that reports no read position is not waited for."""
        for _ in self._time.attempts():
            match self.log_stats(consumer.subscription.topic):
                case Done(log):
                    following = log.read_positions.get(consumer.subscription.name)
                    if following is None or following > limit:
                        return
                case _:
                    return

    def _until_quiet(self, consumer: Consumer) -> Outcome[tuple[Received, ...]]:
        taken: list[Received] = []
        while True:
            match self.receive(consumer, within_s=_QUIET_S):
                case Done(message):
                    taken.append(message)
                case Unknown(lost=False):
                    return Done(tuple(taken))
                case trouble:
                    return trouble
