"""Defects of Pulsar in who may write."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.producers import Producers


@defect(
    {"PIP31-143": seen("^success$", expected="ProducerBusy", what="^answer to PRODUCER$")}, origin="textbook: a map that is overwritten"
)
class PulsarTwoProducersOfOneName(Producers):
    """A topic accepts a producer under a name that a connected producer already uses."""

    def is_busy(self, name: str) -> bool:  # noqa: ARG002 - it does not look
        return False


@defect(
    {"PIP31-147": seen("^success$", expected="TopicTerminatedError", what="^answer to SEND$")},
    origin="textbook: a state that is sent and not kept",
)
class PulsarTerminatedTakesMessages(Producers):
    """A topic that was terminated closes its producers, and lets them in again."""

    @property
    def is_terminated(self) -> bool:
        return False

    def is_busy(self, name: str) -> bool:  # noqa: ARG002 - those that it has closed reconnect
        return False
