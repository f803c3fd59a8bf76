"""What is left for a subscription is judged when the end has reached it, also where a broker does not report what is pending.

Pulsar 5.0.0-M1 is such a broker: it answers a commit before a subscription applies it, redelivers what is pending under a cumulative
acknowledgement, and reports nothing of what is pending on a segment.
"""

import pytest

from fencepost.adapters.pulsar.administration import AdminCalls
from fencepost.contract.outcomes import Refused
from fencepost.contract.registration import SpecifiedSystem
from fencepost.contract.verdict import Verdict
from fencepost.reference import defects
from fencepost.reference.defects.conforming.pulsar_scalable import MetadataNobodyIsTold
from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.metadata_transactions.participation import Participation
from fencepost.reference.pulsar.pulsar_release_bugs import RedeliversUnderCumulative
from fencepost.run.options import RunOptions
from fencepost.run.plays import Plays
from fencepost.run.selection import Selection
from fencepost.steps.pulsar.transactions import GONE

NAME = "follows-late"
COMMIT_OF_A_CUMULATIVE_ACKNOWLEDGEMENT = "PIP471-28", "[4]"


class NeverFollows(Participation):
    """No participant looks by itself for the end of a transaction."""

    def look_by_itself(self) -> None:
        """Does nothing."""


def verdict(monkeypatch: pytest.MonkeyPatch, parts: MetadataParts) -> Verdict:
    monkeypatch.setattr(AdminCalls, "pending_ack_stats", lambda *_: Refused(GONE, "no such topic"))
    monkeypatch.setitem(defects.DEFECTS, NAME, Defect(NAME, "follows late", "this test", parts))
    requirement, scenario = COMMIT_OF_A_CUMULATIVE_ACKNOWLEDGEMENT
    with Plays(RunOptions(asked=SpecifiedSystem({"defect": NAME}), selection=Selection(only=(requirement,)))) as plays:
        return next(plays.judge(play).result.verdict for play in plays if play.name.startswith(scenario))


def test_a_commit_may_reach_a_subscription_later_than_its_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next consumer gets what the commit is to delete, and one that subscribes after it does not."""
    late = MetadataParts(metadata_coordinator=MetadataNobodyIsTold, pending_acks=RedeliversUnderCumulative)

    assert verdict(monkeypatch, late) is Verdict.MET


def test_a_commit_that_never_reaches_it_is_violated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Patience ends, and what the commit was to delete is still left."""
    never = MetadataParts(metadata_coordinator=MetadataNobodyIsTold, participation=NeverFollows, pending_acks=RedeliversUnderCumulative)

    assert verdict(monkeypatch, never) is Verdict.VIOLATED
