"""Outcomes as text: fit for a message to a person."""

import pytest

from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown


@pytest.mark.parametrize(
    ("outcome", "reported"),
    [
        (Done(None), "success"),
        (Done(7), "success with 7"),
        (Refused("PRODUCER_FENCED", 90), "PRODUCER_FENCED (90)"),
        (Refused("PRODUCER_FENCED", 90, "there is a newer one"), "PRODUCER_FENCED (90): there is a newer one"),
        (Unknown("127.0.0.1:9092 closed the connection", lost=True), "127.0.0.1:9092 closed the connection"),
    ],
)
def test_an_outcome_reads_as_text(outcome: Outcome[object], reported: str) -> None:
    """Without the names of our classes."""
    assert str(outcome) == reported
