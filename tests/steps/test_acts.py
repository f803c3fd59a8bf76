"""Tables of acts: their lines are sentences of the vocabulary, and which act is possible follows from what clients know."""

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations, product
from typing import Any

import pytest

from fencepost.contract.errors import WrongUsage
from fencepost.contract.evidence import Violation
from fencepost.contract.register import bundled
from fencepost.steps import vocabularies
from fencepost.steps.acts.act import Act, ActLine, Phase, Script, Table, kinds_of, script_of, sequences
from fencepost.steps.acts.core import TABLE as CORE
from fencepost.steps.acts.random_script import drawn
from fencepost.steps.acts.tables import TABLES, table_of

_FEW = 150
_RARE = {
    "pip460": (
        ("right is split", "a write to third", "a client opens a producer of third at another broker"),
        ("right is split", "a write to third", "a client subscribes to third at another broker"),
        *(
            ("left is split", "a write to {segment}", "pickers subscribe to {segment}", act)
            for act in (
                "another clerk subscribes to {segment}",
                "pickers acknowledge the first of {segment}",
                "pickers acknowledge the last of {segment}",
                "pickers ask for the first of {segment} again",
            )
        ),
        ("{x} writes to right", "right is split", "the end of right behind {x}"),
        ("left is split", "{x} writes to {segment}", "low and high are merged", "the end of {segment} behind {x}"),
        ("ann joins", "bob joins", "a write to left", "ann and bob read everything"),
        ("left is split", "a write to low", "low and high are merged", "the producer of low goes on at whole"),
        ("a write to right", "pickers subscribe to right", "pickers acknowledge the first of right"),
        ("pickers subscribe to left", "left is split", "low and high are merged", "whole is split", "a look at what pickers have in lower"),
        ("pickers subscribe to left", "left is split", "low and high are merged", "whole is split", "a look at what pickers have in upper"),
    ),
    "pip471": (
        ("left and right are merged", "{x} writes to whole", "{x} commits", "{x} writes to whole late"),
        ("left is split", "low and high are merged", "{x} writes to again", "{x} aborts", "{x} writes to again late"),
        ("left is split", "{x} writes to {segment}", "low and high are merged", "{x} writes to {segment}, which is sealed"),
        ("{x} writes to right", "right is split", "{x} writes to right, which is sealed"),
        ("left is split", "{x} writes to {segment}", "{x} aborts", "{x} writes to {segment} late"),
        (
            "drainers join left",
            "A acknowledges first for drainers",
            "A commits, and a crash comes during its collection",
            "left is split",
            "another consumer takes over drainers and is looked at",
            "drainers hear the end of left",
        ),
        (
            "keepers join left",
            "A acknowledges everything up to first for keepers",
            "A commits before another",
            "left is split",
            "keepers hear the end of left",
        ),
    ),
}
"""Sequences that are hardly drawn, of `x` and a `segment`."""


def scripts(table: Table[Any]) -> Iterator[Script[Any]]:
    """Every act, or every sequence of two where they are few, and some long ones."""
    yield from (script_of(table, acts) for acts in sequences(table, 2 if len(table.acts) < _FEW else 1))
    chance = random.Random(5)
    yield from (drawn(table, 12, chance.choice) for _ in range(150))


@pytest.mark.parametrize("spec", TABLES)
def test_every_line_is_a_sentence_of_a_tested_requirement(spec: str) -> None:
    """So that a finding is a scenario in the closed vocabulary, whatever the sequence; likewise each When that is used as a Given."""
    rows, said = bundled(), set()
    for script in scripts(TABLES[spec]):
        said |= {line for line, _ in script.lines}

    assert {line for line in said if vocabularies.sentence_of(spec, line.kind, line.text) is None} == set()
    assert {line for line in said if line.given and vocabularies.sentence_of(spec, "Given", line.given) is None} == set()
    assert {line.requirement for line in said if not rows[line.requirement].is_tested} == set()


def near(table: Table[Any], act: Act[Any]) -> Table[Any]:
    """The acts of who it is of, and about what it is about or what is named with that: among these it comes more often."""
    things = {name for name in act.arguments if len(name) > 1}
    about = {name for one in table.acts if things & set(one.arguments) for name in one.arguments if len(name) > 1} | set(act.arguments)
    return replace(table, acts=tuple(one for one in table.acts if about & set(one.arguments)))


def walk(table: Table[Any], missing: dict[str, Act[Any]], chance: random.Random) -> None:
    """Play a random sequence that prefers the acts that are missing, and take those that came out of them."""
    script, kinds = Script(table), list(table.kinds)
    kept = kinds if chance.random() < 1 / 2 else [chance.choice(kinds) for _ in range(chance.randint(3, 8))]
    for _ in range(16):
        acts = list(script.possible(missing.values())) if chance.random() < 2 / 3 else []
        for _ in range(len(kinds)):
            acts = acts or list(script.possible(table.kinds[chance.choice(kept)]))
        if not acts:
            break
        act = chance.choice(acts)
        script.add(act)
        missing.pop(act.name, None)


@pytest.mark.parametrize("spec", TABLES)
def test_every_act_comes_in_some_sequence(spec: str) -> None:
    """An act that can never come looks like coverage and is none."""
    whole, chance = TABLES[spec], random.Random(1)
    table = replace(whole, acts=tuple(act for act in whole.acts if not act.is_case))
    missing = {act.name: act for act in table.acts}
    for acts, x, segment in product(_RARE.get(spec, ()), "AB", ("low", "high")):
        for name in script_of(table, [act.format(x=x, segment=segment) for act in acts]).acts:
            missing.pop(name, None)
    for _ in range(3_000):
        if not missing:
            break
        walk(table, missing, chance)
    for act in list(missing.values()):
        for _ in range(1_500):
            if act.name not in missing:
                break
            walk(near(table, act), missing, chance)

    assert missing.keys() == set()
    assert [act.name for act in whole.acts if act.is_case and not Script(whole).may_come(act)] == []


@pytest.mark.parametrize("spec", TABLES)
def test_an_act_changes_nothing_before_it_comes(spec: str) -> None:
    """To ask whether it is possible leaves no trace in the model: the same sequence has the same lines, whatever was asked in between."""
    table, chance = TABLES[spec], random.Random(2)
    for _ in range(50):
        asked = drawn(table, 8, chance.choice)

        assert script_of(table, asked.acts).lines == asked.lines


@pytest.mark.parametrize("spec", [spec for spec, table in TABLES.items() if any(act.is_case for act in table.acts)])
def test_the_cases_of_a_sequence_have_separate_objects(spec: str) -> None:
    """A topic or a transaction of one case is none of another one, or of an episode that is not numbered."""
    cases = [act.name for act in TABLES[spec].acts if act.is_case and " timeout" not in act.name]
    script = script_of(TABLES[spec], [cases[0], cases[-1]])
    made = [found for line, _ in script.lines for found in re.findall(r'the (?:scalable |deduplicated )?topic "([a-z]+)"', line.text)]

    assert script.acts == [cases[0], cases[-1]]
    assert len(made) == len(set(made)) > 1


def test_a_table_with_phases_repeats_them_in_most_sequences() -> None:
    """Writes and ends in turn, where each phase is one act; the acts of a phase that is not possible are passed over."""
    parts = [Phase(kinds_of(CORE.acts, {name: 1}), 1, 1) for name in ("A writes to orders", "a crash", "A commits")]
    table = replace(CORE, phases=tuple(parts))
    courses = [[table.by_name[act].says for act in drawn(table, 6, random.Random(seed).choice).acts] for seed in range(60)]
    expected = [kind for part in parts for kind in part.kinds] * 2

    assert sum(course == expected for course in courses) > 20


def test_of_sequences_that_differ_in_names_only_one_is_tried() -> None:
    """Renaming writers, or groups, gives no other sequence of those that are tried."""
    tried = set(sequences(CORE, 2))
    swaps = [{"A ": "B ", "B ": "A "}, {'"workers"': '"others"', '"others"': '"workers"'}]

    assert len(tried) > 100
    for swap in swaps:
        renamed = {tuple(_renamed(act, swap) for act in acts) for acts in tried}
        assert {acts for acts in tried & renamed if any(_renamed(act, swap) != act for act in acts)} == set()


def test_an_act_that_cannot_come_is_passed_by() -> None:
    """Whatever acts are left out of a sequence, the rest is a sequence."""
    acts = ("A writes to orders", "A commits", "a plain write to orders")
    for names in permutations(acts):
        script = script_of(CORE, names)
        assert ("A commits" in script.acts) is (names.index("A writes to orders") < names.index("A commits"))
        assert script.acts == [name for name in names if name in script.acts]


@pytest.mark.parametrize(
    ("ends", "order"), [("A commits", " in some order"), ("A has committed", "")], ids=["an answered end", "an end that was waited for"]
)
def test_the_order_of_what_follows_is_certain_after_an_end_that_was_waited_for(ends: str, order: str) -> None:
    """Otherwise readers may get what it commits later."""
    script = script_of(CORE, ("A writes to orders", ends, "a plain write to orders"))

    assert f'readers of orders see "a1", "plain1"{order}' in [line.text for line, _ in script.lines]


@pytest.mark.parametrize(
    ("commits", "receives"),
    [
        ("A commits", '"i1", "i2", "b1", "b2" and nothing else'),
        ("A commits, and a crash comes after-header-cas", '"i2", "b1", "b2" and perhaps others'),
    ],
)
def test_a_seek_that_a_commit_may_overtake_leaves_open_what_is_there(commits: str, receives: str) -> None:
    """A segment that has not learned of the commit deletes the message after its consumer has gone back to it."""
    script = script_of(table_of("pip471"), ("A acknowledges i1 for auditors", commits, "auditors go back to i1"))

    assert f'the consumer of "auditors" receives {receives}' in [line.text for line, _ in script.lines]


def test_only_what_is_used_is_made() -> None:
    """A scenario names no writer and no log that has nothing to do with it."""
    opened = [line.text for line, act in script_of(CORE, ["A writes to payments", "A has committed"]).lines if act is None]

    assert opened[:2] == ['the deduplicating log "payments"', "a writer A"]
    assert not any(word in text for text in opened for word in ("inputs", "orders", "writer B"))


@pytest.mark.parametrize(
    ("acts", "seen", "requirement"),
    [
        (("A writes to orders", "A aborts"), '"a1"', "CORE-03"),
        (("A writes to orders", "A commits"), "nothing", "CORE-07"),
        (("A writes to orders", "A commits"), '"a1", "a1"', "CORE-38"),
        (("A writes to orders", "A writes to orders", "A commits"), '"a2", "a1"', "CORE-04"),
        (("A writes to orders", "A aborts", "a plain write to orders"), "nothing", "CORE-06"),
        (("A writes to orders", "A has committed", "A writes to orders late"), '"a1", "late1"', "CORE-31"),
        (("A writes to orders", "A loses its transaction", "A writes to orders what it lost"), '"late1"', "CORE-17"),
        (("A writes to orders", "A commits", "a crash"), "nothing", "CORE-25"),
        (("A writes to orders", "A aborts", "a crash"), '"a1"', "CORE-26"),
        (("A writes to orders", "A commits"), "no values at all", "CORE-07"),
    ],
)
def test_what_readers_see_says_which_requirement_is_violated(acts: tuple[str, ...], seen: str, requirement: str) -> None:
    """It follows from what is superfluous, missing or twice, and from what happened before; otherwise it is that of the line."""
    script = script_of(CORE, acts)
    line = ActLine("Then", "readers of orders see nothing", "CORE-07")

    assert script.acts == list(acts)
    assert CORE.means(script.model, line, Violation("x", seen, what="readers of orders")) == requirement


def test_a_system_is_asked_what_it_offers() -> None:
    """Acts that need what it does not have are not in its table."""
    assert {need for act in CORE.offered([]).acts for need in act.needs} == set()
    assert {need for act in CORE.offered(["crash"]).acts for need in act.needs} == {"crash"}


def _renamed(act: str, names: dict[str, str]) -> str:
    for old, new in names.items():
        if old in act:
            return act.replace(old, new)
    return act


def test_a_proposal_without_acts_is_refused_with_those_that_have_some() -> None:
    """It may be a package's own."""
    with pytest.raises(WrongUsage, match="--spec kip939: no acts are known of it; expected core, "):
        table_of("kip939")


def test_only_the_acts_that_are_named_are_played() -> None:
    """By patterns; one that matches nothing is refused with the nearest names."""
    assert {act.name for act in CORE.only(["A comm?ts", "a crash"]).acts} == {"A commits", "a crash"}
    assert CORE.only([]) is CORE
    with pytest.raises(WrongUsage, match="--acts A comits: no act of core has such a name; the nearest are 'A commits'"):
        CORE.only(["A comm?ts", "A comits"])
