"""The transaction coordinator: transactions begin, take participants in, are decided once, and end everywhere.

PIP-31, "Transaction Coordinator" and "Transaction Flow". All it knows is in its log first; a decision that is logged is certain,
whoever crashes afterwards.
"""

from collections.abc import Callable, Iterable
from typing import TypeAlias

from fencepost.reference.kernel.machine import Machine
from fencepost.reference.kernel.rules import rule

from .errors import Error, Refused
from .participants import EndAt, Participant, Participants
from .profile import PulsarProfile
from .transaction import Transaction
from .transaction_log import TransactionLog
from .values import Action, SubscriptionName, TxnId

Reply: TypeAlias = Callable[[], None]
"""Tells a client that its transaction is ended as it asked."""


class Coordinator:
    """Coordinator `tc_id`, one of several that share nothing."""

    def __init__(
        self,
        tc_id: int,
        machine: Machine,
        profile: PulsarProfile,
        log: TransactionLog,
        end_at: EndAt,
        participants: type[Participants] = Participants,
    ) -> None:
        self.tc_id = tc_id
        self._machine = machine
        self._profile = profile
        self._log = log
        self._participants = participants(machine.network, end_at, self._complete)
        self._waiting: dict[TxnId, list[Reply]] = {}
        replayed = log.replay()
        self.last_least = self._last_given(replayed)
        self._transactions = {txn: self._recovered(transaction) for txn, transaction in replayed.items() if not self._forgets(transaction)}
        self._tell_the_undone()

    # -- NEW_TXN, ADD_PARTITION_TO_TXN, ADD_SUBSCRIPTION_TO_TXN

    def new(self, timeout_ms: int) -> TxnId:
        """Begin a transaction; it is durable when its id is known to anybody."""
        rule("PIP31-10")
        rule("PIP31-13")
        transaction = Transaction(self._next_id(), timeout_ms, self._machine.clock.now)
        self._install(transaction)
        self._machine.crash_points.reach("after-open-logged")
        return transaction.txn

    def add_partitions(self, txn: TxnId, names: tuple[str, ...]) -> None:
        """Take partitions in. Raises Refused."""
        rule("PIP31-16")
        self._install(self._known(txn).with_partitions(names))
        self._machine.crash_points.reach("after-partition-added")

    def add_subscriptions(self, txn: TxnId, names: tuple[SubscriptionName, ...]) -> None:
        """Take subscriptions in. Raises Refused."""
        rule("PIP31-20")
        self._install(self._known(txn).with_subscriptions(names))

    # -- END_TXN

    def end(self, txn: TxnId, action: Action, reply: Reply) -> None:
        """Commit or abort. `reply` is called when the client may be told so; raises Refused where it must be told something else."""
        transaction = self._known(txn)
        if not transaction.status.is_decided:
            self._decide(transaction, action, reply)
            return
        if transaction.status.action is not action:
            rule("PIP31-26")
            rule("PIP31-27")
            rule("PIP31-42")
            rule("PIP31-74")
            raise Refused(Error.INVALID_TXN_STATUS, f"transaction {txn} is {transaction.status.value}; it cannot be ended the other way")
        if transaction.status.is_complete or self._answers_decisions():
            rule("PIP31-23")
            rule("PIP31-24")
            rule("PIP31-25")
            reply()
        else:
            self._waiting.setdefault(txn, []).append(reply)

    def _decide(self, transaction: Transaction, action: Action, reply: Reply | None) -> None:
        rule("PIP31-75")  # whoever comes second, client or timer, finds it decided
        decided = transaction.decided(action)
        self._machine.crash_points.reach("before-decision-logged")
        self._install(decided)
        self._machine.crash_points.reach("after-decision-logged")
        if reply and self._answers_decisions():
            rule("PIP31-29")
            reply()
        elif reply:
            self._waiting.setdefault(decided.txn, []).append(reply)
        self._participants.tell(decided, self.low_watermark)

    def _answers_decisions(self) -> bool:
        return self._profile.end_reply == "after-decision"

    def _complete(self, txn: TxnId) -> None:
        self._machine.crash_points.reach("before-complete-logged")
        completed = self._transactions[txn].completed()
        self._install(completed)
        if self._forgets(completed):
            del self._transactions[txn]
        for reply in self._waiting.pop(txn, ()):
            reply()

    # -- What it does by itself

    def expire(self) -> None:
        """The timer's work: abort what has been open for longer than allowed. What is decided is never touched."""
        for transaction in list(self._transactions.values()):
            if transaction.is_overdue(self._machine.clock.now):
                rule("PIP31-39")
                self._decide(transaction, Action.ABORT, None)

    def tell_again(self) -> None:
        """The timer's work: participants that have not answered."""
        self._participants.tell_again()

    def _tell_the_undone(self) -> None:
        for transaction in list(self._transactions.values()):
            if transaction.status.is_decided and not transaction.status.is_complete:
                rule("PIP31-30")
                rule("PIP31-31")
                self._participants.tell(transaction, self.low_watermark)

    def _recovered(self, transaction: Transaction) -> Transaction:
        """What is known of a transaction after a crash: all that was logged."""
        rule("PIP31-32")
        rule("PIP31-33")
        rule("PIP31-43")
        return transaction

    # -- What others may know

    @property
    def low_watermark(self) -> int:
        """The highest number up to which every transaction is complete; -1 while there is none."""
        undone = [transaction.txn.least for transaction in self._transactions.values() if not transaction.status.is_complete]
        return min(undone) - 1 if undone else self.last_least

    def describe(self, txn: TxnId) -> Transaction:
        """How a transaction stands. Refused TRANSACTION_NOT_FOUND."""
        return self._known(txn)

    def is_over(self, txn: TxnId) -> bool:
        """Whether nobody will be told anything of that transaction any more: all who took part have answered, or it never was."""
        transaction = self._transactions.get(txn)
        return transaction is None or transaction.status.is_complete

    def missing(self, txn: TxnId) -> tuple[Participant, ...]:
        """The participants of a decided transaction that have not answered."""
        return self._participants.missing(txn)

    def transactions(self) -> tuple[Transaction, ...]:
        """All that it knows, by their ids."""
        return tuple(self._transactions.values())

    def _known(self, txn: TxnId) -> Transaction:
        if (transaction := self._transactions.get(txn)) is None:
            rule("PIP31-15")
            rule("PIP31-19")
            rule("PIP31-22")
            raise Refused(Error.TRANSACTION_NOT_FOUND, f"coordinator {self.tc_id} does not know transaction {txn}")
        return transaction

    def _next_id(self) -> TxnId:
        rule("PIP31-11")
        rule("PIP31-12")
        self.last_least += 1
        return TxnId(self.tc_id, self.last_least)

    def _last_given(self, replayed: Iterable[TxnId]) -> int:
        """The number that was given last, before this start. Transactions that have ended count as well."""
        rule("PIP31-71")
        return max((txn.least for txn in replayed), default=-1)

    def _forgets(self, transaction: Transaction) -> bool:
        return transaction.status.is_complete and self._profile.ended_transactions == "forgotten"

    def _install(self, transaction: Transaction) -> None:
        self._log.append(transaction)
        self._transactions[transaction.txn] = transaction
