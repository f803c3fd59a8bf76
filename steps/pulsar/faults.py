"""Faults of the system, and transactions that time out."""

from fencepost.adapters.pulsar.pulsar_values import ReportedStatus
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.ports import PassesTime
from fencepost.steps.sentence import brings_down, unloads
from fencepost.steps.settling import let_pass, pass_until_just_before
from fencepost.steps.step_outcomes import achieved

from .pulsar_context import PulsarContext
from .sentence_values import AfterRetention, AfterTimeout, AMonthLater, Fall, LateStart, PowerCut, PowerCutWhileOpen
from .store import store_faults
from .transactions import shown_status
from .vocabulary import PULSAR

RETENTION_PASSED_S = 12.0
"""Longer than a retention of a few seconds with the interval at which headers are collected."""

_MONTH_MS = 31 * 24 * 60 * 60 * 1000
_MARGIN_S = 1.0
"""How much longer than a timeout the system is down."""

CRASH = PULSAR.act(
    given="the system has[ {crashed}] restarted[ {late:late_start}]",
    when="the system[ {crashes}] restarts[ {late:late_start}]",
    meaning="A power cut right after the answer to the step before, and a start with what was durable. Where it only restarts: it has "
    "crashed at the point that was named, or does so now. After a retention: as long after the timeout as headers of ended transactions "
    "are kept, and longer. A month is longer than any ordinary pause of a client.",
)
LEAVE_OPEN = PULSAR.act(
    given="{transaction} has been left open past its timeout",
    when="{transaction} is left open past its timeout",
    meaning="No client ends it, and the coordinator is watched until it is over or patience ends. As a Given, it is over; where its end is "
    "held up, the coordinator has decided to abort it, or patience has ended.",
)


@CRASH.given
@brings_down(crashed={"crashed and": "crash"})
def has_restarted(context: PulsarContext, crashed: str | None, late: LateStart | None) -> None:
    if crashed is None:
        context.session.faults.restart()
    else:
        crash_and_restart(context, late)


def crash_and_restart(context: PulsarContext, late: LateStart | None = None) -> None:
    """A power cut, and a start that may be late."""
    context.session.faults.crash()
    if late is not None:
        _let_pass(context, late)
    start(context)


def _let_pass(context: PulsarContext, late: LateStart) -> None:
    time = context.session.time
    if isinstance(late, AMonthLater):
        assert isinstance(time, PassesTime), "the time of a system that offers virtual-time"
        time.let_pass(_MONTH_MS)
        return
    transaction = context.transactions[late.transaction]
    margin_s = RETENTION_PASSED_S if isinstance(late, AfterRetention) else _MARGIN_S
    let_pass(time, max(0.0, transaction.expires_ms - time.now_ms()) / 1000 + margin_s)


def start(context: PulsarContext) -> None:
    """Start the system that has crashed."""
    context.session.faults.restart()
    for coordinator in sorted({one.id.coordinator for one in context.transactions.by_name.values()} - {0}):
        context.client.reach_coordinator(coordinator)  # as clients do; a broker may load it for its first client only


@CRASH.when
@brings_down(crashes={PowerCut: "crash", PowerCutWhileOpen: "crash"})
def restarts(context: PulsarContext, crashes: Fall | None, late: LateStart | None) -> None:
    match crashes:
        case None:
            context.session.faults.restart()
            return
        case PowerCutWhileOpen(transaction):
            _check_open(context, transaction)
    if isinstance(late, AfterTimeout):
        _check_open(context, late.transaction)
        context.transactions[late.transaction].is_over = True
    crash_and_restart(context, late)


def _check_open(context: PulsarContext, transaction: str) -> None:
    status = context.transactions.status(transaction)
    if status is not ReportedStatus.OPEN:
        raise SetUpFailed(f"{transaction} should be OPEN when the system crashes; it is {shown_status(status)}")


@LEAVE_OPEN.given
def has_been_left_open(context: PulsarContext, transaction: str) -> None:
    is_left_open(context, transaction)
    if context.transactions[transaction].unavailable is not None:
        context.transactions.await_status(transaction, ReportedStatus.ABORTING)
        return
    status = context.transactions.status(transaction)
    if status not in (ReportedStatus.ABORTED, None):
        raise SetUpFailed(f"{transaction} was left open past its timeout, and should be over; it is {shown_status(status)}")


@LEAVE_OPEN.when
def is_left_open(context: PulsarContext, transaction: str) -> None:
    context.transactions[transaction].is_over = True
    pass_until_just_before(context.session.time, context.transactions[transaction].expires_ms)
    context.transactions.await_ends()


@PULSAR.given("{topic} has been unloaded[, and will be loaded without a look at the end of {transaction}]")
@unloads
def has_been_unloaded(context: PulsarContext, topic: str, transaction: str | None) -> None:
    """The broker has dropped its state of the topic from memory. Without a look at an end: the segment regards the transaction as open at
    first, as its header was before the last change, and looks again a second later.
    """
    achieved(context.client.unload_topic(context.topics[topic]), f"unloading {topic}")
    if transaction is not None:
        txn = context.id_of(transaction)
        store_faults(context).trouble_store("stale-read", f"header {txn.coordinator}_{txn.sequence}")
