"""What a system reports that it is doing: from any thread, until it is done, and without making a run fail."""

import threading
from contextlib import suppress

import pytest

from fencepost.contract.progress import Activity, Board, doing_of


def test_what_is_in_progress_is_reported_in_order_until_it_has_ended() -> None:
    """Also when it ended with an error."""
    board = Board()

    with board.doing("starting one", "2 scenarios that need crash") as first:
        with suppress(ValueError), board.doing("starting another"):
            first.waits_for("it to serve")
            reported = [str(one) for one in board.now()]
            raise ValueError
        left = [one.what for one in board.now()]

    assert reported == ["starting one, for 2 scenarios that need crash; waits for it to serve", "starting another"]
    assert left == ["starting one"]
    assert board.now() == ()


def test_waiting_for_something_else_keeps_the_begin() -> None:
    """How long it takes counts from where it began."""
    board = Board()

    with board.doing("starting one") as task:
        before = board.now()[0]
        task.waits_for("Docker")

        assert board.now()[0] == Activity("starting one", "", "Docker", before.since)


def test_any_thread_may_report() -> None:
    """Nothing is lost, and two that say the same are two."""
    board = Board()
    together, seen = threading.Barrier(9), threading.Barrier(9)

    def start() -> None:
        with board.doing("starting"):
            together.wait(60)
            seen.wait(60)

    threads = [threading.Thread(target=start) for _ in range(8)]
    for thread in threads:
        thread.start()
    together.wait(60)
    reported = board.now()
    seen.wait(60)
    for thread in threads:
        thread.join(60)

    assert [one.what for one in reported] == ["starting"] * 8
    assert board.now() == ()


class Tells:
    """A system that says what it does."""

    def doing(self) -> list[object]:
        return [Activity("starting"), "no Doing"]


class Breaks:
    """A system that fails when it is asked what it does."""

    def doing(self) -> list[Activity]:
        raise RuntimeError("not yet")


@pytest.mark.parametrize(("system", "reported"), [(Tells(), ["starting"]), (Breaks(), []), (object(), [])])
def test_a_system_need_not_report(system: object, reported: list[str]) -> None:
    """A system without the method, or one whose method fails, is doing nothing that is known."""
    assert [one.what for one in doing_of(system)] == reported
