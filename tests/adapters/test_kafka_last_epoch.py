"""A producer is brought near its last epoch over TCP, by requests that any client may send, or the reason is reported."""

import struct
from collections.abc import Iterator

import pytest
from lying_broker import Lie, LyingBroker

from fencepost.adapters.common.address import Address
from fencepost.adapters.kafka import last_epoch
from fencepost.adapters.kafka.kafka_values import NearLastEpoch
from fencepost.adapters.kafka.last_epoch import Stopped, bring_near_last_epoch
from fencepost.adapters.kafka.reach import reach
from fencepost.contract.errors import Malformed
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown

TARGET = 300
"""Instead of 32765, which would take this slow broker too long."""


@pytest.fixture(autouse=True)
def nearer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(last_epoch, "EPOCH_BEFORE_LAST", TARGET)


def prepared(lie: Lie, bumps: list[int]) -> tuple[Outcome[NearLastEpoch], LyingBroker]:
    with LyingBroker("init_producer_id", lie) as broker:
        address = Address("127.0.0.1", broker.port)
        return bring_near_last_epoch(address, reach(address, 5.0), bumps.append), broker


def every(answer: int, lie: Lie) -> Lie:
    """Change each answer of that number, and leave others as they are."""
    count = iter(range(1, 10_000))
    return lambda frame: lie(frame) if next(count) % answer == 0 else frame


def instead_at(number: int, lie: Lie) -> Lie:
    """Change one answer."""
    count = iter(range(1, 10_000))
    return lambda frame: lie(frame) if next(count) == number else frame


def test_each_bump_is_a_request_and_the_id_ends_at_the_target() -> None:
    """As many bumps are reported as the epoch has grown, and the broker has the returned producer id and epoch."""
    bumps: list[int] = []

    outcome, broker = prepared(lambda frame: frame, bumps)

    assert isinstance(outcome, Done)
    assert outcome.value.producer.epoch == sum(bumps) == TARGET
    described = broker.reference.run(lambda node: node.coordinator.describe(outcome.value.transactional_id))
    assert (described.producer_id, described.producer_epoch) == (outcome.value.producer.producer_id, TARGET)


def test_a_lost_connection_is_gone_on_from() -> None:
    """Requests in flight may have been done or not; the id ends at the target all the same."""
    outcome, _ = prepared(every(90, lambda _: None), [])

    assert isinstance(outcome, Done)
    assert outcome.value.producer.epoch == TARGET


def test_a_refusal_that_passes_is_gone_on_from() -> None:
    """One answer is an error; all later ones are refused too, and then the client asks for the current epoch."""
    outcome, _ = prepared(instead_at(20, with_error(51)), [])

    assert isinstance(outcome, Done)
    assert outcome.value.producer.epoch == TARGET


def test_a_refusal_that_stays_is_reported() -> None:
    """A broker that refuses every bump does not get requests for ever."""
    first = iter([True])

    outcome, _ = prepared(lambda frame: frame if next(first, False) else with_error(53)(frame), [])

    assert outcome == Refused("TRANSACTIONAL_ID_AUTHORIZATION_FAILED", 53)


def test_a_broker_that_always_hangs_up_is_reported() -> None:
    """The client does not reconnect for ever."""
    first = iter([True])

    outcome, _ = prepared(lambda frame: frame if next(first, False) else None, [])

    assert isinstance(outcome, Unknown)
    assert "ended the connection at epoch" in outcome.reason


def test_another_epoch_than_the_next_is_reported() -> None:
    """An answer without an error, with an unexpected producer id and epoch: such a producer cannot be prepared."""
    outcome, _ = prepared(instead_at(20, lambda frame: frame[:-3] + struct.pack(">h", 7) + frame[-1:]), [])

    assert isinstance(outcome, Unknown)
    assert "epoch 7) where (producer id" in outcome.reason


@pytest.mark.parametrize(
    "lie", [lambda frame: struct.pack(">i", 0x7FFFFFFF) + frame[4:], lambda frame: frame[:4] + b"\xff" * 4 + frame[8:]]
)
def test_a_damaged_answer_is_malformed(lie: Lie) -> None:
    """An absurd length, and another request's correlation id."""
    with pytest.raises(Malformed, match="InitProducerId"):
        prepared(instead_at(20, lie), [])


def test_the_last_user_stops_it() -> None:
    """The progress function raises Stopped, and that ends it."""

    def enough(bumps: Iterator[int]) -> None:
        if next(bumps) > 50:
            raise Stopped

    count = iter(range(1000))
    with LyingBroker("init_producer_id", lambda frame: frame) as broker:
        address = Address("127.0.0.1", broker.port)
        with pytest.raises(Stopped):
            bring_near_last_epoch(address, reach(address, 5.0), lambda _: enough(count))


def with_error(code: int) -> Lie:
    """The error code is after the length, the correlation id, one byte for no tagged fields, and the throttle time."""
    return lambda frame: frame[:13] + struct.pack(">h", code) + frame[15:]
