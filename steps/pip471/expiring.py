"""Transactions that end before their time is up.

A time-out is counted from before the request for the transaction, so what was answered within it was answered before the time was up.
"""

from fencepost.adapters.pulsar.values import Action
from fencepost.contract.evidence import NoAnswer
from fencepost.contract.outcomes import Refused
from fencepost.steps.outcomes import achieved
from fencepost.steps.pulsar.context import ScenarioContext

from .vocabulary import PIP471

_SPREAD_S = 1.0
_AHEAD_MS = 500


@PIP471.given("{count} transactions have begun within a second, each with a time-out of {ms:count} ms")
def have_begun(context: ScenarioContext, count: int, ms: int) -> None:
    """At the first coordinator, with pauses between them: whoever looks for what is overdue looks at some of them early, and at others
    late in what is left of their time."""
    for _ in range(count):
        asked_ms = context.session.time.now_ms()
        begun = achieved(context.client.new_transaction(ms), "beginning a transaction")
        context.transactions.remember(begun, expires_ms=asked_ms + ms)
        for _ in context.session.time.attempts(_SPREAD_S / count):
            pass


@PIP471.when("each of them is committed half a second before its time-out")
def are_committed_before(context: ScenarioContext) -> None:
    """END_TXN of one after another. A refusal that was answered behind the time-out is not judged: it may be due to that."""
    time, transactions = context.session.time, context.transactions
    for name, transaction in list(transactions.by_name.items()):
        for _ in time.attempts(max(0.0, transaction.expires_ms - _AHEAD_MS - time.now_ms()) / 1000):
            pass
        answer = transactions.end(name, Action.COMMIT, retry=False)
        if isinstance(answer, Refused) and time.now_ms() >= transaction.expires_ms:
            raise NoAnswer(f"the commit of transaction {name} was refused when its time-out had passed: this machine was too slow")
