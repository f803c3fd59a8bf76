"""Defects that show only where coordinator and leader are different nodes, and one of them is away for a while."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kernel.network import Network


class _DeliversAtOnceOrNever(Network):
    def deliver(self) -> None:
        super().deliver()
        self._in_flight.clear()


MARKER_NOT_SENT_AGAIN = Defect(
    name="marker-not-sent-again",
    breaks={"KIP890-126": Symptom(seen="accounts-1: none")},
    story="A marker for a leader that does not take it at once is thrown away, so the transaction stays prepared when the leader is back.",
    origin="hanging transactions, the reason for KIP-890",
    parts=Parts(network=_DeliversAtOnceOrNever),
)
