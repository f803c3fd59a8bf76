"""Then: the answer to the request of the When."""

from collections.abc import Mapping

from fencepost.adapters.kafka.kafka_values import NO_PRODUCER, Appended, IsolationLevel, LogView, ProducerIdentity, TopicPartition
from fencepost.contract.evidence import SetUpFailed, Violation
from fencepost.contract.outcomes import Done, Refused
from fencepost.steps.step_outcomes import observed

from .judging import answer_of, judge_answer, reported
from .kafka_context import KafkaContext
from .kafka_sentence_types import NEW_ID, NO_RECORDS, REFUSAL, OffsetOf, Result
from .phrases import AField, NoOffsets, RefusalPart
from .producer import ProducerInstance
from .requests import RETRIABLE
from .vocabulary import KAFKA


@KAFKA.then("it is done[ for {partitions}][ of {producer}][ and answers {result}]")
def it_is_done(context: KafkaContext, partitions: tuple[str, ...] | None, producer: str | None, result: Result | None) -> None:
    """The answer carries no error; for a write it also carries an offset that its log really has, and what else the sentence names.

    The producer id and epoch in force are those that the producer uses. A new producer id is one that no client of the scenario had before.
    For partitions: it has no error for each of these, in that producer's entry where several share one request.
    """
    if partitions is not None:
        _judge_done_for(context, partitions, producer)
        return
    answer = answer_of(context)
    if result is None:
        _judge_done(context, answer)
    elif isinstance(result, OffsetOf):
        _judge_offset(context, answer, result)
    elif result == NO_RECORDS:
        view = answer.value if isinstance(answer, Done) else None
        seen = f"{len(view.batches)} batches" if isinstance(view, LogView) else reported(answer)
        judge_answer(context, seen == "0 batches", "0 batches", answer, seen)
    else:
        judge_answer(context, _carries(context, answer, result), f"success with {_named(context, result)}", answer)


@KAFKA.then("it is refused[ {as_a_whole}][ {only}][ for {partitions}][ of {producer}] with {errors}[ or answers {result}]")
def it_is_refused(
    context: KafkaContext,
    as_a_whole: str | None,
    only: str | None,
    partitions: tuple[str, ...] | None,
    producer: str | None,
    errors: tuple[str, ...],
    result: Result | None,
) -> None:
    """The answer carries this error, or one of those that are named. As a whole: it also has no result for any part of the request. For
    partitions: it has the error for each of these, in that producer's entry; only: it has none for the others of the request.
    """
    if partitions is not None:
        _judge_refused_for(context, bool(only), partitions, producer, errors)
        return
    answer = answer_of(context)
    holds = isinstance(answer, Refused) and answer.error in errors
    expected, seen = f"a refusal with {' or '.join(errors)}", reported(answer)
    if as_a_whole:
        results = answer.fields.get("results") if isinstance(answer, Refused) else None
        holds, expected = holds and results == 0, f"{expected}, without results"
        seen += f", with {'the' if results is None else results} results"
    if result is not None:
        holds, expected = holds or _carries(context, answer, result), f"{expected}, or success with {_named(context, result)}"
    judge_answer(context, holds, expected, answer, seen)


def _judge_done_for(context: KafkaContext, partitions: tuple[str, ...], producer: str | None) -> None:
    results = _results(context, partitions, producer)
    for name, result in results.items():
        if isinstance(result, Done) and isinstance(result.value, Appended):
            _judge_appended(context, name, result.value)
        else:
            judge_answer(context, isinstance(result, Done), f"success for {name}", result, f"{name}: {reported(result)}")


def _judge_refused_for(
    context: KafkaContext, only: bool, partitions: tuple[str, ...], producer: str | None, errors: tuple[str, ...]
) -> None:
    results = _results(context, partitions, producer)
    expected = f"a refusal with {' or '.join(errors)}"
    for name, result in results.items():
        holds = isinstance(result, Refused) and result.error in errors
        judge_answer(context, holds, f"{expected} for {name}", result, f"{name}: {reported(result)}")
    if only:
        asked = context.where(partitions)
        others = {where: result for where, result in _all_results(context, producer).items() if where not in asked}
        seen = "; ".join(f"{name}: {reported(result)}" for name, result in others.items()) or "no other partition"
        holds = bool(others) and all(isinstance(result, Done) for result in others.values())
        judge_answer(context, holds, "success for the other partitions", answer_of(context), seen)


@KAFKA.then("the refusal has {refusal_part}")
def the_refusal_has(context: KafkaContext, refusal_part: RefusalPart) -> None:
    """The answer is a refusal, with an error message that is not empty; or with a producer id of -1, and an epoch of -1 where the sentence
    names it. The log start offset is -1, or what ListOffsets answers for the earliest.
    """
    match refusal_part:
        case NoOffsets(partition):
            _judge_offsets(context, partition)
        case AField(field):
            _judge_field(context, field)


def _judge_field(context: KafkaContext, field: str) -> None:
    answer = answer_of(context)
    fields = answer.fields if isinstance(answer, Refused) else {}
    producer_id = fields.get("producer_id", 0)
    if field == "a message":
        judge_answer(context, isinstance(answer, Refused) and bool(answer.message), "a refusal with a message", answer)
    elif field == "no producer id":
        holds, seen = producer_id == NO_PRODUCER.producer_id, f"{reported(answer)} with producer id {producer_id}"
        judge_answer(context, holds, "a refusal with producer id -1", answer, seen)
    else:
        identity = ProducerIdentity(producer_id, fields.get("producer_epoch", 0))
        judge_answer(context, identity == NO_PRODUCER, f"a refusal with {NO_PRODUCER}", answer, f"{reported(answer)} with {identity}")


def _judge_offsets(context: KafkaContext, partition: str) -> None:
    start = observed(context.observer.start_offset(context.partition(partition)), f"asking where {partition} starts")
    answer = answer_of(context)
    fields = answer.fields if isinstance(answer, Refused) else {}
    offsets = (fields.get("base_offset"), fields.get("log_start_offset"))
    seen = f"base offset {offsets[0]}, log start offset {offsets[1]}" if isinstance(answer, Refused) else reported(answer)
    expected = f"a refusal with base offset -1, log start offset -1 or {start}"
    judge_answer(context, offsets in ((-1, -1), (-1, start)), expected, answer, seen)


@KAFKA.then("every refusal was {refusal}")
def every_refusal_was(context: KafkaContext, refusal: tuple[str, ...] | None) -> None:
    """Each refusal of a client that retried again and again was one of these; retriable: one of the errors after which Kafka's clients
    retry.

    A broker may also refuse nothing, and answer when the coordinator has loaded: then DescribeTransactions, sent after the request, must
    have shown that it had not loaded yet. If that was not seen either, the system was back before it was asked, and the question was not
    put.
    """
    if not (context.errors_answered or context.held_back):
        raise SetUpFailed(f"no {context.request} was refused: the system was back before the first one came")
    conforming = RETRIABLE if refusal is None else set(refusal)
    refusals = ", ".join(sorted(context.errors_answered))
    seen = refusals or f"none: it was answered when the coordinator had loaded, which said {context.held_back} meanwhile"
    context.evidence.expect(
        conforming.issuperset(context.errors_answered), REFUSAL.render(refusal), seen, what=f"refusals of {context.request}"
    )


def _judge_done(context: KafkaContext, answer: Done[object] | Refused) -> None:
    match answer:
        case Done(Appended(base_offset=offset)):
            ends = [context.end_of(partition) for partition in sorted(context.asked.written)] if context.asked else []
            holds = offset >= 0 and any(end > offset for end in ends)
            judge_answer(context, holds, "an offset that the log really has", answer, f"offset {offset}, logs end at {ends}")
        case Done(dict() as results):
            refused = [result for result in results.values() if isinstance(result, Refused)]
            judge_answer(context, not refused, "success", refused[0] if refused else answer)
        case _:
            judge_answer(context, isinstance(answer, Done), "success", answer)


def _judge_appended(context: KafkaContext, name: str, appended: Appended) -> None:
    end = context.end_of(context.partition(name))
    context.evidence.expect(
        0 <= appended.base_offset < end,
        f"an offset that {name} really has",
        f"offset {appended.base_offset}, the log ends at {end}",
        what=f"answer to {context.request}",
    )


def _judge_offset(context: KafkaContext, answer: Done[object] | Refused, result: OffsetOf) -> None:
    match answer:
        case Done(Appended(base_offset=offset)):
            due = _offsets_of(context, result)
            judge_answer(context, [offset] == due, f"{result}, {due}", answer, f"success with offset {offset}")
        case _:
            judge_answer(context, False, str(result), answer)


def _offsets_of(context: KafkaContext, result: OffsetOf) -> list[int]:
    """The offsets of a record, in the one partition that holds it."""
    views = [context.read(partition, IsolationLevel.READ_UNCOMMITTED) for partition in context.partitions]
    return [offset for view in views if (offset := view.offset_of(result.value)) is not None]


def _carries(context: KafkaContext, answer: Done[object] | Refused, result: Result) -> bool:
    """Whether an answer is a success with what the sentence names: a producer id and epoch, or the offset of a record."""
    if result == NEW_ID:
        match answer:
            case Done(ProducerIdentity(producer_id=producer_id, epoch=0)):
                return producer_id >= 0 and producer_id not in context.before.producer_ids
            case _:
                return False
    if isinstance(result, OffsetOf):
        return (
            isinstance(answer, Done) and isinstance(answer.value, Appended) and _offsets_of(context, result) == [answer.value.base_offset]
        )
    return answer == Done(_due(_asker(context), result))


def _named(context: KafkaContext, result: Result) -> str:
    return str(result) if result == NEW_ID or isinstance(result, OffsetOf) else f"{_due(_asker(context), result)}"


def _due(asker: ProducerInstance, result: str) -> ProducerIdentity:
    ahead = {"the same producer id and the next epoch": 1, "the same producer id and the epoch after the next": 2}.get(result, 0)
    return asker.current.with_epoch(asker.current.epoch + ahead)


def _asker(context: KafkaContext) -> ProducerInstance:
    assert context.asked is not None, "a sentence about an answer stands before the When"
    return context.asked


def _results(context: KafkaContext, names: tuple[str, ...], producer: str | None) -> dict[str, Done[object] | Refused]:
    found = _all_results(context, producer)
    return {name: found[context.partition(name)] for name in names}


def _all_results(context: KafkaContext, producer: str | None) -> Mapping[TopicPartition, Done[object] | Refused]:
    """The results for partitions in the answer to the When, in the entry of that producer where the request had several."""
    match answer_of(context):
        case Done(dict() as results):
            verdicts: Mapping[TopicPartition, Done[object] | Refused] = results
            return verdicts if producer is None else results[context.producers[producer].transactional_id]
        case Refused() as refusal:
            raise Violation(
                "an answer for each partition",
                f"a refusal of the whole request: {refusal}",
                what=f"answer to {context.request}",
                error=refusal.error,
                code=refusal.code,
            )
        case _:
            raise AssertionError("a sentence about partitions stands after a When that has a verdict for each")
