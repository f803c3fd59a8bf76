"""The levers of a Pulsar broker that fencepost did not start: each is offered if it has an effect."""

from typing import TypeVar

import pytest
from succeeded import value_of

from fencepost.adapters.pulsar.inprocess import InProcessAdmin
from fencepost.adapters.pulsar.levers import LEVERS, missing
from fencepost.adapters.pulsar.pulsar_session import PulsarSession
from fencepost.adapters.pulsar.transport import Connect, ConnectAdmin
from fencepost.adapters.reference_pulsar import PulsarReferenceSystem
from fencepost.contract.capabilities import CAPABILITIES
from fencepost.contract.outcomes import Done, Unknown
from fencepost.reference.pulsar import ReferencePulsar
from fencepost.wire.pulsar.admin import AdminAnswer, AdminRequest

T = TypeVar("T")


class Without(PulsarReferenceSystem):
    """The reference without the admin calls that have a word in their path."""

    def __init__(self, word: str) -> None:
        super().__init__("pulsar-4.0", patience_s=2.0)
        self.word = word

    def ways_to(self, broker: ReferencePulsar) -> tuple[Connect, ConnectAdmin]:
        word = self.word

        class Admin(InProcessAdmin):
            def call(self, request: AdminRequest, deadline_s: float) -> Done[AdminAnswer] | Unknown:
                return Done(AdminAnswer(404, b"{}")) if word in request.path else super().call(request, deadline_s)

        return super().ways_to(broker)[0], lambda: Admin(broker)


def session_without(word: str) -> PulsarSession:
    system = Without(word)
    system.open()
    return system.session("levers")


def test_levers_are_capabilities() -> None:
    """A scenario can need each of them."""
    assert LEVERS.keys() <= CAPABILITIES.keys()


@pytest.mark.parametrize(
    ("word", "lever"),
    [("no such call", None), ("transactionInBufferStats", "buffer-statistics"), ("terminate", "held-ends")],
)
def test_a_lever_that_moves_nothing_is_not_offered(word: str, lever: str | None) -> None:
    """The reference of a release lacks only a second coordinator and keys; without an admin call, its lever is missing too."""
    found = missing(session_without(word))

    assert found.keys() == {"more-coordinators", "transaction-keys"} | ({lever} if lever else set())
    assert lever is None or "404" in found[lever]


def test_readers_of_a_broker_without_statistics_are_asked_for_the_sentinel() -> None:
    """If no transaction is open, the sentinel alone shows what is visible."""
    session = session_without("BufferStats")
    probe = session.client("reader")
    topic = "persistent://public/default/orders"
    producer = value_of(probe.producer(topic))
    for value in ("a1", "sentinel-1"):
        value_of(probe.send(producer, value))

    seen = value_of(probe.receive_visible(value_of(probe.subscribe(topic, "reader")), "sentinel-1"))

    assert [message.value for message in seen] == ["a1", "sentinel-1"]
