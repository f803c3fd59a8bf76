"""What the history checker says of the suite's own runs: nothing of the honest reference, and its anomaly of each defect that a history
shows.

In process, since the plans on Spark find the same (test_check_anomalies.py); `--check` on real brokers reads files that a run wrote.
"""

import json
from pathlib import Path

import pytest
from played_defects import anomalies_of_all

from fencepost.contract import history_files
from fencepost.pipeline.laws.judge import judge
from fencepost.pipeline.laws.pairing import paired

SHOWN = {
    "a-commit-decides-all": "G1a",
    "abort-in-later-segment-missed": "G1a",
    "aborted-before-the-range-not-listed": "G1a",
    "any-end-releases-all": "early-read",
    "both-racing-ends-succeed": "outcome-flip",
    "commit-deletes-in-memory": "ack-resurrection",
    "commit-deletes-nothing": "ack-resurrection",
    "commit-of-aborted-succeeds": "outcome-flip",
    "commit-takes-the-entry": "phantom-ack",
    "core-kafka-abort-committed-by-crash": "G1a",
    "core-kafka-aborted-is-committed": "outcome-flip",
    "core-kafka-aborted-shown": "G1a",
    "core-kafka-committed-is-aborted": "outcome-flip",
    "core-kafka-dirty-read": "early-read",
    "core-kafka-input-comes-again": "lost-offset-commit",
    "core-kafka-input-lost": "phantom-offset-commit",
    "core-kafka-input-taken-without-output": "phantom-offset-commit",
    "core-kafka-late-write-hangs": "zombie-write",
    "core-kafka-late-write-shown": "G1a",
    "core-kafka-later-writes-taken-for-repeated": "inconsistent-offsets",
    "core-kafka-order-turned": "int-nonmonotonic-poll",
    "core-kafka-second-abort-undoes-the-first": "G1a",
    "core-pulsar-abort-committed-by-crash": "G1a",
    "core-pulsar-aborted-is-committed": "outcome-flip",
    "core-pulsar-aborted-shown": "G1a",
    "core-pulsar-committed-is-aborted": "outcome-flip",
    "core-pulsar-dirty-read": "early-read",
    "core-pulsar-input-comes-again": "ack-resurrection",
    "core-pulsar-input-lost": "phantom-ack",
    "core-pulsar-input-not-told": "phantom-ack",
    "core-pulsar-late-write-shown": "early-read",
    "core-pulsar-second-abort-undoes-the-first": "G1a",
    "decision-contradicted": "outcome-flip",
    "duplicate-of-an-older-epoch": "zombie-write",
    "every-older-epoch-is-a-retry": "outcome-flip",
    "late-abort-of-a-commit-succeeds": "outcome-flip",
    "late-hides-the-committed": "write-to-ended-transaction",
    "late-is-accepted": "write-to-ended-transaction",
    "late-is-shown": "early-read",
    "latest-ignores-isolation": "early-read",
    "lso-ignores-open-transactions": "early-read",
    "metadata-aborted-known-by-memory": "G1a",
    "metadata-any-end-is-good": "outcome-flip",
    "metadata-cursor-saved-later": "ack-resurrection",
    "metadata-decided-is-not-recovered": "ack-resurrection",
    "metadata-end-deletes-others-acknowledgements": "ack-resurrection",
    "metadata-entry-before-record": "early-read",
    "metadata-header-written-before-refusal": "outcome-flip",
    "metadata-late-commit-agreed": "outcome-flip",
    "metadata-late-messages-taken": "write-to-ended-transaction",
    "metadata-leftovers-deleted": "ack-resurrection",
    "metadata-open-is-left-out": "lso-violation",
    "metadata-open-without-position": "lso-violation",
    "metadata-recovered-without-positions": "ack-resurrection",
    "opposite-end-succeeds": "outcome-flip",
    "pulsar-abort-keeps-input": "phantom-ack",
    "pulsar-abort-of-a-commit-succeeds": "outcome-flip",
    "pulsar-abort-shows": "G1a",
    "pulsar-commit-keeps-input": "ack-resurrection",
    "pulsar-open-is-read": "early-read",
    "refused-addition-written-all-the-same": "zombie-write",
    "repeated-is-stored": "duplicate",
    "repeated-is-stored-after-loading": "duplicate",
    "scalable-merge-takes-the-first-range": "segment-dag-defect",
    "scalable-merged-at-once": "parent-after-child key-reorder",
    "scalable-nothing-sealed": "sealed-segment-write",
    "scalable-pruned-before-the-end": "early-prune",
    "scalable-pruned-while-pending": "early-prune",
    "stale-epoch-accepted": "zombie-write",
}
"""Defects of which a history tells, and as what; the others break an answer, or a promise that only a scenario asks for."""


MOST_SCENARIOS_HAVE_ONE = 2_000
AT_A_TIME = 50
"""Histories that are judged together show what each shows alone (test_laws_cases.py), in a quarter of the time."""


def test_the_honest_reference_shows_no_anomaly(reference_run: tuple[Path, str]) -> None:
    """Neither a definite one nor a possible one, in any scenario of the suite; and every line could be read."""
    histories = list(history_files.found_in(reference_run[0]))

    assert len(histories) > MOST_SCENARIOS_HAVE_ONE
    for some in (histories[first : first + AT_A_TIME] for first in range(0, len(histories), AT_A_TIME)):
        events = [json.loads(line) for file in some for line in history_files.text_of(file).splitlines()]
        assert (len(paired(events).refused), judge(events)) == (0, {}), [file.name for file in some]


@pytest.fixture(scope="module")
def found() -> dict[str, tuple[bool, set[str]]]:
    """Whether, with each defect, a scenario of its requirements is violated, and the anomalies that their histories show."""
    return anomalies_of_all({defect: set(anomalies.split()) for defect, anomalies in SHOWN.items()})


@pytest.mark.parametrize("defect", SHOWN)
def test_a_defect_shows_as_its_anomaly(found: dict[str, tuple[bool, set[str]]], defect: str) -> None:
    """The history of the scenario that catches it shows the same, without having been asked."""
    is_red, anomalies = found[defect]

    assert is_red
    assert set(SHOWN[defect].split()) <= anomalies
