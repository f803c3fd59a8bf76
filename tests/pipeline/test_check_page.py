"""The page shows what was found, and nothing that a history holds becomes markup."""

from fencepost.pipeline.anomalies import ANOMALIES
from fencepost.pipeline.page import render
from fencepost.pipeline.timeline import LEFT, WIDTH, picture
from fencepost.pipeline.verdicts import totals
from fencepost.pipeline.witnesses import RankedWitness, WitnessedAct

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

    page = render(verdict, totals(verdict), [RankedWitness(anomaly, HOSTILE, rank=1, place=1, definite=True, claim=HOSTILE, acts=ACTS)])

    assert "<script>" not in page
    assert page.count("&lt;script&gt;") >= 4
    assert page.count("<rect") == len(ACTS)
    assert "1 of the runs are invalid" in page


def test_a_page_without_anomalies_says_so() -> None:
    """No table, no section, and the counts all the same."""
    verdict = {"records": 3, "operations": 3, "quarantined": 0, "runs": [{"run": "r", "valid": True, "anomalies": {}}]}

    page = render(verdict, [], [])

    assert "No definite anomaly" in page
    assert "<table>" not in page


def test_a_time_line_has_a_lane_a_client_and_stays_in_its_frame() -> None:
    """Bars are in the order of events, within the picture."""
    drawn = picture(ACTS)

    assert [name for name, _ in drawn.lanes] == [HOSTILE, "reader"]
    assert [bar.x for bar in drawn.bars] == sorted(bar.x for bar in drawn.bars)
    assert all(bar.x >= LEFT and bar.x + bar.width <= WIDTH for bar in drawn.bars)
    assert picture(()).bars == ()
