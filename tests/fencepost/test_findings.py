"""A page of findings: what a run found wrong, by causes, with what people say of it."""

from pathlib import Path

import compliance_files
import pytest
from commands import fencepost

from fencepost.deviations.symptoms import steady

ASKED = ("--defect", "no-epoch-bump", "--only", "KIP890-06*", "--no-html")
EVIL = "<b>|`x`\n# no head"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run of a coordinator that never raises an epoch."""
    folder = tmp_path_factory.mktemp("run")
    fencepost("run", *ASKED, "--results", folder, expect=1)
    return folder


def page(results: Path, out: Path, name: str = "reference") -> str:
    fencepost("findings", results, "--out", out, expect=0)
    return (out / f"{name}.md").read_text(encoding="utf-8")


def without_times(text: str) -> list[str]:
    return [line for line in text.splitlines() if "Started" not in line]


def test_a_page_has_each_cause_with_what_shows_it(results: Path, tmp_path: Path) -> None:
    """The system and the selection; for each cause its rows, expected and seen, the shortest scenario, its calls and where to look."""
    reported = page(results, tmp_path)

    assert "# reference 0.1.0 with the defect no-epoch-bump: findings" in reported
    assert "requirements tested" in reported
    assert "answer to EndTxn: success with (producer id …, epoch 1)" in reported
    assert "success with (producer id …, epoch 0)" in reported
    assert "```gherkin\nScenario: [" in reported
    assert "A: EndTxn v5 commit transactional id transfer, producer id P1, epoch 0 -> " in reported
    assert "Where to look: " in reported


def test_a_page_of_the_same_run_again_is_the_same(results: Path, tmp_path: Path) -> None:
    """What a run makes up, such as names of topics and producer ids, is not on it."""
    again = tmp_path / "again"
    fencepost("run", *ASKED, "--results", again, expect=1)

    first, second = page(results, tmp_path / "a"), page(again, tmp_path / "b")

    assert without_times(first) == without_times(second)


def test_what_people_checked_is_kept_when_a_page_is_made_again(results: Path, tmp_path: Path) -> None:
    """It is shown with each row and each cause; an entry of one scenario comes before that of its requirement."""
    before = page(results, tmp_path)
    assert " open |" in before
    checked = "- {rows: [KIP890-060], checked: true, reason: It never raises it., link: 'https://example.org/a'}\n"
    one = "- {rows: ['KIP890-060 [1]'], checked: suite's fault, reason: Not asked well.}\n"
    (tmp_path / "reference.yaml").write_text(checked + one, encoding="utf-8")

    reported = page(results, tmp_path)

    assert "It never raises it. <https://example.org/a>" in reported
    assert "Checked: **suite's fault** (KIP890-060 \\[1\\]). Not asked well." in reported
    assert (tmp_path / "reference.yaml").read_text(encoding="utf-8") == checked + one


def test_what_was_checked_and_is_not_red_any_more_is_named(results: Path, tmp_path: Path) -> None:
    """A stale entry is named, so that a user removes it."""
    (tmp_path / "reference.yaml").write_text("- {rows: [CORE-01], checked: open, reason: Once red.}\n", encoding="utf-8")

    reported = fencepost("findings", results, "--out", tmp_path, expect=0).out

    assert "checked before, and not red in this run: CORE-01" in reported


def test_known_deviations_stand_below_their_reasons(tmp_path: Path) -> None:
    """With their links, and a broker without other ones has no red."""
    reported = page(compliance_files.write(tmp_path / "run", {"KIP890-060": "known_deviation"}), tmp_path, "kafka")

    assert "## Known deviations" in reported
    assert "<https://example.org/KIP890-060>" in reported
    assert "## Causes" not in reported


def test_no_text_of_a_broker_becomes_markup(tmp_path: Path) -> None:
    """Neither in a table nor in a fence."""
    violation = {"expected": EVIL, "seen": EVIL, "what": EVIL, "error": None, "code": None}
    run = compliance_files.reported({"KIP890-060": "violated"})
    run["requirements"][0]["scenarios"][0] |= {"violation": violation, "name": EVIL}
    reported = page(compliance_files.write(tmp_path / "run", {}, requirements=run["requirements"]), tmp_path, "kafka")

    assert "<b>" not in reported
    assert "\n# no head" not in reported


def test_a_text_reads_as_in_every_run() -> None:
    """Without what makes names unique; all else that is made up is an ellipsis."""
    assert steady("payments-84771f-0 of producer id 4711 at 127.0.0.1:9092") == "payments-0 of producer id … at …"


def test_a_page_that_a_user_wrote_is_left_alone(results: Path, tmp_path: Path) -> None:
    """Nothing is overwritten that this command did not make."""
    (tmp_path / "reference.md").write_text("mine", encoding="utf-8")

    reported = fencepost("findings", results, "--out", tmp_path, expect=2).err

    assert "is not a page that fencepost made" in reported
    assert (tmp_path / "reference.md").read_text(encoding="utf-8") == "mine"
