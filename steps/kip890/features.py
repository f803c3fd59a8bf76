"""What a broker advertises, and its behaviour when that changes."""

from collections.abc import Mapping

from fencepost.adapters.kafka.probe import KafkaOffer, VersionRange
from fencepost.contract.errors import Malformed, SystemUnreachable
from fencepost.contract.evidence import NeverBack, Violation
from fencepost.contract.outcomes import Done, Refused, Unknown
from fencepost.steps.kafka.judging import answer_of, judge_answer, reported
from fencepost.steps.kafka.kafka_context import KafkaContext
from fencepost.steps.kafka.kafka_sentence_types import APIS
from fencepost.steps.kafka.listing import FEATURE, NEWEST_API_VERSIONS, await_level, has_been_set, level_of
from fencepost.steps.step_outcomes import observed

from .vocabulary import KIP890, FeaturesOffered, LevelOffered, Offered, VersionsOffered


@KIP890.when("ApiVersions v{version:number} is sent")
def api_versions_is_sent(context: KafkaContext, version: int) -> None:
    """ApiVersions of that version, by a client that is no producer."""
    context.begin()
    context.keep(None, context.observer.api_versions(version), "ApiVersions")


@KIP890.then("the answer offers {offered}")
def the_answer_offers(context: KafkaContext, offered: Offered) -> None:
    """ApiVersions lists the feature among the finalized or the supported ones, with this level as its highest or a higher one; each version
    within the range of its request; or these supported features with the same levels as v4, and no others.
    """
    offer = _offer(context)
    match offered:
        case LevelOffered(status, level):
            _judge_level(context, offer, status, level)
        case FeaturesOffered():
            newest = observed(context.observer.api_versions(NEWEST_API_VERSIONS), "asking for the features").supported
            expected = {name: levels for name, levels in newest.items() if levels.lowest > 0}
            seen = _features(offer.supported)
            context.evidence.expect(offer.supported == expected, _features(expected), seen, what="supported features")
        case VersionsOffered(versions):
            for one in versions:
                name, what = APIS[one.api], f"advertised versions of {one.api}"
                context.evidence.expect(offer.has(name, one.version), f"v{one.version}", offer.reported(name), what=what)


def _judge_level(context: KafkaContext, offer: KafkaOffer, status: str, level: int) -> None:
    if status == "finalized":
        found = offer.finalized.get(FEATURE, -1)
    else:
        found = offer.supported[FEATURE].highest if FEATURE in offer.supported else -1
    context.evidence.expect(found >= level, f"{level} or above", "none" if found < 0 else str(found), what=f"{status} level of {FEATURE}")


@KIP890.then("the connection is closed without an answer")
def the_connection_is_closed(context: KafkaContext) -> None:
    """The broker ended the connection on which the request was sent; a broker that only stays silent has not."""
    match context.answer:
        case Unknown(lost=True) as unknown:
            context.evidence.saw(f"the connection closed without an answer: {unknown.reason}")
        case _:
            judge_answer(context, False, "the connection closed without an answer", answer_of(context))


@KIP890.then("ApiVersions soon has transaction.version {level:number}, under {epoch} epoch of the features")
def clients_are_reported(context: KafkaContext, level: int, epoch: str) -> None:
    """ApiVersions comes to show that level, 0 by leaving it out. A larger epoch than before: and UpdateFeatures answered no error. No
    smaller one: the epoch that it showed when the level was set, or a larger one.
    """
    assert context.features_before is not None, "a sentence about a level stands after one that sets it"
    before, offer = context.features_before.finalized_epoch, await_level(context, level)
    seen = f"{level_of(offer)} in epoch {offer.finalized_epoch}"
    if epoch == "no smaller":
        holds, due = offer.finalized_epoch >= before, f"{FEATURE} at {level} in epoch {before} or above"
        context.evidence.expect(level_of(offer) == level and holds, due, seen, what=f"finalized level of {FEATURE}")
        return
    answer = answer_of(context)
    holds = answer == Done(None) and level_of(offer) == level and offer.finalized_epoch > before
    seen += f"; the change was answered with {reported(answer)}"
    judge_answer(context, holds, f"{FEATURE} at {level} in an epoch above {before}", answer, seen)


@KIP890.when("the system restarts at transaction.version {level:number}")
def restarts_at(context: KafkaContext, level: int) -> None:
    """UpdateFeatures is accepted and shows in ApiVersions; the broker is killed, restarted, and answers."""
    context.begin()
    has_been_set(context, level)
    context.faults.crash()
    try:
        context.faults.restart()
        answer = context.observer.api_versions(NEWEST_API_VERSIONS)
    except (
        NeverBack,
        SystemUnreachable,
        Malformed,
    ) as error:  # one that is about to end may still answer, with a false error
        raise _not_back(str(error).splitlines()[0]) from error  # the rest is the broker's log
    match answer:
        case Done():
            pass
        case Unknown(reason=reason):
            raise _not_back(reason)
        case Refused() as refusal:
            raise _not_back(reported(refusal))
    for producer in context.producers.values():
        if producer.is_blocked_until_restart:
            producer.is_blocked_until_restart = producer.is_incomplete = False


def _not_back(seen: str) -> Violation:
    return Violation("a broker that restarts", seen, what="restart")


def _offer(context: KafkaContext) -> KafkaOffer:
    match answer_of(context):
        case Done(KafkaOffer() as offer):
            return offer
        case other:
            judge_answer(context, False, "an answer to ApiVersions", other)
            raise AssertionError("a refusal was judged")


def _features(features: Mapping[str, VersionRange]) -> str:
    return ", ".join(f"{name} {levels.lowest} to {levels.highest}" for name, levels in sorted(features.items())) or "none"
