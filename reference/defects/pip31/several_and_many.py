"""Defects of topics with several aborted transactions, and of transactions with many messages or participants."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.defects.pip31.pending_through_crashes import CommitLeavesPending
from fencepost.reference.kernel.journal import Disk
from fencepost.reference.pulsar.buffer import MessagePosition, Readable
from fencepost.reference.pulsar.cursor import Cursor
from fencepost.reference.pulsar.marker_buffer import MarkerBuffer
from fencepost.reference.pulsar.participants import Participant, Participants
from fencepost.reference.pulsar.pending_ack_journal import PendingAckJournal
from fencepost.reference.pulsar.pending_ack_store import PendingAck, Units
from fencepost.reference.pulsar.pending_acks import PendingAcks
from fencepost.reference.pulsar.pulsar_types import BEFORE_ALL, EndAction, Message, Position, SubscriptionName, TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError
from fencepost.reference.pulsar.sidecar_buffer import SidecarBuffer
from fencepost.reference.pulsar.subscription import Subscription
from fencepost.reference.pulsar.transaction import PulsarTransaction

_A_PAGE = 50
_A_LONG_PAGE = 512
_PARTICIPANTS_OF_A_PAGE = 16
_ACKNOWLEDGEMENTS_OF_A_PAGE = 100


class _CommitsAPage(SidecarBuffer):
    page = _A_PAGE

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        self._messages[txn] = self._messages.get(txn, [])[: self.page]
        super().end(txn, action, low_watermark)


class _KnowsTheLastAbort(SidecarBuffer):
    def recover(self) -> None:
        super().recover()
        for txn in self._ended.keys() - _without_earlier_aborts(self._ended).keys():
            for _, message in self._messages.get(txn, ()):
                self._ledger.append(replace(message, txn=None))


def _without_earlier_aborts(ended: dict[TxnId, EndAction]) -> dict[TxnId, EndAction]:
    aborted = [txn for txn, action in ended.items() if action is EndAction.ABORT]
    return {txn: action for txn, action in ended.items() if txn not in aborted[:-1]}


@defect(
    {"PIP31-170": seen('"50"$', expected='"100"$', what="^readers of orders$")},
    origin="red team: a page that is not followed by the next one",
    also=[_CommitsAPage],
)
class PulsarAPageOfMessagesCommitted(MarkerBuffer):
    """A commit shows the first 50 messages of a transaction, and no more."""

    page = _A_PAGE

    def after(self, place: MessagePosition) -> Iterator[Readable]:
        seen: Counter[TxnId | None] = Counter()
        beyond = set()
        for entry in self._ledger:
            if isinstance(entry.content, Message) and entry.content.txn is not None:
                seen[entry.content.txn] += 1
                if seen[entry.content.txn] > self.page:
                    beyond.add(entry.position)
        return (one for one in super().after(place) if one.place.position not in beyond)


@defect(
    {"PIP31-171": seen('"[ab]1"', expected='^"p1"$', what="^readers of orders$")},
    origin="red team: a snapshot of one place",
    also=[_KnowsTheLastAbort],
)
class PulsarTheLastAbortKnown(MarkerBuffer):
    """A reloaded topic knows only the last one of its aborted transactions."""

    def recover(self) -> None:
        super().recover()
        self._ended = _without_earlier_aborts(self._ended)


class _HidesBeforeAborted(MarkerBuffer):
    def recover(self) -> None:
        super().recover()
        messages = [(entry.position, entry.content.txn) for entry in self._ledger if isinstance(entry.content, Message)]
        aborted = [position for position, txn in messages if txn is not None and self.is_aborted(txn)]
        self._hidden = max(aborted, default=BEFORE_ALL)

    def after(self, place: MessagePosition) -> Iterator[Readable]:
        return (one for one in super().after(place) if one.place.position > self._hidden)


@defect(
    {"PIP31-171": seen('^"p1"$', expected='^"b1", "p1"$', what="^readers of orders$")},
    origin="red team: an aborted transaction that is remembered by the places from its first message to its last",
    also=[_HidesBeforeAborted],
)
class PulsarPlacesOfTheAbortedHidden(SidecarBuffer):
    """A reloaded topic hides everything between the messages of an aborted transaction, also what others have committed there."""

    def recover(self) -> None:
        super().recover()
        places = [position for txn, kept in self._messages.items() if self.is_aborted(txn) for position, _ in kept]
        self._span = (min(places), max(places)) if places else (BEFORE_ALL, BEFORE_ALL)

    def after(self, place: MessagePosition) -> Iterator[Readable]:
        first, last = self._span
        between = {message.payload for kept in self._messages.values() for position, message in kept if first < position < last}
        return (one for one in super().after(place) if one.message.payload not in between)


@defect(
    {"PIP31-122": seen('"(16|40)"$', what="^(readers of 40 topics|subscriptions that have not consumed i1)$")},
    origin="red team: a page that is not followed by the next one",
)
class PulsarAPageOfParticipants(Participants):
    """An end reaches the first 16 participants of its transaction, and no more."""

    def recipients(self, transaction: PulsarTransaction) -> list[Participant]:
        return super().recipients(transaction)[:_PARTICIPANTS_OF_A_PAGE]


class _MarksOnlyYounger(MarkerBuffer):
    def publish(self, message: Message) -> Position:
        if message.txn is not None and message.txn not in self._ongoing:
            _refuse_older(message.txn, self._ended)
        return super().publish(message)


@defect(
    {
        "PIP31-172": seen('^("b1"|nothing)$', expected='"a1"$', what="^readers of orders$"),
        "CORE-09": seen('^"b1"$', expected='^"b1", "a1"$'),
    },
    origin="red team: the newest end treated as the low watermark",
    also=[_MarksOnlyYounger],
)
class PulsarTopicOnlyForYounger(SidecarBuffer):
    """A topic takes every transaction that is older than one that has ended there for a finished one, unless it has messages there."""

    def publish(self, message: Message) -> Position:
        if message.txn is not None and message.txn not in self._messages:
            _refuse_older(message.txn, self._ended)
        return super().publish(message)


def _refuse_older(txn: TxnId, ended: Iterable[TxnId]) -> None:
    if any(other.tc_id == txn.tc_id and other.sequence > txn.sequence for other in ended):
        raise CommandRefused(ServerError.NOT_ALLOWED, f"transaction {txn} is older than one that has been ended")


@defect(
    {"PIP31-172": seen('^"i1"', expected="^(nothing|.*i2.*)$", what="^left for workers$")},
    origin="red team: the newest end treated as the low watermark",
)
class PulsarSubscriptionOnlyForYounger(Subscription):
    """A subscription refuses an acknowledgement in a transaction that is older than one that has ended there."""

    newest = -1

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        super().end(txn, action, low_watermark)
        self.newest = max(self.newest, txn.sequence)

    def acknowledge_in(self, txn: TxnId, wanted: Mapping[MessagePosition, Units]) -> None:
        if txn.sequence < self.newest and txn not in self.pending.transactions():
            raise CommandRefused(ServerError.TRANSACTION_CONFLICT, f"transaction {txn} is older than one that has been ended")
        super().acknowledge_in(txn, wanted)


@defect(
    {"PIP31-174": seen('"150"', expected="^nothing$", what="^left for workers$")},
    origin="red team: a list of which the first page is read",
)
class CommitOfAPageOfAcknowledgements(PendingAcks):
    """A commit deletes the first 100 messages that its transaction has acknowledged, and the others are redelivered."""

    def end(self, txn: TxnId, action: EndAction) -> PendingAck:
        waiting = super().end(txn, action)
        page = dict(islice(waiting.individual.items(), _ACKNOWLEDGEMENTS_OF_A_PAGE))
        return replace(waiting, individual=page) if action is EndAction.COMMIT else waiting


@defect(
    {"PIP31-174": seen('"150"', expected="^nothing$", what="^left for workers$")},
    origin="red team: a list of which the first page is read",
)
class PageOfAcknowledgementsRecovered(PendingAckJournal):
    """A topic that is loaded recovers the first 100 pending acknowledgements of a subscription, and the commit deletes no others."""

    def replay(self) -> Sequence[PendingAck]:
        return super().replay()[:_ACKNOWLEDGEMENTS_OF_A_PAGE]


@defect(
    {"PIP31-174": seen("^something of 1 transactions$", expected="^nothing$", what='^pending in "workers"$')},
    origin="red team: a list of which the first page is read",
)
class CommitLeavesAllButAPagePending(CommitLeavesPending):
    """A commit deletes the first 100 messages that its transaction has acknowledged; the others stay withheld for ever."""

    def leaves(self, txn: TxnId) -> bool:
        return sum(txn in owners.values() for owners in self._individual.values()) > _ACKNOWLEDGEMENTS_OF_A_PAGE

    def end(self, txn: TxnId, action: EndAction) -> PendingAck:
        is_first = txn not in self._left
        waiting = super().end(txn, action)
        if not is_first or txn not in self._left:
            return waiting
        page = dict(islice(self._individual.items(), _ACKNOWLEDGEMENTS_OF_A_PAGE))
        self._forget(txn, page)
        return replace(waiting, individual={place: frozenset(units) for place, units in page.items()})


@defect(
    {"PIP31-174": seen('^"1", "10"', expected='"150"', what='^messages of "workers"$')},
    origin="red team: a list of which the first page is read",
)
class AbortOfAPageOfAcknowledgements(PendingAcks):
    """An abort redelivers the first 100 messages that its transaction has acknowledged; the others stay withheld for ever."""

    def recover(self) -> None:
        self._stays: dict[MessagePosition, Units] = {}
        super().recover()

    def end(self, txn: TxnId, action: EndAction) -> PendingAck:
        waiting = super().end(txn, action)
        if action is EndAction.ABORT:
            self._stays |= islice(waiting.individual.items(), _ACKNOWLEDGEMENTS_OF_A_PAGE, None)
        return waiting

    def units_at(self, place: MessagePosition) -> Units:
        return super().units_at(place) | self._stays.get(place, frozenset())


class _AbortTakesOlder(MarkerBuffer):
    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        super().end(txn, action, low_watermark)
        for older in _older_than(txn, self.ongoing()) if action is EndAction.ABORT else ():
            super().end(older, action, low_watermark)


@defect(
    {"PIP31-172": seen("^nothing$", expected='^"a1"$', what="^readers of orders$")},
    origin="red team: the newest end treated as the low watermark",
    also=[_AbortTakesOlder],
)
class PulsarAbortTakesOlder(SidecarBuffer):
    """A topic that receives an abort aborts every older transaction as well that is open there."""

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        super().end(txn, action, low_watermark)
        for older in _older_than(txn, self.ongoing()) if action is EndAction.ABORT else ():
            super().end(older, action, low_watermark)


def _older_than(txn: TxnId, others: Iterable[TxnId]) -> list[TxnId]:
    return [other for other in others if other.tc_id == txn.tc_id and other.sequence < txn.sequence]


class _CommitsALongPage(_CommitsAPage):
    page = _A_LONG_PAGE


@defect(
    {"PIP31-170": seen('"512"$', expected='"600"$', what="^readers of orders$")},
    origin="red team: a list that is cut where it no longer fits into one entry",
    also=[_CommitsALongPage],
)
class PulsarALongPageOfMessagesCommitted(PulsarAPageOfMessagesCommitted):
    """A commit shows the first 512 messages of a transaction, and no more."""

    page = _A_LONG_PAGE


@defect(
    {"PIP31-122": seen('"130"$', what="^subscriptions that have not consumed i1$")},
    origin="red team: a page that is not followed by the next one",
)
class PulsarALongPageOfParticipants(Participants):
    """An end reaches the first 100 participants of its transaction, and no more."""

    def recipients(self, transaction: PulsarTransaction) -> list[Participant]:
        return super().recipients(transaction)[:_ACKNOWLEDGEMENTS_OF_A_PAGE]


@defect(
    {"PIP31-174": seen('^"b1"$', expected='^"b1", "b2", "b3"$', what="^received by workers$")},
    origin="red team: a redelivery of one message for each entry",
)
class PulsarAbortReturnsTheFirstOfABatch(Subscription):
    """An abort returns only the first message of each batch that its transaction has acknowledged: the consumer keeps the others."""

    def apply_outcome(self, txn: TxnId, action: EndAction) -> None:
        self._is_abort = action is EndAction.ABORT
        super().apply_outcome(txn, action)
        self._is_abort = False

    def give_back(self, wanted: Mapping[MessagePosition, Units]) -> None:
        aborted = getattr(self, "_is_abort", False)
        super().give_back({place: frozenset(sorted(units)[:1]) if aborted else units for place, units in wanted.items()})


class _KnowsTermination(Cursor):
    def __init__(self, disk: Disk | None, name: SubscriptionName, start: MessagePosition) -> None:
        super().__init__(disk, name, start)
        self._terminations = disk.journal(f"terminated {name.topic}") if disk else ()

    def is_terminated(self) -> bool:
        return len(self._terminations) > 0


@defect(
    {"PIP31-174": seen("^something of 1 transactions$", expected="^nothing$", what='^pending in "workers"$')},
    origin="red team: a check of a topic's messages that its subscriptions share",
    also=[_KnowsTermination],
)
class PulsarTerminatedTopicKeepsPending(Subscription):
    """A terminated topic refuses the end of a transaction for its subscriptions too: what is acknowledged there stays pending."""

    def end(self, txn: TxnId, action: EndAction, low_watermark: int) -> None:
        if isinstance(self.cursor, _KnowsTermination) and self.cursor.is_terminated():
            raise CommandRefused(ServerError.TOPIC_TERMINATED, "no end is accepted")
        super().end(txn, action, low_watermark)
