"""A broker that breaks the protocol: its scenario is red with the bytes shown, and the run goes on."""

from pathlib import Path

import pytest
from commands import compliance, fencepost, verdicts
from lying_broker import LIES, LyingBroker


@pytest.mark.parametrize(
    ("lie", "reported"),
    [
        ("closes", "closed the connection instead of answering EndTxn v5"),
        ("swaps-correlation-ids", "and the frame has correlation id"),
        ("truncates", "the codec refuses it"),
        ("announces-too-much", "a frame announces 2147483647 bytes"),
        ("invents-an-error", "the codec refuses it"),
    ],
)
def test_a_damaged_answer_is_a_violation_and_the_run_goes_on(lie: str, reported: str, tmp_path: Path) -> None:
    """EndTxn is damaged: what needs it is violated with the reason, and what does not is judged as ever."""
    with LyingBroker("end_txn", LIES[lie]) as broker:
        address = f"127.0.0.1:{broker.port}"
        fencepost("run", "kafka", "--bootstrap", address, "--only", "KIP890-060", "--only", "KIP890-141", "--results", tmp_path, expect=1)

    assert verdicts(tmp_path) == {"KIP890-060": "violated", "KIP890-141": "met"}
    reason = next(row["reason"] for row in compliance(tmp_path)["requirements"] if row["id"] == "KIP890-060")
    assert reported in reason
    assert lie == "closes" or "the bytes: " in reason


def test_damaged_answers_to_reads_are_violations_too(tmp_path: Path) -> None:
    """A Fetch answer that cannot be read is the broker's fault, also where a Then only looks."""
    with LyingBroker("fetch", LIES["truncates"]) as broker:
        address = f"127.0.0.1:{broker.port}"
        fencepost("run", "kafka", "--bootstrap", address, "--only", "KIP890-141", "--results", tmp_path, expect=1)

    assert verdicts(tmp_path) == {"KIP890-141": "violated"}


def test_a_damaged_handshake_is_no_kafka_broker(tmp_path: Path) -> None:
    """When not even ApiVersions can be read, nothing is judged, and the bytes are shown."""
    with LyingBroker("api_versions", LIES["swaps-correlation-ids"]) as broker:
        finished = fencepost("run", "kafka", "--bootstrap", f"127.0.0.1:{broker.port}", "--results", tmp_path, expect=2)

    assert "kafka cannot be judged" in finished.out + finished.err
    assert "the bytes: " in finished.out + finished.err


def test_a_broker_that_goes_away_for_good_ends_the_run_in_the_scenario_that_it_left(tmp_path: Path) -> None:
    """Its answer cannot be known, and no broker is left for the rest: no verdict on either, and the scenario is named."""
    with LyingBroker("end_txn", LIES["closes"]) as broker:
        broker.lie = lambda _: broker.go_away()
        address = f"127.0.0.1:{broker.port}"
        asked = ("--only", "KIP890-060,KIP890-141", "--concurrency", 1)
        finished = fencepost("run", "kafka", "--bootstrap", address, *asked, "--results", tmp_path, expect=4)

    assert "the system stopped answering at" in finished.out
    assert "in KIP890-060 [" in finished.out
    assert {name: verdict for name, verdict in verdicts(tmp_path).items() if verdict != "met"} == {}
