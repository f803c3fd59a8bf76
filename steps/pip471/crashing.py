"""Crashes at the points of a broker's own code."""

from fencepost.steps.pulsar.context import ScenarioContext

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
