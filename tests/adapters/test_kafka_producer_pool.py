"""The pool of producers near their last epoch: prepared in advance, given out once, never awaited without an end."""

import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress

import pytest

from fencepost.adapters.common.time import WallTime
from fencepost.adapters.kafka.kafka_values import EPOCH_BEFORE_LAST, NearLastEpoch, ProducerIdentity
from fencepost.adapters.kafka.last_epoch import Progress, Stopped
from fencepost.adapters.kafka.probe import no_pool
from fencepost.adapters.kafka.producer_pool import SIDE_BY_SIDE, Prepare, ProducerPool
from fencepost.contract.errors import NotOffered
from fencepost.contract.outcomes import Done, Unknown

WITHIN_S = 10.0


def numbered() -> Prepare:
    numbers: Iterator[int] = iter(range(100))
    return lambda _: Done(NearLastEpoch(f"id-{(number := next(numbers))}", ProducerIdentity(number, EPOCH_BEFORE_LAST)))


def once_ready(pool: ProducerPool) -> object:
    """A producer of a pool for which a scenario has waited in vain before."""
    for _ in WallTime(WITHIN_S).attempts():
        with suppress(NotOffered):
            return pool.take()
    return None


def test_each_producer_is_given_out_once() -> None:
    """The expected ones, and then further ones."""
    with closing(ProducerPool(WITHIN_S)) as pool:
        pool.open(numbered())
        pool.expect(2)

        taken = [pool.take() for _ in range(4)]

    assert len({outcome.value.transactional_id for outcome in taken if isinstance(outcome, Done)}) == 4


@pytest.mark.parametrize("nodes", [1, 3])
def test_producers_are_prepared_before_they_are_asked_for_and_a_few_at_a_time(nodes: int) -> None:
    """As many as are allowed for each node begin at once, before any is taken."""
    began, go_on = threading.Semaphore(0), threading.Event()

    def waiting(_: Progress) -> Done[NearLastEpoch]:
        began.release()
        assert go_on.wait(WITHIN_S)
        return Done(NearLastEpoch("id", ProducerIdentity(1, EPOCH_BEFORE_LAST)))

    with closing(ProducerPool(WITHIN_S)) as pool:
        pool.open(waiting, nodes)
        pool.expect(SIDE_BY_SIDE * nodes + 1)
        started = [began.acquire(timeout=WITHIN_S) for _ in range(SIDE_BY_SIDE * nodes)]
        one_more = began.acquire(blocking=False)
        go_on.set()

    assert (all(started), one_more) == (True, False)


def test_without_progress_a_scenario_waits_no_longer_than_the_session_is_patient() -> None:
    """The outcome is that no epoch was raised."""
    end = threading.Event()

    def stuck(_: Progress) -> Unknown:
        assert end.wait(WITHIN_S)
        return Unknown("too late")

    with closing(ProducerPool(patience_s=0.05)) as pool:
        pool.open(stuck)
        outcome = pool.take()
        end.set()

    assert isinstance(outcome, Unknown)
    assert "no epoch of any producer was raised for 0.05 s" in outcome.reason


def test_a_producer_that_makes_progress_is_waited_for() -> None:
    """Preparing may take longer than the patience if epochs are raised all the time."""
    rounds = threading.Event()

    def slow(progress: Progress) -> Done[NearLastEpoch]:
        for _ in range(12):
            progress(1)
            rounds.wait(0.1)
        return Done(NearLastEpoch("id", ProducerIdentity(1, EPOCH_BEFORE_LAST)))

    with closing(ProducerPool(patience_s=1.0)) as pool:
        pool.open(slow)
        outcome = pool.take()

    assert isinstance(outcome, Done)


def test_what_takes_too_long_is_not_offered_and_waited_for_once() -> None:
    """Though epochs are raised; the reason has the rate. The next call does not wait, and gets a producer only if one is ready."""
    ready = threading.Event()

    def slow(progress: Progress) -> Done[NearLastEpoch]:
        while not ready.wait(0.01):
            progress(1)
        return Done(NearLastEpoch("id", ProducerIdentity(1, EPOCH_BEFORE_LAST)))

    with closing(ProducerPool(patience_s=0.2, longest_s=0.3)) as pool:
        pool.open(slow)
        pool.expect(2)
        with pytest.raises(NotOffered, match=r"within 0\.3 s, since about \d+ epochs were raised in a second") as first:
            pool.take()
        began = time.monotonic()
        with pytest.raises(NotOffered) as second:
            pool.take()
        waited_s = time.monotonic() - began
        ready.set()
        taken = [once_ready(pool) for _ in range(2)]

    assert str(second.value) == str(first.value)
    assert waited_s < 0.2
    assert all(isinstance(outcome, Done) for outcome in taken)


def test_closing_stops_what_is_being_prepared() -> None:
    """The next report of progress raises Stopped, and producers that have not begun never do."""
    began, stopped = threading.Event(), threading.Event()

    def endless(progress: Progress) -> Unknown:
        began.set()
        try:
            while True:
                progress(1)
        except Stopped:
            stopped.set()
            raise

    pool = ProducerPool(WITHIN_S)
    pool.open(endless)
    pool.expect(5)
    assert began.wait(WITHIN_S)

    pool.close()

    assert stopped.is_set()


def test_a_session_without_a_pool_does_not_offer_producers_near_their_last_epoch() -> None:
    """The scenario is not offered, and not a harness error."""
    with pytest.raises(NotOffered, match="aged-ids"):
        no_pool()
