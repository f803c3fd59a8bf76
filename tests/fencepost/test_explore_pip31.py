"""Exploration of PIP-31: silent on what conforms, and defects that are seen in their shortest sequences."""

import pytest
from exploring import always, conforming_on, found_on, shortest, trials

from fencepost.explore import search
from fencepost.reference.defects import Defect
from fencepost.steps.acts.pip31 import TABLE


@pytest.mark.parametrize("profile", [None, "pulsar-4.0", "pulsar-5.0"])
def test_the_reference_keeps_random_sequences(profile: str | None) -> None:
    """With either transaction buffer, and as the proposal or a release has it."""
    progress = search.drawn(trials(TABLE, "pulsar", profile=profile), 20, 10, 1, always)

    assert (progress.finding, progress.count) == (None, 20)


def test_the_reference_keeps_each_act() -> None:
    """By itself, with what the end of every sequence looks at."""
    progress = search.exhaustive(trials(TABLE, "pulsar"), 1, always)

    assert (progress.finding, progress.is_whole) == (None, True)
    assert progress.count > 80


def test_batches_of_one_transaction_may_have_the_same_ids() -> None:
    """An id is the place of the commit and the place in the batch, so the payload distinguishes two that are delivered again."""
    batches = ("watchers join orders", "P sends a batch to orders in B", "B writes a batch to orders")

    assert trials(TABLE, "pulsar").find(batches) is None


@pytest.mark.parametrize("group", conforming_on("pulsar"), ids=lambda group: group[0].name)
def test_conforming_variants_are_silent(monkeypatch: pytest.MonkeyPatch, group: tuple[Defect, ...]) -> None:
    """Those that change different functions are one broker."""
    assert found_on(group, TABLE, monkeypatch, 10, 4) is None


FOUND = {
    "pending-conflict-unseen": ("PIP31-55", ("A acknowledges i1 for workers", "B acknowledges i1 for workers")),
    "pending-is-given-out": ("PIP31-54", ("A acknowledges i1 for workers", "redelivery for workers")),
    "pending-spends-permits": (
        "PIP31-54",
        ("A acknowledges i1 and i2 for workers", "another consumer takes over workers with few permits"),
    ),
    "asking-ends-pending": ("PIP31-62", ("A acknowledges i1 for workers", "redelivery of i1 for workers")),
    "plain-beside-pending-dropped": ("PIP31-57", ("A acknowledges b1 for workers", "b2 is acknowledged for workers plainly")),
    "any-end-forgets-the-cumulative": (
        "PIP31-85",
        (
            "A acknowledges everything up to i1 for auditors",
            "B tries i2 beside a cumulative one for auditors",
            "B commits",
            "a crash",
        ),
    ),
    "seek-drops-the-pending": ("PIP31-95", ("A acknowledges i1 for workers", "workers go back to i1")),
    "removed-subscription-leaves-the-pending": (
        "PIP31-96",
        ("A acknowledges i1 for workers", "workers are removed", "another consumer takes over workers"),
    ),
    "end-takes-what-it-once-had": (
        "PIP31-153",
        (
            "A acknowledges i1 for workers",
            "A aborts",
            "B acknowledges i1 for workers",
            "the coordinator reports the end of A to workers again",
        ),
    ),
    "compaction-counts-the-aborted": ("PIP31-97", ("a plain write to states", "A writes to states", "states is compacted")),
    "repeated-is-stored-after-loading": (
        "PIP31-48",
        ("P sends one to payments in A", "payments is unloaded", "P sends its last again"),
    ),
    "transaction-is-the-producer": ("PIP31-01", ("P sends one to payments in A", "Q sends one to payments in A")),
    "attached-are-given-the-open": ("PIP31-80", ("watchers join orders", "A writes to orders")),
    "ends-wake-nobody": ("PIP31-80", ("watchers join orders", "A writes to orders")),
    "two-are-active": ("PIP31-136", ("two consumers, of which one is active",)),
    "end-is-told-too-soon": ("PIP31-139", ("a plain write to orders", "a plain write to orders", "orders is terminated")),
    "pulsar-both-ends-win": ("PIP31-74", ("A writes to orders", "A commits and aborts at once")),
    "pulsar-order-of-ids": (
        "PIP31-53",
        ("A writes to orders", "B writes to orders", "B commits, and then A"),
    ),
    "pulsar-last-topic-only": ("PIP31-01", ("A writes to orders", "A writes to payments")),
    "pulsar-timeout-forgotten-by-crash": ("PIP31-43", ("M times out after a crash",)),
    "cursor-saves-entries": (
        "PIP31-140",
        ("followers join orders", "everything up to first is acknowledged for followers plainly", "a crash"),
    ),
}
"""Defects, the shortest sequence that shows each, and the requirement that is named."""


@pytest.mark.parametrize("name", FOUND)
def test_a_defect_is_seen_in_its_shortest_sequence(name: str) -> None:
    """Under the requirement that is broken, or one that the same sight violates, and with no act that it could do without."""
    requirement, acts = FOUND[name]

    assert shortest(trials(TABLE, "pulsar", name), acts) == (requirement, acts, acts)


@pytest.mark.parametrize(
    "acts",
    [
        ("followers join orders", "P sends a batch to orders in A", "another consumer takes over followers and is looked at"),
        ("a plain write to orders", "a look at orders", "followers join orders"),
    ],
)
def test_what_exploration_found_in_the_kit_stays_mended(acts: tuple[str, ...]) -> None:
    """A message of a named producer is undecided like any other; and a consumer that subscribes after a look skips what the look has
    written.
    """
    tried = trials(TABLE, "pulsar", profile="pulsar-5.0").play(acts)

    assert (tried.acts, tried.finding) == (acts, None)
