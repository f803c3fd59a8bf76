"""Exceptions of twins: each applies only to what it names, and one that is not needed is red."""

import json
from pathlib import Path

import pytest
from commands import fencepost

from fencepost.contract import gherkin
from fencepost.contract.datafile import DataFileError
from fencepost.proof import twin_proof
from fencepost.run.options import RunOptions
from fencepost.run.selection import Selection
from fencepost.twins import allowed_differences, disturbances
from fencepost.twins.allowed_differences import TwinException

GOOD = "name: crash\n  family: replay\n  meaning: m\n  protocols: [kafka]\n  stands: between\n"


BAD_DISTURBANCES = {
    "nothing performs burn on kafka": GOOD.replace("crash", "burn"),
    "there is no capability 'crsh'": GOOD + "  needs: [crsh]\n",
    "there is no proposal 'kip89'": GOOD + "  proposals: [kip89]\n",
    "expected 'between' or 'throughout'": GOOD.replace("between", "nowhere"),
    "this key is not known here": GOOD + "  neds: [crash]\n",
    "crash appears twice": f"{GOOD}- {GOOD}",
}


EXCEPTION = "disturbances: [crash]\n  requirement: KIP890-353\n  seen: success\n  reason: r\n"


BAD_EXCEPTIONS = {
    "there is no disturbance 'crsh'": EXCEPTION.replace("[crash]", "[crsh]"),
    "the reference has no profile 'kafka-9'": EXCEPTION + "  profiles: [kafka-9]\n",
    "the reference has no conforming variant 'epoch-kept'": EXCEPTION + "  variants: [epoch-kept]\n",
    "an exception for all requirements names no scenario": EXCEPTION.replace("  requirement: KIP890-353\n", '  scenario: "[1]"\n'),
    "KIP890-999 is in no register": EXCEPTION.replace("353", "999"),
    "no scenario of KIP890-353 begins with '.77.'": EXCEPTION + '  scenario: "[77]"\n',
    "reason: this key is missing": EXCEPTION.replace("  reason: r\n", ""),
}


@pytest.mark.parametrize("why", [*BAD_DISTURBANCES, *BAD_EXCEPTIONS])
def test_data_that_cannot_be_used_is_refused(tmp_path: Path, why: str) -> None:
    """With the file, the line and the key."""
    read, text = (disturbances.read, BAD_DISTURBANCES[why]) if why in BAD_DISTURBANCES else (allowed_differences.read, BAD_EXCEPTIONS[why])
    (file := tmp_path / "data.yaml").write_text(f"- {text}", encoding="utf-8")

    with pytest.raises(DataFileError, match=rf"data\.yaml:\d+: .*{why}"):
        read(file)


def test_an_exception_that_no_twin_needs_is_red(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """As a stale expectation is; only where every twin was played that could have needed it: not of a user's own scenarios, and one for
    all requirements only where all are asked.
    """
    from fencepost.console.terminal import Screen
    from fencepost.twins import twin_run as running

    stale = TwinException(disturbances=("crash",), requirement="KIP890-060", seen="never", reason="none")
    for_all = TwinException(disturbances=("crash",), profiles=("seed",), seen="never", reason="none")
    monkeypatch.setattr(allowed_differences, "bundled", lambda: [stale, for_all])
    options = RunOptions(selection=Selection.said([], ["KIP890-060"], [], []), results=tmp_path / "r")
    screen = Screen()
    request.addfinalizer(screen.close)

    assert running.run(options, running.TwinOptions(["crash"]), screen) == 1
    assert json.loads((tmp_path / "r/twins.json").read_text("utf-8"))["stale_exceptions"] == ["crash in KIP890-060"]
    assert running.run(options, running.TwinOptions(["crash"], per_scenario=1), screen) == 0
    assert running.run(options, running.TwinOptions(["crash"]), screen, gherkin.bundled_for("kip890")) == 0


def test_an_exception_for_a_variant_is_for_no_other_broker_of_the_reference() -> None:
    """Nor for a broker that is not the reference: such a broker is judged by the scenario alone."""
    entry = TwinException(disturbances=("crash",), requirement="KIP890-060", seen="s", reason="r", variants=("late-completion",))

    assert entry.is_for("seed", ["gaps-in-offsets", "late-completion"])
    assert not entry.is_for(None)
    assert not entry.is_for("seed")
    assert not entry.is_for("seed", ["gaps-in-offsets"])


def test_an_exception_for_a_release_is_for_no_other() -> None:
    """Neither for another release nor for a system that is no known release."""
    entry = TwinException(disturbances=("crash",), requirement="KIP890-060", seen="s", reason="r", profiles=("kafka-4.3",))

    assert [entry.is_for(profile) for profile in ("kafka-4.3", "kafka-4.4", "seed", None)] == [True, False, False, False]
    seen_on_brokers = entry.model_copy(update={"is_imitated": False})
    assert [seen_on_brokers.is_for("kafka-4.3", on_broker=each) for each in (True, False)] == [True, False]


@pytest.mark.parametrize(
    ("seen", "shown"),
    [
        ("expected one (COMMIT|ABORT) marker", "+ duplicate-marker-after-restart: nothing noticed in "),
        ("another", "X duplicate-marker-after-restart: KIP890-460, crash in ["),
    ],
)
def test_an_exception_excuses_what_the_variant_that_it_names_does(monkeypatch: pytest.MonkeyPatch, seen: str, shown: str) -> None:
    """That difference and no other."""
    assert str(_of_variant(monkeypatch, "KIP890-460", seen)).startswith(shown)


def test_an_exception_that_its_variant_does_not_need_is_red(monkeypatch: pytest.MonkeyPatch) -> None:
    """All twins of its requirement are played on the variant, however few are drawn of the others."""
    found = _of_variant(monkeypatch, "KIP890-060", "never")

    assert found.stale == ("crash in KIP890-060 of duplicate-marker-after-restart",)
    assert str(found).startswith("X duplicate-marker-after-restart: no twin needs crash in KIP890-060")


def test_a_known_deviation_is_none_of_the_disturbance(tmp_path: Path) -> None:
    """What a release shows now and then may be met in any play: a twin with the symptom of an entry is excepted, and no other one."""
    known = tmp_path / "known.yaml"
    symptom = "{seen: refusal with UNKNOWN_MEMBER_ID}\n  intermittent: {seen: 1, tried: 9}"
    known.write_text(f"- requirement: KIP890-352\n  symptom: {symptom}\n  reason: r\n  link: https://a.example/1\n", encoding="utf-8")
    asked = ("--twins", "crash", "--only", "KIP890-352", "--defect", "restart-forgets-members", "--results", tmp_path / "r")

    unknown = fencepost("run", *asked, expect=1).out
    excepted = fencepost("run", *asked, "--expectations", known, expect=1).out

    could_not_be_put = "X KIP890-352 [4] A member rejoins after the leader has left"
    assert "X KIP890-352 [1] A member joins an empty group" in unknown
    assert "X KIP890-352 [1] A member joins an empty group" not in excepted
    assert could_not_be_put in unknown
    assert could_not_be_put in excepted


def _of_variant(monkeypatch: pytest.MonkeyPatch, requirement: str, seen: str) -> twin_proof.Noticed:
    variant = ("duplicate-marker-after-restart",)
    entry = TwinException(disturbances=("crash",), requirement=requirement, variants=variant, seen=seen, reason="r")
    monkeypatch.setattr(allowed_differences, "bundled", lambda: [entry])
    selection = Selection.said([], [requirement], [], [])
    return twin_proof.play(twin_proof.PlayedBroker(*variant, "kafka", selection, ("crash",), True, 1, 0, variant))
