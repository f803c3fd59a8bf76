"""Comparing what two systems answered: names do not matter, and every difference is reported."""

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import compliance as compliance_of
from commands import fencepost

from fencepost.contract import history_files
from fencepost.contract.datafile import DataFileError
from fencepost.results import comparison, normalised_exchanges
from fencepost.results.comparison import Difference, Explanation

ROWS = ("--only", "KIP890-060", "--only", "KIP890-141", "--profile", "kafka-4.0", "--no-html")


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the reference."""
    folder = tmp_path_factory.mktemp("healthy")
    fencepost("run", *ROWS, "--results", folder, expect=0)
    return folder


def test_larger_producer_ids_and_another_order_are_no_difference(healthy: Path, tmp_path: Path) -> None:
    """Producer ids are compared by which is which, lists by what is in them."""
    for variant in ("producer-ids-with-gaps", "answers-in-another-order", "late-completion"):
        fencepost("run", *ROWS, "--defect", variant, "--results", tmp_path / variant, expect=0)

        assert list(comparison.differences(healthy, tmp_path / variant)) == []


def test_another_answer_is_a_difference_with_both_sides(healthy: Path, tmp_path: Path) -> None:
    """The exit code is 1, and scenario, request, field, left and right are reported."""
    fencepost("run", *ROWS, "--defect", "no-epoch-bump", "--results", tmp_path, expect=1)

    finished = fencepost("compare", healthy, tmp_path, expect=1)

    assert "A: end_txn v5" in finished.out
    assert "producer_epoch: 1 | 0" in finished.out
    assert "unexplained" in finished.out


def test_a_scenario_of_only_one_side_is_a_difference(healthy: Path, tmp_path: Path) -> None:
    """What was not asked of both was not compared."""
    fencepost("run", *ROWS[2:], "--results", tmp_path, expect=0)

    missing = [one for one in comparison.differences(healthy, tmp_path) if one.field == "history"]

    assert {one.scenario[:10] for one in missing} == {"KIP890-060"}
    assert all((one.left, one.right) == ("there", None) for one in missing)


def test_another_title_is_no_difference(healthy: Path, tmp_path: Path) -> None:
    """A scenario is known by its requirement and its number, so that results of an earlier release of the kit can be compared."""
    renamed = shutil.copytree(healthy, tmp_path / "renamed")
    for path in list((renamed / "history").glob("KIP890-060-1-*")):
        old = path.with_name("KIP890-060-1-Another-title-of-old.jsonl")  # earlier releases did not compress
        old.write_text(history_files.text_of(path).replace("-[1] A commit of one record", "-[1] Another title (of old)"), encoding="utf-8")
        path.unlink()

    assert "KIP890-060-1-Another-title-of-old" in [history_files.stem_of(path) for path in history_files.found_in(renamed)]
    assert list(comparison.differences(healthy, renamed)) == []


def test_two_runs_on_pulsar_are_the_same(tmp_path: Path) -> None:
    """The names that a session makes up stand in the paths of Pulsar's admin calls too."""
    for side in ("one", "other"):
        fencepost("run", "--only", "PIP31-58", "--no-html", "--results", tmp_path / side, expect=0)

    assert list(comparison.differences(tmp_path / "one", tmp_path / "other")) == []


def test_what_a_broker_writes_to_its_store_is_no_answer(tmp_path: Path) -> None:
    """A system whose store is not visible is compared with one that shows it."""
    seen, unseen = tmp_path / "seen", tmp_path / "unseen"
    fencepost("run", "--only", "PIP471-22", "--no-html", "--results", seen, expect=0)
    shutil.copytree(seen, unseen)
    hidden = 0
    for path in history_files.found_in(unseen):
        events = [json.loads(line) for line in history_files.text_of(path).splitlines()]
        kept = [event for event in events if event["client"] != "broker"]
        hidden += len(events) - len(kept)
        path.write_bytes(history_files.packed(kept))

    assert hidden > 0
    assert list(comparison.differences(seen, unseen)) == []


def test_an_explanation_must_explain_something(healthy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that fits no difference of a scenario that was compared is stale."""
    entry = Explanation(scenario="KIP890-060", request="end_txn", field="error", reason="r", link="l")
    monkeypatch.setattr(comparison, "explanations_for", lambda _: [entry])

    with pytest.raises(DataFileError, match="explains nothing any more"):
        comparison.show(healthy, shutil.copytree(healthy, tmp_path / "copied"))


@pytest.mark.parametrize(
    ("field", "is_explained"),
    [("producer_epoch", True), ("error", False)],
)
def test_an_explanation_is_for_its_field(field: str, is_explained: bool) -> None:
    """Scenario, request and field must all fit."""
    entry = Explanation(scenario="^KIP890-060", request="end_txn v5", field="epoch$", reason="r", link="l")

    assert entry.explains(Difference("KIP890-060-1-A", "A: end_txn v5 (x=1)", field, "1", "2")) is is_explained


def test_wrong_folders_are_the_users_fault(healthy: Path, tmp_path: Path) -> None:
    """No results, and results of different profiles."""
    assert "compliance.json" in fencepost("compare", healthy, tmp_path, expect=2).err

    fencepost("run", "--only", "KIP890-141", "--no-html", "--results", tmp_path, expect=0)
    assert "compare runs of one profile" in fencepost("compare", healthy, tmp_path, expect=2).err


def test_runs_that_were_asked_something_else_are_not_compared(healthy: Path, tmp_path: Path) -> None:
    """A line says what only one of them was asked; what both were asked would look like the whole."""
    fencepost("run", "--only", "KIP890-060", "--only", "KIP890-061", *ROWS[4:], "--results", tmp_path, expect=0)

    err = fencepost("compare", healthy, tmp_path, expect=2).err

    assert err == (
        f"fencepost: the two runs did not test the same requirements: only {healthy} tested KIP890-141 and "
        f"only {tmp_path} tested KIP890-061; "
        "run both with the same selection\n"
    )


def test_a_run_that_did_not_finish_is_not_compared(healthy: Path, tmp_path: Path) -> None:
    """Whichever side it stands on."""
    cut = shutil.copytree(healthy, tmp_path / "cut")
    (cut / "compliance.json").write_text(json.dumps(compliance_of(healthy) | {"complete": False}), encoding="utf-8")

    for sides in ((healthy, cut), (cut, healthy)):
        assert f"the run of {cut} did not finish" in fencepost("compare", *sides, expect=2).err


@pytest.mark.parametrize(
    ("damage", "reported"),
    [
        (lambda _: [], "holds no history; expected the --results folder of a run"),
        (lambda text: [("h.jsonl", text[:-30])], "line 2: not a whole event"),
        (lambda text: [("h.jsonl", text.splitlines()[0])], "line 1: the last request has no answer"),
        (lambda _: [("h.jsonl", b"[]\n")], "line 1: not a whole event"),
        (lambda _: [("h.jsonl", b"\xff\xfe")], "cannot be read: 'utf-8' codec"),
        (lambda text: [("h.jsonl.gz", gzip.compress(text)[:-20])], "h.jsonl.gz cannot be read: Compressed file ended"),
        (lambda text: [("h.jsonl.gz", text)], "h.jsonl.gz cannot be read: Not a gzipped file"),
    ],
)
def test_a_history_that_is_not_whole_is_named(
    healthy: Path, tmp_path: Path, damage: Callable[[bytes], list[tuple[str, bytes]]], reported: str
) -> None:
    """File, line and remedy; no history is no difference, and no agreement either."""
    broken = shutil.copytree(healthy, tmp_path / "broken")
    whole = [history_files.text_of(path).splitlines(keepends=True)[:2] for path in history_files.found_in(broken)]
    shutil.rmtree(broken / "history")
    (broken / "history").mkdir()
    for name, content in damage("".join(whole[0]).encode()):
        (broken / "history" / name).write_bytes(content)

    err = fencepost("compare", broken, shutil.copytree(broken, tmp_path / "copied"), expect=2).err

    assert reported in err
    assert "Traceback" not in err


def test_a_request_that_is_put_again_counts_once(tmp_path: Path) -> None:
    """The last answer is the one that the others are compared with."""

    def events(number: int, kind: str, error: str | None) -> list[str]:
        common = {
            "run_id": "x",
            "client": "A",
            "api": "init_producer_id v5",
            "mops": [],
            "grp": None,
            "iso": None,
            "ctl": {},
            "op_id": number,
        }
        asked = common | {"type": "invoke", "error": None, "tx": {"tid": "x-abcdef", "pid": -1, "epoch": -1}}
        reported = common | {"type": kind, "error": error and {"class": error}, "tx": {"tid": "x-abcdef", "pid": 7, "epoch": 0}}
        return [json.dumps(asked), json.dumps(reported)]

    path = tmp_path / "one.jsonl"
    path.write_text("\n".join(events(0, "fail", "NOT_COORDINATOR") + events(2, "ok", None)))

    (one,) = normalised_exchanges.read(path)

    assert one.answer["type"] == "ok"
    assert one.answer["tx.pid"] == "P1"
    assert "x-abcdef" not in one.request
