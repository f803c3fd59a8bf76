"""PIP-31's transaction coordinator: transactions begin, get participants, are decided once, and end everywhere.

PIP-31, "Transaction Coordinator" and "Transaction Flow". All it knows is in its log first; a decision that is logged is certain, whichever
node crashes afterwards.
"""

import re
from collections.abc import Iterable

from fencepost.contract import transitions
from fencepost.reference.kernel.machine import Machine
from fencepost.reference.kernel.rules import rule

from .coordinator import Reply
from .participants import EndOnParticipant, Participants
from .pulsar_profile import PulsarProfile
from .pulsar_types import EndAction, SubscriptionName, TxnId
from .server_errors import CommandRefused, ServerError
from .transaction import PulsarTransaction
from .transaction_log import PulsarTransactionLog

_NAME = re.compile(r"[a-z-]+://[^/]+/[^/]+/.+")
"""A topic's full name: its domain, tenant, namespace and local name."""


class LogCoordinator:
    """Coordinator `tc_id`, whose transaction log is all that it knows after a crash."""

    def __init__(
        self,
        tc_id: int,
        machine: Machine,
        profile: PulsarProfile,
        log: PulsarTransactionLog,
        end_on: EndOnParticipant,
        participants: type[Participants] = Participants,
    ) -> None:
        self.tc_id = tc_id
        self._machine = machine
        self._profile = profile
        self._log = log
        self._participants = participants(machine, end_on, self._complete)
        self._waiting: dict[TxnId, list[Reply]] = {}
        replayed = log.replay()
        self.last_sequence = self.last_given(replayed)
        self._transactions = {txn: self.recovered(transaction) for txn, transaction in replayed.items() if not self._forgets(transaction)}
        self.resume_decided()

    # -- NEW_TXN, ADD_PARTITION_TO_TXN, ADD_SUBSCRIPTION_TO_TXN

    def new(self, timeout_ms: int) -> TxnId:
        """Decision: begin a transaction; it is durable before its id is returned."""
        rule("PIP31-10")
        transaction = PulsarTransaction(self.next_id(), timeout_ms, self._machine.clock.now)
        self._install(transaction)
        self._machine.crash_points.reach("after-open-logged")
        return transaction.txn

    def add_partitions(self, txn: TxnId, names: tuple[str, ...]) -> None:
        """Decision: add partitions; those that are added already are no error.

        Raises CommandRefused: TRANSACTION_NOT_FOUND, INVALID_TXN_STATUS when the end is decided, or INVALID_TOPIC_NAME.
        """
        rule("CORE-42")
        rule("PIP31-87")
        rule("PIP31-16")
        if self.refuses_names() and (wrong := [name for name in names if not _NAME.fullmatch(name)]):
            rule("PIP31-112")
            raise CommandRefused(ServerError.INVALID_TOPIC_NAME, f"{wrong[0]} is no topic's name")
        self._install(self.describe(txn).with_partitions(names))
        self._machine.crash_points.reach("after-partition-added")

    def add_subscriptions(self, txn: TxnId, names: tuple[SubscriptionName, ...]) -> None:
        """Decision: add subscriptions. Raises CommandRefused: TRANSACTION_NOT_FOUND, or INVALID_TXN_STATUS when the end is decided."""
        rule("PIP31-131")
        rule("PIP31-20")
        self._install(self.describe(txn).with_subscriptions(names))

    def refuses_names(self) -> bool:
        """Decision: whether a topic whose name cannot be parsed is refused at once, and not only when the transaction ends."""
        return True

    # -- END_TXN

    def end(self, txn: TxnId, action: EndAction, reply: Reply) -> None:
        """Decision: commit or abort; the same end again is answered like the first one. `reply` answers the client.

        Raises CommandRefused: TRANSACTION_NOT_FOUND, or INVALID_TXN_STATUS when it was decided the other way.
        """
        rule("PIP31-91")
        transaction = self.describe(txn)
        if not transaction.status.is_decided:
            self.decide(transaction, action, reply)
            return
        if transaction.status.action is not action:
            rule("PIP31-26")
            rule("PIP31-27")
            rule("PIP31-42")
            rule("PIP31-74")
            rule("CORE-13")
            rule("CORE-14")
            rule("CORE-16")
            rule("CORE-18")
            rule("CORE-37")
            raise CommandRefused(
                ServerError.INVALID_TXN_STATUS, f"transaction {txn} is {transaction.status.value}; it cannot be ended the other way"
            )
        if transaction.status.is_complete or self.answers_decisions():
            rule("PIP31-23")
            rule("PIP31-24")
            rule("PIP31-25")
            rule("CORE-11")
            rule("CORE-12")
            rule("CORE-30")
            reply()
        else:
            self._waiting.setdefault(txn, []).append(reply)

    def decide(self, transaction: PulsarTransaction, action: EndAction, reply: Reply | None) -> None:
        """Decision: an open transaction is ended by its client, which waits for a reply, or by the timer: the same for both."""
        rule("PIP31-75")  # the second one, client or timer, finds it decided
        decided = transaction.decided(action)
        self._machine.crash_points.reach("before-decision-logged")
        self._install(decided)
        transitions.take(transaction.status, decided.status)
        self._machine.crash_points.reach("after-decision-logged")
        if reply and self.answers_decisions():
            rule("PIP31-29")
            reply()
        elif reply:
            self._waiting.setdefault(decided.txn, []).append(reply)
        if self.can_be_notified(decided):
            self._participants.send_to_all(decided, self.low_watermark)

    def can_be_notified(self, transaction: PulsarTransaction) -> bool:
        """Decision: whether the participants can be notified of the end: if one name among them cannot be parsed, none is."""
        return all(_NAME.fullmatch(name) for name in transaction.partitions)

    def answers_decisions(self) -> bool:
        """Decision: whether an end is answered when it is durable, and not only when it is complete."""
        return self._profile.end_reply == "after-decision"

    def _complete(self, txn: TxnId) -> None:
        self._machine.crash_points.reach("before-complete-logged")
        transaction = self._transactions[txn]
        completed = transaction.completed()
        self._install(completed)
        transitions.take(transaction.status, completed.status)
        if self._forgets(completed):
            del self._transactions[txn]
        for reply in self._waiting.pop(txn, ()):
            reply()

    # -- What it does periodically

    def sweep(self) -> None:
        """The timer's work: overdue transactions, and participants that have not answered."""
        self.abort_timed_out()
        self.send_again()

    def abort_timed_out(self) -> None:
        """Decision: abort what has been open for longer than allowed. What is decided is never touched."""
        for transaction in list(self._transactions.values()):
            if transaction.is_overdue(self._machine.clock.now):
                rule("PIP31-39")
                rule("CORE-15")
                self.decide(transaction, EndAction.ABORT, None)

    def send_again(self) -> None:
        """Decision: a participant that has not answered is sent the end again, however often."""
        self._participants.send_again()

    def resume_decided(self) -> None:
        """Decision: what was COMMITTING or ABORTING before a crash is sent to all its participants when the coordinator starts."""
        for transaction in list(self._transactions.values()):
            if transaction.status.is_decided and not transaction.status.is_complete and self.can_be_notified(transaction):
                rule("PIP31-30")
                rule("PIP31-31")
                rule("CORE-28")
                rule("CORE-33")
                self._participants.send_to_all(transaction, self.low_watermark)

    def recovered(self, transaction: PulsarTransaction) -> PulsarTransaction:
        """Decision: what is known of a transaction after a crash: all that was logged."""
        rule("PIP31-32")
        rule("PIP31-33")
        rule("CORE-24")
        rule("CORE-27")
        rule("CORE-41")
        rule("PIP31-43")
        return transaction

    # -- What others may know

    @property
    def low_watermark(self) -> int:
        """Decision: the highest sequence up to which every transaction is complete; -1 while there is none."""
        rule("PIP31-157")
        incomplete = [transaction.txn.sequence for transaction in self._transactions.values() if not transaction.status.is_complete]
        return min(incomplete) - 1 if incomplete else self.last_sequence

    def describe(self, txn: TxnId) -> PulsarTransaction:
        """Decision: the state of a transaction. Raises CommandRefused: TRANSACTION_NOT_FOUND when there is none of that id."""
        if (transaction := self._transactions.get(txn)) is None:
            rule("PIP31-15")
            rule("PIP31-19")
            rule("PIP31-22")
            raise CommandRefused(ServerError.TRANSACTION_NOT_FOUND, f"coordinator {self.tc_id} does not know transaction {txn}")
        return transaction

    def is_over(self, txn: TxnId) -> bool:
        """Decision: whether no participant will be notified of that transaction any more: all have answered, or it never was."""
        rule("PIP31-110")
        transaction = self._transactions.get(txn)
        return transaction is None or transaction.status.is_complete

    def is_applied(self, txn: TxnId) -> bool:
        """Decision: whether it has been applied everywhere: when all have answered, which is when it is over here."""
        return self.is_over(txn)

    def transactions(self) -> tuple[PulsarTransaction, ...]:
        """All that it knows, by their ids."""
        return tuple(self._transactions.values())

    def next_id(self) -> TxnId:
        """Decision: the id of a new transaction: this coordinator's, with the next sequence."""
        rule("PIP31-11")
        rule("PIP31-12")
        rule("PIP31-13")
        self.last_sequence += 1
        return TxnId(self.tc_id, self.last_sequence)

    def last_given(self, replayed: Iterable[TxnId]) -> int:
        """Decision: the sequence that was given last before this start. Transactions that have ended count as well."""
        rule("PIP31-71")
        return max((txn.sequence for txn in replayed), default=-1)

    def _forgets(self, transaction: PulsarTransaction) -> bool:
        return transaction.status.is_complete and self._profile.ended_transactions == "forgotten"

    def _install(self, transaction: PulsarTransaction) -> None:
        self._log.append(transaction)
        self._transactions[transaction.txn] = transaction
