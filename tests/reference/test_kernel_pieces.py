"""Journal, rules and crash points."""

import pytest

from fencepost.reference.kernel.crash import Crash, CrashPoints
from fencepost.reference.kernel.journal import Disk
from fencepost.reference.kernel.rules import EXERCISED, rule


def test_a_journal_is_the_same_whenever_it_is_opened() -> None:
    """Opening it by its name gives the records that were appended, in order."""
    disk = Disk()
    disk.journal("numbers").append(1)
    disk.journal("numbers").append(2)

    assert list(disk.journal("numbers")) == [1, 2]
    assert len(disk.journal("others")) == 0


def test_rules_are_noted_for_the_broker_that_records_them() -> None:
    """Neither before nor after, and not for another recorder."""
    outer: set[str] = set()
    inner: set[str] = set()

    rule("before")
    none = EXERCISED.set(outer)
    rule("outer")
    first = EXERCISED.set(inner)
    rule("inner")
    EXERCISED.reset(first)
    EXERCISED.reset(none)
    rule("after")

    assert (outer, inner) == ({"outer"}, {"inner"})


def test_an_armed_crash_point_works_once() -> None:
    """A point that is not armed has no effect."""
    points = CrashPoints({"here": "somewhere", "there": "elsewhere"})
    points.arm("here")

    points.reach("there")
    with pytest.raises(Crash):
        points.reach("here")
    points.reach("here")


def test_an_unknown_crash_point_is_an_error_with_the_known_ones() -> None:
    """A misspelt point would never be reached, and the scenario would prove nothing."""
    points = CrashPoints({"here": "somewhere"})

    with pytest.raises(ValueError, match="'hear'; there are here"):
        points.arm("hear")
