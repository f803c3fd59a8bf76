"""Defects of a topic whose subscriptions have acknowledged everything: it forgets what later subscriptions need."""

from collections.abc import Mapping
from dataclasses import replace

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.pulsar.buffer import MessagePosition
from fencepost.reference.pulsar.marker_buffer import MarkerBuffer
from fencepost.reference.pulsar.pending_ack_store import Units
from fencepost.reference.pulsar.pulsar_types import EndAction
from fencepost.reference.pulsar.sidecar_buffer import SidecarBuffer
from fencepost.reference.pulsar.subscription import Subscription


class _ForgetsItsAborts(MarkerBuffer):
    def forget_aborts(self) -> None:
        self._ended = {txn: action for txn, action in self._ended.items() if action is EndAction.COMMIT}


class _ShowsItsAborts(SidecarBuffer):
    def forget_aborts(self) -> None:
        for txn in [txn for txn in self._messages if self.is_aborted(txn)]:
            for _, message in self._messages.pop(txn):
                self._ledger.append(replace(message, txn=None))


@defect(
    {"PIP31-02": seen('"a1"', expected='^"p1"$', what="^readers of orders$")},
    origin="red team: what is aborted is remembered for as long as a subscription has not read past it",
    also=[_ForgetsItsAborts, _ShowsItsAborts],
)
class PulsarAbortsForgottenOnceConsumed(Subscription):
    """A topic forgets what was aborted when a subscription has acknowledged everything, and later subscriptions receive it."""

    def acknowledge(self, wanted: Mapping[MessagePosition, Units]) -> None:
        super().acknowledge(wanted)
        if not self.has_more() and isinstance(self._buffer, _ForgetsItsAborts | _ShowsItsAborts):
            self._buffer.forget_aborts()
