"""Defects on a broker of another profile: which the suite finds there, and for which it is not tested."""

import json
from pathlib import Path

import pytest
from commands import fencepost

from fencepost.contract import register
from fencepost.contract.errors import Exit
from fencepost.proof import profile_proof
from fencepost.proof.defect_proof import Seen
from fencepost.proof.profile_proof import Fate, Missed, ProfileTrial, breaking, fate_of, known, prove_at, sample, stale, unexplained
from fencepost.reference.defects import DEFECTS

ROWS = register.bundled()
BUMP = DEFECTS["no-epoch-bump"]


def seen(*verdicts: str, trouble: str | None = None, is_unmet: bool = False) -> Seen:
    return Seen(BUMP, {f"KIP890-{60 + number:03}": verdict for number, verdict in enumerate(verdicts)}, {}, {}, trouble, is_unmet)


@pytest.mark.parametrize(
    ("what", "fate"),
    [
        (seen("met", "violated"), Fate.FOUND),
        (seen("inconclusive", "met"), Fate.STOPPED),
        (seen("not_offered", "not_offered"), Fate.NOT_TESTED),
        (seen("met", trouble="it never took effect", is_unmet=True), Fate.NOT_TESTED),
        (seen("harness_error", "met", trouble="the reference breaks down with it: KeyError"), Fate.NOT_TESTED),
        (seen("not_offered", "met"), Fate.MISSED),
    ],
)
def test_a_defect_is_found_where_something_is_violated(what: Seen, fate: Fate) -> None:
    """It is missed where all that was asked is met; what no scenario reaches was not tested."""
    assert fate_of(what).fate is fate


def test_what_is_missed_needs_a_reason_and_a_reason_needs_what_is_missed() -> None:
    """Both directions are red."""
    missed, found = ProfileTrial(BUMP, Fate.MISSED, ()), ProfileTrial(BUMP, Fate.FOUND, ("KIP890-060",))
    reasons = {BUMP.name: "the epoch is never raised there"}

    assert (unexplained([missed], {}), unexplained([missed], reasons), unexplained([found], {})) == ([missed], [], [])
    assert (stale([found], reasons), stale([missed], reasons), stale([found], {})) == ([BUMP.name], [], [])


def test_every_known_reason_names_a_defect() -> None:
    """One that was renamed or deleted excuses nothing."""
    assert known("kip98").keys() <= DEFECTS.keys()
    assert Missed(profile="kip98", defect=BUMP.name, reason="why").reason == "why"


def test_the_same_seed_draws_the_same_defects() -> None:
    """Another one draws others, and without a number all are tried."""
    all_of_core = breaking(ROWS, ("core",))

    assert sample(all_of_core, 5, 1) == sample(all_of_core, 5, 1) != sample(all_of_core, 5, 2)
    assert sample(all_of_core, None, 1) == all_of_core
    assert {defect.protocol for defect in all_of_core} == {"kafka"}


def test_defects_of_the_core_are_found_by_old_clients_and_by_what_readers_see() -> None:
    """A sample of those that break the core: none is missed without a known reason, and several are found."""
    trials = prove_at("kip98", sample(breaking(ROWS, ("core",)), 8, 31), 1, lambda _: None)

    assert unexplained(trials, known("kip98")) == []
    assert sum(trial.fate is Fate.FOUND for trial in trials) >= 3


def test_defects_of_what_does_not_need_the_second_part_are_found_too() -> None:
    """A sample of those that break KIP-890: none is missed without a known reason."""
    trials = prove_at("kip98", sample(breaking(ROWS, ("kip890",)), 8, 31), 1, lambda _: None)

    assert unexplained(trials, known("kip98")) == []
    assert any(trial.fate is Fate.FOUND for trial in trials)


def test_a_defect_that_is_missed_ends_the_command_with_1(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """And the document names it."""
    monkeypatch.setattr(profile_proof, "prove_at", lambda *_: [ProfileTrial(BUMP, Fate.MISSED, (), "KIP890-060 met")])

    code = profile_proof.show("kip98", ("core",), 1, 1, 1, tmp_path)

    assert code is Exit.DOES_NOT
    assert json.loads((tmp_path / "profile.json").read_text(encoding="utf-8"))["unexplained"] == [BUMP.name]


def test_an_unknown_profile_is_refused(tmp_path: Path) -> None:
    """In one line, with those that there are."""
    finished = fencepost("prove", "--profile", "kip99", "--results", tmp_path / "there", expect=2, cwd=tmp_path)

    assert "unknown profile 'kip99'" in finished.err
    assert "kip98" in finished.err
