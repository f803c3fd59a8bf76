"""The probe: Pulsar's commands and admin calls as calls that return an outcome.

A step calls one of these and judges the outcome. This module does not know which answers are right.
"""

from fencepost.contract.errors import NotOffered
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown

from .connection import ClientConnection
from .greeting import GreetingCalls
from .pulsar_error_outcomes import LOOKING
from .pulsar_values import ConsumerHandle, EntryPosition, Received, SubscriptionHandle, persistent
from .transaction_keys import TransactionKeyCalls
from .whole_topics import WholeTopicCalls

__all__ = ["LOOKING", "ClientConnection", "PulsarProbe"]

_QUIET_S = 0.3
"""How long to watch a consumer that has all that it may have: no more messages may come."""


class PulsarProbe(TransactionKeyCalls, WholeTopicCalls, GreetingCalls):
    """One client of a Pulsar system, with its own connections."""

    settles_later = False
    """Whether an answered end takes effect only later, with no one to ask when."""
    is_scalable = False
    """Whether its transactions are those of scalable topics."""

    def make_topic(self, name: str, namespace: str = "public/default") -> Outcome[str]:
        """A topic of the kind that this client's transactions are for, by its full name."""
        made = self.create_topic(topic := persistent(name, namespace))
        return Done(topic) if isinstance(made, Done) else made

    def make_segments(self, name: str, count: int, namespace: str = "public/default") -> Outcome[tuple[str, ...]]:
        """The segments of a new scalable topic with `count` segments, by their names, the lowest hashes first."""
        topic = f"topic://{namespace}/{name}"
        if not isinstance(made := self.create_scalable_topic(topic, count), Done):
            return made
        return self.segments(topic).converted(lambda segments: tuple(segment.topic for segment in segments))

    def seal_topic(self, topic: str) -> Outcome[None]:
        """Seal a topic, so that others take its place. Raises NotOffered."""
        raise NotOffered(f"sealing: a classic topic that is terminated, such as {topic}, delays the ends of its transactions")

    def mark_delete(self, subscription: SubscriptionHandle) -> Outcome[EntryPosition | None]:
        """The position up to which the subscription has acknowledged everything; None if there is no such subscription."""
        return self.log_stats(subscription.topic).converted(lambda stats: stats.mark_deletes.get(subscription.name))

    def receive_visible(self, consumer: ConsumerHandle, sentinel: str) -> Outcome[tuple[Received, ...]]:
        """The messages that a consumer receives up to the sentinel at the end of the log, or up to where an open transaction stops readers.

        If the broker has no such statistics, only the sentinel counts.
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

    def receive_decided(self, consumer: ConsumerHandle, sentinel: str) -> Outcome[tuple[Received, ...]]:
        """The same for a topic without open transactions: then the sentinel must come."""
        return self.receive_visible(consumer, sentinel)

    def _await_dispatch(self, consumer: ConsumerHandle, limit: EntryPosition) -> None:
        """Wait until the broker has read all messages that the consumer may have. Do not wait if it reports no read position."""
        for _ in self._time.attempts():
            match self.log_stats(consumer.subscription.topic):
                case Done(log):
                    following = log.read_positions.get(consumer.subscription.name)
                    if following is None or following > limit:
                        return
                case _:
                    return

    def _until_quiet(self, consumer: ConsumerHandle) -> Outcome[tuple[Received, ...]]:
        taken: list[Received] = []
        while True:
            match self.receive(consumer, within_s=_QUIET_S):
                case Done(message):
                    taken.append(message)
                case Unknown(lost=False):
                    return Done(tuple(taken))
                case trouble:
                    return trouble
