"""What is read before a When: only the state with which a later sentence is marked to compare; each such sentence has its mark."""

from collections.abc import Callable, Iterator

import pytest

from fencepost.contract.gherkin import GherkinStep
from fencepost.run.options import RunOptions
from fencepost.run.plays import Play, Plays
from fencepost.run.selection import Selection
from fencepost.steps.player import Player, player_of
from fencepost.steps.sentence import Vocabulary, compares, text
from fencepost.steps.stage import Compared, Comparisons

GIVEN, WHEN, ANOTHER, PLAIN = (GherkinStep(kind, kind, f"it {kind}", 1) for kind in ("Given", "When", "When", "Then"))


def same(name: str) -> GherkinStep:
    """A Then that compares what has this name."""
    return GherkinStep("Then", "Then", f"{name} is the same", 1)


@pytest.fixture
def player() -> tuple[Player, list[Comparisons]]:
    """A player, and what was ahead of each step that it has played."""
    seen: list[Comparisons] = []
    made = Vocabulary("made", (text("word", "[ab]", "a word"),))

    def plain(comparisons: Comparisons) -> None:
        """It happens."""
        seen.append(Comparisons(comparisons.ahead))

    @made.then("{word} is the same")
    @compares("log", of="word")
    def is_the_same(comparisons: Comparisons, word: str) -> None:
        """It is the same."""
        del word
        plain(comparisons)

    for declare, kind in ((made.given, "Given"), (made.when, "When"), (made.then, "Then")):
        declare(f"it {kind}")(plain)
    return Player([made]), seen


def ahead_of_each(steps: tuple[GherkinStep, ...], player: tuple[Player, list[Comparisons]]) -> list[str]:
    """What was ahead of each step when it was played, in one word each."""

    def no_session() -> None:
        raise AssertionError("no step asks for a session")

    assert player[0].play(steps, no_session).error is None  # type: ignore[arg-type]  # it opens none
    return ["".join(sorted(one.name for one in seen.ahead or ())) for seen in player[1]]


def test_a_step_knows_what_the_lines_about_its_when_compare(player: tuple[Player, list[Comparisons]]) -> None:
    """Those up to the second When: a Given may take the snapshot of the When that follows it."""
    steps = (GIVEN, WHEN, PLAIN, same("a"), ANOTHER, same("b"), same("a"))

    assert ahead_of_each(steps, player) == ["a", "a", "ab", "ab", "ab", "a", ""]


def test_a_step_of_a_user_may_compare_anything() -> None:
    """Its lines are not known to the player; then all is asked for."""
    ahead = player_of("kip890").compared(WHEN, (GherkinStep("Then", "Then", "my own words", 1),))

    assert ahead is None
    assert Comparisons(ahead).has("log", ["payments-0"])
    assert not Comparisons(frozenset({Compared("log", "payments-1")})).has("log", ["payments-0"])


def test_a_comparison_without_its_mark_breaks_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """So is each sentence of KIP-890 that compares, in a scenario with no other about that: nothing is judged that was not asked for."""
    with Plays(RunOptions(selection=Selection(specs=("kip890",)))) as plays:
        alone = dict(pair for play in plays for pair in _alone_in(play))
        assert alone.keys() >= {"has_not_grown", "the_transaction_is_unchanged"}
        for name, (play, function) in alone.items():
            with monkeypatch.context() as without:
                without.delattr(function, "compares")
                player_of.cache_clear()
                assert (name, type(plays.play(play).error)) == (name, AssertionError)
            player_of.cache_clear()
            assert plays.play(play).error is None


def _alone_in(play: Play) -> Iterator[tuple[str, tuple[Play, Callable[..., None]]]]:
    """The functions of a scenario that compare what no other step of it does."""
    said = player_of("kip890")
    compared = [(said.find(step).function, said.compared(step, (step,)) or frozenset()) for step in play.steps]
    for function, names in compared:
        if names and not any(names & other for another, other in compared if another is not function):
            yield function.__name__, (play, function)
