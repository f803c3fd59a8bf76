"""EndTxn: which producer ends a transaction, and how."""

from functools import partial

from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Done, Outcome
from fencepost.steps.step_outcomes import achieved

from .adding import add_first
from .identities import claimed
from .idling import outlive_timeout
from .judging import answered
from .kafka_context import KafkaContext
from .kafka_sentence_types import COMMITS
from .keyed_records import keyed, write_keyed
from .producer import ProducerInstance
from .requests import end, must_be_unknown, while_paused
from .vocabulary import KAFKA

_FIRST_WITH_IDENTITY = 5

END = KAFKA.act(
    given="{producer} has {ended}",
    tried="{producer} has tried to {end}[ with {identity}]",
    when="{producer} {ends}[ with {identity}][ {late}]",
    meaning="EndTxn; as a Given, all markers are written, and the producer goes on with the producer id and epoch that was answered."
    " An attempt is sent once, and a refusal is as good as a success."
    " After its timeout: when the coordinator no longer says Ongoing, or patience ends.",
)


@END.given
def has_ended(context: KafkaContext, producer: str, ended: str) -> None:
    finish(context, context.producers[producer], commit=COMMITS[ended])


@END.when
def ends(context: KafkaContext, producer: str, ends: str, identity: str | None, late: str | None) -> None:
    one = context.turn_of(producer)
    if late:
        outlive_timeout(context, one)
        context.states_seen = [_decided_state(context, one)]
    commit, version = COMMITS[ends], context.version(one, "end_txn")
    transactional_id, current = claimed(context, one, identity)
    end(
        context,
        one,
        commit,
        lambda retry: one.end(commit, version=version, transactional_id=transactional_id, identity=current, retry=retry),
    )


@KAFKA.given("{producer} has been asked to {end}")
def has_been_asked_to_end(context: KafkaContext, producer: str, end: str) -> None:
    """EndTxn was answered, the producer continues with the producer id and epoch of the answer, and the end is in progress.

    Where completion is blocked or a node is paused, the transaction is prepared. Where nothing delays it, the When follows at once, and its
    snapshot is from before.
    """
    one = context.producers[producer]
    if not one.is_incomplete:
        context.begin_early()
    _send(context, one, commit=COMMITS[end])
    if context.armed.pause is not None:
        while_paused(context, one, context.armed.pause)
    elif one.is_incomplete:
        description = achieved(context.observer.describe_transaction(one.transactional_id), f"describing {producer}")
        if description.state != f"Prepare{end.capitalize()}":
            raise SetUpFailed(f"ending the transaction of {producer} left it in {description.state}")


@END.tried
def has_tried_to_end(context: KafkaContext, producer: str, end: str, identity: str | None) -> None:
    one = context.producers[producer]
    transactional_id, current = claimed(context, one, identity)
    version = context.version(one, "end_txn")
    outcome = one.end(COMMITS[end], version=version, transactional_id=transactional_id, identity=current, retry=False)
    answered(outcome, f"ending the transaction of {producer}")


@KAFKA.given("{producer} has {ended} at its second attempt, and the first is held up")
def has_ended_at_the_second_attempt(context: KafkaContext, producer: str, ended: str) -> None:
    """EndTxn was sent and its client lost the connection; the same EndTxn was sent again and succeeded, with all markers.

    The first one is still in flight, until the held-up request arrives.
    """
    one, commit = context.producers[producer], COMMITS[ended]
    context.session.wire.hold_up(producer, "end_txn")
    must_be_unknown(one.end(commit, version=context.version(one, "end_txn")), f"ending the transaction of {producer}")
    finish(context, one, commit=commit)


COMMIT = KAFKA.act(
    given="{producer} has {ended} {value}[ under {key}] to {partition}",
    when="{producer} commits {value} to {partition}",
    meaning="A transaction of one record, or one more record in the open one, and its end, with all markers; as a"
    " When, its commit, and the first refusal is the answer.",
)


@COMMIT.given
def has_ended_a_value(context: KafkaContext, producer: str, ended: str, value: str, key: str | None, partition: str) -> None:
    one, where = context.producers[producer], context.partition(partition)
    if key is not None:
        write_keyed(context, one, where, [keyed(value, key)])
    else:
        achieved(add_first(context, one, where), f"adding {partition}")
        achieved(one.write(where, [value], version=context.version(one, "produce")), f"writing {value} to {partition}")
    finish(context, one, commit=COMMITS[ended])


@COMMIT.when
def commits_a_value(context: KafkaContext, producer: str, value: str, partition: str) -> None:
    one, where = context.turn_of(producer), context.partition(partition)
    added = add_first(context, one, where)
    if not isinstance(added, Done):
        context.keep(one, added, "AddPartitionsToTxn")
        return
    written = one.write(where, [value], version=context.version(one, "produce"))
    if not isinstance(written, Done):
        context.keep(one, written, "Produce")
        return
    version = context.version(one, "end_txn")
    end(context, one, True, lambda retry: one.end(True, version=version, retry=retry))


@KAFKA.when("{one:producer} {ends} and {other:producer} {then:ends}")
def both_end(context: KafkaContext, one: str, ends: str, other: str, then: str) -> None:
    """EndTxn of the first producer and then, when all markers are written that can be written while a node is paused, of the other."""
    context.begin()
    for name, verb in ((one, ends), (other, then)):
        producer, commit = context.producers[name], COMMITS[verb]
        end(context, producer, commit, partial(_send_end, context, producer, commit))
        if context.armed.pause is None:
            context.completed(producer)


def finish(context: KafkaContext, producer: ProducerInstance, *, commit: bool) -> None:
    """EndTxn, until all markers are written; the producer continues with the producer id and epoch that v5 and later answer.

    Other scenarios judge the state of a transaction that is over; here, a transaction that ended the other way is a failed set-up.
    """
    _send(context, producer, commit=commit)
    state = achieved(context.completed(producer), f"waiting for the markers of {producer.name}")
    if state == ("CompleteAbort" if commit else "CompleteCommit"):
        raise SetUpFailed(f"ending the transaction of {producer.name} left it in {state}")


def _send(context: KafkaContext, producer: ProducerInstance, *, commit: bool) -> None:
    doing, version = f"ending the transaction of {producer.name}", context.version(producer, "end_txn")
    answered = achieved(producer.end(commit, version=version), doing)
    if answered is not None:
        producer.given.append(answered)
    elif version >= _FIRST_WITH_IDENTITY:
        raise SetUpFailed(f"{doing} answered no producer id and epoch")
    producer.written.clear()


def _send_end(context: KafkaContext, producer: ProducerInstance, commit: bool, retry: bool) -> Outcome[object]:
    return producer.end(commit, version=context.version(producer, "end_txn"), retry=retry)


def _decided_state(context: KafkaContext, producer: ProducerInstance) -> str:
    """The state of a transaction that is being ended, once it is complete or patience ends."""
    for _ in context.time.attempts():
        state = context.describe(producer).state
        if not state.startswith("Prepare"):
            break
    return state
