"""Mutants of loops: a scenario is asked about one only if it comes to a second item there."""

from collections.abc import Callable
from types import CodeType, SimpleNamespace
from typing import Any

import pytest

from fencepost.contract.verdict import Verdict
from fencepost.proof.mutants import reference_sources
from fencepost.proof.mutants.known_mutants import KnownMutants
from fencepost.proof.mutants.line_coverage import LineReach, Noted, second_item
from fencepost.proof.mutants.mutant_verdicts import Outcome, RedOnMutant
from fencepost.proof.mutants.mutation_run import Drawn, MutationTrial
from fencepost.proof.mutants.mutation_sites import places_in

FILE = "reference/kafka/x.py"
LOOP = "def f(a):\n    for b in a:\n        b()\n"
FIRST, LAST = places_in(FILE, LOOP.encode())[:2]
LINE, SECOND = (FILE, 2), second_item(FILE, LOOP.index("a:\n"))


def test_a_loop_is_reached_with_its_second_item() -> None:
    """With one item a changed loop does what it did."""
    reach = LineReach(frozenset({LINE}), {"seed": {"one item": frozenset({LINE}), "two": frozenset({LINE, SECOND})}})

    assert (FIRST.kind, LAST.kind) == ("loop", "loop")
    assert reach.asked(FIRST, False) == reach.asked(LAST, False) == {"seed": ["two"]}


@pytest.mark.parametrize(("lines", "is_at_start"), [({LINE}, False), ({LINE, SECOND}, True)])
def test_a_change_of_a_loop_takes_effect_with_its_second_item(lines: set[tuple[str, int]], is_at_start: bool) -> None:
    """One that had two before the first scenario is changed when the module is imported."""
    assert LineReach(frozenset(lines), {}).is_at_start(LAST) is is_at_start


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, int], tuple[list[Any], int]]:
    """Answers what a function returns for this argument in a noted module, and how many loops came to a second item."""
    installed: list[tuple[Callable[[str, bytes], CodeType], dict[str, Any]]] = []

    def install(compiled: Callable[[str, bytes], CodeType], names: dict[str, Any]) -> SimpleNamespace:
        return SimpleNamespace(install=lambda: installed.append((compiled, names)))

    monkeypatch.setattr(reference_sources, "Changing", install)

    def result_of(body: str, count: int) -> tuple[list[Any], int]:
        one = Noted()
        one.install()
        compiled, names = installed[-1]
        module = dict(names)
        exec(compiled(FILE, f"def f(a):\n    {body}\n".encode()), module)  # noqa: S102 - as an import does
        return module["f"](iter(range(count))), sum(number < 0 for _, number in one.taken())

    return result_of


@pytest.mark.parametrize(("count", "seconds"), [(0, 0), (1, 0), (2, 1), (9, 1)])
@pytest.mark.parametrize("body", ["return [b for b in a]", "found = []; [found.append(b) for b in a]; return found"])
def test_the_second_item_is_noted(noted: Callable[[str, int], tuple[list[Any], int]], body: str, count: int, seconds: int) -> None:
    """The loop gets the same items as before."""
    assert noted(body, count) == (list(range(count)), seconds)


def test_an_item_that_is_not_asked_for_is_not_noted(noted: Callable[[str, int], tuple[list[Any], int]]) -> None:
    """A loop that ends at the first item does not come to the second."""
    assert noted("return [any(b == 0 for b in a)]", 5) == ([True], 0)


def test_a_survivor_where_no_scenario_comes_is_counted_apart() -> None:
    """It is a survivor still; the share of those that a scenario reaches is another figure."""
    drawn = Drawn((FIRST, LAST), 2, 1, KnownMutants({}, frozenset()))
    violated = RedOnMutant("seed", "KIP890-060", "[1] A", Verdict.VIOLATED.value, "why")

    done = MutationTrial(drawn, (Outcome(FIRST, (violated,), 1), Outcome(LAST)), frozenset({LAST.key}))

    assert (len(done.survivors), len(done.unseen), done.share, done.share_of_reached) == (1, 1, 0.5, 1.0)
