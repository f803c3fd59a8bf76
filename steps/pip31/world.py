"""What a scenario of PIP-31 knows of its transactions: their ids by name, what was asked last, and how each stands.

An end that is held back may go unanswered for as long as it is. That is not looked at by waiting: a transaction that was begun later,
and was ended and answered in the meantime, shows that the answer is not merely on its way.
"""

import math
from dataclasses import dataclass, field

from fencepost.adapters.pulsar.probe import PulsarProbe
from fencepost.adapters.pulsar.values import Action, PendingEnd, Status, TxnId
from fencepost.contract.evidence import Evidence
from fencepost.contract.outcomes import Done, Outcome, Refused
from fencepost.contract.ports import Session
from fencepost.steps.outcomes import achieved, observed

GONE = 404
"""What the coordinator's metadata says of a transaction that it has forgotten."""

_WATCHED_S = 1.0
"""How long an answer is still watched for that a later transaction has overtaken."""


@dataclass(frozen=True)
class Withheld:
    """No answer, for as long as the end is held back."""

    def __str__(self) -> str:
        return "no answer while the end is held back, though a transaction that was begun later was ended and answered"


@dataclass
class Transaction:
    """A transaction of the scenario."""

    id: TxnId
    due_ms: float = math.inf
    """Until this moment of the session's clock its time-out has certainly not passed."""
    is_over: bool = False
    """Its end was asked for, so it is waited for before anybody looks."""
    holder: str | None = None
    """The topic that keeps its end from being complete."""
    ends: list[tuple[PulsarProbe, PendingEnd]] = field(default_factory=list)
    """Ends that were asked for on connections of their own."""


@dataclass
class PulsarWorld:
    """The transactions of one scenario."""

    session: Session
    evidence: Evidence
    transactions: dict[str, Transaction] = field(default_factory=dict)
    answer: Outcome[object] | Withheld | None = None
    _enders: int = 0

    @property
    def client(self) -> PulsarProbe:
        """The client that does everything of which it does not matter who does it."""
        probe: PulsarProbe = self.session.client("client")
        return probe

    def begin(self, name: str, timeout_ms: int) -> None:
        """Begin a transaction and remember it by that name."""
        asked_ms = self.session.time.now_ms()  # it begins later than this, and before the answer
        begun = achieved(self.client.new_transaction(timeout_ms), f"beginning transaction {name}")
        self.transactions[name] = Transaction(begun, asked_ms + timeout_ms)

    def end(self, name: str, action: Action) -> Outcome[None]:
        """Ask for the end of a transaction and wait for the answer."""
        self.transactions[name].is_over = True
        return self.client.end(self.transactions[name].id, action)

    def end_or_withhold(self, name: str, action: Action) -> Outcome[None] | Withheld:
        """The same of a transaction whose end may be held back, and its answer with it."""
        if self.transactions[name].holder is None:
            return self.end(name, action)
        ender, pending = self.begin_end(name, action)
        later = achieved(self.client.new_transaction(), "beginning a later transaction")
        achieved(self.client.end(later, Action.COMMIT), "committing a later transaction")
        for _ in self.session.time.attempts(_WATCHED_S):
            if ender.is_answered(pending):
                return ender.ended(pending)
        return Withheld()

    def begin_end(self, name: str, action: Action) -> tuple[PulsarProbe, PendingEnd]:
        """Ask for the end of a transaction on a connection of its own; the answer may be long in coming."""
        return self.begin_ends(name, action)[0]

    def begin_ends(self, name: str, *actions: Action) -> list[tuple[PulsarProbe, PendingEnd]]:
        """Ask for several ends of a transaction, each on a connection of its own that stands before the first is asked for."""
        transaction = self.transactions[name]
        transaction.is_over = True
        enders = [self._ender(transaction) for _ in actions]
        ends = [
            (ender, achieved(ender.begin_end(transaction.id, action), f"asking for the end of {name}"))
            for ender, action in zip(enders, actions, strict=True)
        ]
        transaction.ends += ends
        return ends

    def status(self, name: str) -> Status | None:
        """How the coordinator says that a transaction stands; None when it knows it no more."""
        outcome = self.client.transaction(self.transactions[name].id)
        match outcome:
            case Done(metadata):
                return metadata.status
            case Refused(code=code) if code == GONE:
                return None
            case trouble:
                return observed(trouble, f"asking how {name} stands").status

    def await_status(self, name: str, *wanted: Status | None) -> Status | None:
        """How a transaction stands once it is as wanted, or when patience ends."""
        status = self.status(name)
        for _ in self.session.time.attempts():
            if status in wanted:
                break
            status = self.status(name)
        return status

    def await_ends(self) -> None:
        """Wait until every end that was asked for has reached all; one that is held back is not waited for.

        When patience ends first, the sentence that follows judges what there is.
        """
        for name, transaction in self.transactions.items():
            if transaction.is_over and transaction.holder is None:
                self.await_status(name, Status.COMMITTED, Status.ABORTED, None)

    def _ender(self, transaction: Transaction) -> PulsarProbe:
        self._enders += 1
        ender: PulsarProbe = self.session.client(f"ender-{self._enders}")
        achieved(ender.reach_coordinator(transaction.id.coordinator), "connecting to the coordinator")
        return ender
