"""Timeouts of transactions that a coordinator finds when it starts, compared with that of one which begins afterwards.

How long a restart takes depends on the system, so no clock can show when a timeout that was counted from the restart would pass. The
transaction that begins after the restart times out a moment after the older one should, and before the older one could if its timeout had
been counted from the restart.
"""

from fencepost.adapters.pulsar.pulsar_values import ReportedStatus
from fencepost.contract.evidence import NoAnswer
from fencepost.steps.pulsar.faults import crash_and_restart
from fencepost.steps.pulsar.pulsar_context import PulsarContext
from fencepost.steps.sentence import brings_down
from fencepost.steps.settling import let_pass

from .vocabulary import PIP31

_LONGER_THAN_A_RESTART_MS = 30_000
_A_MOMENT_S = 2.0
_LATER_MS = 1_000
_SLACK_S = 20.0
"""How much longer than its timeout the newer transaction is watched."""


@PIP31.given("{transaction} has been open for a moment and through a crash, with a timeout longer than a restart")
@brings_down("crash")
def has_been_open(context: PulsarContext, transaction: str) -> None:
    """NEW_TXN, and a moment that is longer than the difference of two timeouts that are compared later; then a power cut, and
    a start with what was durable."""
    context.transactions.begin_with(transaction, _LONGER_THAN_A_RESTART_MS)
    let_pass(context.session.time, _A_MOMENT_S)
    crash_and_restart(context)


@PIP31.when("{transaction} begins and times out just after {other:transaction}")
def begins_and_times_out(context: PulsarContext, transaction: str, other: str) -> None:
    """NEW_TXN with a timeout that passes a second after that of the other one, or in a second where that has passed. No client ends
    either, and the coordinator is asked for both in turn until the new one is no longer OPEN; then for the other one once more."""
    transactions, time = context.transactions, context.session.time
    left_ms = max(0.0, transactions[other].expires_ms - time.now_ms())
    transactions.begin_with(transaction, int(left_ms) + _LATER_MS)
    for _ in time.attempts((left_ms + _LATER_MS) / 1000 + _SLACK_S):
        transactions.status(other)
        if transactions.status(transaction) is not ReportedStatus.OPEN:
            break
    else:
        raise NoAnswer(f"{transaction} is OPEN long after its timeout, so it says nothing of {other}")
    transactions.status(other)
    transactions[transaction].is_over = transactions[other].is_over = True
