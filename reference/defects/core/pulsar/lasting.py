"""Defects of the Pulsar reference in what lasts when a topic is loaded anew."""

from collections.abc import Iterator

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.defects.pip31 import visibility
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.buffer import Place, Readable
from fencepost.reference.pulsar.sidecar_buffer import SidecarBuffer


class _ReadsOnlyMarkersOfThisLife(SidecarBuffer):
    def recover(self) -> None:
        super().recover()
        self.loaded_to = self._ledger.last

    def after(self, place: Place) -> Iterator[Readable]:
        return (one for one in super().after(place) if one.message.txn is None or one.place.position > self.loaded_to)


class _FindsNothingOpen(SidecarBuffer):
    def recover(self) -> None:
        super().recover()
        for txn in self.ongoing():
            del self._messages[txn]


SEEN_IS_GONE_AFTER_RELOAD = Defect(
    name="core-pulsar-seen-is-gone-after-reload",
    breaks={"CORE-32": Symptom(expected='^"a1", "plain"$', seen='^"plain"$')},
    story="What a marker commits is kept in memory, so that a topic which is loaded anew has it for nobody.",
    origin="textbook: a cache that is held for the truth",
    parts=Parts(sidecar_buffer=_ReadsOnlyMarkersOfThisLife),
)

OPEN_FORGOTTEN_BY_RELOAD = Defect(
    name="core-pulsar-open-forgotten-by-reload",
    breaks={"CORE-40": Symptom(expected='^"a1", "a2"$', seen='^"a2"$')},
    story="A topic that is loaded knows of no open transactions, and their commit publishes only what they wrote since then.",
    origin="textbook: a state that recovery forgets",
    parts=Parts(sidecar_buffer=_FindsNothingOpen),
)


OPEN_IS_READ_AFTER_RELOAD = Defect(
    name="core-pulsar-open-is-read-after-reload",
    breaks={"CORE-40": Symptom(expected="^nothing$", seen='^"a1"')},
    story="A topic that is loaded takes the last message of an open transaction for its first, and readers get what is before it.",
    origin="textbook: an entry of a table is overwritten where the first one counts",
    parts=Parts(sidecar_buffer=visibility.ShowsAllButTheLast, marker_buffer=visibility.MarksFromTheLast),
)

ABORTED_BESIDE_THE_OPEN_AFTER_RELOAD = Defect(
    name="core-pulsar-aborted-beside-the-open-after-reload",
    breaks={"CORE-40": Symptom(expected='^"a1"$', seen='"b1"')},
    story="A topic that is loaded while a transaction is open forgets which others were aborted behind its first message.",
    origin="textbook: a list that is recovered up to the first gap",
    parts=Parts(sidecar_buffer=visibility.ShowsTheAbortedBesideTheOpen, marker_buffer=visibility.ForgetsAbortsBehindTheOpen),
)
