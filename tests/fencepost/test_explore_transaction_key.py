"""Exploration of the transaction key: silent on what conforms, and defects that are seen in their shortest sequences."""

import pytest
from exploring import always, conforming_on, found_on, shortest, trials

from fencepost.explore import search
from fencepost.reference.defects import Defect
from fencepost.steps.acts import transaction_key_episodes
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


@pytest.mark.parametrize("protocol", ["pulsar", "pulsar-scalable"])
def test_the_next_owner_of_a_deleted_key_fences_no_transaction_of_another_key(protocol: str) -> None:
    """The previous owner of the deleted key has a transaction under another key."""
    deleted, connects = 'key "payments" is deleted', 'task one connects with key "refunds"'
    acts = (_FIRST, deleted, connects, "task one begins", "a crash", _SECOND, 'a look at key "refunds"')

    tried = trials(TABLE, protocol).play(acts)

    assert (tried.finding, tried.acts) == (None, acts)


def test_a_key_is_deleted_when_its_coordinator_has_loaded() -> None:
    """After a crash another coordinator may have loaded first; the names of sessions decide which has the key."""
    before = ('task one connects with key "refunds"', _SECOND, "task three connects, and a crash comes")
    played = trials(TABLE, "pulsar-scalable")

    assert {played.play((*before, 'key "refunds" is deleted')).finding for _ in range(8)} == {None}


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


@pytest.mark.parametrize("protocol", ["pulsar", "pulsar-scalable"])
def test_the_reference_keeps_each_episode(protocol: str) -> None:
    """By itself, as far as it is offered."""
    played = trials(TABLE, protocol)
    names = [one.name for one in transaction_key_episodes.acts() if one.name in played.table.by_name]
    tried = {name: played.play((name,)) for name in names}

    assert {name: one.finding for name, one in tried.items() if one.finding or one.unanswered} == {}
    assert len(names) > 100


def test_no_topic_has_to_be_near_a_coordinator_after_a_crash() -> None:
    """All new topics may be at other brokers."""
    near = next(one.name for one in transaction_key_episodes.acts() if "next to the coordinator" in one.name)
    acts = (_FIRST, "task two connects, and a crash comes", near)

    assert trials(TABLE, "pulsar-scalable").play(acts).acts == acts[:-1]


SEEN = {
    "key-alternates": ("TXKEY-26", "task mate connects again"),
    "key-producers-stay": ("TXKEY-04", "task mate opens producer P of desk"),
    "key-several-keys-on-a-connection": ("TXKEY-15", 'on its old connection; task heir connects with key "vault"'),
    "key-unreadable-is-silent": ("TXKEY-22", "the key topic has half a record"),
}
"""Defects, the requirement that is named, and what the names of the episodes have that show them."""


@pytest.mark.parametrize("name", SEEN)
def test_an_episode_shows_a_defect(name: str) -> None:
    """Under the requirement that is broken; where two coordinators have the keys, only some of them do."""
    requirement, part = SEEN[name]
    broken = trials(TABLE, "pulsar", name)

    found = (broken.play((one.name,)).finding for one in transaction_key_episodes.acts() if part in one.name)
    assert requirement in {finding.requirement for finding in found if finding is not None}


def test_owners_whose_names_differ_by_an_ampersand_have_different_keys() -> None:
    """An act of one of them shows it, whichever connects first."""
    acts = ('task one connects with key "payments" of "alice"', 'two connect with key "c" of "a&", and it is deleted')
    more = ('two connect with key "c" of "a", and it is deleted',)

    finding = trials(TABLE, "pulsar", "key-owners-trimmed").play((*acts, *more)).finding

    assert finding is not None
    assert finding.requirement in {"TXKEY-16", "TXKEY-18"}
