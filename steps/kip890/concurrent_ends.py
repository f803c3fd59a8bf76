"""Two ends of one transaction that are in flight at once."""

from fencepost.contract.outcomes import Done, Outcome
from fencepost.steps.kafka.judging import answered, reported
from fencepost.steps.kafka.kafka_context import LOG, KafkaContext
from fencepost.steps.kafka.kafka_sentence_types import COMMITS
from fencepost.steps.kafka.logs import new_markers
from fencepost.steps.sentence import compares
from fencepost.steps.step_outcomes import achieved
from fencepost.wire.kafka.batches import MarkerType

from .vocabulary import KIP890

_LOSERS = {"CONCURRENT_TRANSACTIONS", "INVALID_TXN_STATE", "PRODUCER_FENCED", "NOT_COORDINATOR", "COORDINATOR_LOAD_IN_PROGRESS"}


@KIP890.state
def raced() -> dict[str, Outcome[object]]:
    """The answers to the two ends."""
    return {}


@KIP890.when("{producer} {first:ends} and {second:ends} at the same time")
def ends_both_ways(context: KafkaContext, raced: dict[str, Outcome[object]], producer: str, first: str, second: str) -> None:
    """Two EndTxn with the same producer id and epoch on two connections, in this order, both sent before any answer is read.

    Where both were refused, the first one is sent again, as by a client that was answered with a retriable error.
    """
    one = context.turn_of(producer)
    other = context.session.client(f"{producer}-2")
    achieved(other.meet_coordinator(one.transactional_id), f"connecting to the coordinator of {producer}")
    version = context.version(one, "end_txn")
    waits = [
        (verb, probe.send_end_txn(one.transactional_id, one.current, commit=COMMITS[verb], version=version))
        for verb, probe in ((first, one.probe), (second, other))
    ]
    raced |= {verb: wait() for verb, wait in waits}
    if not any(isinstance(outcome, Done) for outcome in raced.values()):
        raced[first] = one.end(COMMITS[first], version=version)
    context.keep(one, raced[first], "EndTxn")


@KIP890.then("only one of the two ends has succeeded, and only its markers are in {partitions}")
@compares(LOG, of="partitions")
def just_one(context: KafkaContext, raced: dict[str, Outcome[object]], partitions: tuple[str, ...]) -> None:
    """The other is refused CONCURRENT_TRANSACTIONS, INVALID_TXN_STATE or PRODUCER_FENCED, or with an error to find its coordinator. All
    markers since the When are of the winner's type, and each of these logs has one.
    """
    outcomes = [answered(outcome, "two ends raced") for outcome in raced.values()]
    conforming = all(isinstance(outcome, Done) or outcome.error in _LOSERS for outcome in outcomes)
    winners = [outcome for outcome in outcomes if isinstance(outcome, Done)]
    context.evidence.expect(conforming and len(winners) == 1, "one success", _answers(raced), what="answers to two EndTxn")
    found = {name: [kind for _, kind in new_markers(context, name)] for name in partitions}
    kinds = {kind for new in found.values() for kind in new}
    due = {MarkerType.COMMIT if COMMITS[verb] else MarkerType.ABORT for verb, outcome in raced.items() if isinstance(outcome, Done)}
    context.evidence.expect(
        kinds == due and len(kinds) == 1 and all(found.values()),
        "markers of one decision, the winner's",
        f"{_answers(raced)}; " + "; ".join(f"{name}: {', '.join(kind.name for kind in new) or 'none'}" for name, new in found.items()),
        what=f"markers added to {' and '.join(partitions)}",
    )


def _answers(raced: dict[str, Outcome[object]]) -> str:
    return ", ".join(f"{verb}: {reported(outcome)}" for verb, outcome in raced.items())
