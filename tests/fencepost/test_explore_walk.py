"""What several sequences begin with is played once, which shows the same; and what is gone back to is as it was."""

import itertools
import random
import threading
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial

import pytest
from exploring import always, trials

from fencepost.explore import search, walk
from fencepost.explore.kept_state import CannotBeKept, KeptState
from fencepost.explore.trial import Trials
from fencepost.explore.walk import walked
from fencepost.steps.acts.act import Act, script_of, sequences
from fencepost.steps.acts.core import TABLE
from fencepost.steps.acts.core_model import Core

FEW = ("A writes to orders", "A commits", "A commits again", "B writes to orders", "a crash", "a look at orders", "a plain write to orders")


def few(protocol: str, defect: str | None = None) -> Trials:
    """Trials of some of the acts."""
    found = trials(TABLE, protocol, defect)
    found.table = replace(found.table, acts=tuple(act for act in found.table.acts if act.name in FEW))
    return found


def test_every_sequence_is_walked_once_and_the_shortest_first() -> None:
    """Those that the table has."""
    asked = few("kafka")

    found = [tried.acts for tried in walked(asked, 3)]

    assert Counter(found) == Counter(sequences(asked.table, 3))
    assert [len(acts) for acts in found] == sorted(len(acts) for acts in found)


@pytest.mark.parametrize("protocol", ["kafka", "pulsar", "pulsar-scalable"])
def test_what_is_gone_back_to_is_as_it_was(protocol: str) -> None:
    """The requests and answers of an act are the same, whatever was played before the state was restored: another act, or
    the act itself.
    """
    asked = trials(TABLE, protocol)
    acts = [act for act in asked.table.acts if act.name.startswith(("A ", "a ", "C times", "the seal"))]
    script = script_of(asked.table, ("A writes to orders", "A writes to payments"))
    needs = frozenset().union(*(act.needs for act in acts))
    with asked.scene(needs) as scene:
        for line, _ in script_of(asked.table, ("A writes to orders", "C times out in payments")).lines[:-4]:
            assert scene.play(line.step).error is None
        script.lines.clear()
        kept = KeptState(scene, script)

        def said(act: Act[Core]) -> list[object]:
            kept.restore()
            session = scene.stage.session
            assert session is not None
            before = len(session.exchanges())
            errors = [str(scene.play(line.step).error) for line in act.says(script.model, *act.arguments)]
            return [*errors, session.time.now_ms(), *map(str, session.exchanges()[before:])]

        possible = [act for act in acts if script.may_come(act)]
        first = [said(act) for act in possible]
        again = [said(act) for act in reversed(possible)]

    assert len(possible) > 20
    assert list(reversed(again)) == first


@pytest.mark.parametrize(
    ("defect", "acts", "requirement"),
    [
        ("core-kafka-dirty-read", ("A writes to orders", "a look at orders"), "CORE-02"),
        ("core-kafka-repeated-end-ends-the-next", ("A writes to orders", "A commits", "A commits again", "A writes to orders"), None),
        ("core-kafka-open-forgotten-by-crash", ("A writes to orders", "a crash"), "CORE-24"),
    ],
)
def test_a_walk_finds_what_a_sequence_shows_by_itself(defect: str, acts: tuple[str, ...], requirement: str | None) -> None:
    """The finding is that of the sequence alone, which makes nothing that it does not use."""
    broken = few("kafka", defect)

    finding = search.exhaustive(broken, len(acts) - (requirement is None), always).finding

    assert (finding and finding.requirement) == requirement
    if finding:
        assert finding.acts == acts
        assert finding.lines == broken.play(acts).finding.lines  # type: ignore[union-attr]


@pytest.mark.parametrize("fails_at", ["keeping", "going back"])
def test_what_cannot_be_kept_is_played_from_its_beginning(monkeypatch: pytest.MonkeyPatch, fails_at: str) -> None:
    """The same sequences, each once."""

    class Refuses(KeptState):
        def __init__(self, *roots: object) -> None:
            if fails_at == "keeping":
                raise CannotBeKept("a socket")
            super().__init__(*roots)

        def restore(self) -> None:
            raise CannotBeKept("a generator that has gone on")

    monkeypatch.setattr(walk, "KeptState", Refuses)
    asked = few("kafka")

    assert Counter(tried.acts for tried in walked(asked, 2)) == Counter(sequences(asked.table, 2))


def test_acts_that_no_system_offers_together_are_walked_apart() -> None:
    """A sequence that several systems offer is played on the first alone."""
    asked = few("kafka")
    needs = {"a crash": frozenset({"crash"}), "a look at orders": frozenset({"sealing"})}
    acts = tuple(replace(act, needs=needs.get(act.name, frozenset())) for act in asked.table.acts)
    asked.table = replace(asked.table, acts=acts, at_once=(frozenset({"crash"}), frozenset({"sealing"})))

    found = [tried.acts for tried in walked(asked, 3)]

    assert Counter(found) == Counter(sequences(asked.table, 3))
    assert not any({"a crash", "a look at orders"} <= set(one) for one in found)


@dataclass(eq=False)
class Holder:
    """An object that changes."""

    held: object = None
    numbers: Iterator[int] = field(default_factory=itertools.count)


class Slotted:
    """One without a dictionary."""

    __slots__ = ("held",)


def changing() -> tuple[Callable[[], None], Callable[[], object]]:
    """Something in each kind of place, how it changes, and how it is."""
    names, members, line, found = [1], {1}, deque([1, 2], maxlen=2), defaultdict(list, {"a": [1]})
    holder, slotted, count = Holder({"in": [1]}), Slotted(), 0
    slotted.held = 1

    def change() -> None:
        nonlocal count
        count += 1
        names.append(2)
        members.add(2)
        line.append(3)
        found["a"].append(2)
        found["b"].append(3)
        holder.held["in"].append(2)  # type: ignore[index]
        holder.more = next(holder.numbers)  # type: ignore[attr-defined]
        slotted.held = 2

    def shown() -> object:
        return str((count, names, sorted(members), line, dict(found), vars(holder), slotted.held))

    return change, shown


def test_whatever_has_changed_is_put_back_into_the_same_objects() -> None:
    """As often as one likes; those who know the objects see it too."""
    change, shown = changing()
    kept, before = KeptState(partial(change)), shown()

    for _ in range(2):
        change()
        assert shown() != before
        kept.restore()
        assert shown() == before


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (threading.Lock(), "a _thread.lock"),
        (random.Random(1), "a random.Random"),
        ((number for number in [1]), "a builtins.generator"),
        (iter([1]), "a builtins.list_iterator"),
        ([itertools.count()], "a list that holds a count"),
        ({1: (itertools.count(),)}, "a tuple that holds a count"),
    ],
)
def test_what_is_not_known_is_not_kept(state: object, said: str) -> None:
    """The text says what it is."""
    with pytest.raises(CannotBeKept, match=said):
        KeptState([state])
