"""Twenty producers whose transactions end at once, or before one crash: a loss that occurs now and then affects at least one of them."""

from string import ascii_uppercase

from fencepost.adapters.kafka.kafka_values import IsolationLevel
from fencepost.contract.shared_crashes import gather
from fencepost.steps.kafka.idling import outlive_timeout
from fencepost.steps.kafka.initialising import initialise
from fencepost.steps.kafka.kafka_context import KafkaContext
from fencepost.steps.kafka.kafka_sentence_types import COMMITS
from fencepost.steps.kafka.requests import restart
from fencepost.steps.sentence import brings_down
from fencepost.steps.step_outcomes import achieved

from .vocabulary import KIP890

_CROWD = ascii_uppercase[:20]


@KIP890.given("twenty producers[ with {timeout}] have written to {partitions}")
def have_written(context: KafkaContext, timeout: str | None, partitions: tuple[str, ...]) -> None:
    """Producers A to T, each with its own transactional id and an open transaction with a record in each of these partitions."""
    for name in _CROWD:
        initialise(context, name, f"crowd-{name}", timeout)
        one = context.producers[name]
        for where in context.where(partitions):
            achieved(one.write(where, [name], version=context.version(one, "produce")), f"writing {name} to {where}")


@KIP890.when("all of the twenty {end}, and the system {goes_down} right after its last answer")
@brings_down(goes_down={"crashes": "crash", "stops cleanly": "stop"})
def all_end(context: KafkaContext, end: str, goes_down: str) -> None:
    """EndTxn of each, one after the other; all are answered without an error. Then the system goes down, is restarted, and serves."""
    context.begin()
    for name in _CROWD:
        if name == _CROWD[-1]:
            gather(context.session)
        one = context.producers[name]
        achieved(one.end(COMMITS[end], version=context.version(one, "end_txn")), f"ending the transaction of {name}")
    faults = context.faults
    {"crashes": faults.crash, "stops cleanly": faults.stop}[goes_down]()
    restart(context)


@KIP890.when("all of the twenty leave their transactions open past their timeouts")
def all_leave_open(context: KafkaContext) -> None:
    """Time passes until the coordinator shows none of them as Ongoing any more, or patience ends."""
    context.begin()
    for name in _CROWD:
        outlive_timeout(context, context.producers[name])


@KIP890.then("readers of {partitions} see {nothing_or_all} of the twenty")
def see_the_crowd(context: KafkaContext, partitions: tuple[str, ...], nothing_or_all: str) -> None:
    """Once no marker is in flight, readers of committed data of each partition get the record of each of the twenty, or of none, and
    nothing in it is undecided.
    """
    due = list(_CROWD) if nothing_or_all == "all" else []
    for partition in partitions:
        view = context.read(context.partition(partition), IsolationLevel.READ_COMMITTED)
        seen = sorted(view.values())
        states = sorted(set(context.states.values()))
        context.evidence.expect(
            seen == due and view.last_stable_offset == view.high_watermark,
            f"{len(due)} records, and all of it decided",
            f"{len(seen)} records; last stable offset {view.last_stable_offset}, high watermark {view.high_watermark}; "
            f"transactions: {', '.join(states)}",
            what=f"records that readers of {partition} see",
        )
