"""Defects of Pulsar in acknowledgements whose transaction does not end on the subscription."""

from collections.abc import Callable

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.pulsar_types import TxnId
from fencepost.reference.pulsar.subscription import Subscription


@defect(
    {"PIP31-89": seen("^something of 1 transactions$", expected="^nothing$", what='^pending in "workers"$')},
    origin="as shipped by Apache Pulsar, seen on 4.0.7",
)
class StrayAcknowledgementStaysPending(Subscription):
    """A message that was acknowledged in a transaction that has ended, or was never begun, is neither delivered nor deleted."""

    def strays(self, is_over: Callable[[TxnId], bool]) -> list[TxnId]:  # noqa: ARG002 - it does not ask
        return []
