"""Crashes at the points of a broker's own code."""

from fencepost.steps.pulsar.context import ScenarioContext

from .storing import RETENTION_PASSED_S
from .vocabulary import PIP471

COME_BACK = PIP471.act(
    given="the system has come back",
    when="the system comes back",
    meaning="It has crashed at the point that was named, or does so now, and starts with what was durable.",
)


@PIP471.given("the system will crash {point}")
def will_crash(context: ScenarioContext, point: str) -> None:
    """A power cut when it comes to that point the next time, in whatever it does then."""
    context.session.faults.crash_at(point)


@COME_BACK.given
@COME_BACK.when
def comes_back(context: ScenarioContext) -> None:
    context.session.faults.restart()


@PIP471.when("the system crashes and comes back behind the time-out and the retention of {transaction}")
def comes_back_late(context: ScenarioContext, transaction: str) -> None:
    """A power cut, and a start when its time-out has passed, and then as much time as headers of transactions that have ended are kept."""
    session = context.session
    session.faults.crash()
    left_s = (context.transactions[transaction].expires_ms - session.time.now_ms()) / 1000
    for _ in session.time.attempts(left_s + RETENTION_PASSED_S):
        pass
    session.faults.restart()
