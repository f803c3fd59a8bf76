"""Exploration of a broker that crashes: what shares a crash, and that one kill serves all that share it."""

import random
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from fencepost.contract.shared_crashes import SharedCrashes
from fencepost.explore import shared_crash_search
from fencepost.explore.disturbed import DisturbedTable
from fencepost.explore.shared_crash_search import sharing_crashes, waves
from fencepost.explore.trial import SequenceResult, Trials
from fencepost.run.plays import falls_in
from fencepost.steps.acts.act import Script, script_of
from fencepost.steps.acts.core import TABLE
from fencepost.steps.acts.random_script import drawn

CRASHING = TABLE.offered({"crash", "reload"})
UNTIMED = replace(CRASHING, acts=tuple(act for act in CRASHING.acts if "times out" not in act.name))
"""No timeout of theirs would pass while they wait for others."""


def falls(script: Script[Any]) -> tuple[str, ...]:
    return falls_in("core", [line.step for line, _ in script.lines])


class Counted(Trials):
    """Plays only the crashes of a script, and counts how often the broker is killed."""

    def __init__(self) -> None:
        super().__init__(UNTIMED, lambda *_: pytest.fail("no session is opened"))
        self.played: list[tuple[str, ...]] = []
        self.kills = Counter[SharedCrashes]()

    def sharing(self, title: str, crashes: SharedCrashes) -> Trials:  # noqa: ARG002 - no session is opened
        trials = self

        class Sharing(Trials):
            def put(self, script: Script[Any]) -> SequenceResult:
                for fall in falls(script):
                    crashes.together(fall, lambda: trials.kills.update([crashes]))
                trials.played.append(tuple(script.acts))
                return SequenceResult(tuple(script.acts))

        return Sharing(UNTIMED, self._open)


def test_sequences_that_share_a_crash_go_down_in_the_same_way() -> None:
    """Each is in one group, and the ways of a group's sequences begin alike; on a broker with other settings it is another group."""
    chance = random.Random(1)
    scripts = [drawn(UNTIMED, 8, chance.choice) for _ in range(200)]

    found = list(waves(Trials(CRASHING, lambda *_: pytest.fail("no session is opened")), scripts))

    assert sorted(id(one) for wave in found for one in wave) == sorted(map(id, scripts))
    assert len(found) < 50
    for wave in found:
        longest = max(map(falls, wave), key=len)
        assert all(falls(one) == longest[: len(falls(one))] for one in wave)


def test_a_sequence_that_a_crash_of_a_twin_disturbs_is_played_alone() -> None:
    """Others would notice the crash of its disturbance."""
    table = DisturbedTable.of(CRASHING, "kafka", {"crash", "reload", "wire-faults"}, None, ()).table
    some = [
        script_of(table, ["A writes to orders", f"the disturbance {name}", "A commits"]) for name in ("crash", "crash", "twice", "twice")
    ]

    found = list(waves(Trials(table, lambda *_: pytest.fail("no session is opened")), some))

    assert [len(wave) for wave in found] == [2, 1, 1]


def test_a_sequence_with_a_timeout_waits_for_no_other() -> None:
    """Its transaction would be over before its next act."""
    trials = Trials(CRASHING, lambda *_: pytest.fail("no session is opened"))
    timed, plain = (script_of(CRASHING, some) for some in (["C times out in orders after a crash"], ["A writes to orders", "a crash"]))

    assert [len(wave) for wave in waves(trials, [timed, plain, timed, plain])] == [2, 1, 1]


def test_one_kill_serves_all_that_share_it() -> None:
    """As many kills as the longest way of a group has, and the same sequences for the same seed."""
    one, other = Counted(), Counted()

    for trials in (one, other):
        assert sharing_crashes(trials, 60, 8, 3, 4, lambda _: True).count == 60

    assert sorted(one.played) == sorted(other.played)
    crashing = sum(len(falls(script_of(CRASHING, acts))) for acts in one.played)
    assert 0 < sum(one.kills.values()) < crashing / 2


def test_it_ends_with_its_time() -> None:
    """After the group that was being played."""
    progress = sharing_crashes(Counted(), 500, 6, 3, 4, lambda _: False)

    assert (progress.is_whole, progress.count <= shared_crash_search._MOST_SHARING) == (False, True)
