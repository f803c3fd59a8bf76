"""Defects of Pulsar in acknowledgements whose transaction does not end on the subscription."""

from collections.abc import Callable

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.log_coordinator import LogCoordinator
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


@defect(
    {
        "PIP31-51": seen("^A from", expected="^nothing$", what="^pending in (payments|refunds)$"),
        "PIP31-89": seen("^something of 1 transactions$", expected="^nothing$", what='^pending in "auditors"$'),
    },
    origin="red team: a notification that the first one takes",
)
class StraysEndOnce(LogCoordinator):
    """The coordinator reports that a transaction is over to the first topic or subscription that asks: elsewhere, what was sent or
    acknowledged in it stays pending."""

    _reported: frozenset[TxnId] = frozenset()

    def is_over(self, txn: TxnId) -> bool:
        if txn in self._reported or not super().is_over(txn):
            return False
        self._reported |= {txn}
        return True
