"""Exploration of PIP-460: silent on what conforms, and defects that are seen in their shortest sequences."""

import random

import pytest
from exploring import always, conforming_on, found_on, shortest, trials

from fencepost.explore import search
from fencepost.reference.defects import Defect
from fencepost.steps.acts.pip460 import TABLE
from fencepost.steps.acts.random_script import drawn

_SYSTEM = "pulsar-scalable"


def test_each_line_is_about_a_requirement_of_the_proposal() -> None:
    """A violation names one of them, and most of them are asked."""
    lines = [line for seed in range(250) for line, _ in drawn(TABLE, 10, random.Random(seed).choice).lines]

    assert {line.requirement for line in lines if not line.requirement.startswith("PIP460-")} == set()
    assert len({line.requirement for line in lines}) > 45


def test_the_reference_keeps_random_sequences() -> None:
    """With changes, readers, watches, crashes and faults of the store in between."""
    progress = search.drawn(trials(TABLE, _SYSTEM), 40, 10, 1, always)

    assert (progress.finding, progress.broke_off, progress.count) == (None, None, 40)


def test_the_reference_keeps_each_act() -> None:
    """By itself, with what the end of every sequence looks at."""
    progress = search.exhaustive(trials(TABLE, _SYSTEM), 1, always)

    assert (progress.finding, progress.is_whole) == (None, True)
    assert progress.count > 150


def test_a_watch_notices_a_topic_that_was_created_again_despite_late_events() -> None:
    """Its former epoch may be greater than any of the new topic."""
    acts = ("left is split, of which an event is late", "V watches", "the topic is deleted and created again")
    played = trials(TABLE, _SYSTEM).play(acts)

    assert (played.acts, played.finding, played.unanswered) == (acts, None, None)


def test_it_is_unknown_where_a_missing_subscription_begins_in_a_reloaded_segment() -> None:
    """The segment may learn of the end of a transaction when it is used, after the subscription has begun."""
    acts = ("A writes to right", "right is split", "a crash", "keepers are registered")

    assert trials(TABLE, _SYSTEM).find(acts) is None


def test_a_sealed_segment_may_go_when_its_last_transaction_ends() -> None:
    """After its retention, where no subscription needs it."""
    acts = ("A writes to right", "right is split", "a crash", "the retention passes", "keepers are registered", "left is split")

    assert trials(TABLE, _SYSTEM).find(acts) is None


_CUT_SHORT = (
    'the deduplicated scalable topic "payments" of segments "a" and "b"; shop has sent "h1" to a as number 1; '
    'a split of a has been cut short after-layout; one and two came of a; shop sends "h1" to one as number 1 (50)'
)
SILENT = {
    "a consumed segment goes though its retention had passed before": (
        *("bob joins", "a write by key m", "left is split", "the controller crashes", "the retention passes"),
        *("ann joins", "ann reads everything"),
    ),
    "consumers are away after a change that was cut short": ("bob joins", _CUT_SHORT, "ann joins"),
}


@pytest.mark.parametrize("acts", SILENT.values(), ids=list(SILENT))
def test_the_reference_keeps_a_sequence_that_exploration_had_found(acts: tuple[str, ...]) -> None:
    """The model had not known what the first of them leave."""
    played = trials(TABLE, _SYSTEM).play(acts)

    assert (played.finding, played.unanswered, played.acts) == (None, None, acts)


def test_a_conforming_broker_that_leaves_layouts_out_reports_the_newest_to_each_of_three_watches() -> None:
    """The producer by keys has one too."""
    acts = ("a write by key a", "V watches", "W watches", "left is split")
    played = trials(TABLE, _SYSTEM, "scalable-newest-layout-only").play(acts)

    assert (played.finding, played.acts) == (None, acts)


def test_segments_may_stay_assigned_when_they_are_consumed() -> None:
    """Then the active ones are not assigned in turn."""
    acts = ("ann joins", "right is split", "bob joins")
    played = trials(TABLE, _SYSTEM, "scalable-drained-stay-assigned").play(acts)

    assert (played.finding, played.acts) == (None, acts)


def test_no_message_is_written_by_key_when_a_disturbance_has_ended_connections() -> None:
    """The producer learns of no change then."""
    acts = ("a write by key a", "the disturbance clean-stop", "left is split", "a write by key a")
    played = trials(TABLE, _SYSTEM).play(acts)

    assert (played.finding, played.acts) == (None, acts[:-1])


@pytest.mark.parametrize("group", conforming_on(_SYSTEM), ids=lambda group: group[0].name)
def test_conforming_variants_are_silent(monkeypatch: pytest.MonkeyPatch, group: tuple[Defect, ...]) -> None:
    """Those that replace different parts are one broker."""
    assert found_on(group, TABLE, monkeypatch, 6, 4) is None


_THIRD = (
    'the scalable topic "payments" of segments "a", "b", "c" and "d"; gil has joined "clerks" of payments; '
    'hal has joined "clerks" of payments; kim joins "clerks" of payments (35)'
)
FOUND: dict[str, tuple[str, tuple[str, ...]]] = {
    "scalable-split-at-the-first-hash": ("PIP460-03", ("left is split",)),
    "scalable-deletion-not-told": ("PIP460-28", ("left is split", "V watches", "the topic is deleted and created again")),
    "scalable-no-news": ("PIP460-28", ("V watches", "right is split")),
    "scalable-active-outlive-their-topic": ("PIP460-15", ("a write to left", "the topic is deleted and created again")),
    "scalable-sealed-not-assigned": ("PIP460-44", ("left is split", "a checkpoint consumer registers")),
    "scalable-conflict-taken-for-success": (
        "PIP460-41",
        ("a split of right when the layout of orders meets another version at its next change",),
    ),
    "scalable-retention-is-a-time": ("PIP460-04", ("A writes to right", "right is split", "the retention passes")),
    "scalable-child-is-split-instead": ("PIP460-20", ("a split of left and a split of left at once",)),
    "scalable-every-change-undone": ("PIP460-51", ("a split of left ends after-terminate",)),
    "scalable-child-of-the-sealed-merged": (
        "PIP460-11",
        ("left is split", "low is split", "a merge of low and high, of which one is sealed"),
    ),
    "scalable-registered-only": ("PIP460-17", ("pickers subscribe to left", "left is split", "a look at what pickers have in low")),
    "scalable-assigned-in-blocks": ("PIP460-35", (_THIRD,)),
    "scalable-close-is-not-heard": ("PIP460-32", ("V watches", "V watches once more, and closes that watch", "left is split")),
}
"""Defects, the shortest sequence that shows each, and the requirement that is named."""


@pytest.mark.parametrize("name", FOUND)
def test_a_defect_is_seen_in_its_shortest_sequence(name: str) -> None:
    """Under the requirement that is broken, or one that the same sight violates, and with no act that it could do without."""
    requirement, acts = FOUND[name]

    assert shortest(trials(TABLE, _SYSTEM, name), acts) == (requirement, acts, acts)
