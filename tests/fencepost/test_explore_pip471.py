"""Exploration of PIP-471: silent on what conforms, and defects that are seen in their shortest sequences."""

import random

import pytest
from exploring import always, conforming_on, found_on, shortest, trials

from fencepost.explore import search
from fencepost.reference.defects import Defect
from fencepost.steps.acts.pip471 import TABLE
from fencepost.steps.acts.random_script import drawn


def test_each_line_is_about_a_requirement_of_the_proposal() -> None:
    """Also those that say what clients of PIP-31 do; but for consumers that are assigned segments, which is PIP-460's."""
    lines = [line for seed in range(40) for line, _ in drawn(TABLE, 10, random.Random(seed).choice).lines]

    assert {line.requirement for line in lines if not line.requirement.startswith("PIP471-")} <= {"PIP460-45"}
    assert len({line.requirement for line in lines}) > 30


def test_the_reference_keeps_random_sequences() -> None:
    """With splits, merges, faults of the store, crashes and retentions in between."""
    progress = search.drawn(trials(TABLE, "pulsar-scalable"), 25, 10, 1, always)

    assert (progress.finding, progress.count) == (None, 25)


def test_the_reference_keeps_each_act() -> None:
    """By itself, with what the end of every sequence looks at."""
    progress = search.exhaustive(trials(TABLE, "pulsar-scalable"), 1, always)

    assert (progress.finding, progress.is_whole) == (None, True)
    assert progress.count > 100


def test_an_end_without_an_answer_leaves_no_answers_to_agree_with() -> None:
    """Also where two ends of another transaction raced before: their outcome does not show that of the end that a crash interrupted."""
    acts = (
        "A writes to both keys of states",
        "A commits and aborts at once",
        "B writes a batch to orders",
        "B aborts, and a crash comes after-header-cas",
    )

    tried = trials(TABLE, "pulsar-scalable").play(acts)

    assert (tried.finding, tried.acts) == (None, acts)


@pytest.mark.parametrize("group", conforming_on("pulsar-scalable"), ids=lambda group: group[0].name)
def test_conforming_variants_are_silent(monkeypatch: pytest.MonkeyPatch, group: tuple[Defect, ...]) -> None:
    """Those that replace different parts are one broker."""
    assert found_on(group, TABLE, monkeypatch, 4, 4) is None


_UNANSWERED = "A commits, and the store does not answer the next change of a header, and does not write it"
FOUND: dict[str, tuple[str, tuple[str, ...]]] = {
    "metadata-every-end-is-a-commit": ("PIP471-23", ("A writes to orders", "A aborts")),
    "metadata-children-show-at-once": ("PIP471-52", ("left is split", "A writes to low", "a look at low")),
    "metadata-sealed-hides-committed": ("PIP471-49", ("A writes to left", "left is split")),
    "metadata-ends-in-first-parent": ("PIP471-51", ("A writes to right", "left and right are merged")),
    "metadata-aborts-in-first-parent": ("PIP471-51", ("A writes to right", "left and right are merged", "A aborts")),
    "metadata-nothing-added-behind-the-end": ("PIP471-45", ("A commits", "A adds orders late")),
    "metadata-repeated-end-refused": ("PIP471-05", ("A commits", "A commits again")),
    "metadata-any-end-is-good": ("PIP471-02", ("A commits", "A aborts again")),
    "metadata-late-messages-taken": ("PIP471-15", ("A writes to orders", "A commits", "A writes to orders late")),
    "metadata-aborted-known-by-memory": ("PIP471-23", ("A writes to orders", "A aborts", "orders is unloaded")),
    "metadata-recovered-without-positions": ("PIP471-29", ("A acknowledges i1 for workers", "inputs is unloaded")),
    "metadata-open-without-position": ("PIP471-60", ("A writes to orders", "orders is unloaded", "a look at orders")),
    "metadata-header-not-kept": ("PIP471-37", ("A writes to orders", "A commits, and its header is kept")),
    "metadata-time-out-cut": ("PIP471-01", ("A begins", "the header of A")),
    "metadata-deadline-stays-in-the-index": ("PIP471-41", ("A commits", "the deadline of A")),
    "metadata-kept-by-coordinator": ("PIP471-12", ("A writes to orders", "the partition of A")),
    "metadata-records-of-acknowledgements-stay": ("PIP471-36", ("A acknowledges i1 for workers", "A commits", "what is left of A")),
    "metadata-silence-taken-for-done": (
        "PIP471-05",
        ("A writes to orders", _UNANSWERED),
    ),
    "metadata-failed-record-is-only-logged": ("PIP471-13", ("A writes to orders, which the store refuses and does not write it",)),
    "metadata-stray-holds-up-for-ever": ("PIP471-57", ("A writes to a classic topic",)),
    "metadata-one-coordinator-for-both-kinds": ("PIP471-56", ("a classic transaction commits",)),
    "metadata-time-out-is-a-moment": ("PIP471-43", ("S times out",)),
    "metadata-end-writes-a-marker": ("PIP471-14", ("one message commits between two",)),
    "metadata-unknown-means-aborted": ("PIP471-27", ("A writes to orders", "A commits", "the retention of A")),
    "metadata-end-makes-a-transaction": ("PIP471-06", ("an unknown transaction commits",)),
    "metadata-coordinator-knows-its-own": ("PIP471-47", ("A writes to orders", "the first coordinator moves to another broker")),
}
"""Defects, the shortest sequence that shows each, and the requirement that is named."""


@pytest.mark.parametrize("name", FOUND)
def test_a_defect_is_seen_in_its_shortest_sequence(name: str) -> None:
    """Under the requirement that is broken, or one that the same sight violates, and with no act that it could do without."""
    requirement, acts = FOUND[name]

    assert shortest(trials(TABLE, "pulsar-scalable", name), acts) == (requirement, acts, acts)


BY_EPISODES = {
    "metadata-all-segments-held-up": "20",
    "metadata-commit-gives-back-on-sealed": "53",
    "metadata-cumulative-abort-forgets-what-is-deleted": "29",
    "metadata-end-of-sealed-waits-for-the-mark": "53",
    "metadata-end-told-before-the-pending": "53",
    "metadata-header-written-over-any-version": "03",
    "metadata-id-without-a-header": "01",
    "metadata-list-of-messages-is-full": "11",
    "metadata-lost-event-blocks": "62",
    "metadata-noted-is-taken-for-done": "36",
    "metadata-one-position-recovered": "30",
    "metadata-only-what-is-shown-acknowledged": "30",
    "metadata-plain-index-has-one-record": "66",
    "metadata-plain-sequence-without-a-counter": "66",
    "metadata-records-of-the-deleted-left": "38",
    "metadata-records-that-begin-alike": "36",
    "metadata-sealed-holds-up-children": "52",
    "metadata-sealed-is-decided": "52",
}
"""Defects, and the requirement of the episode that shows each."""


@pytest.mark.parametrize("name", BY_EPISODES)
def test_a_defect_is_seen_in_an_episode(name: str) -> None:
    """In one that is about a requirement that it breaks, under that requirement, and by itself."""
    broken, row = trials(TABLE, "pulsar-scalable", name), BY_EPISODES[name]
    episodes = [act.name for act in TABLE.acts if act.name.endswith(f"({row})")]

    found = [finding for one in episodes if (finding := broken.find([one])) is not None]

    assert f"PIP471-{row}" in {one.requirement for one in found}
