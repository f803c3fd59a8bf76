"""Runs with a patience that is too short: nothing counts as violated because of that."""

import pytest

from fencepost.contract.registration import SpecifiedSystem
from fencepost.contract.verdict import Verdict
from fencepost.run.options import RunOptions
from fencepost.run.plays import Plays
from fencepost.run.selection import Selection

WAITS = (
    "CORE-15",
    "CORE-16",
    "KIP890-028",
    "KIP890-029",
    "KIP890-135",
    "KIP890-156",
    "KIP890-157",
    "KIP890-158",
    "KIP890-213",
    "KIP890-230",
)
"""Requirements whose scenarios wait for a timeout of a transaction."""


def results(rows: tuple[str, ...], patience_s: float, defect: str | None = None) -> dict[str, tuple[Verdict, str]]:
    """Verdict and reason of each Kafka scenario on the reference."""
    asked = SpecifiedSystem({"defect": defect} if defect else {}, None, patience_s)
    with Plays(RunOptions(asked=asked, selection=Selection(only=rows))) as plays:
        found = [plays.judge(play).result for play in plays if play.protocol == "kafka"]
    return {f"{one.requirement} {one.name}": (one.verdict, one.reason or "") for one in found}


@pytest.mark.parametrize("patience_s", [0.1, 1.0, 3.0])
def test_a_patience_that_is_too_short_violates_nothing(patience_s: float) -> None:
    """On a broker that conforms, what is met with enough patience is met or inconclusive with less."""
    enough, short = results(WAITS, 20.0), results(WAITS, patience_s)

    assert {verdict for verdict, _ in enough.values()} == {Verdict.MET}
    assert {verdict for verdict, _ in short.values()} <= {Verdict.MET, Verdict.INCONCLUSIVE}
    assert all(reason for verdict, reason in short.values() if verdict is Verdict.INCONCLUSIVE)


def test_a_broken_broker_is_violated_with_enough_patience_only() -> None:
    """With less, the reason says that the patience was over, and what was seen."""
    name, row = "timeout-ignored", "KIP890-156"
    enough, short = results((row,), 20.0, name), results((row,), 5.0, name)

    violated = {scenario for scenario, (verdict, _) in enough.items() if verdict is Verdict.VIOLATED}
    assert violated
    for scenario in violated:
        verdict, reason = short[scenario]
        assert verdict is Verdict.INCONCLUSIVE
        assert reason.startswith("what the scenario waited for did not come within the patience of 5 s")
        assert "; seen " in reason
