"""A broker whose administration fails says nothing about a transaction."""

import pytest

from fencepost.adapters.pulsar.administration import AdminCalls
from fencepost.contract.outcomes import Refused
from fencepost.contract.registration import SpecifiedSystem
from fencepost.contract.verdict import Verdict
from fencepost.run.options import RunOptions
from fencepost.run.plays import Plays
from fencepost.run.selection import Selection


@pytest.mark.parametrize(("code", "verdict"), [(500, Verdict.INCONCLUSIVE), (403, Verdict.VIOLATED)])
def test_a_status_that_the_broker_fails_to_report_violates_no_requirement(
    monkeypatch: pytest.MonkeyPatch, code: int, verdict: Verdict
) -> None:
    """Pulsar 4.0.7 fails for ever when a subscription of the transaction was deleted. What is refused is judged."""
    monkeypatch.setattr(AdminCalls, "transaction", lambda *_, **__: Refused("made by a test", code))

    with Plays(RunOptions(asked=SpecifiedSystem(), selection=Selection(only=("PIP31-01",)))) as plays:
        results = [plays.judge(play).result.verdict for play in plays]

    assert set(results) == {verdict}
