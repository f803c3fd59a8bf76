"""On a broker, a twin shows nothing if the disturbance took longer than the timeout of the transaction."""

import pytest

from fencepost.contract.gherkin import GherkinStep
from fencepost.contract.played import Played, PlayedStep, StepEnding
from fencepost.twins.outlived_timeout import outlives_its_timeout

SHORT = 'producer A with transactional id "t" and a short timeout'


def _played(*steps: tuple[str, str, float, float], fails: bool = False) -> Played:
    """A play of steps with kind, text, beginning and seconds; the last one fails or does not."""
    said = [
        PlayedStep(GherkinStep(kind, kind, text, 0), StepEnding.DONE, began=began, seconds=seconds) for kind, text, began, seconds in steps
    ]
    if fails:
        kind, text, began, seconds = steps[-1]
        said[-1] = PlayedStep(GherkinStep(kind, kind, text, 0), StepEnding.FAILED, began=began, seconds=seconds, error=Exception())
    return Played(tuple(said))


QUICK = _played(("Given", SHORT, 0, 0.1), ("Given", "A has added payments-0", 0.1, 0.1), ("Then", "A is done", 0.2, 0.1))
LATE = {
    "a request after a restart": _played(("Given", SHORT, 0, 0.1), ("Given", "A has added payments-0", 6, 0.1), fails=True),
    "a request during which it restarted": _played(("Given", SHORT, 0, 0.1), ("Given", "A has added payments-0", 0.1, 6), fails=True),
    "a look after a restart": _played(("Given", SHORT, 0, 0.1), ("Given", "x", 0.1, 0.1), ("Then", "A is done", 7, 0.1), fails=True),
}
NOT_LATE = {
    "a request in time": _played(("Given", SHORT, 0, 0.1), ("Given", "A has added payments-0", 1, 0.1), fails=True),
    "a look that waits for long": _played(("Given", SHORT, 0, 0.1), ("Given", "x", 0.1, 0.1), ("Then", "A is done", 0.2, 20), fails=True),
    "no short timeout": _played(("Given", "producer A", 0, 0.1), ("Given", "A has added payments-0", 6, 0.1), fails=True),
}


@pytest.mark.parametrize("twin", LATE.values(), ids=LATE)
def test_what_is_asked_after_the_timeout_shows_nothing(twin: Played) -> None:
    """A step that fails later than the timeout, and was in time without the disturbance, is no difference."""
    assert outlives_its_timeout(QUICK, twin)


@pytest.mark.parametrize("twin", NOT_LATE.values(), ids=NOT_LATE)
def test_what_is_asked_in_time_shows_what_differs(twin: Played) -> None:
    """Without a short timeout, or before it is over, what fails is a difference."""
    assert not outlives_its_timeout(QUICK, twin)


@pytest.mark.parametrize("twin", LATE.values(), ids=LATE)
def test_a_scenario_that_waits_for_the_timeout_shows_what_differs(twin: Played) -> None:
    """Where the step comes after the timeout without the disturbance too, the restart excuses nothing."""
    patient = _played(("Given", SHORT, 0, 0.1), ("Given", "A has timed out", 3, 0.1), ("Then", "A is done", 3.2, 0.1))
    assert not outlives_its_timeout(patient, twin)
