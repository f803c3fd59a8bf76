"""How long the store keeps the headers of transactions that have ended."""

import math
from dataclasses import dataclass

from fencepost.adapters.pulsar.pulsar_values import TxnAction
from fencepost.contract.metadata_view import HeaderSeen, ShowsMetadata
from fencepost.steps.pulsar.faults import RETENTION_PASSED_S
from fencepost.steps.pulsar.pulsar_context import PulsarContext
from fencepost.steps.settling import let_pass
from fencepost.steps.step_outcomes import achieved

from .vocabulary import PIP471, Begun, Committed, Within

_SHORTEST_RETENTION_MS = 2_000
"""Longer than the interval at which headers are collected: without a retention, a header would be removed earlier."""
_SPREAD_S = 1.0

COMMIT = PIP471.act(
    given="{count} transactions have {within}",
    when="{count} transactions commit within a second",
    meaning="One after another, with pauses, at the first coordinator: a coordinator that looks for what is over, or for expired "
    "transactions, finds each of them at another age.",
)


@dataclass
class _Watched:
    """What was seen of a header until now."""

    last: HeaderSeen | None = None
    open_ms: float = -math.inf
    """When it was last seen open."""
    gone_ms: float | None = None
    """When it was requested and was missing."""

    def saw(self, header: HeaderSeen | None, asked_ms: float) -> None:
        if header is None:
            self.gone_ms = asked_ms if self.gone_ms is None else self.gone_ms
            return
        self.last, self.open_ms = header, asked_ms if header.ended_ms is None else self.open_ms

    def was_kept(self) -> bool:
        if self.gone_ms is None:
            return True
        ended_ms = None if self.last is None or self.last.ended_ms is None else max(self.last.ended_ms, self.open_ms)
        return ended_ms is not None and self.gone_ms - ended_ms >= _SHORTEST_RETENTION_MS

    def __str__(self) -> str:
        if self.gone_ms is None:
            return "still there"
        return f"gone at {self.gone_ms:.0f}, last seen as {self.last}, and open at {self.open_ms:.0f}"


@COMMIT.given
def have_been_spread(context: PulsarContext, count: int, within: Within) -> None:
    match within:
        case Committed():
            commit_within_a_second(context, count)
        case Begun(ms):
            _begin_within_a_second(context, count, ms)


def _begin_within_a_second(context: PulsarContext, count: int, ms: int) -> None:
    """A timeout is counted from before the request, so what was answered within it was answered before it passed."""
    for _ in range(count):
        asked_ms = context.session.time.now_ms()
        begun = achieved(context.client.new_transaction(ms), "beginning a transaction")
        context.transactions.remember(begun, expires_ms=asked_ms + ms)
        let_pass(context.session.time, _SPREAD_S / count)


@COMMIT.when
def commit_within_a_second(context: PulsarContext, count: int) -> None:
    for _ in range(count):
        achieved(context.transactions.end(context.transactions.begin_numbered(), TxnAction.COMMIT), "committing a transaction")
        let_pass(context.session.time, _SPREAD_S / count)


@PIP471.then("the store keeps the header of {kept} for the retention")
def keeps_the_header(context: PulsarContext, kept: str) -> None:
    """It is read again and again. Whenever it is missing, the end was at least two seconds ago, which is the shortest retention: by its own
    record, and by the time at which it was last seen open, for an end that is dated back is no older.
    """
    _expect_kept(context, list(context.transactions.by_name) if kept == "each transaction" else [kept])


def _expect_kept(context: PulsarContext, transactions: list[str]) -> None:
    session = context.session
    assert isinstance(session, ShowsMetadata), "whose system offers metadata-store"
    watched = {name: _Watched() for name in transactions}
    for _ in session.time.attempts(RETENTION_PASSED_S):
        for name, one in watched.items():
            asked_ms, txn = session.time.now_ms(), context.id_of(name)
            one.saw(session.metadata.header(txn.coordinator, txn.sequence), asked_ms)
    for name, one in watched.items():
        context.evidence.expect(one.was_kept(), "kept for the retention", str(one), what=f"header of {name}")
