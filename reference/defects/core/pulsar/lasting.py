"""Defects of the Pulsar reference in what lasts when a topic is reloaded."""

from collections.abc import Iterator

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.defects.pip31 import visibility
from fencepost.reference.pulsar.buffer import MessagePosition, Readable
from fencepost.reference.pulsar.ledger import LedgerMarker
from fencepost.reference.pulsar.pulsar_types import BEFORE_ALL, EndAction
from fencepost.reference.pulsar.sidecar_buffer import SidecarBuffer


@defect({"CORE-32": seen('^"plain"$', expected='^"a1", "plain"$')}, origin="textbook: a cache that is held for the truth")
class CorePulsarSeenIsGoneAfterReload(SidecarBuffer):
    """A topic keeps in memory which messages were committed; after a reload it delivers none of them."""

    def recover(self) -> None:
        super().recover()
        self.loaded_to = self._ledger.last

    def after(self, place: MessagePosition) -> Iterator[Readable]:
        return (one for one in super().after(place) if one.message.txn is None or one.place.position > self.loaded_to)


@defect({"CORE-40": seen('^"a2"$', expected='^"a1", "a2"$')}, origin="textbook: a state that recovery forgets")
class CorePulsarOpenForgottenByReload(SidecarBuffer):
    """A topic that is loaded has lost its open transactions, and their commit publishes only what they wrote since then."""

    def recover(self) -> None:
        super().recover()
        for txn in self.ongoing():
            del self._messages[txn]


@defect(
    {"CORE-40": seen('^"a1"', expected="^nothing$")},
    origin="textbook: an entry of a table is overwritten where the first one counts",
    also=[visibility.MarksFromTheLast],
)
class CorePulsarOpenIsReadAfterReload(visibility.ShowsAllButTheLast):
    """A topic that is loaded takes the last message of an open transaction as its first one, and readers get what is before it."""


@defect(
    {"CORE-40": seen('"b1"', expected='^"a1"$')},
    origin="textbook: a list that is recovered up to the first gap",
    also=[visibility.ForgetsAbortsBehindTheOpen],
)
class CorePulsarAbortedBesideTheOpenAfterReload(visibility.ShowsTheAbortedBesideTheOpen):
    """A topic that is loaded while a transaction is open forgets which others were aborted after its first message."""


@defect({"CORE-40": seen('^"b1"$', expected='"a1"')}, origin="red team: a log that is cut at the last commit")
class CorePulsarCommitCutsTheLog(SidecarBuffer):
    """A commit removes from the transaction log what is before it: a reloaded topic has no messages of an older open transaction."""

    def recover(self) -> None:
        super().recover()
        markers = [(entry.position, entry.content) for entry in self._sidecar if isinstance(entry.content, LedgerMarker)]
        cut = max((position for position, marker in markers if marker.action is EndAction.COMMIT), default=BEFORE_ALL)
        for txn in [txn for txn, first in self.ongoing().items() if first < cut]:
            kept = [one for one in self._messages.pop(txn) if one[0] > cut]
            if kept:
                self._messages[txn] = kept
