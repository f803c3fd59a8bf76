"""Defects of Pulsar in acknowledgements whose transaction does not end on the subscription."""

from collections.abc import Callable

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.subscription import Subscription
from fencepost.reference.pulsar.values import TxnId


class _WaitsForEveryEnd(Subscription):
    def strays(self, is_over: Callable[[TxnId], bool]) -> list[TxnId]:  # noqa: ARG002 - it does not ask
        return []


STRAY_ACKNOWLEDGEMENT_STAYS_PENDING = Defect(
    name="stray-acknowledgement-stays-pending",
    breaks={"PIP31-89": Symptom(what='^pending in "workers"$', expected="^nothing$", seen="^something of 1 transactions$")},
    story="What is acknowledged in a transaction that has ended, or never was, is delivered to nobody and deleted by nobody.",
    origin="as shipped by Apache Pulsar, seen on 4.0.7",
    parts=Parts(subscription=_WaitsForEveryEnd),
)
