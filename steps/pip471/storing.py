"""The records of a transaction in the metadata store, the store's faults, and what is stored of a segment. No client is asked."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from fencepost.contract.metadata_view import HeaderSeen, MetadataView, OperationSeen, ShowsLedgers, ShowsMetadata
from fencepost.steps.pulsar.faults import RETENTION_PASSED_S
from fencepost.steps.pulsar.pulsar_context import PulsarContext
from fencepost.steps.pulsar.sentence_values import Acknowledged
from fencepost.steps.settling import let_pass

from .vocabulary import PIP471, Acknowledgements, BeforeOther, ByDeadline, Index, OneKeyForAll, OpenHeader, Stored, Writes

T = TypeVar("T")


@PIP471.then("the store has {stored}")
def has_stored(context: PulsarContext, stored: Stored) -> None:
    """A header whose state is OPEN, with the time at which the transaction was begun, and a deadline that is later by the timeout that the
    client requested. Or the header and every operation record, all with the id of the transaction as their partition key.

    Writes: operation records that name the segment and no subscription. Acknowledgements: one operation record for each of these
    messages, or one for all up to a message; with their positions, and no others.
    """
    match stored:
        case Writes(count, topic, transaction):
            _judge_writes(context, count, transaction, topic)
        case Acknowledgements(messages, subscription, transaction):
            _judge_acknowledgements(context, messages, transaction, subscription)
        case OpenHeader(transaction):
            _judge_header(context, transaction)
        case OneKeyForAll(transaction):
            _judge_partition_key(context, transaction)


def _judge_header(context: PulsarContext, transaction: str) -> None:
    header = _header(context, transaction)
    limit = context.transactions[transaction].expires_ms
    holds = header is not None and header.state == "OPEN" and header.ended_ms is None and header.created_ms < header.deadline_ms
    holds = holds and header is not None and header.deadline_ms >= limit
    context.evidence.expect(holds, f"OPEN, with a deadline not before {limit:.0f}", str(header), what=f"header of {transaction}")


def _judge_partition_key(context: PulsarContext, transaction: str) -> None:
    txn = context.id_of(transaction)
    together = _store(context).is_kept_together(txn.coordinator, txn.sequence)
    context.evidence.expect(together, "the id", "the id" if together else "another one", what=f"partition key of {transaction}")


def _judge_writes(context: PulsarContext, count: int, transaction: str, topic: str) -> None:
    name = context.topics[topic]
    found = [one for one in _operations(context, transaction) if one.subscription is None and one.topic == name]
    context.evidence.expect(len(found) == count, str(count), str(len(found)), what=f"writes of {transaction} to {topic}")


def _judge_acknowledgements(context: PulsarContext, messages: Acknowledged, transaction: str, subscription: str) -> None:
    whose = context.subscription(subscription)
    found = [one for one in _operations(context, transaction) if (one.topic, one.subscription) == (whose.topic, whose.name)]
    ids = [context.subscriptions.id_of(subscription, value).position for value in messages.values]
    expected = sorted(((one.ledger, one.entry), messages.is_cumulative) for one in ids)
    seen = sorted(((one.position or (-1, -1)), one.is_cumulative) for one in found)
    context.evidence.expect(seen == expected, str(expected), str(seen), what=f"acknowledgements of {transaction} for {subscription}")


@PIP471.then("the store soon has no {record} of {transaction}")
def has_no_record(context: PulsarContext, record: str, transaction: str) -> None:
    """Within patience: participants follow an end later, and no client knows when. Index entries: those of its header and of its operation
    records.
    """
    if record == "header":
        header = _soon(context, lambda: _header(context, transaction), lambda header: header is None)
        context.evidence.expect(header is None, "none", str(header), what=f"header of {transaction}")
    elif record == "operation records":
        records = _soon(context, lambda: _operations(context, transaction), lambda operations: not operations)
        context.evidence.expect(not records, "none", str(len(records)), what=f"operation records of {transaction}")
    else:
        entries = _soon(context, lambda: _index_entries(context, transaction), lambda count: count == 0)
        context.evidence.expect(entries == 0, "0", str(entries), what=f"index entries of {transaction}")


@PIP471.then("{transaction} {found} found {index}")
def is_found(context: PulsarContext, transaction: str, found: str, index: Index) -> None:
    """In the index that serves to find transactions whose timeout has passed, or in that which serves to collect transactions that ended
    long ago.
    """
    match index:
        case ByDeadline():
            _judge_deadline(context, transaction, found)
        case BeforeOther(other):
            _judge_order(context, transaction, other)


def _judge_deadline(context: PulsarContext, transaction: str, found: str) -> None:
    txn = context.id_of(transaction)
    there = (txn.coordinator, txn.sequence) in _store(context).found_by_deadline()
    seen = "is" if there else "is not"
    context.evidence.expect(seen == found, found, seen, what=f"{transaction} in the index by deadline")


def _judge_order(context: PulsarContext, transaction: str, other: str) -> None:
    found = list(_store(context).found_by_final_state("COMMITTED"))
    names = [name for pair in found for name in (transaction, other) if context.id_of(name).sequence == pair[1]]
    context.evidence.expect(names == [transaction, other], f"{transaction}, {other}", ", ".join(names), what="order in the index")


RETENTION = PIP471.act(
    given="the retention of {transaction} has passed",
    when="the retention of {transaction} passes",
    meaning="Time passes for as long as headers of transactions that have ended are kept, and longer.",
)


@RETENTION.given
@RETENTION.when
def retention_passes(context: PulsarContext, transaction: str) -> None:
    assert context.transactions[transaction].is_over, f"{transaction} was ended before its header is collected"
    let_pass(context.session.time, RETENTION_PASSED_S)


def _soon(context: PulsarContext, look: Callable[[], T], is_right: Callable[[T], bool]) -> T:
    found = look()
    for _ in context.session.time.attempts():
        if is_right(found):
            break
        found = look()
    return found


def _store(context: PulsarContext) -> MetadataView:
    session = context.session
    assert isinstance(session, ShowsMetadata), "whose system offers metadata-store"
    return session.metadata


def _header(context: PulsarContext, transaction: str) -> HeaderSeen | None:
    txn = context.id_of(transaction)
    return _store(context).header(txn.coordinator, txn.sequence)


def _index_entries(context: PulsarContext, transaction: str) -> int:
    txn, store = context.id_of(transaction), _store(context)
    by_state = [*store.found_by_final_state("COMMITTED"), *store.found_by_final_state("ABORTED")]
    headers = [*store.found_by_deadline(), *by_state].count((txn.coordinator, txn.sequence))
    return headers + store.operations_found(txn.coordinator, txn.sequence)


def _operations(context: PulsarContext, transaction: str) -> Sequence[OperationSeen]:
    txn = context.id_of(transaction)
    return _store(context).operations(txn.coordinator, txn.sequence)


@PIP471.then("the length of {topic} is {count}")
def has_length(context: PulsarContext, topic: str, count: int) -> None:
    """So many entries are in its ledgers: messages, batches, and everything else that was written there. An administrator's view: no client
    is asked.
    """
    session = context.session
    assert isinstance(session, ShowsLedgers), "whose system offers entry-counts"
    found = session.length_of(context.topics[topic])
    context.evidence.expect(found == count, str(count), str(found), what=f"length of {topic}")
