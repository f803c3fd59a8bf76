"""Faults of the system, and transactions that time out."""

from fencepost.adapters.pulsar.values import Status
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.ports import PassesTime
from fencepost.steps.outcomes import achieved
from fencepost.steps.sentence import brings_down, unloads
from fencepost.steps.settling import let_pass, pass_until_just_before

from .context import ScenarioContext
from .transactions import shown_status
from .vocabulary import PULSAR, AfterRetention, AfterTimeout, AMonthLater, LateStart

RETENTION_PASSED_S = 12.0
"""Longer than a retention of a few seconds with the interval at which headers are collected."""

_MONTH_MS = 31 * 24 * 60 * 60 * 1000
_MARGIN_S = 1.0
"""How much longer than a timeout the system is down."""

CRASH = PULSAR.act(
    given="the system has crashed and restarted[ {late:late_start}]",
    when="the system crashes[ while {transaction} is OPEN] and restarts[ {late:late_start}]",
    meaning="A power cut right after the answer to the step before, and a start with what was durable. A transaction that is named was "
    "open until then, and no client ends it afterwards. After a retention: as long after the timeout as headers of ended transactions are "
    "kept, and longer. A month is longer than any ordinary pause of a client.",
)
LEAVE_OPEN = PULSAR.act(
    given="{transaction} has been left open past its timeout",
    when="{transaction} is left open past its timeout",
    meaning="Nobody ends it, and the coordinator is watched until it is over or patience ends. As a Given, it is over.",
)


@CRASH.given
@brings_down("crash")
def has_crashed(context: ScenarioContext, late: LateStart | None) -> None:
    context.session.faults.crash()
    if late is not None:
        _let_pass(context, late)
    start(context)


def _let_pass(context: ScenarioContext, late: LateStart) -> None:
    time = context.session.time
    if isinstance(late, AMonthLater):
        assert isinstance(time, PassesTime), "the time of a system that offers virtual-time"
        time.let_pass(_MONTH_MS)
        return
    transaction = context.transactions[late.transaction]
    margin_s = RETENTION_PASSED_S if isinstance(late, AfterRetention) else _MARGIN_S
    let_pass(time, max(0.0, transaction.expires_ms - time.now_ms()) / 1000 + margin_s)


def start(context: ScenarioContext) -> None:
    """Start the system that has crashed."""
    context.session.faults.restart()
    for coordinator in sorted({one.id.coordinator for one in context.transactions.by_name.values()} - {0}):
        context.client.reach_coordinator(coordinator)  # as clients do; a broker may load it for its first client only


@CRASH.when
@brings_down("crash")
def crashes(context: ScenarioContext, transaction: str | None, late: LateStart | None) -> None:
    if transaction is not None:
        _check_open(context, transaction)
    if isinstance(late, AfterTimeout):
        _check_open(context, late.transaction)
        context.transactions[late.transaction].is_over = True
    has_crashed(context, late)


def _check_open(context: ScenarioContext, transaction: str) -> None:
    status = context.transactions.status(transaction)
    if status is not Status.OPEN:
        raise SetUpFailed(f"{transaction} should be OPEN when the system crashes; it is {shown_status(status)}")


@LEAVE_OPEN.given
def has_been_left_open(context: ScenarioContext, transaction: str) -> None:
    is_left_open(context, transaction)
    status = context.transactions.status(transaction)
    if status not in (Status.ABORTED, None):
        raise SetUpFailed(f"{transaction} was left open past its timeout, and should be over; it is {shown_status(status)}")


@LEAVE_OPEN.when
def is_left_open(context: ScenarioContext, transaction: str) -> None:
    context.transactions[transaction].is_over = True
    pass_until_just_before(context.session.time, context.transactions[transaction].expires_ms)
    context.transactions.await_ends()


@PULSAR.given("the timeout of {transaction} has passed")
def time_out_has_passed(context: ScenarioContext, transaction: str) -> None:
    """No client ends it, and the coordinator is polled until it has decided to abort, or patience ends. The result is not judged here."""
    if context.transactions[transaction].unavailable is None:
        is_left_open(context, transaction)
        return
    context.transactions[transaction].is_over = True
    pass_until_just_before(context.session.time, context.transactions[transaction].expires_ms)
    context.transactions.await_status(transaction, Status.ABORTING)


@PULSAR.given("{topic} has been unloaded")
@unloads
def has_been_unloaded(context: ScenarioContext, topic: str) -> None:
    """The broker has dropped its state of the topic from memory."""
    achieved(context.client.unload_topic(context.topics[topic]), f"unloading {topic}")
