"""A run is judged again from what it recorded: the same verdicts, or what was changed is named."""

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import fencepost
from served import served_here

from fencepost.adapters.common.seals import SEAL, sealed
from fencepost.adapters.replay.played_again import PlayedAgain
from fencepost.contract import history_files
from fencepost.contract.errors import WrongUsage
from fencepost.contract.ports import KeepsExchanges
from fencepost.contract.registration import SpecifiedSystem
from fencepost.replay import verifying
from fencepost.results.compliance_document import read
from fencepost.run.options import RunOptions
from fencepost.run.plays import Plays
from fencepost.run.selection import Selection
from fencepost.steps.player import player_of

RED = "KIP890-060-1-A-commit-of-one-record.jsonl.gz"
GREEN = "KIP890-113-1-A-batch-leaves-a-gap-in-the-sequence.jsonl.gz"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with reds and greens."""
    folder = tmp_path_factory.mktemp("run")
    only = "KIP890-060,KIP890-113,CORE-01"
    fencepost("run", "--defect", "no-epoch-bump", "--only", only, "--no-html", "--results", folder, expect=1)
    return folder


@pytest.fixture
def results(recorded: Path, tmp_path: Path) -> Path:
    """A copy of it that may be changed."""
    return shutil.copytree(recorded, tmp_path / "results")


def changed(results: Path) -> list[str]:
    """What verify says was changed."""
    return verifying.verify(results, read(results)).changed


def edit(path: Path, change: Callable[[list[dict[str, Any]]], None], *, seals: bool = False) -> None:
    """Change the lines of a packed file by hand; with `seals` as one does who makes new digests too."""
    lines = [json.loads(line) for line in gzip.decompress(path.read_bytes()).decode().splitlines()]
    change(lines)
    if seals:
        lines = sealed([{name: value for name, value in line.items() if name != SEAL} for line in lines])
    path.write_bytes(history_files.packed(lines))


def edit_compliance(results: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change compliance.json by hand."""
    document = json.loads((results / "compliance.json").read_text())
    change(document)
    (results / "compliance.json").write_text(json.dumps(document))


def row(document: dict[str, Any], requirement: str) -> Any:
    """The row of a requirement."""
    return next(one for one in document["requirements"] if one["id"] == requirement)


def with_new_epoch(lines: list[dict[str, Any]]) -> None:
    """The answer to EndTxn v5 of the red, with the epoch that a healthy broker gives: 1 in the place of 0."""
    line = next(one for one in lines[1:] if one["answer"] and one["request"][8:16] == "001a0005")
    line["answer"] = line["answer"][:-6] + "000100"


def test_an_unchanged_run_has_its_verdicts_again(recorded: Path) -> None:
    """Reds and greens, without a broker; exit code 0."""
    said = fencepost("verify", recorded, expect=0).out

    assert "nothing was changed" in said
    run = read(recorded)
    assert verifying.verify(recorded, run).again == sum(len(one.scenarios) for one in run.requirements)


def test_an_altered_answer_is_named_with_its_scenario_and_exchange(results: Path) -> None:
    """And with the verdict that the answers give now; exit code 1."""
    edit(results / "exchanges" / RED, with_new_epoch)

    said = fencepost("verify", results, expect=1).out

    assert "KIP890-060 [1] A commit of one record: exchange " in said
    assert "(EndTxn v5 of A) is not as it was written" in said


def test_an_altered_answer_with_new_digests_contradicts_something(results: Path) -> None:
    """A forger who makes new digests is found by the verdict, a later request or the history."""
    edit(results / "exchanges" / RED, with_new_epoch, seals=True)

    assert any("KIP890-060 [1]" in one for one in changed(results))


def test_a_verdict_that_the_answers_do_not_give_is_named(results: Path) -> None:
    """A red that was made green, in the scenario, the requirement and the totals alike."""

    def whitewash(document: dict[str, Any]) -> None:
        for one in row(document, "KIP890-060")["scenarios"]:
            one |= {"verdict": "met", "violation": None}
        row(document, "KIP890-060")["verdict"] = "met"

    edit_compliance(results, whitewash)

    found = changed(results)

    assert any("KIP890-060 [1]" in one and "give violated" in one and "compliance.json says met" in one for one in found)
    assert any(one.startswith("compliance.json: totals say 1 violated") for one in found)
    assert any("only junit.xml says violated" in one for one in found)


def test_a_requirement_is_as_good_as_its_worst_scenario(results: Path) -> None:
    """A row that says met above red scenarios is named."""
    edit_compliance(results, lambda document: row(document, "KIP890-060").update(verdict="met"))

    assert "KIP890-060: compliance.json says met, and its scenarios together give violated" in changed(results)


def test_a_history_is_that_of_the_exchanges(results: Path) -> None:
    """An event that was changed, one that was removed, and a file that is gone."""
    history = results / "history" / GREEN
    whole = history.read_bytes()

    edit(history, lambda lines: lines[3].update(client="X"))
    altered = changed(results)
    history.write_bytes(whole)
    edit(history, lambda lines: lines.pop())
    shorter = changed(results)
    history.write_bytes(whole[: len(whole) // 2])
    cut = changed(results)
    history.unlink()

    assert len(altered) == 1
    assert "event 4: client is not what the exchanges say" in altered[0]
    assert "events, and the exchanges give" in shorter[0]
    assert "cut off or damaged" in cut[0]
    assert changed(results)[0].endswith("is missing")


def test_files_that_are_cut_off_or_gone_are_named(results: Path) -> None:
    """Exchanges of a red and of a green alike, and junit.xml."""
    kept = results / "exchanges" / RED
    kept.write_bytes(kept.read_bytes()[:200])
    (results / "exchanges" / GREEN).unlink()
    (results / "junit.xml").unlink()

    found = changed(results)

    assert any("KIP890-060 [1]" in one and "cut off or damaged" in one for one in found)
    assert any("KIP890-113 [1]" in one and "has nothing of it: was a file removed?" in one for one in found)
    assert "junit.xml is missing" in found


def test_another_version_may_ask_otherwise(results: Path) -> None:
    """Then a scenario that goes another way is not judged again, with the exchange; of this version it is a contradiction."""
    edit(results / "exchanges" / GREEN, lambda lines: lines.pop(), seals=True)
    assert "played again, it takes another course: " in changed(results)[0]
    edit_compliance(results, lambda document: document.update(fencepost="0.0.9"))

    found = verifying.verify(results, read(results))

    (reason,) = found.left
    assert "the record ends with exchange" in reason
    assert found.changed == []


def test_an_unfinished_run_is_no_verdict(results: Path) -> None:
    """What it judged is judged again; exit code 4."""
    edit_compliance(results, lambda document: document.update(complete=False, stopped="SIGTERM"))

    assert "the run did not finish: SIGTERM" in fencepost("verify", results, expect=4).out


def test_where_nothing_was_recorded_nothing_is_said(results: Path) -> None:
    """A run without exchanges, an empty folder of them, and one that kept no beginning of its sessions are refused."""
    for path in (results / "exchanges").iterdir():
        edit(path, lambda lines: lines[0].pop("offer"), seals=True)
    with pytest.raises(WrongUsage, match="did not keep what a session began with"):
        verifying.verify(results, read(results))

    shutil.rmtree(results / "exchanges")
    with pytest.raises(WrongUsage, match=r"has no exchanges/, which has the recorded answers"):
        verifying.verify(results, read(results))


def test_what_a_broker_over_tcp_answered_is_judged_again() -> None:
    """Times of records are others in a play, and pauses pass at once: the requests are the same, and so are verdict and history."""
    with served_here() as server:
        options = RunOptions(
            system="kafka", asked=SpecifiedSystem({"bootstrap": f"127.0.0.1:{server.port}"}), selection=Selection(only=("KIP890-113",))
        )
        with Plays(options) as plays:
            first = next(one for one in plays if one.name.startswith("[3]"))
            shown = plays.judge(first)
    assert isinstance(shown.session, KeepsExchanges)
    again = PlayedAgain.of(json.loads(json.dumps(shown.session.kept_exchanges())), "the play")

    played = player_of("kip890").play(first.steps, lambda: again.session)

    assert (again.parted(), played.error) == (None, None)
    assert played.evidence.count == shown.result.evidence > 0
    assert json.dumps(again.history(first.run)) == json.dumps(shown.history)
