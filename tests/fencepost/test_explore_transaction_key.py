"""Exploration of the transaction key: silent on what conforms, and defects that are seen in their shortest sequences."""

import pytest
from exploring import always, conforming_on, found_on, shortest, trials

from fencepost.explore import search
from fencepost.reference.defects import Defect
from fencepost.steps.acts.transaction_key import TABLE


@pytest.mark.parametrize("protocol", ["pulsar", "pulsar-scalable"])
def test_the_reference_keeps_random_sequences(protocol: str) -> None:
    """With either kind of transactions."""
    progress = search.drawn(trials(TABLE, protocol), 20, 10, 1, always)

    assert (progress.finding, progress.count) == (None, 20)


@pytest.mark.parametrize("group", conforming_on("pulsar"), ids=lambda group: group[0].name)
def test_conforming_variants_are_silent(monkeypatch: pytest.MonkeyPatch, group: tuple[Defect, ...]) -> None:
    """Those that replace different parts are one broker."""
    assert found_on(group, TABLE, monkeypatch, 10, 4) is None


@pytest.mark.parametrize("protocol", ["pulsar", "pulsar-scalable"])
@pytest.mark.parametrize("fails", ["task two fails to connect", 'a deletion of key "payments" fails'])
def test_a_failure_is_met_by_the_next_write_alone(protocol: str, fails: str) -> None:
    """And not by that of another coordinator later."""
    later = ('task two connects with key "refunds"', 'task three connects with key "payments" of "alice"')

    tried = trials(TABLE, protocol).play((_FIRST, fails, *later))

    assert (tried.finding, tried.acts) == (None, (_FIRST, fails, *later))


_FIRST = 'task one connects with key "payments"'
_SECOND = 'task two connects with key "payments"'
FOUND = {
    "key-last-fenced-remembered": ("TXKEY-07", (_FIRST, "task one goes on with earlier ones")),
    "key-only-messages-refused": ("TXKEY-09", (_FIRST, "task one is fenced by task two, goes on and commits")),
    "key-abort-hits-the-successor": ("TXKEY-11", (_FIRST, "task one is fenced by task two, goes on and aborts")),
    "key-open-forgotten-by-restart": ("TXKEY-21", (_FIRST, "task one begins", "a crash", _SECOND)),
    "key-fenced-compacted-away": (
        "TXKEY-07",
        (_FIRST, "task one begins", "task one writes", _SECOND, "the key topic is compacted", "a crash", "task one writes late"),
    ),
}
"""Defects, the shortest sequence that shows each, and the requirement that is named."""


@pytest.mark.parametrize("name", FOUND)
def test_a_defect_is_seen_in_its_shortest_sequence(name: str) -> None:
    """Under the requirement that is broken, or one that the same sight violates, and with no act that it could do without."""
    requirement, acts = FOUND[name]

    assert shortest(trials(TABLE, "pulsar", name), acts) == (requirement, acts, acts)
