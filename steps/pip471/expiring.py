"""Transactions that end before their timeout has passed.

A timeout is counted from before the request for the transaction, so what was answered within it was answered before it passed.
"""

from fencepost.steps.outcomes import achieved
from fencepost.steps.pulsar.context import ScenarioContext
from fencepost.steps.settling import let_pass

from .vocabulary import PIP471

_SPREAD_S = 1.0


@PIP471.given("{count} transactions have begun within a second, each with a timeout of {ms:count} ms")
def have_begun(context: ScenarioContext, count: int, ms: int) -> None:
    """At the first coordinator, with pauses between them: a coordinator that checks for expired transactions finds some of them early, and
    others late in the rest of their time.
    """
    for _ in range(count):
        asked_ms = context.session.time.now_ms()
        begun = achieved(context.client.new_transaction(ms), "beginning a transaction")
        context.transactions.remember(begun, expires_ms=asked_ms + ms)
        let_pass(context.session.time, _SPREAD_S / count)
