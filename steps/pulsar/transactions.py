"""The transactions of a scenario: their ids by name, the requests of each, and the status of each.

An incomplete end may go unanswered while it is incomplete. The kit does not wait to see that: a later transaction, which was ended and
answered in the meantime, shows that the answer is not merely in flight.
"""

import math
from collections.abc import Collection
from dataclasses import dataclass, field
from http import HTTPStatus

from fencepost.adapters.pulsar.probe import PulsarProbe
from fencepost.adapters.pulsar.pulsar_values import PendingEnd, PendingSend, ReportedStatus, TransactionId, TxnAction
from fencepost.contract.evidence import NoAnswer
from fencepost.contract.outcomes import Done, Outcome, Refused
from fencepost.contract.ports import Session
from fencepost.steps.named import NamedThings
from fencepost.steps.step_outcomes import achieved, observed

from .sentence_values import Acknowledged, Participant

GONE = 404
"""The answer of the coordinator's metadata for a transaction that it has forgotten."""
TIME_OUTS_MS = {None: 300_000, "short": 2_000, "fractional": 2_900, "moderate": 5_000, "maximal": 2**63 - 1}
"""Longer than a system needs to restart after a crash; enough for a few requests; the same, with a fraction of a second; enough for some
dozen on a busy system; all that a signed number of 64 bits can have. The second to the fourth pass while a scenario waits.
"""
_DAY_MS = 24 * 60 * 60 * 1000
_MAXIMAL_MS = (TIME_OUTS_MS["maximal"], 3650 * _DAY_MS)
"""A coordinator may have a maximum, which it does not report; what is shorter than the last is a day."""

_WATCHED_S = 1.0
"""How long to watch for an answer after that of a later transaction has arrived."""

OUT_OF_REACH = 1_000_000
"""Transaction numbers that are farther apart come from ranges that the system chose, and no run can close the gap."""


@dataclass(frozen=True)
class NoAnswerYet:
    """No answer, for as long as the end is incomplete."""

    def __str__(self) -> str:
        return "no answer while the end is incomplete, though a transaction that was begun later was ended and answered"


@dataclass(frozen=True)
class StatusObservation:
    """The status of a transaction, and how many milliseconds were left at least until its timeout when that was known; 0 where it had
    passed.
    """

    status: ReportedStatus | None
    left_ms: float

    def __str__(self) -> str:
        return f"{shown_status(self.status)} {self.left_ms:.0f} ms before the timeout"


@dataclass
class ScenarioTransaction:
    """A transaction of the scenario."""

    id: TransactionId
    expires_ms: float = math.inf
    """Until this moment of the session's clock its timeout has certainly not passed."""
    participants: set[Participant] = field(default_factory=set)
    """The participants that its client has added to it."""
    written: list[tuple[str, str]] = field(default_factory=list)
    """Topic and payload of each message that the broker has acknowledged."""
    unknown: list[str] = field(default_factory=list)
    """The topic of each message that may or may not have been stored."""
    acknowledged: list[tuple[str, Acknowledged]] = field(default_factory=list)
    """Subscription and messages of each acknowledgement that was answered with success."""
    ends: dict[TxnAction, Outcome[None]] = field(default_factory=dict)
    """The answers to its ends."""
    under_way: list[tuple[str, str, PendingSend]] = field(default_factory=list)
    """Topic and payload of each message that was sent, and whose receipt was not read yet."""
    pending_ends: list[tuple[PulsarProbe, PendingEnd]] = field(default_factory=list)
    """Ends that were requested on separate connections."""
    late_answers: list[Outcome[None]] = field(default_factory=list)
    """The answers to those ends after the end was released."""
    is_notified: bool = True
    """Whether the coordinator can be expected to report its status; not where a client has added a participant that no coordinator can
    resolve.
    """
    is_over: bool = False
    """Its end was requested or seen, so steps wait for it before they look."""
    unavailable: str | None = None
    """The participant, a topic, that keeps its end incomplete."""
    incomplete: ReportedStatus | None = None
    """A snapshot of its status just before its end was released."""
    observations: list[StatusObservation] = field(default_factory=list)


@dataclass
class Transactions:
    """The transactions of one scenario."""

    session: Session
    by_name: dict[str, ScenarioTransaction] = field(default_factory=lambda: NamedThings("transaction", "Given transaction A"))
    numbered: list[tuple[int, TransactionId]] = field(default_factory=list)
    """Transactions without a name, in the order in which they were begun, each with its coordinator."""
    _enders: int = 0

    def __getitem__(self, name: str) -> ScenarioTransaction:
        return self.by_name[name]

    @property
    def client(self) -> PulsarProbe:
        """The client for all requests for which it does not matter which client sends them."""
        probe: PulsarProbe = self.session.client("client")
        return probe

    def begin(self, name: str, time_out: str | None = None, coordinator: int = 0) -> None:
        """Begin a transaction and remember it by that name."""
        for timeout_ms in _MAXIMAL_MS if time_out == "maximal" else ():
            begun = self.client.new_transaction(timeout_ms, coordinator=coordinator)
            if isinstance(begun, Done):
                self.by_name[name] = ScenarioTransaction(begun.value)
                return
        self.begin_with(name, _DAY_MS if time_out == "maximal" else TIME_OUTS_MS[time_out], coordinator)

    def begin_classic(self, name: str, time_out: str | None = None, coordinator: int = 0) -> None:
        """The same, of PIP-31's kind, whatever kind the topics of the scenario use."""
        timeout_ms, asked_ms = TIME_OUTS_MS[time_out], self.session.time.now_ms()
        begun = self.client.new_transaction(timeout_ms, coordinator=coordinator, scalable=False)
        self.by_name[name] = ScenarioTransaction(achieved(begun, f"beginning classic transaction {name}"), asked_ms + timeout_ms)

    def begin_with(self, name: str, timeout_ms: int, coordinator: int = 0) -> None:
        """The same, with a timeout in milliseconds."""
        asked_ms = self.session.time.now_ms()  # it begins later than this, and before the answer
        begun = achieved(self.client.new_transaction(timeout_ms, coordinator=coordinator), f"beginning transaction {name}")
        self.by_name[name] = ScenarioTransaction(begun, asked_ms + timeout_ms)

    def begin_elsewhere(self, name: str) -> None:
        """The same, by another client, which closes its connections after the answer."""
        other: PulsarProbe = self.session.client(f"beginner of {name}")
        begun = other.new_transaction(TIME_OUTS_MS[None])
        other.close()
        self.by_name[name] = ScenarioTransaction(achieved(begun, f"beginning transaction {name}"))

    def begin_numbered(self, *, client: str = "client", time_out: str | None = None) -> str:
        """Begin a transaction and name it by its number."""
        timeout_ms = TIME_OUTS_MS[time_out]
        probe: PulsarProbe = self.session.client(client)
        asked_ms = self.session.time.now_ms()
        begun = achieved(probe.new_transaction(timeout_ms), "beginning a transaction at coordinator 0")
        return self.remember(begun, 0, asked_ms + timeout_ms)

    def remember(self, begun: TransactionId, coordinator: int = 0, expires_ms: float = math.inf) -> str:
        """Name a transaction that was begun by its number."""
        self.numbered.append((coordinator, begun))
        name = str(len(self.numbered))
        self.by_name[name] = ScenarioTransaction(begun, expires_ms)
        return name

    def end(self, name: str, action: TxnAction, *, retry: bool = True) -> Outcome[None]:
        """Request the end of a transaction and wait for the answer."""
        transaction = self[name]
        transaction.is_over = True
        transaction.ends[action] = self.client.end(transaction.id, action, retry=retry)
        return transaction.ends[action]

    def end_or_see_no_answer(self, name: str, action: TxnAction) -> Outcome[None] | NoAnswerYet:
        """The same for a transaction whose end may be incomplete, so that its answer may be missing too."""
        return self.end(name, action) if self[name].unavailable is None else self.end_before_a_later_one(name, action)

    def end_before_a_later_one(self, name: str, action: TxnAction) -> Outcome[None] | NoAnswerYet:
        """Request the end of a transaction, and see whether its answer arrives before that to a later one, or soon after it."""
        ender, pending = self.begin_end(name, action)
        later = achieved(self.client.new_transaction(), "beginning a later transaction")
        achieved(self.client.end(later, TxnAction.COMMIT), "committing a later transaction")
        for _ in self.session.time.attempts(_WATCHED_S):
            if ender.is_answered(pending):
                return ender.ended(pending)
        return NoAnswerYet()

    def begin_end(self, name: str, action: TxnAction) -> tuple[PulsarProbe, PendingEnd]:
        """Request the end of a transaction on a separate connection; the answer may take long."""
        return self.begin_ends(name, action)[0]

    def begin_ends(self, name: str, *actions: TxnAction) -> list[tuple[PulsarProbe, PendingEnd]]:
        """Request several ends of a transaction, each on a separate connection that is open before the first request."""
        enders = self.enders(len(actions), self[name].id.coordinator)
        return [(ender, self.begin_end_by(ender, name, action)) for ender, action in zip(enders, actions, strict=True)]

    def begin_end_by(self, ender: PulsarProbe, name: str, action: TxnAction) -> PendingEnd:
        """Have this client request the end of a transaction."""
        transaction = self[name]
        transaction.is_over = True
        pending = achieved(ender.begin_end(transaction.id, action), f"asking for the end of {name}")
        transaction.pending_ends.append((ender, pending))
        return pending

    def enders(self, count: int, coordinator: int = 0) -> list[PulsarProbe]:
        """So many clients, each with a separate connection that reaches the coordinator already."""
        return [self._ender(coordinator) for _ in range(count)]

    def status(self, name: str) -> ReportedStatus | None:
        """The status that the coordinator reports; None when it does not know the transaction any more."""
        transaction = self[name]
        status: ReportedStatus | None = None
        match self.client.transaction(transaction.id):
            case Done(metadata):
                status = metadata.status
            case Refused(code=code) if code == GONE:
                pass
            case Refused(code=code) as trouble if code >= HTTPStatus.INTERNAL_SERVER_ERROR:
                # A broker whose administration fails has not said anything about the transaction.
                raise NoAnswer(f"asking how {name} stands: {trouble}")
            case trouble:
                status = observed(trouble, f"asking how {name} stands").status
        transaction.observations.append(StatusObservation(status, max(0.0, transaction.expires_ms - self.session.time.now_ms())))
        transaction.is_over |= status in (ReportedStatus.COMMITTED, ReportedStatus.ABORTED, None)
        return status

    def await_status(self, name: str, *wanted: ReportedStatus | None) -> ReportedStatus | None:
        """The status of a transaction once it is the wanted one, or when patience ends."""
        status = self.status(name)
        for _ in self.session.time.attempts():
            if status in wanted:
                break
            status = self.status(name)
        return status

    def await_ends(self) -> None:
        """Wait until every requested end has reached all participants; one that is incomplete is not waited for.

        When patience ends first, the sentence that follows judges the state at that time.
        """
        for name, transaction in self.by_name.items():
            if transaction.is_over and transaction.unavailable is None and transaction.is_notified:
                self.await_status(name, ReportedStatus.COMMITTED, ReportedStatus.ABORTED, None)

    def kinds_pending(self, name: str, subscriptions: Collection[str]) -> set[bool]:
        """Whether a transaction that is not over may have something pending on a subscription of these names: individual, cumulative."""
        one = self[name]
        kinds = {messages.is_cumulative for where, messages in one.acknowledged if where in subscriptions}
        takes_part = bool(kinds) or any(other.is_subscription and other.name in subscriptions for other in one.participants)
        is_over = one.is_over and self.status(name) in (ReportedStatus.COMMITTED, ReportedStatus.ABORTED, None)
        return (kinds or {False}) if takes_part and not is_over else set()

    def has_undecided(self, topic: str) -> bool:
        """Whether a transaction that was not ended has written to a topic."""
        ours = [one for one in self.by_name.values() if not one.is_over]
        return any(topic in (*(written for written, _ in one.written), *one.unknown) for one in ours)

    def ongoing(self, coordinator: int = 0) -> int:
        """How many transactions of a coordinator have not ended."""
        return observed(self.client.coordinator_stats(coordinator), "asking how many transactions are not over").ongoing

    def _ender(self, coordinator: int) -> PulsarProbe:
        self._enders += 1
        ender: PulsarProbe = self.session.client(f"ender-{self._enders}")
        achieved(ender.reach_coordinator(coordinator), "connecting to the coordinator")
        return ender


def shown_status(status: ReportedStatus | None) -> str:
    """A status in words."""
    return "not known any more" if status is None else status.name
