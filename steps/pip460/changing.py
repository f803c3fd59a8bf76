"""Splits and merges: requested one by one, repeatedly, concurrently, and while producers write."""

from fencepost.adapters.pulsar.pulsar_values import SubType
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Done, Refused, Unknown
from fencepost.steps.answers import known, reported
from fencepost.steps.pulsar.pulsar_context import PulsarContext
from fencepost.steps.sentence import takes_minutes
from fencepost.steps.settling import let_pass
from fencepost.steps.step_outcomes import achieved, error_of

from .readers import Readers
from .scalable_context import RequestedChange, ScenarioScalableTopics
from .traffic import Traffic
from .vocabulary import PIP460, Attempt, CameOf, CutShort, Origin, SegmentsOf, SplitOrMerge, Tried

_GRACE_S, _MOST_OF_GRACE_S = 63.0, 45.0
"""Longer than a controller waits for a consumer which looks who is there once a second, and not so long, in any case."""
_RETENTION_PASSED_S, _MOST_OF_RETENTION_S = 70.0, 58.0
"""Longer than the minute for which sealed segments that no subscription needs are kept, and a little less than it."""

SPLIT = PIP460.act(
    given="{segment} has been split into {low:segment} and {high:segment}[, {times} times]",
    when="{segment} is split into {low:segment} and {high:segment}[ {beside:traffic}]",
    meaning="The children have these names, the one with the lower hashes first. Several times: each time the lower child is split again. "
    "While it is written to: a producer sends there without waiting, and to the children as soon as it learns of them.",
)
MERGE = PIP460.act(
    given="{family} have been merged into {segment}",
    when="{family} are merged into {segment}[ {beside:traffic}]",
    meaning="The child has this name. While they are written to: as with a split.",
)
TRY = PIP460.act(
    given="{change} has been {attempt}",
    when="{change} is asked for",
    meaning="As a Given, whatever came of it. The children get no names. Cut short: the system loses its power when it reaches that "
    "point of the change, and restarts with what was durable.",
)
PERIOD = PIP460.act(
    given="the {period} has passed[ {nearly}]",
    when="the {period} passes[ {nearly}]",
    meaning="Time passes for as long as sealed segments are kept that no subscription needs, or as the controller waits for a consumer "
    "that is cut off, and longer; or a little less.",
)


@SPLIT.given
def has_been_split(scalable_topics: ScenarioScalableTopics, segment: str, low: str, high: str, times: int | None) -> None:
    split = segment
    for _ in range(times or 1):
        _make(scalable_topics, SplitOrMerge(True, (split,)), (low, high))
        split = low


@SPLIT.when
def is_split(
    context: PulsarContext,
    scalable_topics: ScenarioScalableTopics,
    traffic: Traffic,
    segment: str,
    low: str,
    high: str,
    beside: str | None,
) -> None:
    _ask(context, scalable_topics, SplitOrMerge(True, (segment,)), (low, high), traffic if beside else None)


@MERGE.given
def have_been_merged(scalable_topics: ScenarioScalableTopics, family: tuple[str, ...], segment: str) -> None:
    _make(scalable_topics, SplitOrMerge(False, family), (segment,))


@MERGE.when
def are_merged(
    context: PulsarContext,
    scalable_topics: ScenarioScalableTopics,
    traffic: Traffic,
    family: tuple[str, ...],
    segment: str,
    beside: str | None,
) -> None:
    _ask(context, scalable_topics, SplitOrMerge(False, family), (segment,), traffic if beside else None)


@TRY.given
def has_been_tried(context: PulsarContext, scalable_topics: ScenarioScalableTopics, change: SplitOrMerge, attempt: Attempt) -> None:
    match attempt:
        case Tried():
            scalable_topics.change(change)
        case CutShort(moment):
            _cut_short(context, scalable_topics, change, moment)


@TRY.when
def is_asked_for(context: PulsarContext, scalable_topics: ScenarioScalableTopics, change: SplitOrMerge) -> None:
    context.ask(str(change), scalable_topics.change(change).answer)


@PERIOD.given
@PERIOD.when
@takes_minutes
def period_passes(
    context: PulsarContext, scalable_topics: ScenarioScalableTopics, readers: Readers, period: str, nearly: str | None
) -> None:
    if period == "grace period":
        readers.mark()
        let_pass(context.session.time, _MOST_OF_GRACE_S if nearly else _GRACE_S)
        return
    let_pass(context.session.time, _MOST_OF_RETENTION_S if nearly else _RETENTION_PASSED_S)
    # The history is to show which segments are gone by then.
    for topic in scalable_topics.by_name.values():
        context.client.layout(topic, retry=False)


def _cut_short(context: PulsarContext, scalable_topics: ScenarioScalableTopics, change: SplitOrMerge, moment: str) -> None:
    context.session.faults.crash_at(moment)
    answer = scalable_topics.change(change).answer
    if not isinstance(answer, Unknown):
        raise SetUpFailed(f"the system did not come to {moment} of {change}: {answer}")
    context.session.faults.restart()


@PIP460.given("{family} {origin}")
def are_called(
    context: PulsarContext, scalable_topics: ScenarioScalableTopics, readers: Readers, family: tuple[str, ...], origin: Origin
) -> None:
    """Within patience the parents have these children, all of them active, whichever broker completed the change. They get these names, the
    lowest hashes first. Or each of these stream consumers is assigned one segment, whichever the controller chose, and that gets this name.
    """
    match origin:
        case CameOf(parents):
            _call_children(context, scalable_topics, family, parents)
        case SegmentsOf(members):
            _call_assigned(context, scalable_topics, readers, members, family)


def _call_assigned(
    context: PulsarContext, scalable_topics: ScenarioScalableTopics, readers: Readers, members: tuple[str, ...], family: tuple[str, ...]
) -> None:
    for member, name in zip(members, family, strict=True):
        for _ in context.session.time.attempts():
            assignment = readers.assignment(member)
            if len(assignment.numbers) == 1:
                break
        topic = readers[member].topic
        named = [segment for number in assignment.numbers if (segment := scalable_topics.layout(topic).named(number)) is not None]
        if len(named) != 1:
            raise SetUpFailed(f"{member} is assigned {len(named)} segments of {topic}; expected one, for each has its consumer")
        scalable_topics.call(name, topic, named[0])


def _call_children(
    context: PulsarContext, scalable_topics: ScenarioScalableTopics, family: tuple[str, ...], parents: tuple[str, ...]
) -> None:
    topic, due = scalable_topics.places[parents[0]].topic, {scalable_topics.places[name].number for name in parents}
    for _ in context.session.time.attempts():
        born = [segment for segment in scalable_topics.given_layout(topic).active if set(segment.parents) == due]
        if len(born) == len(family):
            for name, segment in zip(family, born, strict=True):
                scalable_topics.call(name, topic, segment)
            return
    raise SetUpFailed(f"{' and '.join(parents)} did not become {' and '.join(family)}")


@PIP460.given("subscription {subscription} has come to {segment}, which takes messages still")
def has_come_late(context: PulsarContext, scalable_topics: ScenarioScalableTopics, subscription: str, segment: str) -> None:
    """Shared, with a consumer, from the first message on. After its answer, the layout shows the segment as active: it is sealed later."""
    context.subscriptions.subscribe(subscription, segment, SubType.SHARED, subscription)
    found = scalable_topics.segment(scalable_topics.given_layout(scalable_topics.places[segment].topic), segment)
    if found is None or found.is_sealed:
        raise SetUpFailed(f"{segment} is sealed already, so that no child needs to know of {subscription}")


@PIP460.when("{change} and {other:change} are asked for at the same time")
def are_asked_for_at_once(
    context: PulsarContext, scalable_topics: ScenarioScalableTopics, change: SplitOrMerge, other: SplitOrMerge
) -> None:
    """The second is requested before the first is answered."""
    before = scalable_topics.before(change)
    begun = [(one, achieved(scalable_topics.begin(one), f"asking for {one}")) for one in (change, other)]
    answers = [(one, context.client.changed(pending)) for one, pending in begun]
    for one, answer in answers:
        context.ask(str(one), scalable_topics.note(one, before, answer).answer)


@PIP460.then("soon {change} is made")
def is_made(context: PulsarContext, scalable_topics: ScenarioScalableTopics, change: SplitOrMerge) -> None:
    """Within patience, in which it is requested again and again, the layout shows its segments as sealed, whatever the answers were."""
    topic, seen = scalable_topics.topic_of(change), ""
    for _ in context.session.time.attempts():
        layout = scalable_topics.layout(topic)
        if all(number in {segment.number for segment in layout.sealed} for number in scalable_topics.numbers(change)):
            return
        seen = reported(scalable_topics.change(change).answer)
    context.evidence.expect(False, "that it is made", seen, what=f"{change} that is asked for again")


@PIP460.then("it is refused, or {segment} takes no message any more")
def is_refused_or_sealed(context: PulsarContext, scalable_topics: ScenarioScalableTopics, segment: str) -> None:
    """The answer is a refusal, or the layout shows the segment as sealed or not at all: the broker that completes a change seals the parent
    before any producer can write to its children.
    """
    error, code = error_of(context.answer)
    holds, seen = isinstance(context.answer, Refused), reported(known(context.answer))
    if not holds:
        found = scalable_topics.segment(scalable_topics.layout(scalable_topics.places[segment].topic), segment)
        holds = found is None or found.is_sealed
    context.evidence.expect(holds, "a refusal", seen, what=f"answer to {context.asked}", error=error, code=code)


def _make(scalable_topics: ScenarioScalableTopics, change: SplitOrMerge, children: tuple[str, ...]) -> None:
    asked = scalable_topics.change(change)
    achieved(asked.answer, str(change))
    if not scalable_topics.name_children(asked, children):
        raise SetUpFailed(f"{change} was answered with success, and {' and '.join(children)} are not there")


def _ask(
    context: PulsarContext,
    scalable_topics: ScenarioScalableTopics,
    change: SplitOrMerge,
    children: tuple[str, ...],
    traffic: Traffic | None,
) -> None:
    asked = scalable_topics.change(change) if traffic is None else _beside(traffic, scalable_topics, change)
    context.ask(str(change), asked.answer)
    if isinstance(asked.answer, Done):
        scalable_topics.name_children(asked, children)


def _beside(traffic: Traffic, scalable_topics: ScenarioScalableTopics, change: SplitOrMerge) -> RequestedChange:
    before = scalable_topics.before(change)
    return scalable_topics.note(change, before, traffic.go_on(change))
