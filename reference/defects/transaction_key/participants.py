"""Defects of the transaction key in what topics and subscriptions take of a fenced transaction."""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.defects.pip31.visibility import StopsReaders
from fencepost.reference.metadata_transactions import MetadataParts
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.metadata_transactions.records import State
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.errors import Error, Refused
from fencepost.reference.pulsar.topic import NO_WATERMARK
from fencepost.reference.pulsar.transaction_key.claims import Doing
from fencepost.reference.pulsar.transaction_key.key import TransactionKey
from fencepost.reference.pulsar.transaction_key.key_topic import KeyTopic
from fencepost.reference.pulsar.transaction_key.keys import TransactionKeys
from fencepost.reference.pulsar.transaction_key.node_keys import NodeKeys
from fencepost.reference.pulsar.transaction_key.records import KeyRecord, Numbers
from fencepost.reference.pulsar.values import Action, TxnId

from .pair import pair

_SCALABLE = 4
_FEW = 5
_TAKEN = Symptom(what="^answer to SEND$", expected="InvalidTxnStatus")
_NOT_EXPIRED = Symptom(
    what="^(answer to SEND|refusal of SEND)$", expected="^(InvalidTxnStatus|a refusal with InvalidTxnStatus|ExpiredTransaction.*)$"
)
_ACKNOWLEDGED = Symptom(what="^answer to ACK$", expected="InvalidTxnStatus")


class _OnlyTheCoordinatorRefuses(NodeKeys):
    def refuse_fenced(self, txn: TxnId, doing: Doing, coordinators: range, *, scalable: bool) -> None:
        """A participant asks nobody."""


class _OnlyMessagesRefused(NodeKeys):
    def refuse_fenced(self, txn: TxnId, doing: Doing, coordinators: range, *, scalable: bool) -> None:
        if doing is Doing.SEND:
            super().refuse_fenced(txn, doing, coordinators, scalable=scalable)


class _TakesMessages(NodeKeys):
    def refuse_fenced(self, txn: TxnId, doing: Doing, coordinators: range, *, scalable: bool) -> None:
        if doing is not Doing.SEND:
            super().refuse_fenced(txn, doing, coordinators, scalable=scalable)


class _ThanksForWhatIsThere(NodeKeys):
    def refuse_fenced(self, txn: TxnId, doing: Doing, coordinators: range, *, scalable: bool) -> None:
        if doing is not Doing.SEND_AGAIN:
            super().refuse_fenced(txn, doing, coordinators, scalable=scalable)


class _RemembersAFew(TransactionKeys):
    def remembered(self, known: Sequence[Numbers], fenced: Sequence[TxnId]) -> tuple[Numbers, ...]:
        return super().remembered(known, fenced)[-_FEW:]


class _KnowsWhatRecordsSay(KeyTopic):
    def is_fenced(self, txn: TxnId) -> bool:
        return any(txn in record.fenced_txns for record in self._latest.values())


class _WaitsForItsEnd(StopsReaders):
    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:
        if low_watermark != NO_WATERMARK:
            super().end(txn, action, low_watermark)


class _OpensAgain(MetadataBuffer):
    @functools.cached_property
    def opened(self) -> set[TxnId]:
        """Those that have ended, and are open here."""
        return set()

    def refuse_what_comes_too_late(self, txn: TxnId) -> None:
        if self.participation.state_of(txn) is not State.OPEN:
            self.opened.add(txn)

    def check_again(self, txn: TxnId) -> None:
        if txn not in self.opened:
            super().check_again(txn)

    def end(self, txn: TxnId, action: Action, low_watermark: int) -> None:
        if txn not in self.opened:
            super().end(txn, action, low_watermark)


class _TakesCumulative(NodeKeys):
    def refuse_fenced(self, txn: TxnId, doing: Doing, coordinators: range, *, scalable: bool) -> None:
        if doing is not Doing.ACKNOWLEDGE_UP_TO:
            super().refuse_fenced(txn, doing, coordinators, scalable=scalable)


class _TakesIndividual(NodeKeys):
    def refuse_fenced(self, txn: TxnId, doing: Doing, coordinators: range, *, scalable: bool) -> None:
        if doing is not Doing.ACKNOWLEDGE:
            super().refuse_fenced(txn, doing, coordinators, scalable=scalable)


class _HasAnotherError(NodeKeys):
    def refuse_fenced(self, txn: TxnId, doing: Doing, coordinators: range, *, scalable: bool) -> None:
        try:
            super().refuse_fenced(txn, doing, coordinators, scalable=scalable)
        except Refused as refused:
            raise Refused(Error.NOT_ALLOWED, refused.message) from refused


class _TakesWhatIsNotAnswered(NodeKeys):
    def refuse_fenced(self, txn: TxnId, doing: Doing, coordinators: range, *, scalable: bool) -> None:
        if doing is not Doing.ACKNOWLEDGE_UNANSWERED:
            super().refuse_fenced(txn, doing, coordinators, scalable=scalable)


class _TakesUpToWhatIsNotAnswered(NodeKeys):
    def refuse_fenced(self, txn: TxnId, doing: Doing, coordinators: range, *, scalable: bool) -> None:
        if doing is not Doing.ACKNOWLEDGE_UP_TO_UNANSWERED:
            super().refuse_fenced(txn, doing, coordinators, scalable=scalable)


class _KnowsTheConfigured(NodeKeys):
    def refuse_fenced(self, txn: TxnId, doing: Doing, coordinators: range, *, scalable: bool) -> None:
        configured = coordinators[: _SCALABLE if scalable else 1]
        super().refuse_fenced(txn, doing, configured, scalable=scalable)


class _WritesTheLastFenced(TransactionKeys):
    def remembered(self, known: Sequence[Numbers], fenced: Sequence[TxnId]) -> tuple[Numbers, ...]:
        return super().remembered((), fenced) if fenced else super().remembered(known, fenced)


class _DeletesTheFenced(TransactionKeys):
    def delete(self, key: TransactionKey) -> None:
        before = self.describe(key)[0].fenced
        super().delete(key)
        record = self._records[key]
        self._store(record.model_copy(update={"fenced": tuple(one for one in record.fenced if one not in before)}))


class _FencesWhatIsOpen(TransactionKeys):
    def given_up(self, record: KeyRecord) -> tuple[TxnId, ...]:
        return self.to_fence(record)


class _DeletionFencesWhatIsOpen(TransactionKeys):
    def delete(self, key: TransactionKey) -> None:
        record, open_ones = self.describe(key)
        if not open_ones:
            self._store(record.model_copy(update={"open": None, "ending": self.still_ending(record, None)}))
        super().delete(key)


class _ForgetsTheFenced(KeyTopic):
    def load(self) -> Mapping[TransactionKey, KeyRecord]:
        found = super().load()
        self._fenced = set()
        return found


class _CompactsTheFencedAway(KeyTopic):
    def compact(self) -> None:
        there = [record.model_copy(update={"fenced": ()}) for record in self._latest.values()]
        self._entries.replace([*self.unreadable, *map(self._encoded, there)])


class _RemembersTheLast(KeyTopic):
    def is_fenced(self, txn: TxnId) -> bool:
        return super().is_fenced(txn) and txn == max(one for one in self._fenced if one.tc_id == txn.tc_id)


ONLY_THE_COORDINATOR_REFUSES = pair(
    "only-the-coordinator-refuses",
    breaks={"TXKEY-07": _TAKEN, "TXKEY-08": _ACKNOWLEDGED, "TXKEY-09": _ACKNOWLEDGED},
    story="The coordinator refuses what is asked in a fenced transaction; topics and subscriptions are asked directly, and take it.",
    origin="the proposal's text, O10: it does not say how participants refuse",
    node_keys=_OnlyTheCoordinatorRefuses,
)

ONLY_MESSAGES_REFUSED = pair(
    "only-messages-refused",
    breaks={"TXKEY-08": _ACKNOWLEDGED, "TXKEY-09": _ACKNOWLEDGED},
    story="Topics refuse the messages of a fenced transaction; subscriptions take its acknowledgements.",
    origin="feared by readers of the proposal: two ways to a participant, one of which is looked after",
    node_keys=_OnlyMessagesRefused,
)

CUMULATIVE_TAKEN = pair(
    "cumulative-acknowledgements-taken",
    breaks={"TXKEY-08": _ACKNOWLEDGED},
    story="Subscriptions refuse single acknowledgements in a fenced transaction, and take cumulative ones.",
    origin="the proposal's text, O27: it says that cumulative acknowledgements do not conflict",
    node_keys=_TakesCumulative,
)

INDIVIDUAL_TAKEN = pair(
    "individual-acknowledgements-taken",
    breaks={"TXKEY-09": _ACKNOWLEDGED},
    story="Subscriptions refuse cumulative acknowledgements in a fenced transaction, and take single ones.",
    origin="the proposal's text, O12: it lists cumulative acknowledgements alone",
    node_keys=_TakesIndividual,
)

LATE_MESSAGES_TAKEN = pair(
    "late-messages-taken",
    breaks={"TXKEY-07": _TAKEN},
    story="Subscriptions refuse what comes in a fenced transaction; topics take its messages, and end it when they find that it is over.",
    origin="feared by readers of the proposal: two ways to a participant, one of which is looked after",
    node_keys=_TakesMessages,
)

_OPENS_AGAIN = Defect(
    name="key-late-message-opens-again",
    breaks={"TXKEY-34": Symptom(what="^readers of (orders|ledger)$")},
    story="A topic takes the late message of a fenced transaction for its first one, and waits for an end that never comes.",
    origin="the proposal's text, O10; Apache Pulsar, where late messages open transactions again",
    parts=Parts(node_keys=_TakesMessages, sidecar_buffer=_WaitsForItsEnd),
)

LATE_MESSAGE_OPENS_AGAIN = (
    _OPENS_AGAIN,
    replace(
        _OPENS_AGAIN,
        name="scalable-key-late-message-opens-again",
        parts=MetadataParts(node_keys=_TakesMessages, metadata_buffer=_OpensAgain),
    ),
)

ANOTHER_ERROR = pair(
    "another-error",
    breaks={
        "TXKEY-07": Symptom(what="^answer to SEND$", expected="InvalidTxnStatus", error="^NotAllowedError$"),
        "TXKEY-08": Symptom(what="^answer to ACK$", expected="InvalidTxnStatus", error="^NotAllowedError$"),
        "TXKEY-09": Symptom(what="^answer to ACK$", expected="InvalidTxnStatus", error="^NotAllowedError$"),
    },
    story="What comes in a fenced transaction is refused with an error that says nothing of transactions.",
    origin="the proposal's text, O11: it names an exception, and no error",
    node_keys=_HasAnotherError,
)

FENCED_FORGOTTEN_BY_RESTART = pair(
    "fenced-forgotten-by-restart",
    breaks={"TXKEY-07": _TAKEN},
    story="What is fenced is in memory alone: behind a crash it is let in again.",
    origin="textbook: a set that is filled while it runs",
    key_topic=_ForgetsTheFenced,
)

FENCED_COMPACTED_AWAY = pair(
    "fenced-compacted-away",
    breaks={"TXKEY-07": _TAKEN},
    story="Compaction leaves of each key its epoch, and not what that has fenced.",
    origin="feared by readers of the proposal: a record for each thing, of which the last one is kept",
    key_topic=_CompactsTheFencedAway,
)

UNANSWERED_TAKEN = Defect(
    name="key-unanswered-acknowledgements-taken",
    breaks={"TXKEY-09": Symptom(what="^answer to ACK$", expected="^success$", error="^TransactionConflict$")},
    story="An acknowledgement that carries no request id, so that nobody is told of a refusal, is taken in a fenced transaction.",
    origin="a review of the suite, which did not look there",
    parts=Parts(node_keys=_TakesWhatIsNotAnswered),
)
"""Subscriptions of metadata-driven transactions ask for the header, and take nothing in one that has ended."""

UNANSWERED_CUMULATIVE_TAKEN = Defect(
    name="key-unanswered-cumulative-acknowledgements-taken",
    breaks={"TXKEY-08": Symptom(what="^answer to ACK$", expected="^success$", error="^TransactionConflict$")},
    story="A cumulative acknowledgement that carries no request id is taken in a fenced transaction, and holds up its successor.",
    origin="a review of the suite, which looked there at single acknowledgements alone",
    parts=Parts(node_keys=_TakesUpToWhatIsNotAnswered),
)

LAST_FENCED_RECORDED = pair(
    "last-fenced-recorded",
    breaks={"TXKEY-07": _TAKEN},
    story="The record of a key has the transactions that were fenced last; those before are in older records, until these are compacted.",
    origin="a review of the suite: it shows after two crashes alone",
    transaction_keys=_WritesTheLastFenced,
)

DELETION_FORGETS_THE_FENCED = pair(
    "deletion-forgets-the-fenced",
    breaks={"TXKEY-07": _NOT_EXPIRED},
    story="The record of a deleted key has what the deletion has fenced, and nothing of before.",
    origin="a review of the suite: it shows after two crashes alone",
    transaction_keys=_DeletesTheFenced,
)

TIMED_OUT_NOT_FENCED = pair(
    "timed-out-not-fenced",
    breaks={"TXKEY-07": _NOT_EXPIRED},
    story="A transaction that has timed out, and was followed by another one, is not fenced by who takes the key over.",
    origin="a review of the reference, which had it so",
    transaction_keys=_FencesWhatIsOpen,
)

LAST_FENCED_REMEMBERED = pair(
    "last-fenced-remembered",
    breaks={"TXKEY-07": _TAKEN},
    story="A coordinator remembers the transaction that it has fenced last, and lets in those before.",
    origin="textbook: a field where a list is needed",
    key_topic=_RemembersTheLast,
)

LATER_COORDINATORS_OVERLOOKED = pair(
    "later-coordinators-overlooked",
    breaks={"TXKEY-07": _NOT_EXPIRED},
    story="Participants know the coordinators of the configuration, and of no fence of those that were added since.",
    origin="a review of the suite, which did not look there",
    node_keys=_KnowsTheConfigured,
)

SENT_AGAIN_RECEIPTED = pair(
    "sent-again-receipted",
    breaks={"TXKEY-07": Symptom(what="^answer to SEND$", expected="InvalidTxnStatus", seen="^success$")},
    story="A topic asks for duplicates before it asks for fences: a zombie that sends a message again has a receipt for nothing.",
    origin="a review of the suite, which did not look there",
    node_keys=_ThanksForWhatIsThere,
)

TIMED_OUT_NOT_FENCED_BY_DELETION = pair(
    "timed-out-not-fenced-by-deletion",
    breaks={"TXKEY-07": _NOT_EXPIRED, "TXKEY-08": Symptom(what="^refusal of ACK$", expected="^ExpiredTransaction")},
    story="The deletion of a key fences what it aborts, and so not what has timed out before.",
    origin="a review of the suite, which looked there at connects alone",
    transaction_keys=_DeletionFencesWhatIsOpen,
)

A_FEW_REMEMBERED = pair(
    "a-few-remembered",
    breaks={"TXKEY-07": _NOT_EXPIRED},
    story=f"The last {_FEW} fenced transactions of a key are known, and one before them is let in again.",
    origin="a review of the suite, which looked at three at the most; a task that is restarted each minute, while one hangs",
    transaction_keys=_RemembersAFew,
    key_topic=_KnowsWhatRecordsSay,
)
