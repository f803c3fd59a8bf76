"""Consumers of whole topics: how they register and leave, what they are assigned, and what they read in which order."""

from collections.abc import Iterator, Mapping, Sequence

from fencepost.adapters.pulsar.pulsar_values import ReportedLayout, SegmentAssignment
from fencepost.contract.evidence import SetUpFailed, Violation
from fencepost.contract.outcomes import Done, Unknown
from fencepost.steps.pulsar.pulsar_context import PulsarContext
from fencepost.steps.settling import let_pass
from fencepost.steps.step_outcomes import achieved

from .readers import Readers, StreamMember
from .scalable_context import ScenarioScalableTopics
from .vocabulary import PIP460, Keys, OneKey, SeveralKeys

_MOMENT_S = 2.0
_NOTHING = "nothing"

JOIN = PIP460.act(
    given="{member} has joined {group} of {topic}[ {role}][, calling itself {consumer_name}][, over the connection of {other:member}]",
    when="{member} joins {group} of {topic}[ {role}][, calling itself {consumer_name}]",
    meaning="A consumer of the whole topic connects, or reconnects under its name, and registers at the topic's controller: under its name "
    "in the scenario, unless it calls itself otherwise. As a queue consumer it registers nowhere, and has a shared subscription of all "
    "segments; with checkpoints it has a reader of each segment. As a checkpoint consumer it registers as one. Where a registration has "
    "no answer, one of another subscription is requested after it, and then the layout: when either is answered, it is silence, and not a "
    "slow broker. Over the connection of another consumer to the controller, it has another name and number than that one.",
)
CUT_OFF = PIP460.act(
    given="{member} has been cut off[ {former}]",
    when="{member} is cut off",
    meaning="All its connections end without a word, or the first one of a consumer that has joined twice, and a moment passes in which "
    "the controller could act on that.",
)
READ = PIP460.act(
    given="the reading of {members} has come to {values}[, {unacknowledged}]",
    when="the reading of {members}[ from behind {checkpoint:value}] comes to {values}",
    meaning="Each takes what it is given, and acknowledges it at once, until all these messages have come. From behind a message: a "
    "checkpoint consumer begins again in each segment of the current layout, after what it had taken there when it had taken that "
    "message, and in new segments at their beginning.",
)

WRITE = PIP460.act(
    given="{values} of {keys} have been written to {topic}",
    when="{values} of {keys} are written to {topic}",
    meaning="Each to the active segment that has the hash of its key, by the newest layout; all were receipted. Several keys: the first "
    "message, or the first two, have the first key, and so on. These keys: a key each, as before.",
)


@JOIN.given
def has_joined(
    readers: Readers, member: str, group: str, topic: str, role: str | None, consumer_name: str | None, other: str | None
) -> None:
    if other is not None:
        achieved(readers.join_over_connection_of(member, group, topic, other), f"{member} joining {group} over the connection of {other}")
    else:
        achieved(readers.join(member, group, topic, role, consumer_name), f"{member} joining {group}")


@JOIN.when
def joins(
    context: PulsarContext, readers: Readers, member: str, group: str, topic: str, role: str | None, consumer_name: str | None
) -> None:
    answer = readers.join(member, group, topic, role, consumer_name)
    context.ask("registration", answer)
    if isinstance(answer, Unknown) and not answer.lost and readers.is_another_answered(topic):
        context.unanswered = ("SCALABLE_TOPIC_SUBSCRIBE",)


@CUT_OFF.given
def has_been_cut_off(context: PulsarContext, readers: Readers, member: str, former: str | None) -> None:
    if former:
        readers.end_former(member)
    else:
        readers.cut_off(member)
    let_pass(context.session.time, _MOMENT_S)


@CUT_OFF.when
def is_cut_off(context: PulsarContext, readers: Readers, member: str) -> None:
    has_been_cut_off(context, readers, member, None)


@READ.given
def has_read(readers: Readers, members: tuple[str, ...], values: tuple[str, ...], unacknowledged: str | None) -> None:
    achieved(readers.read(members, values, acknowledging=unacknowledged is None), f"reading {', '.join(values)}")


@READ.when
def reads(context: PulsarContext, readers: Readers, members: tuple[str, ...], values: tuple[str, ...], checkpoint: str | None) -> None:
    if checkpoint is not None:
        for member in members:
            achieved(readers.go_back(member, checkpoint), f"going back to {checkpoint} as {member}")
    context.ask("messages", readers.read(members, values, acknowledging=True))


@WRITE.given
@WRITE.when
def have_been_written(readers: Readers, values: tuple[str, ...], keys: Keys, topic: str) -> None:
    for number, value in enumerate(values):
        match keys:
            case OneKey(name):
                key = name
            case SeveralKeys(how):
                key = f"key {number // 2 if how == 'a key for each pair' else number}"
        achieved(readers.write(topic, key, value), f"writing {value} to {topic}")


@PIP460.given("the controller of {topic} {controlling}")
def controller_is(context: PulsarContext, scalable_topics: ScenarioScalableTopics, readers: Readers, topic: str, controlling: str) -> None:
    """Crashed: the broker that has it ends as by a power cut, when all consumers have received its assignments; the others go on.

    Replaced: the session of the controller's broker with the metadata store has expired, as after a long pause, and the others noticed that
    first. If none of them can be the controller, there is none; the same broker again is a violation here already.

    Another broker: where it is the same, the session of that broker expires, and the other one becomes the controller.
    """
    match controlling:
        case "has crashed":
            _crash_controller(context, scalable_topics, readers, topic)
        case "has been replaced while it lives":
            _replace_controller(context, scalable_topics, topic)
        case _:
            _have_controller_elsewhere(context, scalable_topics, topic)


def _crash_controller(context: PulsarContext, scalable_topics: ScenarioScalableTopics, readers: Readers, topic: str) -> None:
    readers.mark()
    layout = achieved(context.client.looked_up(scalable_topics.by_name[topic]), f"looking {topic} up")
    if layout.controller is None:
        raise SetUpFailed(f"no broker is reported as the controller of {topic}")
    context.session.faults.crash_broker(layout.controller)  # type: ignore[attr-defined]  # of those who offer more-brokers


def _replace_controller(context: PulsarContext, scalable_topics: ScenarioScalableTopics, topic: str) -> None:
    before = _controller(context, scalable_topics, topic)
    if before is None:
        raise SetUpFailed(f"no broker is reported as the controller of {topic}")
    context.session.faults.expire_session(before)  # type: ignore[attr-defined]  # of those who offer more-brokers and store-faults
    after = _controller(context, scalable_topics, topic)
    if after == before:
        raise Violation("another broker, or none", before, what=f"controller of {topic} after its session")


def _have_controller_elsewhere(context: PulsarContext, scalable_topics: ScenarioScalableTopics, topic: str) -> None:
    found = _controller(context, scalable_topics, topic)
    if found is not None and context.client.is_asked_first(found):
        context.session.faults.expire_session(found)  # type: ignore[attr-defined]  # of those who offer more-brokers and store-faults
        found = _controller(context, scalable_topics, topic)
    if found is None or context.client.is_asked_first(found):
        raise SetUpFailed(f"the controller of {topic} is {found or 'no broker'}, and was to be a broker that administrators do not ask")


@PIP460.then("{member} is assigned {assigned}[, {undisturbed}]")
def is_assigned(
    context: PulsarContext,
    scalable_topics: ScenarioScalableTopics,
    readers: Readers,
    member: str,
    assigned: tuple[str, ...],
    undisturbed: str | None,
) -> None:
    """Within patience its newest assignment has just these segments; sealed ones that its subscription has drained may be there too.
    Undisturbed: it has been assigned no others since the When, until it is notified of a split of one of them that is made now. Among
    others: whatever else it has.
    """
    one, due = readers[member], {scalable_topics.places[name].number for name in assigned}
    found: set[int] = set()
    if undisturbed == "perhaps among others":
        for _ in context.session.time.attempts():
            if due <= (found := {*readers.assignment(member).numbers}):
                break
        wanted = " and ".join(assigned)
        seen = wanted if due <= found else _named(scalable_topics, one, found)
        context.evidence.expect(due <= found, wanted, seen, what=f"segments of {member}")
        return
    for _ in context.session.time.attempts():
        found = _without_drained(scalable_topics.layout(one.topic), readers.assignment(member).numbers, due)
        if found == due:
            break
    seen = _named(scalable_topics, one, found)
    context.evidence.expect(found == due, " and ".join(assigned) or _NOTHING, seen, what=f"segments of {member}")
    if undisturbed is not None:
        _expect_undisturbed(context, scalable_topics, member, one)


@PIP460.then("{members} have a segment of {topic} each")
def have_one_each(
    context: PulsarContext, scalable_topics: ScenarioScalableTopics, readers: Readers, members: tuple[str, ...], topic: str
) -> None:
    """Within patience the newest assignment of each has an active segment; which and how many does not matter."""
    active = {segment.number for segment in scalable_topics.layout(topic).active}
    without: list[str] = []
    for _ in context.session.time.attempts():
        without = [name for name in members if active.isdisjoint(readers.assignment(name).numbers)]
        if not without:
            break
    expected = "a segment for each"
    context.evidence.expect(not without, expected, f"none for {', '.join(without)}" if without else expected, what=f"segments of {topic}")


@PIP460.then("soon {member} is sent away, or notified of {topic} as it is now")
def is_sent_away_or_reported(
    context: PulsarContext, scalable_topics: ScenarioScalableTopics, readers: Readers, member: str, topic: str
) -> None:
    """Within patience the connection over which it has registered is closed, or has brought an assignment of the newest layout."""
    one, expected, holds = readers[member], "the end of its connection, or an assignment", False
    epoch = scalable_topics.layout(topic).epoch
    for _ in context.session.time.attempts():
        match one.client.assignment(one.stream):
            case Done(assignment):
                holds = assignment.epoch >= epoch
            case found:
                holds = isinstance(found, Unknown) and found.lost
        if holds:
            break
    context.evidence.expect(holds, expected, expected if holds else "neither", what=f"notification to {member} of the change")


@PIP460.then("{member} was notified of no other segments")
def is_undisturbed(context: PulsarContext, scalable_topics: ScenarioScalableTopics, readers: Readers, member: str) -> None:
    """No others than it had before the When, until it is notified of a split of one of them that is made now."""
    _expect_undisturbed(context, scalable_topics, member, readers[member])


@PIP460.then("each active segment of {topic} is assigned {distribution} to {members}")
def are_dealt_out(
    context: PulsarContext,
    scalable_topics: ScenarioScalableTopics,
    readers: Readers,
    topic: str,
    distribution: str,
    members: tuple[str, ...],
) -> None:
    """Within patience, each to one of them, by the name and with the hashes that the layout has. In turn: the segments by their first hash,
    the consumers by their names.
    """
    layout = scalable_topics.layout(topic)
    active = [segment.number for segment in layout.active]
    seen: dict[str, tuple[int, ...]] = {}
    for _ in context.session.time.attempts():
        reported = {name: readers.assignment(name).numbers for name in members}
        seen = {name: tuple(number for number in active if number in numbers) for name, numbers in reported.items()}
        if _is_dealt(seen, active, in_turn=distribution == "in turn"):
            break
    holds = _is_dealt(seen, active, in_turn=distribution == "in turn")
    shown = "; ".join(f"{name} has {', '.join(map(str, numbers)) or _NOTHING}" for name, numbers in sorted(seen.items()))
    expected = f"each of {', '.join(map(str, active))} {distribution}"
    context.evidence.expect(holds, expected, expected if holds else shown, what=f"segments of {topic}")
    wrong = [f"{name} is assigned {flaw}" for name in members for flaw in _unlike(readers.assignment(name), layout)]
    expected = "those of the layout"
    context.evidence.expect(not wrong, expected, "; ".join(wrong) or expected, what=f"hashes of {topic} in assignments")


@PIP460.then("the reading of {members} was {content}[ {order}]")
def was_read(context: PulsarContext, readers: Readers, members: tuple[str, ...], content: tuple[str, ...], order: str | None) -> None:
    """All messages that they have received since the scenario began, in the order in which they received them. Messages after a checkpoint
    to which its consumer has returned do not count.
    """
    found = [message.value for name, message in readers.log if name in members]
    by = sorted if order else list
    context.expect_messages(f"reading of {' and '.join(members)}", by(content), by(found))


def _controller(context: PulsarContext, scalable_topics: ScenarioScalableTopics, topic: str) -> str | None:
    """The controller that clients are answered."""
    return achieved(context.client.looked_up(scalable_topics.by_name[topic]), f"looking {topic} up").controller


def _expect_undisturbed(context: PulsarContext, scalable_topics: ScenarioScalableTopics, name: str, one: StreamMember) -> None:
    before = set(one.reported[max(one.marked - 1, 0)].numbers)
    others = [numbers for numbers in _since(context, scalable_topics, one) if set(numbers) != before]
    seen = _named(scalable_topics, one, set(others[0])) if others else "no others"
    context.evidence.expect(not others, "no others", seen, what=f"segments that {name} was assigned meanwhile")


def _without_drained(layout: ReportedLayout, numbers: Sequence[int], due: set[int]) -> set[int]:
    sealed = {segment.number for segment in layout.sealed}
    return {number for number in numbers if number in due or number not in sealed}


def _named(topics: ScenarioScalableTopics, member: StreamMember, numbers: set[int]) -> str:
    layout = topics.layout(member.topic)
    known = [segment for number in sorted(numbers) if (segment := layout.named(number)) is not None]
    return " and ".join(topics.name_of(member.topic, segment) for segment in known) or _NOTHING


def _is_dealt(seen: Mapping[str, Sequence[int]], active: Sequence[int], *, in_turn: bool) -> bool:
    if not in_turn:
        return sorted(number for numbers in seen.values() for number in numbers) == sorted(active)
    return all(list(seen[name]) == list(active[place :: len(seen)]) for place, name in enumerate(sorted(seen)))


def _unlike(assignment: SegmentAssignment, layout: ReportedLayout) -> Iterator[str]:
    """The segments in an assignment that differ from the layout."""
    for one in assignment.segments:
        if (segment := layout.named(one.number)) is None:
            continue
        if (one.first_hash, one.last_hash) != (segment.first_hash, segment.last_hash):
            yield f"{segment} as {one.first_hash:04x}-{one.last_hash:04x}"
        if one.topic != segment.topic:
            yield f"{segment} as {one.topic}"


def _since(context: PulsarContext, topics: ScenarioScalableTopics, member: StreamMember) -> list[tuple[int, ...]]:
    """The assignments since the When, before the notification of a split."""
    full, epoch = topics.by_name[member.topic], topics.layout(member.topic).epoch
    if not isinstance(context.client.split(full, member.reported[-1].numbers[0]), Done):
        raise SetUpFailed("the split that ends the question was not made")
    for _ in context.session.time.attempts():
        reported = member.reported
        if reported[-1].epoch > epoch:
            return [one.numbers for one in reported[member.marked :] if one.epoch <= epoch]
    raise SetUpFailed("no consumer was notified of the split that ends the question")
