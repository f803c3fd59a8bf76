"""The way between the parts of a broker that would be different nodes in a cluster: a queue of messages.

Without interference every message arrives once, in the order of sending, when `deliver` is called. A scenario interferes before that: it
holds, delays, drops or repeats what is in flight. A dropped message is a lost connection, which its sender notices. What a
node has in flight at its crash is lost, and no sender notices.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from .clock import FIRST_NODE, Clock


@dataclass(frozen=True)
class NodeMessage:
    """A message of a node. `lost` is called instead of `receive` when the connection was lost."""

    content: Any
    receive: Callable[[Any], None] = field(repr=False)
    lost: Callable[[Any], None] = field(repr=False)
    sent_at: int
    node: int
    due_at: int


Matching: TypeAlias = Callable[[Any], bool]
"""Chooses messages by their content."""


Times: TypeAlias = Callable[[Any], int]
"""How many times a message with that content arrives."""


def _once(content: object) -> int:  # noqa: ARG001 - whatever it is
    return 1


class Network:
    """A deterministic network."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._in_flight: list[NodeMessage] = []
        self._held: list[Matching] = []
        self._times: Times = _once
        self._delay_ms = 0

    @property
    def in_flight(self) -> tuple[object, ...]:
        """The contents of what was sent and has not arrived, in order."""
        return tuple(message.content for message in self._in_flight)

    @property
    def is_quiet(self) -> bool:
        """Whether nothing is in flight."""
        return not self._in_flight

    def send(self, content: object, receive: Callable[[Any], None], lost: Callable[[Any], None], node: int = FIRST_NODE) -> None:
        """Put a message of that node into the queue."""
        now, times = self._clock.now, self._times(content)
        message = NodeMessage(content, receive if times else lost, lost, now, node, now + self._delay_ms)
        self._in_flight += [message] * max(times, 1)

    def deliver(self) -> None:
        """Decision: everything arrives that may, in the order in which it was sent, and all that is sent because of it."""
        while self._in_flight and (message := next(filter(self._may_arrive, self._in_flight), None)) is not None:
            self._in_flight.remove(message)
            message.receive(message.content)

    def delay(self, ms: int) -> None:
        """Delay what is sent from now on by at least that long."""
        self._delay_ms = ms

    def hold(self, matching: Matching) -> None:
        """Keep such messages in flight, those that are sent later too, until `release`."""
        self._held.append(matching)

    def release(self) -> None:
        """Hold nothing any longer."""
        self._held.clear()

    def drop(self, matching: Matching) -> None:
        """Lose such messages that are in flight now; their senders notice."""
        dropped = [message for message in self._in_flight if matching(message.content)]
        self._in_flight = [message for message in self._in_flight if message not in dropped]
        for message in dropped:
            message.lost(message.content)

    def duplicate(self, matching: Matching) -> None:
        """Let such messages that are in flight now arrive twice, the second time after all others."""
        self._in_flight += [message for message in self._in_flight if matching(message.content)]

    def repeat(self, times: Times) -> None:
        """Let each message that is sent from now on arrive so many times; one that arrives no times has a lost connection."""
        self._times = times

    def lose_all(self, node: int = FIRST_NODE) -> None:
        """The node has crashed: nothing that it sent arrives, and no sender notices."""
        self._in_flight = [message for message in self._in_flight if message.node != node]

    def _may_arrive(self, message: NodeMessage) -> bool:
        return self._clock.now >= message.due_at and not any(matching(message.content) for matching in self._held)
