"""Defects of Pulsar in who may write."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.producers import Producers


class _LetsEverybodyIn(Producers):
    def is_busy(self, name: str) -> bool:  # noqa: ARG002 - it does not look
        return False


class _ForgetsItsTermination(Producers):
    @property
    def is_terminated(self) -> bool:
        return False

    def is_busy(self, name: str) -> bool:  # noqa: ARG002 - those that it has closed come again
        return False


TWO_PRODUCERS_OF_ONE_NAME = Defect(
    name="pulsar-two-producers-of-one-name",
    breaks={"PIP31-143": Symptom(what="^answer to PRODUCER$", expected="ProducerBusy", seen="^success$")},
    story="Whoever comes under a name is let in, also while somebody else writes under it.",
    origin="textbook: a map that is overwritten",
    parts=Parts(producers=_LetsEverybodyIn),
)

TERMINATED_TAKES_MESSAGES = Defect(
    name="pulsar-terminated-takes-messages",
    breaks={"PIP31-147": Symptom(what="^answer to SEND$", expected="TopicTerminatedError", seen="^success$")},
    story="A topic that was terminated closes its producers, and lets them in again.",
    origin="textbook: a state that is told and not kept",
    parts=Parts(producers=_ForgetsItsTermination),
)
