"""The nursery: ids that are ready before they are asked for, each given out once, and never a wait without an end."""

import threading
from collections.abc import Iterator
from contextlib import closing

import pytest

from fencepost.adapters.kafka.ageing import Progress, Stopped
from fencepost.adapters.kafka.nursery import SIDE_BY_SIDE, Age, Nursery
from fencepost.adapters.kafka.probe import no_aged_ids
from fencepost.adapters.kafka.values import AGED_EPOCH, AgedId, ProducerIdAndEpoch
from fencepost.contract.errors import NotOffered
from fencepost.contract.outcomes import Done, Unknown

WITHIN_S = 10.0


def numbered() -> Age:
    numbers: Iterator[int] = iter(range(100))
    return lambda _: Done(AgedId(f"id-{(number := next(numbers))}", ProducerIdAndEpoch(number, AGED_EPOCH)))


def test_each_id_is_given_out_once() -> None:
    """Those that were expected, and then those that were not."""
    with closing(Nursery(WITHIN_S)) as nursery:
        nursery.open(numbered())
        nursery.expect(2)

        taken = [nursery.take() for _ in range(4)]

    assert len({outcome.value.transactional_id for outcome in taken if isinstance(outcome, Done)}) == 4


def test_ids_are_aged_before_they_are_asked_for_and_a_few_at_a_time() -> None:
    """As many begin as may at once, without anybody taking one."""
    began, go_on = threading.Semaphore(0), threading.Event()

    def waiting(_: Progress) -> Done[AgedId]:
        began.release()
        assert go_on.wait(WITHIN_S)
        return Done(AgedId("id", ProducerIdAndEpoch(1, AGED_EPOCH)))

    with closing(Nursery(WITHIN_S)) as nursery:
        nursery.open(waiting)
        nursery.expect(SIDE_BY_SIDE + 1)
        started = [began.acquire(timeout=WITHIN_S) for _ in range(SIDE_BY_SIDE)]
        one_more = began.acquire(blocking=False)
        go_on.set()

    assert (all(started), one_more) == (True, False)


def test_without_progress_nobody_waits_longer_than_the_session_is_patient() -> None:
    """The outcome says that no epoch was raised."""
    end = threading.Event()

    def stuck(_: Progress) -> Unknown:
        assert end.wait(WITHIN_S)
        return Unknown("too late")

    with closing(Nursery(patience_s=0.05)) as nursery:
        nursery.open(stuck)
        outcome = nursery.take()
        end.set()

    assert isinstance(outcome, Unknown)
    assert "no epoch of any transactional id was raised for 0.05 s" in outcome.reason


def test_whoever_makes_progress_is_waited_for() -> None:
    """An ageing that takes longer than the patience, and raises epochs all the time."""
    rounds = threading.Event()

    def slow(progress: Progress) -> Done[AgedId]:
        for _ in range(12):
            progress(1)
            rounds.wait(0.02)
        return Done(AgedId("id", ProducerIdAndEpoch(1, AGED_EPOCH)))

    with closing(Nursery(patience_s=0.1)) as nursery:
        nursery.open(slow)
        outcome = nursery.take()

    assert isinstance(outcome, Done)


def test_closing_stops_what_is_being_aged() -> None:
    """The next report of progress raises Stopped, and what has not begun never does."""
    began, stopped = threading.Event(), threading.Event()

    def endless(progress: Progress) -> Unknown:
        began.set()
        try:
            while True:
                progress(1)
        except Stopped:
            stopped.set()
            raise

    nursery = Nursery(WITHIN_S)
    nursery.open(endless)
    nursery.expect(5)
    assert began.wait(WITHIN_S)

    nursery.close()

    assert stopped.is_set()


def test_a_session_without_a_nursery_does_not_offer_aged_ids() -> None:
    """The scenario is not offered, and not broken."""
    with pytest.raises(NotOffered, match="aged-ids"):
        no_aged_ids()
