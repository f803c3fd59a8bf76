"""Defects of the transaction key in transactions that begin on a connection that has one."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.conforming.kafka import SlowNetwork
from fencepost.reference.defects.decorator import expected, seen
from fencepost.reference.pulsar.pulsar_types import TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError
from fencepost.reference.pulsar.transaction_key.claims import Claim, KeyConnection, WaitingConnect
from fencepost.reference.pulsar.transaction_key.coordinator_keys import TransactionKeys
from fencepost.reference.pulsar.transaction_key.key import TransactionKey
from fencepost.reference.pulsar.transaction_key.key_records import KeyRecord, Numbers, numbers_of
from fencepost.reference.pulsar.transaction_key.key_topic import KeyTopic

from .pair import pair

_A_YEAR_MS = 365 * 24 * 60 * 60 * 1000
_NOT_EXPIRED = Symptom(
    what="^(answer to SEND|refusal of SEND)$", expected="^(InvalidTxnStatus|a refusal with InvalidTxnStatus|ExpiredTransaction.*)$"
)
_BOTH_OPEN = Symptom(what="^status of A$", expected="^ABORTED$", seen="^OPEN$")


@pair(
    {"TXKEY-13": _BOTH_OPEN, "TXKEY-14": _BOTH_OPEN},
    origin="the proposal's text, O7; every release of Apache Pulsar, where a client has as many as it likes",
)
class TwoOpen(TransactionKeys):
    """A second transaction on one connection begins next to the first, and both are open."""

    def begin(self, claim: Claim, timeout_ms: int, reply: Callable[[TxnId], None], refuse: Callable[[CommandRefused], None]) -> None:  # noqa: ARG002
        self.current(claim)
        reply(self.begun(claim, timeout_ms))


@pair(
    {"TXKEY-14": expected("^success$", what="^answer to NEW_TXN$", error="^NotAllowedError$")},
    origin="the proposal's text, O7: one open transaction, read the other way",
)
class SecondRefused(TransactionKeys):
    """While a transaction of the key is open, its client cannot begin another one, and has to wait for the timeout."""

    def begin(self, claim: Claim, timeout_ms: int, reply: Callable[[TxnId], None], refuse: Callable[[CommandRefused], None]) -> None:
        if self.to_fence(self.current(claim)):
            raise CommandRefused(ServerError.NOT_ALLOWED, f"the transaction key {claim.key} has an open transaction")
        super().begin(claim, timeout_ms, reply, refuse)


@pair({"TXKEY-13": _BOTH_OPEN, "TXKEY-14": _BOTH_OPEN}, origin="textbook: one open transaction, without asking whose work is in it")
class FirstGivenAgain(TransactionKeys):
    """A client that begins a second transaction gets the one that is open."""

    def begin(self, claim: Claim, timeout_ms: int, reply: Callable[[TxnId], None], refuse: Callable[[CommandRefused], None]) -> None:
        if there := self.to_fence(self.current(claim)):
            reply(there[0])
        else:
            super().begin(claim, timeout_ms, reply, refuse)


@pair(
    {"TXKEY-14": expected("InvalidTxnStatus", what="^answer to SEND$", error="^NotAllowedError$")},
    origin="feared by readers of the proposal: two ways to end a transaction, one of which fences",
)
class FencedByConnectsAlone(TransactionKeys):
    """A second transaction aborts the first and does not fence it, so that a late request can open it again."""

    def persist(self, key: TransactionKey, epoch: int, fenced: Sequence[TxnId], txn: Numbers | None) -> None:
        before = self._records.get(key)
        is_connect = before is None or before.epoch != epoch
        super().persist(key, epoch, fenced if is_connect else (), txn)


@pair({"TXKEY-14": _NOT_EXPIRED}, origin="a review of the suite, which looked after crashes only at the fences of connects")
class FencesWrittenWithConnects(KeyTopic):
    """A new transaction fences in memory only until the next connect writes it; after a crash before that, the fenced one is accepted
    again.
    """

    @cached_property
    def written(self) -> dict[TransactionKey, tuple[Numbers, ...]]:
        """What was fenced at the last connect of each key."""
        return {}

    def append(self, record: KeyRecord) -> None:
        before = self._latest.get(record.key)
        if before is None or before.epoch != record.epoch:
            self.written[record.key] = record.fenced
        super().append(record.model_copy(update={"fenced": self.written.get(record.key, ())}))
        self._take_in(record)


@pair({"TXKEY-14": seen("the broker closed the connection$", what="^answer$")}, origin="textbook: the fencing of others, used for oneself")
class BeginningAgainCloses(TransactionKeys):
    """A second transaction is taken for a second client, and the connection is closed."""

    def begin(self, claim: Claim, timeout_ms: int, reply: Callable[[TxnId], None], refuse: Callable[[CommandRefused], None]) -> None:
        had = self.to_fence(self.current(claim))
        super().begin(claim, timeout_ms, reply, refuse)
        if had and (client := self._clients.pop(claim.key, None)) is not None:
            client.send_away()


@pair(
    {"TXKEY-13": seen("^OPEN$", expected="^ABORTED$", what="^status of B$")},
    origin="a review of the reference, which did the same",
    also=[SlowNetwork],
)
class AllThatHaveWaitedBegin(TransactionKeys):
    """Two transactions that are requested while another one is being committed both begin when that is over, and both are open."""

    def begin(self, claim: Claim, timeout_ms: int, reply: Callable[[TxnId], None], refuse: Callable[[CommandRefused], None]) -> None:
        record = self.current(claim)
        if fenced := self.to_fence(record):
            self.persist(claim.key, claim.epoch, fenced, None)
            self._abort_all(fenced)
        last = () if record.open_txn is None else (record.open_txn,)
        self.when_over(WaitingConnect(claim, (*last, *record.ending_txns), lambda: reply(self.begun(claim, timeout_ms)), refuse))


@pair(
    {"TXKEY-13": seen("^OPEN$", expected="^ABORTED$", what="^status of B$")},
    origin="a review of the suite, which looked there on slow networks alone",
)
class LookedBeforeWaiting(TransactionKeys):
    """The coordinator checks for an open transaction of the key when a new one is requested, and not when it begins: two requests that
    waited for the same transaction are both open, and the first is in no record."""

    def begin(self, claim: Claim, timeout_ms: int, reply: Callable[[TxnId], None], refuse: Callable[[CommandRefused], None]) -> None:
        record = self.current(claim)
        if fenced := self.given_up(record):
            self.persist(claim.key, claim.epoch, fenced, None)
            self._abort_all(fenced)

        def go_on() -> None:
            try:
                self.current(claim)
                reply(self.begun(claim, timeout_ms))
            except CommandRefused as refused:
                refuse(refused)

        last = () if record.open_txn is None else (record.open_txn,)
        self.when_over(WaitingConnect(claim, (*last, *self.to_wait_for(record)), go_on, refuse))


@pair(
    {"TXKEY-13": seen("^OPEN$", expected="^ABORTED$", what="^status of B$")},
    origin="exploration, which found it in the reference",
)
class LaterRequestOvertakes(TransactionKeys):
    """A request that comes when all that was ending is applied is answered before an earlier one that still waits, and is fenced by it."""

    def when_over(self, waiting: WaitingConnect) -> None:
        earlier, self._waiting = self._waiting, []
        super().when_over(waiting)
        self._waiting = earlier + self._waiting


@pair(
    {"TXKEY-14": seen("ExpiredTransaction", what="^answer to END_TXN$", error="^InvalidTxnStatus$")},
    origin="textbook: all transactions that ever existed, where the open ones are meant",
)
class EndedAreFenced(TransactionKeys):
    """A new transaction fences the previous one, even if its client has ended it, and that client learns that another client has its
    key."""

    def given_up(self, record: KeyRecord) -> tuple[TxnId, ...]:
        return self.predecessors(record)


@pair(
    {"TXKEY-13": seen("^success$", expected="^a refusal$", what="^answer to a new transaction$")},
    origin="the proposal's text, O24: it is silent about a failed append",
)
class UnrecordedBegins(TransactionKeys):
    """A transaction that could not be recorded for its key begins all the same, and is never fenced."""

    def begun(self, claim: Claim, timeout_ms: int) -> TxnId:
        txn = self._coordinator.new(timeout_ms)
        with suppress(CommandRefused):
            self.persist(claim.key, claim.epoch, (), numbers_of(txn))
        return txn


@pair(
    {
        "TXKEY-35": seen(
            "^(OPEN|nothing|.not even.*)$",
            expected="^(ABORTED|nothing|.p1.|.i1.)$",
            what="^(status of A|readers of orders|subscription workers)$",
        )
    },
    origin="feared by readers of the proposal: two ways to end a transaction, one of which is forgotten",
)
class NoTimeOut(TransactionKeys):
    """A transaction of a key is left to the next connection, and where none comes it is open for ever."""

    def begun(self, claim: Claim, timeout_ms: int) -> TxnId:
        return super().begun(claim, max(timeout_ms, _A_YEAR_MS))


@pair(
    {"TXKEY-13": seen(r"open: .*\d", expected="open: nothing$", what='^key "payments"$')},
    origin="textbook: what is recorded at the beginning, and not at the end",
)
class LastTakenForOpen(TransactionKeys):
    """The transaction that a key began last counts as open, whether it has ended or not."""

    def to_fence(self, record: KeyRecord) -> tuple[TxnId, ...]:
        return () if record.open_txn is None else (record.open_txn,)


@pair(
    {"TXKEY-35": expected("^success$", what="^answer to END_TXN$", error="^(InvalidTxnStatus|TransactionNotFound)$")},
    origin="a review of the suite, which did not look there; brokers that close all that a connection has opened",
)
class AbortedWithItsConnection(TransactionKeys):
    """When the connection of a key closes, its open transaction is aborted, although no other client has connected with the key and no
    timeout has passed."""

    def forget(self, client: KeyConnection) -> None:
        for key in [key for key, one in self._clients.items() if one is client]:
            self._abort_all(self.to_fence(self._records[key]))
        super().forget(client)


@pair(
    {"TXKEY-05": _BOTH_OPEN, "TXKEY-13": _BOTH_OPEN},
    origin="a review of the suite, which did not look there; the record of an epoch has what was begun on that epoch's connection",
)
class KeptAndForgotten(TransactionKeys):
    """A client that reconnects keeps its transaction, and the record of its key does not: no later connect fences it."""

    def keeps(self, record: KeyRecord, epoch: int) -> bool:
        return epoch == record.epoch

    def take_over(self, key: TransactionKey, client: KeyConnection) -> None:
        self._records[key] = self._records[key].model_copy(update={"open": None})
        super().take_over(key, client)
