"""Defects of Pulsar in what consumers rely on without any transaction."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.answers import Answers
from fencepost.reference.pulsar.buffer import Place, behind_entry
from fencepost.reference.pulsar.cursor import Cursor, Moved
from fencepost.reference.pulsar.subscription import Consumer, Subscription
from fencepost.reference.pulsar.values import SubscriptionType


class _SeeksInSilence(Answers):
    def answers(self, request: str) -> bool:
        return request != "CommandSeek"


class _SendsOneMore(Subscription):
    def takes_more(self, consumer: Consumer) -> bool:
        return consumer.permits >= 0


class _CountsNothing(Subscription):
    def redelivery_count(self, place: Place) -> int:  # noqa: ARG002 - it does not look
        return 0


class _LetsEverybodyIn(Subscription):
    def attach(self, consumer: Consumer, kind: SubscriptionType) -> None:
        self.kind = kind
        self.consumers.append(consumer)


class _KnowsOfNoMore(Subscription):
    def has_more(self) -> bool:
        return False


class _StopsBeforeTheLast(Subscription):
    def acknowledge_up_to(self, place: Place) -> None:
        self.acknowledge({before: units for before, units in self._all_up_to(place).items() if before != place})


SEEK_IS_NOT_ANSWERED = Defect(
    name="seek-is-not-answered",
    breaks={"PIP31-133": Symptom(what="^answers$", seen="^none to SEEK$")},
    story="A consumer is closed because it goes back, and hears nothing more: its client waits until its time is over.",
    origin="textbook: an answer to what was closed before it was answered",
    parts=Parts(answers=_SeeksInSilence),
)

SENT_WITHOUT_A_PERMIT = Defect(
    name="sent-without-a-permit",
    breaks={"PIP31-134": Symptom(what="^received by workers$", expected='^"i1", "i2"$', seen='^"i1", "i2", "i3"$')},
    story="A consumer that has asked for two messages is sent three.",
    origin="textbook: a comparison that is off by one",
    parts=Parts(subscription=_SendsOneMore),
)

REDELIVERY_IS_NOT_COUNTED = Defect(
    name="redelivery-is-not-counted",
    breaks={"PIP31-135": Symptom(what="^received by workers$", seen='"i1 for the first time"')},
    story="A message that fails comes again for ever, and each time as if it were the first: nobody puts it aside.",
    origin="textbook: a field that is left at its default",
    parts=Parts(subscription=_CountsNothing),
)

EVERYBODY_JOINS = Defect(
    name="everybody-joins",
    breaks={"PIP31-138": Symptom(what="^answer to SUBSCRIBE$", expected="^a refusal with ConsumerBusy$", seen="^success$")},
    story="A second consumer joins an exclusive subscription, and both believe to be the only one.",
    origin="textbook: a check that stands in the client alone",
    parts=Parts(subscription=_LetsEverybodyIn),
)

END_IS_TOLD_TOO_SOON = Defect(
    name="end-is-told-too-soon",
    breaks={"PIP31-139": Symptom(what="^told to workers$", expected="^nothing of an end$", seen="^that there is no more$")},
    story="Whoever reads a terminated topic is told at once that there is no more, and stops before it has read anything.",
    origin="textbook: the topic is asked where the subscription should be",
    parts=Parts(subscription=_KnowsOfNoMore),
)

CUMULATIVE_STOPS_BEFORE_ITS_MESSAGE = Defect(
    name="cumulative-stops-before-its-message",
    breaks={"PIP31-140": Symptom(what="^left for workers$", expected='^"i3"$', seen='^"i2", "i3"$')},
    story="An acknowledgement of everything up to a message leaves that message itself behind, which is processed twice.",
    origin="textbook: a range whose end is not in it",
    parts=Parts(subscription=_StopsBeforeTheLast),
)


class _SavesEntries(Cursor):
    def save(self) -> None:
        self._journal.append(Moved(behind_entry(self.mark_delete.position), dict(self._beyond)))


class _CountsWhatItReads(Subscription):
    def dispatch(self) -> None:
        for readable in self._buffer.after(self._read_position):
            if self.consumers and self.pending.units_at(readable.place):
                self.consumers[0].permits -= 1
        super().dispatch()


CURSOR_SAVES_ENTRIES = Defect(
    name="cursor-saves-entries",
    breaks={"PIP31-140": Symptom(what="^left for workers$", expected='"a2", "a3"$', seen="^nothing$")},
    story="A cursor saves the entry up to which all is acknowledged: after a crash, the rest of a committed transaction is passed by.",
    origin="textbook: a state in memory that is finer than the one on disk",
    parts=Parts(cursor=_SavesEntries),
)

PENDING_USES_PERMITS = Defect(
    name="pending-uses-permits",
    breaks={"PIP31-158": Symptom(what="^received by workers$", expected='^"i3"$', seen="^nothing$")},
    story="Each message that the broker reads uses a permit, and then some are withheld: the consumer waits for what nobody sends.",
    origin="apache/pulsar#21177: messages that are filtered out use permits",
    parts=Parts(subscription=_CountsWhatItReads),
)
