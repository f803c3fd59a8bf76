"""Splits and merges: asked for one by one, again and again, at the same time, and while somebody writes."""

from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Done, Refused
from fencepost.steps.answers import known, reported
from fencepost.steps.outcomes import achieved, error_of
from fencepost.steps.pulsar.context import ScenarioContext

from .context import Asked, ScalableTopics
from .traffic import Traffic
from .vocabulary import PIP460, Change

_RETENTION_PASSED_S = 70.0
"""Longer than sealed segments that nobody needs are kept."""
_FAULT_OF_THE_CLIENT = range(400, 500)

SPLIT = PIP460.act(
    given="{segment} has been split into {low:segment} and {high:segment}[, {times} times]",
    when="{segment} is split into {low:segment} and {high:segment}[ {beside:traffic}]",
    meaning="The children have these names, the one with the lower hashes first. Several times: each time the lower child is split again. "
    "While it is written to: a producer sends there without waiting, and to the children as soon as it is told of them.",
)
MERGE = PIP460.act(
    given="{family} have been merged into {segment}",
    when="{family} are merged into {segment}[ {beside:traffic}]",
    meaning="The child has this name. While they are written to: as with a split.",
)
TRY = PIP460.act(
    given="{change} has been tried",
    when="{change} is asked for",
    meaning="As a Given, whatever came of it. Nobody learns what the children are called.",
)
RETENTION = PIP460.act(
    given="the retention of sealed segments has passed",
    when="the retention of sealed segments passes",
    meaning="Time passes for as long as sealed segments are kept that nobody needs, and longer.",
)


@SPLIT.given
def has_been_split(scalable_topics: ScalableTopics, segment: str, low: str, high: str, times: int | None) -> None:
    split = segment
    for _ in range(times or 1):
        _make(scalable_topics, Change(True, (split,)), (low, high))
        split = low


@SPLIT.when
def is_split(
    context: ScenarioContext, scalable_topics: ScalableTopics, traffic: Traffic, segment: str, low: str, high: str, beside: str | None
) -> None:
    _ask(context, scalable_topics, Change(True, (segment,)), (low, high), traffic if beside else None)


@MERGE.given
def have_been_merged(scalable_topics: ScalableTopics, family: tuple[str, ...], segment: str) -> None:
    _make(scalable_topics, Change(False, family), (segment,))


@MERGE.when
def are_merged(
    context: ScenarioContext, scalable_topics: ScalableTopics, traffic: Traffic, family: tuple[str, ...], segment: str, beside: str | None
) -> None:
    _ask(context, scalable_topics, Change(False, family), (segment,), traffic if beside else None)


@TRY.given
def has_been_tried(scalable_topics: ScalableTopics, change: Change) -> None:
    scalable_topics.change(change)


@TRY.when
def is_asked_for(context: ScenarioContext, scalable_topics: ScalableTopics, change: Change) -> None:
    context.ask(str(change), scalable_topics.change(change).answer)


@RETENTION.given
@RETENTION.when
def retention_passes(context: ScenarioContext) -> None:
    for _ in context.session.time.attempts(_RETENTION_PASSED_S):
        pass


@PIP460.when("{change} and {other:change} are asked for at the same time")
def are_asked_for_at_once(context: ScenarioContext, scalable_topics: ScalableTopics, change: Change, other: Change) -> None:
    """The second is asked for before the first is answered."""
    before = scalable_topics.before(change)
    begun = [(one, achieved(scalable_topics.begin(one), f"asking for {one}")) for one in (change, other)]
    answers = [(one, context.client.changed(pending)) for one, pending in begun]
    for one, answer in answers:
        context.ask(str(one), scalable_topics.note(one, before, answer).answer)


@PIP460.then("it is refused as something that cannot be done")
def is_refused_as_impossible(context: ScenarioContext) -> None:
    """With a status that says so, from 400 to 499, and not with a failure of the broker's own."""
    error, code = error_of(context.answer)
    holds = isinstance(context.answer, Refused) and context.answer.code in _FAULT_OF_THE_CLIENT
    seen = reported(known(context.answer))
    context.evidence.expect(holds, "a refusal with 4xx", seen, what=f"answer to {context.asked}", error=error, code=code)


def _make(scalable_topics: ScalableTopics, change: Change, children: tuple[str, ...]) -> None:
    asked = scalable_topics.change(change)
    achieved(asked.answer, str(change))
    if not scalable_topics.name_children(asked, children):
        raise SetUpFailed(f"{change} was answered with success, and {' and '.join(children)} are not there")


def _ask(
    context: ScenarioContext, scalable_topics: ScalableTopics, change: Change, children: tuple[str, ...], traffic: Traffic | None
) -> None:
    asked = scalable_topics.change(change) if traffic is None else _beside(traffic, scalable_topics, change)
    context.ask(str(change), asked.answer)
    if isinstance(asked.answer, Done):
        scalable_topics.name_children(asked, children)


def _beside(traffic: Traffic, scalable_topics: ScalableTopics, change: Change) -> Asked:
    before = scalable_topics.before(change)
    return scalable_topics.note(change, before, traffic.go_on(change))
