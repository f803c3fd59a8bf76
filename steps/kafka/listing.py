"""An operator's look-ups: DescribeTransactions, ListTransactions and ApiVersions, and transaction.version.

Other scenarios may use the same broker, so a list is judged by this scenario's own transactional ids only.
"""

from fencepost.adapters.kafka.kafka_values import TransactionList
from fencepost.adapters.kafka.probe import KafkaOffer
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Done, Outcome
from fencepost.steps.step_outcomes import achieved, observed

from .initialising import at_its_coordinator
from .judging import answer_of, judge_answer
from .kafka_context import KafkaContext
from .kafka_sentence_types import EMPTY_ID, UNUSED_ID
from .vocabulary import KAFKA

FEATURE = "transaction.version"
NEWEST_API_VERSIONS = 4
"""The version of ApiVersions that reports most about features."""

_AGES_MS = {"long ago": 3_600_000, "a second ago": 1_000, "a moment ago": 1}


@KAFKA.when("DescribeTransactions is sent for {asked_about}")
def describe_is_sent(context: KafkaContext, asked_about: tuple[str, ...]) -> None:
    """DescribeTransactions for a producer's transactional id, for one that no InitProducerId has named, or for an empty one.

    For several, it is one request, sent once, to their coordinator, which is that of the unused one too.
    """
    first, *others = asked_about
    one = context.producers.get(first)
    unused = context.session.unique("unused")
    if one is not None and UNUSED_ID in others:
        unused = at_its_coordinator(context, context.observer, "unused", near=one)
    context.begin()
    identifiers = {UNUSED_ID: unused, EMPTY_ID: ""} | {name: each.transactional_id for name, each in context.producers.items()}
    asked = [identifiers[name] for name in asked_about]
    answer: Outcome[object] = (
        context.observer.describe_transactions(asked) if others else context.observer.describe_transaction(identifiers[first])
    )
    context.keep(None if others else one, answer, "DescribeTransactions")


@KAFKA.when(
    "ListTransactions is sent[ for the producer id of {producer}][ for the previous producer id of {rotated:producer}]"
    "[ for the producer ids of {producers}][ for the pattern {pattern:value}]"
    "[ for states {states:values}][ for what was begun {age}][ until {last:producer} is listed]"
)
def list_is_sent(
    context: KafkaContext,
    producer: str | None,
    rotated: str | None,
    producers: tuple[str, ...] | None,
    pattern: str | None,
    states: tuple[str, ...] | None,
    age: str | None,
    last: str | None,
) -> None:
    """ListTransactions with these filters, in the oldest version that has them. The previous producer id is the one from before its epochs
    overflowed.

    Until a producer is listed: repeated until that transactional id is in the list or patience ends.
    """
    context.begin()
    names = producers or ((producer,) if producer else ())
    producer_ids = [context.producers[name].current.producer_id for name in names]
    if rotated is not None:
        producer_ids.append(_previous_id(context, rotated))
    for _ in context.time.attempts():
        answer = context.observer.list_transactions(
            states=list(states or ()),
            producer_ids=producer_ids,
            longer_than_ms=_AGES_MS[age] if age else None,
            pattern=pattern,
        )
        context.keep(None, answer, "ListTransactions")
        if last is None or not isinstance(answer, Done) or context.producers[last].transactional_id in _ids(answer.value):
            break


@KAFKA.then("{producer} {listed}")
def is_listed(context: KafkaContext, producer: str, listed: str) -> None:
    """The list has an entry for the transactional id, with its producer id; or it has no entry for the transactional id."""
    one, entries = context.producers[producer], _list(context).transactions
    found = [entry for entry in entries if entry.transactional_id == one.transactional_id]
    holds = any(entry.producer_id == one.current.producer_id for entry in found) if listed == "is listed" else not found
    seen = f"{producer} in it as {', '.join(entry.state for entry in found)}" if found else f"{producer} not in it, of {len(entries)}"
    context.evidence.expect(holds, f"{producer} {listed}", seen, what="list of transactions")


@KAFKA.then("the unknown state filters are {values}")
def unknown_states_are(context: KafkaContext, values: tuple[str, ...]) -> None:
    """The answer's unknown state filters are exactly these."""
    seen = _list(context).unknown_states
    context.evidence.expect(seen == set(values), str(sorted(values)), str(sorted(seen)), what="unknown state filters")


LEVEL = KAFKA.act(
    given="transaction.version has been set to {level:number}",
    when="transaction.version is set to {level:number}",
    meaning="UpdateFeatures, as an upgrade or a safe downgrade; as a Given, ApiVersions says the new level. The scenario does not put"
    " it back: the next one has it put back, or gets another broker.",
)


@LEVEL.given
def has_been_set(context: KafkaContext, level: int) -> None:
    achieved(_set(context, level), f"setting {FEATURE} to {level}")
    context.features_before = await_level(context, level)
    found = level_of(context.features_before)
    if found != level:
        raise SetUpFailed(f"{FEATURE} was set to {level}, and ApiVersions still says {found}")


@LEVEL.when
def is_set(context: KafkaContext, level: int) -> None:
    context.begin()
    context.features_before = achieved(context.observer.api_versions(NEWEST_API_VERSIONS), "asking for the features")
    context.keep(None, _set(context, level), "UpdateFeatures")


def await_level(context: KafkaContext, level: int) -> KafkaOffer:
    """The answer of ApiVersions once it shows that level, or when patience ends."""
    for _ in context.time.attempts():
        offer = observed(context.observer.api_versions(NEWEST_API_VERSIONS), "asking for the features")
        if level_of(offer) == level:
            break
    return offer


def level_of(offer: KafkaOffer) -> int:
    """The level in force; 0 where the answer has none."""
    return offer.finalized.get(FEATURE, 0)


def _set(context: KafkaContext, level: int) -> Outcome[None]:
    now = level_of(achieved(context.observer.api_versions(NEWEST_API_VERSIONS), "asking for the features"))
    return context.observer.update_feature(FEATURE, level, lower=level < now)


def _previous_id(context: KafkaContext, producer: str) -> int:
    *_, before, now = context.producers[producer].given
    if before.producer_id == now.producer_id:
        raise SetUpFailed(f"{producer} was to have a new producer id, and still has {now}")
    return before.producer_id


def _list(context: KafkaContext) -> TransactionList:
    match answer_of(context):
        case Done(TransactionList() as listed):
            return listed
        case other:
            judge_answer(context, False, "a list of transactions", other)
            raise AssertionError("a refusal was judged")


def _ids(listed: object) -> set[str]:
    return {entry.transactional_id for entry in listed.transactions} if isinstance(listed, TransactionList) else set()
