"""Transactions that end before their time is up.

A time-out is counted from before the request for the transaction, so what was answered within it was answered before the time was up.
"""

from fencepost.steps.outcomes import achieved
from fencepost.steps.pulsar.context import ScenarioContext
from fencepost.steps.settling import let_pass

from .vocabulary import PIP471

_SPREAD_S = 1.0


@PIP471.given("{count} transactions have begun within a second, each with a time-out of {ms:count} ms")
def have_begun(context: ScenarioContext, count: int, ms: int) -> None:
    """At the first coordinator, with pauses between them: whoever looks for what is overdue looks at some of them early, and at others
    late in what is left of their time."""
    for _ in range(count):
        asked_ms = context.session.time.now_ms()
        begun = achieved(context.client.new_transaction(ms), "beginning a transaction")
        context.transactions.remember(begun, expires_ms=asked_ms + ms)
        let_pass(context.session.time, _SPREAD_S / count)
