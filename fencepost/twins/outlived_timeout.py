"""Whether a transaction with a short timeout was over before its client asked again, because the disturbance took longer than the timeout.

On the reference a restart takes no time. A broker needs seconds for it, and a short timeout is two: what the client asks then is refused
with right, and shows nothing about the disturbance.
"""

from fencepost.contract.played import Played, PlayedStep
from fencepost.steps.kafka.initialising import SHORT_TIMEOUT_MS

OUTLIVED = "the disturbance took longer than the short timeout of a transaction"
_SAID = "short timeout"


def outlives_its_timeout(plain: Played, twin: Played) -> bool:
    """Whether the step of the twin that failed was later than a short timeout after the actor with that timeout began, and was not without
    the disturbance. A Then waits for what it expects, so only the time before it counts.
    """
    begun = next((number for number, one in enumerate(twin.steps) if _SAID in one.step.text), None)
    failed = next((number for number, one in enumerate(twin.steps) if one is twin.failed), None)
    if begun is None or failed is None or failed <= begun or failed >= len(plain.steps):
        return False
    return _seconds(plain.steps[begun], plain.steps[failed]) < SHORT_TIMEOUT_MS / 1000 <= _seconds(twin.steps[begun], twin.steps[failed])


def _seconds(first: PlayedStep, asked: PlayedStep) -> float:
    return asked.began - first.began + (0 if asked.step.kind == "Then" else asked.seconds)
