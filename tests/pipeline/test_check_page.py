"""The page shows what was found, and nothing that a history holds becomes markup."""

from datetime import UTC, datetime
from pathlib import Path

from compliance_files import system, write

from fencepost.pipeline.anomalies import ANOMALIES
from fencepost.pipeline.check_page import render
from fencepost.pipeline.recorded_by import systems_of
from fencepost.pipeline.timeline import LEFT, WIDTH, picture
from fencepost.pipeline.verdicts import totals
from fencepost.pipeline.witnesses import RankedWitness, WitnessedAct

MADE = datetime(2026, 11, 29, 13, 0, tzinfo=UTC)
HOSTILE = '<script>alert("x")</script>'
ACTS = (
    WitnessedAct(HOSTILE, "send", 4, 5, 4_000, "acknowledged", (f"sent {HOSTILE} x@3",)),
    WitnessedAct("reader", "poll", 10, 13, 10_000, "outcome not known", ("read b x@4", "read " + "long" * 40)),
    WitnessedAct("reader", "commit", 14, 14, None, "refused", ()),
)


def test_what_a_history_holds_is_escaped() -> None:
    """Names of runs and clients, values and words."""
    counts = {"G1a": {"definite": 2, "possible": 0}}
    verdict = {"records": 3, "operations": 3, "quarantined": 1, "runs": [{"run": HOSTILE, "valid": False, "anomalies": counts}]}
    anomaly = next(anomaly for anomaly in ANOMALIES if anomaly.name == "G1a")

    witness = RankedWitness(anomaly, HOSTILE, rank=1, place=1, definite=True, claim=HOSTILE, acts=ACTS)
    page = render(verdict, totals(verdict), [witness], ANOMALIES, [HOSTILE], MADE)

    assert "<script>" not in page
    assert page.count("&lt;script&gt;") >= 4
    assert page.count("<rect") == len(ACTS)
    assert "1 of them with a definite anomaly" in page


def test_a_page_without_anomalies_says_what_was_looked_for(tmp_path: Path) -> None:
    """In how many histories of which systems, and when; each anomaly that was not asked for is named too."""
    verdict = {"records": 3, "operations": 3, "quarantined": 0, "runs": [{"run": "r", "valid": True, "anomalies": {}}]}
    asked, *others = ANOMALIES

    page = render(verdict, [], [], [asked], systems_of([write(tmp_path / "ours", {}, system=system("4.3.1"))]), MADE)

    assert "No definite anomaly" in page
    assert "What was found" not in page
    assert "Judged 2026-11-29 13:00 UTC" in page
    assert f"kafka 4.3.1, 2026-11-20T03:00:00+00:00, {tmp_path / 'ours'}" in page
    assert "in 1 history; " in page
    assert f'<td>{asked.name}</td><td class="n">none</td>' in page
    assert all(one.name in page for one in others)


def test_who_recorded_a_history_is_named_as_far_as_it_is_known(tmp_path: Path) -> None:
    """A results folder, a folder of these, a file in one, a file alone, and a folder whose document is damaged."""
    ours = write(tmp_path / "runs/ours", {}, system=system("4.3.1"))
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken/compliance.json").write_text("[]")
    (tmp_path / "alone").mkdir()

    named = [systems_of([path])[0] for path in (ours, ours.parent, ours / "history", tmp_path / "alone", tmp_path / "broken")]

    assert [name.startswith("kafka 4.3.1, ") for name in named] == [True, True, True, False, False]
    assert named[3].endswith("which does not say of which system it is")
    assert named[4].endswith("cannot be read")
    assert systems_of([ours] * 52)[-1] == "and 2 more"


def test_a_time_line_has_a_lane_a_client_and_stays_in_its_frame() -> None:
    """Bars are in the order of events, within the picture."""
    drawn = picture(ACTS)

    assert [name for name, _ in drawn.lanes] == [HOSTILE, "reader"]
    assert [bar.x for bar in drawn.bars] == sorted(bar.x for bar in drawn.bars)
    assert all(bar.x >= LEFT and bar.x + bar.width <= WIDTH for bar in drawn.bars)
    assert picture(()).bars == ()
