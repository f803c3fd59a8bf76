"""Defects in EndTxn off the beaten track."""

from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.coordinator import Coordinator
from fencepost.reference.kafka.dialect import Dialect
from fencepost.reference.kafka.ending import Asked, Ending
from fencepost.reference.kafka.node import Parts
from fencepost.reference.kafka.transaction import PREPARED, Decision, State, Transaction
from fencepost.reference.kafka.values import ProducerIdAndEpoch


class _EchoesTheIdentity(Dialect):
    def producer_in_refusal(self, asked_as: ProducerIdAndEpoch) -> ProducerIdAndEpoch:
        return asked_as


IDENTITY_BESIDE_AN_ERROR = Defect(
    name="identity-beside-an-error",
    breaks={"KIP890-062": Symptom(seen=r"^a refusal with PRODUCER_FENCED \(90\) with \(producer id \d+, epoch \d+\)")},
    story="A refusal repeats the producer id and epoch of the request, and a client that reads them first believes that they are its own.",
    origin="textbook: one answer built for success and error",
    parts=Parts(dialect=_EchoesTheIdentity),
)


class _AbortsOnceMore(Coordinator):
    def end_of_new_client(self, state: State, decision: Decision, asked: Asked) -> Ending:
        if (state, decision, asked) == (State.COMPLETE_ABORT, Decision.ABORT, Asked.RETRY):
            return Ending.PREPARE
        return super().end_of_new_client(state, decision, asked)


RETRIED_ABORT_IS_A_NEW_ONE = Defect(
    name="retried-abort-is-a-new-one",
    breaks={"KIP890-065": Symptom(seen=r"^success with \(producer id \d+, epoch 2\)")},
    story="A client that asks for its abort again gets an empty abort on top, which takes away the epoch of its other requests.",
    origin="textbook: the empty abort is tested before the retry",
    parts=Parts(coordinator=_AbortsOnceMore),
)


class _NeverWaits(Coordinator):
    def must_wait(self, transaction: Transaction) -> bool:  # noqa: ARG002 - that is the defect
        return False


class _AnswersBeforeCompletion(_NeverWaits):
    def end_of_new_client(self, state: State, decision: Decision, asked: Asked) -> Ending:
        if state in PREPARED and asked is Asked.RETRY:
            return Ending.ANSWER_AGAIN
        return super().end_of_new_client(state, decision, asked)


RETRY_ANSWERED_BEFORE_COMPLETION = Defect(
    name="retry-answered-before-completion",
    breaks={"KIP890-066": Symptom(expected="CONCURRENT_TRANSACTIONS", seen="^success")},
    story="Whoever asks again while markers are on their way is answered success, whichever end it asks for.",
    origin="textbook: a retry is told by its epoch alone",
    parts=Parts(coordinator=_AnswersBeforeCompletion),
)


class _TakesAnyEndForARetry(Coordinator):
    def end_of_new_client(self, state: State, decision: Decision, asked: Asked) -> Ending:
        if state in (State.COMPLETE_ABORT, State.COMPLETE_COMMIT) and asked is Asked.RETRY:
            return Ending.ANSWER_AGAIN
        return super().end_of_new_client(state, decision, asked)


COMMIT_OF_ABORTED_SUCCEEDS = Defect(
    name="commit-of-aborted-succeeds",
    breaks={"KIP890-068": Symptom(expected="INVALID_TXN_STATE or PRODUCER_FENCED", seen="^success")},
    story="A client whose transaction was aborted commits with that epoch, is answered success, and its data is gone.",
    origin="textbook: a retry is told by its epoch alone",
    parts=Parts(coordinator=_TakesAnyEndForARetry),
)


class _FearsOnlyOldEpochs(Coordinator):
    def asked_about(self, transaction: Transaction, producer: ProducerIdAndEpoch) -> Asked | None:
        asked = super().asked_about(transaction, producer)
        return Asked.CURRENT if asked is Asked.NEITHER and producer.epoch > transaction.producer_epoch else asked


FUTURE_EPOCH_ENDS = Defect(
    name="future-epoch-ends",
    breaks={"KIP890-073": Symptom(expected="PRODUCER_FENCED", seen="^success")},
    story="An epoch that nobody was given ends the open transaction, since it is not smaller than the one in force.",
    origin="textbook: fencing with < where != is due",
    parts=Parts(coordinator=_FearsOnlyOldEpochs),
)


class _LooksOnlyAtTheEpoch(Coordinator):
    def asked_about(self, transaction: Transaction, producer: ProducerIdAndEpoch) -> Asked | None:
        return super().asked_about(transaction, replace(producer, producer_id=transaction.producer_id))


FOREIGN_PRODUCER_ENDS = Defect(
    name="foreign-producer-ends",
    breaks={"KIP890-074": Symptom(expected="INVALID_PRODUCER_ID_MAPPING", seen="^success")},
    story="A producer ends the transaction of another one, when only its epoch happens to be the same.",
    origin="textbook: half of a comparison",
    parts=Parts(coordinator=_LooksOnlyAtTheEpoch),
)


class _LooksForTheEmptyId(Coordinator):
    def is_valid_id(self, transactional_id: str) -> bool:  # noqa: ARG002 - that is the defect
        return True


EMPTY_ID_LOOKED_UP = Defect(
    name="empty-id-looked-up",
    breaks={"KIP890-075": Symptom(seen="^a refusal with INVALID_PRODUCER_ID_MAPPING")},
    story="The empty transactional id is looked for like others, and the client hears of a lost producer id where its request is wrong.",
    origin="textbook: an argument that is not tested",
    parts=Parts(coordinator=_LooksForTheEmptyId),
)


class _ShowsTheOldEpoch(Coordinator):
    def describe(self, transactional_id: str) -> Transaction:
        transaction = super().describe(transactional_id)
        return replace(transaction, producer_epoch=transaction.last_producer_epoch) if transaction.state in PREPARED else transaction


EPOCH_RAISED_AT_COMPLETION = Defect(
    name="epoch-raised-at-completion",
    breaks={"KIP890-080": Symptom(seen=r"^\(producer id \d+, epoch 0\)")},
    story="Until the last marker is written, administrators see the epoch of the transaction that has ended.",
    origin="textbook: raising the epoch with Complete, where Prepare is due",
    parts=Parts(coordinator=_ShowsTheOldEpoch),
)

FRESH_EPOCH_FENCED = Defect(
    name="fresh-epoch-fenced",
    breaks={"KIP890-081": Symptom(seen="^a refusal with PRODUCER_FENCED")},
    story="The epoch is looked at before the pending transition, so a producer is fenced with the epoch that it has just been given.",
    origin="https://issues.apache.org/jira/browse/KAFKA-18464",
    parts=Parts(coordinator=_NeverWaits),
)


class _TellsBothWhatTheyWant(Coordinator):
    def end_of_new_client(self, state: State, decision: Decision, asked: Asked) -> Ending:
        return Ending.ANSWER_AGAIN if asked is Asked.RETRY else super().end_of_new_client(state, decision, asked)


BOTH_RACING_ENDS_SUCCEED = Defect(
    name="both-racing-ends-succeed",
    breaks={"KIP890-079": Symptom(seen="success with .*success with")},
    story="Who comes second with the opposite decision is taken for a client that asks again, and is answered success.",
    origin="textbook: a retry is told by its epoch alone",
    parts=Parts(coordinator=_TellsBothWhatTheyWant),
)
