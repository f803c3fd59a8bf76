"""Defects of the transaction key in what topics and subscriptions take of a fenced transaction."""

import functools
from collections.abc import Mapping, Sequence

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, expected, seen
from fencepost.reference.defects.pip31.visibility import StopsReadersWhileOpen
from fencepost.reference.metadata_transactions.buffer import MetadataBuffer
from fencepost.reference.metadata_transactions.record_models import HeaderState
from fencepost.reference.pulsar.pulsar_types import EndAction, TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError
from fencepost.reference.pulsar.topic import NO_WATERMARK
from fencepost.reference.pulsar.transaction_key.claims import KeyedRequest
from fencepost.reference.pulsar.transaction_key.coordinator_keys import TransactionKeys
from fencepost.reference.pulsar.transaction_key.key import TransactionKey
from fencepost.reference.pulsar.transaction_key.key_records import KeyRecord, Numbers
from fencepost.reference.pulsar.transaction_key.key_topic import KeyTopic
from fencepost.reference.pulsar.transaction_key.node_keys import NodeKeys

from .pair import pair

_SCALABLE = 4
_FEW = 5
_TAKEN = Symptom(what="^answer to SEND$", expected="InvalidTxnStatus")
_NOT_EXPIRED = Symptom(
    what="^(answer to SEND|refusal of SEND)$", expected="^(InvalidTxnStatus|a refusal with InvalidTxnStatus|ExpiredTransaction.*)$"
)
_ACKNOWLEDGED = Symptom(what="^answer to ACK$", expected="InvalidTxnStatus")


@pair(
    {"TXKEY-07": _TAKEN, "TXKEY-08": _ACKNOWLEDGED, "TXKEY-09": _ACKNOWLEDGED},
    origin="the proposal's text, O10: it does not say how participants refuse",
)
class OnlyTheCoordinatorRefuses(NodeKeys):
    """The coordinator refuses requests of a fenced transaction; topics and subscriptions, to which clients send directly, accept them."""

    def refuse_fenced(self, txn: TxnId, doing: KeyedRequest, coordinators: range, *, scalable: bool) -> None:
        """A participant does not check."""


@pair(
    {"TXKEY-08": _ACKNOWLEDGED, "TXKEY-09": _ACKNOWLEDGED},
    origin="feared by readers of the proposal: two ways to a participant, of which only one is maintained",
)
class OnlyMessagesRefused(NodeKeys):
    """Topics refuse the messages of a fenced transaction; subscriptions take its acknowledgements."""

    def refuse_fenced(self, txn: TxnId, doing: KeyedRequest, coordinators: range, *, scalable: bool) -> None:
        if doing is KeyedRequest.SEND:
            super().refuse_fenced(txn, doing, coordinators, scalable=scalable)


class _TakesMessages(NodeKeys):
    def refuse_fenced(self, txn: TxnId, doing: KeyedRequest, coordinators: range, *, scalable: bool) -> None:
        if doing is not KeyedRequest.SEND:
            super().refuse_fenced(txn, doing, coordinators, scalable=scalable)


@pair(
    {"TXKEY-07": seen("^success$", expected="InvalidTxnStatus", what="^answer to SEND$")},
    origin="a review of the suite, which did not look there",
)
class SentAgainReceipted(NodeKeys):
    """A topic looks for duplicates before it looks for fences: a zombie that sends a message again gets a receipt for nothing."""

    def refuse_fenced(self, txn: TxnId, doing: KeyedRequest, coordinators: range, *, scalable: bool) -> None:
        if doing is not KeyedRequest.SEND_AGAIN:
            super().refuse_fenced(txn, doing, coordinators, scalable=scalable)


class _KnowsWhatRecordsSay(KeyTopic):
    def is_fenced(self, txn: TxnId) -> bool:
        return any(txn in record.fenced_txns for record in self._latest.values())


@defect(
    {"TXKEY-34": Symptom(what="^readers of (orders|ledger)$")},
    origin="the proposal's text, O10; Apache Pulsar, where late messages open transactions again",
    also=[_TakesMessages],
)
class KeyLateMessageOpensAgain(StopsReadersWhileOpen):
    """A topic takes the late message of a fenced transaction for its first one, and waits for an end that never comes."""

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        if low_watermark != NO_WATERMARK:
            super().end(txn, action, low_watermark)


@defect(
    {"TXKEY-34": Symptom(what="^readers of (orders|ledger)$")},
    origin="the proposal's text, O10; Apache Pulsar, where late messages open transactions again",
    also=[_TakesMessages],
)
class ScalableKeyLateMessageOpensAgain(MetadataBuffer):
    """A topic takes the late message of a fenced transaction for its first one, and waits for an end that never comes."""

    @functools.cached_property
    def opened(self) -> set[TxnId]:
        """Those that have ended, and are open here."""
        return set()

    def refuse_what_comes_too_late(self, txn: TxnId) -> None:
        if self.participation.state_of(txn) is not HeaderState.OPEN:
            self.opened.add(txn)

    def check_again(self, txn: TxnId) -> None:
        if txn not in self.opened:
            super().check_again(txn)

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        if txn not in self.opened:
            super().end(txn, action, low_watermark)


@pair({"TXKEY-08": _ACKNOWLEDGED}, origin="the proposal's text, O27: it says that cumulative acknowledgements do not conflict")
class CumulativeAcknowledgementsTaken(NodeKeys):
    """Subscriptions refuse single acknowledgements in a fenced transaction, and take cumulative ones."""

    def refuse_fenced(self, txn: TxnId, doing: KeyedRequest, coordinators: range, *, scalable: bool) -> None:
        if doing is not KeyedRequest.ACKNOWLEDGE_UP_TO:
            super().refuse_fenced(txn, doing, coordinators, scalable=scalable)


@pair({"TXKEY-09": _ACKNOWLEDGED}, origin="the proposal's text, O12: it lists cumulative acknowledgements alone")
class IndividualAcknowledgementsTaken(NodeKeys):
    """Subscriptions refuse cumulative acknowledgements in a fenced transaction, and take single ones."""

    def refuse_fenced(self, txn: TxnId, doing: KeyedRequest, coordinators: range, *, scalable: bool) -> None:
        if doing is not KeyedRequest.ACKNOWLEDGE:
            super().refuse_fenced(txn, doing, coordinators, scalable=scalable)


@pair(
    {
        "TXKEY-07": expected("InvalidTxnStatus", what="^answer to SEND$", error="^NotAllowedError$"),
        "TXKEY-08": expected("InvalidTxnStatus", what="^answer to ACK$", error="^NotAllowedError$"),
        "TXKEY-09": expected("InvalidTxnStatus", what="^answer to ACK$", error="^NotAllowedError$"),
    },
    origin="the proposal's text, O11: it names an exception, and no error",
)
class AnotherError(NodeKeys):
    """A request of a fenced transaction is refused with an error that does not say anything about transactions."""

    def refuse_fenced(self, txn: TxnId, doing: KeyedRequest, coordinators: range, *, scalable: bool) -> None:
        try:
            super().refuse_fenced(txn, doing, coordinators, scalable=scalable)
        except CommandRefused as refused:
            raise CommandRefused(ServerError.NOT_ALLOWED, refused.message) from refused


@defect(
    {"TXKEY-09": expected("^success$", what="^answer to ACK$", error="^TransactionConflict$")},
    origin="a review of the suite, which did not look there",
)
class KeyUnansweredAcknowledgementsTaken(NodeKeys):
    """An acknowledgement without a request id, whose refusal cannot be answered, is accepted in a fenced transaction."""

    def refuse_fenced(self, txn: TxnId, doing: KeyedRequest, coordinators: range, *, scalable: bool) -> None:
        if doing is not KeyedRequest.ACKNOWLEDGE_UNANSWERED:
            super().refuse_fenced(txn, doing, coordinators, scalable=scalable)


@defect(
    {"TXKEY-08": expected("^success$", what="^answer to ACK$", error="^TransactionConflict$")},
    origin="a review of the suite, which looked there at single acknowledgements alone",
)
class KeyUnansweredCumulativeAcknowledgementsTaken(NodeKeys):
    """A cumulative acknowledgement that carries no request id is taken in a fenced transaction, and holds up its successor."""

    def refuse_fenced(self, txn: TxnId, doing: KeyedRequest, coordinators: range, *, scalable: bool) -> None:
        if doing is not KeyedRequest.ACKNOWLEDGE_UP_TO_UNANSWERED:
            super().refuse_fenced(txn, doing, coordinators, scalable=scalable)


@pair({"TXKEY-07": _NOT_EXPIRED}, origin="a review of the suite, which did not look there")
class LaterCoordinatorsOverlooked(NodeKeys):
    """Participants know the coordinators of the configuration, and of no fence of those that were added since."""

    def refuse_fenced(self, txn: TxnId, doing: KeyedRequest, coordinators: range, *, scalable: bool) -> None:
        configured = coordinators[: _SCALABLE if scalable else 1]
        super().refuse_fenced(txn, doing, configured, scalable=scalable)


@pair({"TXKEY-07": _TAKEN}, origin="a review of the suite: it shows after two crashes alone")
class LastFencedRecorded(TransactionKeys):
    """The record of a key has the transactions that were fenced last; those before are in older records, until these are compacted."""

    def remembered(self, known: Sequence[Numbers], fenced: Sequence[TxnId]) -> tuple[Numbers, ...]:
        return super().remembered((), fenced) if fenced else super().remembered(known, fenced)


@pair({"TXKEY-07": _NOT_EXPIRED}, origin="a review of the suite: it shows after two crashes alone")
class DeletionForgetsTheFenced(TransactionKeys):
    """The record of a deleted key has what the deletion has fenced, and nothing that was fenced before."""

    def delete(self, key: TransactionKey) -> None:
        before = self.describe(key)[0].fenced
        super().delete(key)
        record = self._records[key]
        self._store(record.model_copy(update={"fenced": tuple(one for one in record.fenced if one not in before)}))


@pair({"TXKEY-07": _NOT_EXPIRED}, origin="a review of the reference, which did the same")
class TimedOutNotFenced(TransactionKeys):
    """A transaction that has timed out, and was followed by another one, is not fenced by the takeover of the key."""

    def given_up(self, record: KeyRecord) -> tuple[TxnId, ...]:
        return self.to_fence(record)


@pair(
    {"TXKEY-07": _NOT_EXPIRED, "TXKEY-08": expected("^ExpiredTransaction", what="^refusal of ACK$")},
    origin="a review of the suite, which looked there at connects alone",
)
class TimedOutNotFencedByDeletion(TransactionKeys):
    """The deletion of a key fences what it aborts, and so not what has timed out before."""

    def delete(self, key: TransactionKey) -> None:
        record, open_ones = self.describe(key)
        if not open_ones:
            self._store(record.model_copy(update={"open": None, "ending": self.still_ending(record, None)}))
        super().delete(key)


@pair({"TXKEY-07": _TAKEN}, origin="textbook: a set that is filled while it runs")
class FencedForgottenByRestart(KeyTopic):
    """The coordinator keeps in memory which transactions are fenced: after a crash it accepts their requests."""

    def load(self) -> Mapping[TransactionKey, KeyRecord]:
        found = super().load()
        self._fenced = set()
        return found


@pair({"TXKEY-07": _TAKEN}, origin="feared by readers of the proposal: a record for each thing, of which the last one is kept")
class FencedCompactedAway(KeyTopic):
    """Compaction leaves of each key its epoch, and not what that has fenced."""

    def compact(self) -> None:
        there = [record.model_copy(update={"fenced": ()}) for record in self._latest.values()]
        self._entries.replace([*self.unreadable, *map(self._encoded, there)])


@pair({"TXKEY-07": _TAKEN}, origin="textbook: a field where a list is needed")
class LastFencedRemembered(KeyTopic):
    """A coordinator remembers the transaction that it has fenced last, and lets in those before."""

    def is_fenced(self, txn: TxnId) -> bool:
        return super().is_fenced(txn) and txn == max(one for one in self._fenced if one.tc_id == txn.tc_id)


@pair({"TXKEY-07": _TAKEN}, origin="feared by readers of the proposal: two ways to a participant, of which only one is maintained")
class LateMessagesTaken(_TakesMessages):
    """Subscriptions refuse requests of a fenced transaction; topics accept its messages, and end it when they find that it is over."""


"""Subscriptions of metadata-driven transactions ask for the header, and take nothing in one that has ended."""


@pair(
    {"TXKEY-07": _NOT_EXPIRED},
    origin="a review of the suite, which looked at three at the most; a task that is restarted each minute, while one hangs",
    also=[_KnowsWhatRecordsSay],
)
class AFewRemembered(TransactionKeys):
    """The last 5 fenced transactions of a key are known, and one before them is let in again."""

    def remembered(self, known: Sequence[Numbers], fenced: Sequence[TxnId]) -> tuple[Numbers, ...]:
        return super().remembered(known, fenced)[-_FEW:]
