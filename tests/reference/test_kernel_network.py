"""The deterministic network."""

from typing import Any

import pytest

from fencepost.reference.kernel.clock import Clock
from fencepost.reference.kernel.network import Network


class Ends:
    """Both ends of a network: what was sent from here arrives here, or is known to be lost."""

    def __init__(self) -> None:
        self.network = Network(Clock())
        self.arrived: list[Any] = []
        self.lost: list[Any] = []

    def send(self, *contents: str) -> None:
        for content in contents:
            self.network.send(content, self.arrived.append, self.lost.append)


@pytest.fixture
def ends() -> Ends:
    return Ends()


def test_messages_arrive_in_order_when_they_are_delivered(ends: Ends) -> None:
    """No message arrives before that, and then each arrives once."""
    ends.send("a", "b")
    assert (ends.arrived, ends.network.in_flight) == ([], ("a", "b"))

    ends.network.deliver()

    assert (ends.arrived, ends.network.in_flight) == (["a", "b"], ())


def test_what_is_sent_by_a_message_arrives_in_the_same_delivery(ends: Ends) -> None:
    """An answer does not wait for the next delivery."""
    ends.network.send("question", lambda _: ends.send("answer"), ends.lost.append)

    ends.network.deliver()

    assert ends.arrived == ["answer"]


def test_a_delayed_message_arrives_when_its_time_has_passed() -> None:
    """Later messages have the same delay, and earlier ones have none."""
    clock = Clock()
    network, arrived = Network(clock), list[str]()
    network.send("before", arrived.append, arrived.append)
    network.delay(1_000)
    network.send("late", arrived.append, arrived.append)

    seen = []
    for ms in (0, 999, 1):
        list(clock.pass_until(clock.now + ms))
        network.deliver()
        seen.append(list(arrived))

    assert seen == [["before"], ["before"], ["before", "late"]]


def test_a_held_message_waits_and_the_others_pass_it(ends: Ends) -> None:
    """Messages are held by their content, later ones too, until the release."""
    ends.network.hold(lambda content: content.startswith("a"))
    ends.send("a1", "b")
    ends.network.deliver()
    ends.send("a2")
    ends.network.deliver()
    assert ends.arrived == ["b"]

    ends.network.release()
    ends.network.deliver()

    assert ends.arrived == ["b", "a1", "a2"]


def test_a_dropped_message_is_noticed_by_its_sender_only(ends: Ends) -> None:
    """It never arrives, and the sender learns that the connection was lost."""
    ends.send("a", "b")

    ends.network.drop(lambda content: content == "a")
    ends.network.deliver()

    assert (ends.arrived, ends.lost) == (["b"], ["a"])


def test_a_duplicate_arrives_after_the_others(ends: Ends) -> None:
    """Twice in all."""
    ends.send("a", "b")

    ends.network.duplicate(lambda content: content == "a")
    ends.network.deliver()

    assert ends.arrived == ["a", "b", "a"]


def test_a_message_arrives_as_often_as_is_said_of_its_content(ends: Ends) -> None:
    """Twice, once, or not at all, which its sender notices."""
    ends.network.repeat({"a": 2, "b": 1, "c": 0}.__getitem__)
    ends.send("a", "b", "c")
    ends.network.deliver()

    assert (ends.arrived, ends.lost) == (["a", "a", "b"], ["c"])


def test_a_crash_loses_what_is_in_flight_without_notice(ends: Ends) -> None:
    """Neither end learns of it."""
    ends.send("a")

    ends.network.lose_all()
    ends.network.deliver()

    assert (ends.arrived, ends.lost) == ([], [])
