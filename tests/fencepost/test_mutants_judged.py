"""Mutants in real runs: how each way to end is distinguished, that the tree stays as it is, and that the drawn ones are still killed."""

import json
import multiprocessing
import multiprocessing.forkserver
import os
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from commands import fencepost

from fencepost.proof.mutants import mutation_run, reference_sources
from fencepost.proof.mutants.mutant_verdicts import Outcome
from fencepost.proof.mutants.mutation_run import Drawn
from fencepost.proof.mutants.mutation_sites import MutationSite
from fencepost.proof.mutants.tasks import MutantJudge

SEED = 1
"""The seed of the mutants that every run of the tests judges."""


def place(file: str, line: str, change: str) -> MutationSite:
    """The place of the reference with this line and change."""
    (found,) = (
        one
        for one in mutation_run.places_of_files([file])
        if one.key.line.startswith(line) and one.key.change == change and one.key.nth == 1
    )
    return found


PLACES = {
    "in a function": place(
        "reference/kafka/kafka_coordinator.py", "if ending is EndTxnEffect.ANSWER_AGAIN:", "if ending is not EndTxnEffect.ANSWER_AGAIN:"
    ),
    "in a module": place("reference/pulsar/server_errors.py", "TRANSACTION_CONFLICT = 23", "TRANSACTION_CONFLICT = 24"),
    "for ever": place("reference/kernel/clock.py", "self.now = min(", "(dropped)"),
    "never begun": place("reference/pulsar/server_errors.py", "TOPIC_NOT_FOUND = 11", "TOPIC_NOT_FOUND = 12"),
}


def tree() -> dict[str, tuple[int, int]]:
    """Every file of the reference, compiled ones too, with when it was written and how long it is."""
    files = (path for path in reference_sources.root().rglob("*") if path.is_file())
    return {str(path): (path.stat().st_mtime_ns, path.stat().st_size) for path in files}


@pytest.fixture(scope="module", autouse=True)
def _forked_from_a_process_of_its_own() -> Iterator[None]:
    """Python has one process from which others are forked, with what its first user asked for: other files ask for the reference."""
    multiprocessing.forkserver._forkserver._stop()
    yield
    multiprocessing.forkserver._forkserver._stop()


DRAWN = Drawn.of(3, SEED)
"""Three of a fixed seed. All were killed before: fixtures/mutants/killed.yaml has them."""


@pytest.fixture(scope="module")
def stopped() -> mutation_run.MutationTrial:
    """The suite's result for each on the profile that follows the proposals; an interrupt comes before the last one begins.

    They are one trial, since most of it is what comes first: to note which lines each scenario of a profile reaches.
    """
    places = (*DRAWN.places, *PLACES.values())

    def interrupt(_: Outcome, number: int) -> None:
        if number == len(places) - 1:
            raise KeyboardInterrupt

    before = tree()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(mutation_run, "MutantJudge", partial(MutantJudge, scenario_s=0.5))
        done = mutation_run.run(Drawn(places, len(places), SEED, DRAWN.known), False, 1, interrupt, ["seed"])
    assert tree() == before, "a mutant was written into the source tree"
    return done


@pytest.fixture(scope="module")
def judged(stopped: mutation_run.MutationTrial) -> Mapping[str, Outcome]:
    """By the names of their places."""
    return dict(zip(PLACES, stopped.outcomes[len(DRAWN.places) :], strict=False))


@pytest.mark.parametrize("where", ["in a function", "in a module"])
def test_a_mutant_is_killed_by_the_requirement_that_it_breaks(where: str, judged: Mapping[str, Outcome]) -> None:
    """Also where a change takes effect when the module is imported."""
    assert judged[where].is_killed, judged[where]


def test_a_mutant_that_never_ends_is_ended(judged: Mapping[str, Outcome]) -> None:
    """It broke the run, and says how."""
    assert judged["for ever"].state == "broke", judged["for ever"]
    assert "did not end" in (judged["for ever"].broke or "")


def test_what_was_killed_before_still_is(stopped: mutation_run.MutationTrial) -> None:
    """Three of a fixed seed: none that was killed survives."""
    assert any(place.key in DRAWN.known.killed for place in DRAWN.places), "fixtures/mutants/killed.yaml is of other mutants: write it anew"
    for one in stopped.outcomes[: len(DRAWN.places)]:
        assert one.is_killed is not stopped.is_conforming(one), one


@pytest.mark.thorough
def test_what_was_killed_before_still_is_in_any_profile(tmp_path: Path) -> None:
    """The same three by the command, which asks every profile; none that is listed as conforming is killed."""
    done = trial_in(tmp_path, len(DRAWN.places), SEED)

    assert [one for one in done["mutants"] if one["killed_before"] and one["state"] != "killed" and not one["lawful"]] == []
    assert [one for one in done["mutants"] if one["lawful"] and one["state"] == "killed"] == []


@pytest.mark.thorough
def test_most_new_mutants_are_killed(tmp_path: Path) -> None:
    """In two hundred fresh ones no conforming one is killed; the share may be a little less than that of all, by chance."""
    done = trial_in(tmp_path, 200, int.from_bytes(os.urandom(4)))

    assert [one for one in done["mutants"] if one["lawful"] and one["state"] == "killed"] == []
    assert done["share_killed"] > mutation_run.ENOUGH - 0.06, f"seed {done['seed']}"


def test_a_trial_that_is_stopped_keeps_what_was_seen(stopped: mutation_run.MutationTrial) -> None:
    """An interrupt ends the processes too."""
    assert [one.state for one in stopped.outcomes[-3:]] == ["killed", "killed", "broke"]
    assert stopped.stopped == "stopped after 6 of 7 mutants"
    assert multiprocessing.active_children() == []


def trial_in(folder: Path, count: int, seed: int) -> Any:
    fencepost("prove", "--mutants", count, "--seed", seed, "--results", folder / "here", expect=(0, 1))
    return json.loads((folder / "here" / "mutants.json").read_text(encoding="utf-8"))
