"""Exploration of KIP-890: silent on what conforms, and what its acts show."""

import random

import pytest
from exploring import always, conforming_on, found_on, shortest, trials

from fencepost.explore import search
from fencepost.reference.defects import Defect
from fencepost.steps.acts.act import Script, script_of
from fencepost.steps.acts.kip890 import TABLE
from fencepost.steps.acts.kip890_model import Kip890Clients
from fencepost.steps.acts.random_script import drawn

FOUND = {
    "first-timeout-kept": ("KIP890-029", ("A initialises again with a longer timeout",)),
    "begun-in-memory": ("KIP890-462", ("A writes to payments-0, and an append fails",)),
    "announcement-forgotten": ("KIP890-030", ("A adds payments-0", "a look at the transaction of A")),
    "written-but-not-added": ("KIP890-060", ("A writes to payments-0",)),
    "empty-commit-succeeds": ("KIP890-069", ("A commits nothing",)),
    "empty-id-looked-up": ("KIP890-075", ("A commits with an empty transactional id",)),
    "hanging-after-takeover": ("KIP890-023", ('A has sent an offset of payments-0 to "shop"', "A has initialised again")),
    "commit-takes-offset-back": (
        "KIP890-053",
        ('A has sent an offset of payments-0 to "shop"', 'an offset of payments-0 is committed to "shop"'),
    ),
    "gap-of-an-idempotent-producer-taken": (
        "KIP890-113",
        (
            'a topic "kept" with 1 partition; idempotent producer I; I has written 5 batches to kept-0; '
            'I writes "gap" to kept-0 at sequence 6 (113)',
        ),
    ),
    "largest-of-a-transaction": (
        "KIP890-053",
        (
            'a topic "kept" with 1 partition; producer E with transactional id "east"; E has sent offset 5 of kept-0 to group "fund"; '
            'E has sent offset 3 of kept-0 to group "fund"; E commits (053)',
        ),
    ),
    "one-overtaken-offset-drops-all": (
        "KIP890-053",
        (
            'a topic "kept" with 2 partitions; producers E and F with transactional ids "east" and "west"; '
            'E has sent offset 5 of kept-0 to group "fund"; E has sent offset 5 of kept-1 to group "fund"; '
            'offset 7 of kept-0 has been committed to group "fund" outside of transactions; E commits (053)',
        ),
    ),
    "duration-ignored": ("KIP890-151", ("A has written to payments-0", "old transactions are listed, without A")),
    "one-bad-offset-spoils-all": ("KIP890-056", ("A sends an offset of a partition that there is not",)),
    "only-the-first-is-added": ("KIP890-140", ("A has written to two partitions",)),
    "operator-marker-refused": ("KIP890-131", ("A writes to payments-0", "an operator's ABORT marker for A reaches payments-0")),
    "repeated-batch-refused": ("KIP890-112", ("A writes to payments-0", "A repeats its newest batch in payments-0")),
    "any-sequence-taken": ("KIP890-113", ("A writes to payments-0", "A leaves a gap in payments-0")),
    "new-epoch-begins-anywhere": (
        "KIP890-110",
        ("A writes to payments-0", "A has committed", "A begins its epoch in payments-0 at sequence 1"),
    ),
    "level-put-back-by-restart": ("KIP890-220", ("transaction.version is set to 0 and 1, and a crash",)),
    "ids-kept-for-ever": (
        "KIP890-165",
        ('producer E with transactional id "east"; E stays idle until its transactional id expires (165)',),
    ),
    "producers-of-the-former-topic": (
        "KIP890-231",
        (
            'a topic "waste" with 1 partition; producer E with transactional id "east"; E has written "{u}" to waste-0; '
            'E has committed; topic "waste" is deleted and made again (231)',
        ),
    ),
    "added-without-a-right-to-the-topic": (
        "KIP890-176",
        ('the user of U may no longer write to payments; U writes "{u}" to payments-0 (176)',),
    ),
}
"""Defects, a short sequence that shows each, and the requirement that is named."""


@pytest.mark.parametrize("profile", ["seed", "kafka-4.0", "kafka-4.3"])
def test_the_reference_is_silent(profile: str) -> None:
    """As the text has it, and as releases are, but for what is known of these."""
    assert search.drawn(trials(TABLE, "kafka", profile=profile), 20, 10, 1, always).finding is None


@pytest.mark.parametrize("group", conforming_on("kafka"), ids=lambda group: group[0].name)
def test_conforming_variants_are_silent(monkeypatch: pytest.MonkeyPatch, group: tuple[Defect, ...]) -> None:
    """A judge that speaks of one of these would speak of a conforming broker."""
    assert found_on(group, TABLE, monkeypatch, 8, 6) is None


@pytest.mark.parametrize("name", FOUND)
def test_a_defect_is_seen(name: str) -> None:
    """Under a requirement that is broken, and with no act that it could do without."""
    requirement, acts = FOUND[name]

    assert shortest(trials(TABLE, "kafka", name), acts) == (requirement, acts, acts)


def test_an_operation_that_is_not_offered_is_no_finding() -> None:
    """A feature that a release does not have is no finding; how such a sequence would have gone on is not known."""
    tried = trials(TABLE, "kafka", profile="kafka-4.0").play(["transactions are listed by a pattern, A among them or not"])

    assert (tried.finding, tried.known) == (None, None)
    assert tried.unanswered is not None


def test_a_refused_end_is_not_polled_until_it_is_over() -> None:
    """It ends nothing, so the polls would go on for as long as patience lasts, and T's transaction would time out."""
    polled = ("A has written to payments-0", "A commits, while every partition is polled", "the ends of payments-0 are looked up")
    polled = (*polled, "T has written to payments-0")
    played = trials(TABLE, "kafka")
    refused = next(name for name in played.table.by_name if "E commits with its previous epoch (087)" in name and "EndTxn v4" in name)

    tried = played.play([*polled, refused])

    assert tried.acts == (*polled, refused)
    assert tried.finding is None


def test_what_is_refused_as_a_whole_is_not_split() -> None:
    """The separate request for the partition that there is would begin a transaction."""
    table = trials(TABLE, "kafka").table
    refused = [act for act in table.acts if "E has tried to add kept-0 and kept-9" in act.name]

    assert refused
    for act in refused:
        assert script_of(table, ["the disturbance split", act.name]).acts == ["the disturbance split"]
        assert script_of(table, ["the disturbance reordered", act.name]).acts == ["the disturbance reordered", act.name]


def test_a_sequence_keeps_to_what_one_broker_offers() -> None:
    """A broker with users and their rights is none that crashes, so an act of the one keeps those of the other away."""
    table = trials(TABLE, "kafka").table
    crash, rights = "a crash", 'a user who may write to "payments" initialises without a transactional id (379)'

    for first, second in ((crash, rights), (rights, crash)):
        script = script_of(table, [first])
        assert second not in {act.name for act in script.possible()}
    assert table.are_offered_at_once(frozenset({"crash", "two-nodes", "wire-faults"}))
    assert not table.are_offered_at_once(frozenset({"crash", "authorizer"}))


def test_what_is_compared_with_an_early_snapshot_is_left_out() -> None:
    """An end in flight was requested after the snapshot, so a change since then is expected."""
    script: Script[Kip890Clients] = Script(TABLE)
    for name in ("A writes to payments-0", "A has been asked to commit", "A commits nothing"):
        script.add(TABLE.by_name[name])
    said = [line.text for line, act in script.lines if act == "A commits nothing"]

    assert not any("unchanged" in text for text in said)
    assert any("unchanged" in line.text for line, _ in script_of(TABLE, ["A commits nothing"]).lines)


@pytest.mark.parametrize(
    ("profile", "acts", "requirement"),
    [
        ("kafka-4.0", ("L adds payments-0", "L has initialised again"), "KIP890-276"),
        ("kafka-4.3", ("a crash", "L initialises as before"), "KIP890-017"),
        ("kafka-4.3", ("A has initialised again", "a crash", "A initialises as before"), "KIP890-164"),
    ],
)
def test_what_a_release_does_at_its_last_epoch_is_known_of_it(profile: str, acts: tuple[str, ...], requirement: str) -> None:
    """It breaks the requirement that says what is due there, after a crash as well; the reference does not."""
    tried = trials(TABLE, "kafka", profile=profile).play(acts)

    assert tried.finding is None
    assert tried.known is not None
    assert tried.known.requirement == requirement
    assert trials(TABLE, "kafka").play(acts).acts == acts


def test_no_two_acts_have_one_name() -> None:
    """A finding is played again by the names of its acts."""
    assert len(TABLE.by_name) == len(TABLE.acts) + len(TABLE.disturbances)


def test_each_episode_has_its_own_things() -> None:
    """So a sequence may have several of them, and the same one twice."""
    [name] = [act.name for act in TABLE.acts if act.name.endswith('E commits "{u}" to kept-0 (089)') and "has aborted" in act.name]
    topics = [line.text for line, _ in script_of(TABLE, [name, name]).lines if line.text.startswith('a topic "kept')]

    assert topics == ['a topic "kept" with 2 partitions', 'a topic "keptb" with 2 partitions']


def test_few_acts_never_come() -> None:
    """What an act needs is begun when it was chosen and is not possible yet."""
    chance = random.Random(3)
    table = trials(TABLE, "kafka").table
    came = {name for _ in range(1_000) for name in drawn(table, 10, chance.choice).acts}

    assert set(table.begins) <= set(table.by_name)
    assert len(came) > 0.8 * len(table.acts)


def test_one_producer_is_at_the_last_usable_epoch() -> None:
    """A session has one that is brought near it."""
    [name] = [
        act.name for act in TABLE.acts if act.name.startswith("producer E at the last usable epoch; E has initialised again; E has tried")
    ]

    for first, second in ((name, "L writes to payments-0"), ("L writes to payments-0", name)):
        assert script_of(TABLE, [first, second]).acts == [first]


def test_an_unused_transactional_id_is_unused_once() -> None:
    """It has an owner when a client has initialised with it."""
    played = trials(TABLE, "kafka")
    [name] = [act.name for act in played.table.acts if act.name.endswith("an unused transactional id (014)")]

    assert played.play([name, name]).acts == (name,)


def test_a_client_of_another_protocol_uses_its_own_versions() -> None:
    """A version that was named for the former protocol would begin a transaction by itself, which nothing ends."""
    acts = ("A writes a value to payments-0 by Produce v9", "A changes its protocol", "A commits and writes to payments-1 at once")
    tried = trials(TABLE, "kafka").play(acts)

    assert (tried.acts, tried.finding, tried.unanswered) == (acts, None, None)
