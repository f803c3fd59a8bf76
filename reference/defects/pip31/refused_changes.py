"""Defects of Pulsar in requests that are refused, and are half carried out."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.pulsar_types import EndAction
from fencepost.reference.pulsar.subscription import Consumer, Subscription


@defect(
    {"PIP31-176": seen('^"i1", "i2"$', expected='^"i2"$', what="^left for others$")},
    origin="textbook: a request is checked after its first step",
)
class PulsarRefusedRemovalReleases(Subscription):
    """The removal of a subscription that has other consumers is refused, and yet what is pending there is already deleted."""

    def check_is_alone(self, consumer: Consumer) -> None:
        if len(self.consumers) > 1:
            for txn in self.pending.transactions():
                self.pending.erase()
                self.pending.end(txn, EndAction.ABORT)
        super().check_is_alone(consumer)
