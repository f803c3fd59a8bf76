"""Producers whose offsets are those of a group with members, and what is committed in addition to them."""

from dataclasses import replace

from fencepost.adapters.kafka.kafka_values import PROTOCOL, PROTOCOL_TYPE, Bringing, GroupMembership
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Done, Outcome, Refused
from fencepost.steps.step_outcomes import achieved

from .gathering import (
    Gathering,
    beat_through_sessions,
    gather,
    member_named,
    place_of,
    share_of,
    short_session_ms,
    until_reported,
    wanted_by,
)
from .judging import answered, reported
from .kafka_context import KafkaContext
from .phrases import AsMember, ForTwoSessions, Heartbeats
from .vocabulary import KAFKA

JOIN = KAFKA.act(
    given="{producer} is {a_member} of group {group}[ with {session}]",
    when="{producer} joins group {group}[ as {a_member}][ with {mistake}]",
    meaning="JoinGroup and SyncGroup: the producer's application is the only member of the group, static or not.",
)


@JOIN.given
def is_a_member(context: KafkaContext, gathering: Gathering, producer: str, a_member: str, group: str, session: str | None) -> None:
    achieved(
        _join(context, gathering, group, producer, None, _instance_of(context, producer, a_member), session),
        f"joining {group} as {producer}",
    )


@JOIN.when
def joins(context: KafkaContext, gathering: Gathering, producer: str, group: str, a_member: str | None, mistake: str | None) -> None:
    context.begin()
    bringing = Bringing({PROTOCOL: wanted_by(producer)})
    if mistake == "another protocol type":
        bringing = Bringing(bringing.protocols, f"not {PROTOCOL_TYPE}")
    elif mistake == "a protocol that no other member knows":
        bringing = Bringing({f"not {PROTOCOL}": wanted_by(producer)})
    elif mistake == "an unknown member id":
        context.memberships[producer] = [GroupMembership(1, "a stranger")]
    known = place_of(context, producer)
    instance = _instance_of(context, producer, a_member) if known is None else known.instance
    context.keep(None, gather(context, gathering, group, producer, None, instance, bringing), "JoinGroup")


BESIDE = KAFKA.act(
    given="{producer} has joined group {group} together with {other:producer}[ with {session}]",
    when="{producer} joins group {group} together with {other:producer}",
    meaning="JoinGroup; when Heartbeat notifies the other, it joins again, and SyncGroup returns to each what the leader has assigned "
    "to it. Both are static members, or neither is.",
)


@BESIDE.given
def has_joined_next_to(context: KafkaContext, gathering: Gathering, producer: str, group: str, other: str, session: str | None) -> None:
    outcome = _join(context, gathering, group, producer, other, _instance_next_to(context, producer, other), session)
    achieved(outcome, f"joining {group} as {producer} next to {other}")


@BESIDE.when
def joins_next_to(context: KafkaContext, gathering: Gathering, producer: str, group: str, other: str) -> None:
    context.begin()
    context.keep(None, _join(context, gathering, group, producer, other, _instance_next_to(context, producer, other), None), "JoinGroup")


@KAFKA.given("group {group} of {producer} has gone on to its next generation")
def has_a_next_generation(context: KafkaContext, gathering: Gathering, group: str, producer: str) -> None:
    """The only member has joined again, with its member id."""
    before = context.memberships[producer][-1]
    achieved(_join(context, gathering, group, producer, None, before.instance, None), f"joining {group} again as {producer}")
    if context.memberships[producer][-1].generation == before.generation:
        raise SetUpFailed(f"the group {group} is still in generation {before.generation}")


TAKE_PLACE = KAFKA.act(
    given="another process has taken the place of {producer} in group {group}",
    when="another process takes the place of {producer} in group {group}",
    meaning="JoinGroup of the same instance without its member id, as after a restart of the application, and SyncGroup.",
)


@TAKE_PLACE.given
def has_taken_the_place(context: KafkaContext, gathering: Gathering, producer: str, group: str) -> None:
    achieved(_take_place(context, gathering, producer, group), f"taking the place of {producer} in {group}")


@TAKE_PLACE.when
def takes_the_place(context: KafkaContext, gathering: Gathering, producer: str, group: str) -> None:
    context.begin()
    context.keep(None, _take_place(context, gathering, producer, group), "JoinGroup")


LEAVE = KAFKA.act(
    given="{producer} has left group {group}",
    when="{producer} leaves group {group}",
    meaning="LeaveGroup of the member that it is.",
)


@LEAVE.given
def has_left(context: KafkaContext, producer: str, group: str) -> None:
    achieved(_leave(context, producer, group), f"leaving {group} as {producer}")


@LEAVE.when
def leaves(context: KafkaContext, producer: str, group: str) -> None:
    context.begin()
    context.keep(None, _leave(context, producer, group), "LeaveGroup")


SILENCE = KAFKA.act(
    given="{producer} has been silent until {other:producer} was notified of it in group {group}",
    when="{producer} is silent until {other:producer} is notified of it in group {group}",
    meaning="One member sends nothing, the other Heartbeats, until one is refused; for as long as the session is patient where none is.",
)


@SILENCE.given
def has_been_silent(context: KafkaContext, producer: str, other: str, group: str) -> None:
    if producer == other:
        raise SetUpFailed(f"{producer} cannot be silent and be notified of it")
    until_reported(context, context.producers[other].probe, context.session.unique(group), context.memberships[other][-1])


@SILENCE.when
def is_silent(context: KafkaContext, producer: str, other: str, group: str) -> None:
    context.begin()
    has_been_silent(context, producer, other, group)


@KAFKA.when("{producer} sends {heartbeats} to group {group}")
def sends_heartbeats(context: KafkaContext, gathering: Gathering, producer: str, heartbeats: Heartbeats, group: str) -> None:
    """Often enough to stay a member, and for twice as long as its session may last without one; or one, with the member id and the
    generation of that member.
    """
    context.begin()
    name, probe = context.session.unique(group), context.producers[producer].probe
    answer: Outcome[object]
    match heartbeats:
        case ForTwoSessions():
            answer = beat_through_sessions(context, gathering, probe, name, context.memberships[producer][-1])
        case AsMember(membership):
            answer = probe.heartbeat(name, member_named(context, producer, membership))
    context.keep(None, answer, "Heartbeat")


@KAFKA.then("group {group} {regards} {producer}")
def group_regards(context: KafkaContext, group: str, regards: str, producer: str) -> None:
    """Heartbeat with its last membership succeeds; or is refused with an error that makes a consumer rejoin, or as unknown or fenced."""
    due = _HEARTBEAT[regards]
    probe, place = context.producers[producer].probe, context.memberships[producer][-1]
    answer = answered(probe.heartbeat(context.session.unique(group), place), f"Heartbeat was sent as {producer}")
    holds = answer.error in due if isinstance(answer, Refused) else not due
    expected = " or ".join(due) or "success"
    code = answer.code if isinstance(answer, Refused) else None
    error = answer.error if isinstance(answer, Refused) else None
    context.evidence.expect(holds, expected, reported(answer), what=f"Heartbeat of {producer}", error=error, code=code)


_HEARTBEAT: dict[str, tuple[str, ...]] = {
    "still has": (),
    "wants a new JoinGroup of": ("REBALANCE_IN_PROGRESS", "ILLEGAL_GENERATION"),
    "no longer has": ("UNKNOWN_MEMBER_ID",),
    "has fenced": ("FENCED_INSTANCE_ID",),
}


@KAFKA.then("the members have one generation, one protocol and one leader among them")
def have_one_generation(context: KafkaContext, gathering: Gathering) -> None:
    """The answers of JoinGroup to the members that took part agree, and those of SyncGroup, where the version has these fields."""
    joined = gathering.joined.values()
    agreed = {(each.generation, each.leader, each.protocol) for each in joined}
    ids = [each.member for each in joined]
    types = {each.protocol_type for each in joined} | {share.protocol[0] for share in gathering.shares.values() if share.protocol}
    names = {share.protocol[1] for share in gathering.shares.values() if share.protocol}
    is_one = len(agreed) == 1 and len(set(ids)) == len(ids) and all(leader in ids and name == PROTOCOL for _, leader, name in agreed)
    holds = is_one and types <= {None, PROTOCOL_TYPE} and names <= {PROTOCOL}
    seen = "; ".join(
        f"{name} is {each.member}, in generation {each.generation}, led by {each.leader}, by {each.protocol_type} {each.protocol}"
        for name, each in gathering.joined.items()
    )
    context.evidence.expect(holds, f"one generation, led by one of them, by {PROTOCOL_TYPE} {PROTOCOL}", seen, what="answers to JoinGroup")


@KAFKA.then("{producer} is in a later generation than before")
def is_in_a_later_generation(context: KafkaContext, producer: str) -> None:
    """The last JoinGroup answered it a higher generation than the one before."""
    *_, before, now = (place.generation for place in context.memberships[producer])
    context.evidence.expect(now > before, f"a generation after {before}", f"generation {now}", what=f"generation of {producer}")


@KAFKA.then("the leader alone receives what all members want")
def leader_is_reported(context: KafkaContext, gathering: Gathering) -> None:
    """JoinGroup lists to the leader each member with the metadata that it brought, and nothing to the others."""
    wanted = {joined.member: wanted_by(name) for name, joined in gathering.joined.items()}
    for name, joined in gathering.joined.items():
        due = wanted if joined.leader == joined.member else {}
        context.evidence.expect(joined.others == due, _listed(due), _listed(joined.others), what=f"what JoinGroup answers {name}")


@KAFKA.then("each member has what the leader assigned to it")
def each_has_its_share(context: KafkaContext, gathering: Gathering) -> None:
    """SyncGroup answers each member its own share."""
    for name, joined in gathering.joined.items():
        share = gathering.shares.get(name)
        seen = "no answer" if share is None else repr(share.assigned.decode(errors="replace"))
        due = share_of(name)
        holds = share is not None and share.assigned == due
        context.evidence.expect(holds, repr(due.decode()), seen, what=f"assignment of {name}, which is {joined.member}")


PLAIN = KAFKA.act(
    given="offset {offset:number}[ and each one up to {last:number}] of {partition} has been committed to group {group} outside of"
    " transactions",
    when="offset {offset:number} of {partition} is committed to group {group} outside of transactions[ by {producer} as {membership}]",
    meaning="OffsetCommit, without a member unless one is named; one for each offset.",
)


@PLAIN.given
def has_been_committed(context: KafkaContext, offset: int, last: int | None, partition: str, group: str) -> None:
    for each in range(offset, (last or offset) + 1):
        outcome = context.observer.commit_offset(context.session.unique(group), context.partition(partition), each)
        achieved(outcome, f"committing offset {each} of {partition} to {group}")


@PLAIN.when
def is_committed(context: KafkaContext, offset: int, partition: str, group: str, producer: str | None, membership: str | None) -> None:
    context.begin()
    place = None if producer is None or membership is None else member_named(context, producer, membership)
    outcome = context.observer.commit_offset(context.session.unique(group), context.partition(partition), offset, place)
    context.keep(None, outcome, "OffsetCommit")


def _join(
    context: KafkaContext, gathering: Gathering, group: str, new: str, other: str | None, instance: str | None, session: str | None
) -> Outcome[None]:
    bringing = Bringing({PROTOCOL: wanted_by(new)})
    if session is not None:
        gathering.session_ms = short_session_ms(context, context.producers[new].probe)
        bringing, gathering.asked_ms = replace(bringing, session_timeout_ms=gathering.session_ms), context.time.now_ms()
    return gather(context, gathering, group, new, other, instance, bringing)


def _instance_of(context: KafkaContext, producer: str, a_member: str | None) -> str | None:
    return context.session.unique(f"instance of {producer}") if a_member == "a static member" else None


def _instance_next_to(context: KafkaContext, producer: str, other: str) -> str | None:
    return None if context.memberships[other][-1].instance is None else context.session.unique(f"instance of {producer}")


def _take_place(context: KafkaContext, gathering: Gathering, producer: str, group: str) -> Outcome[None]:
    """The other process is not recorded among the scenario's memberships: the producer still uses the id that it had."""
    place, name = context.memberships[producer][-1], context.session.unique(group)
    match context.observer.join(name, "", place.instance, Bringing({PROTOCOL: wanted_by(producer)})):
        case Done(joined):
            gathering.joined = {producer: joined}
        case trouble:
            return trouble
    match context.observer.sync(name, GroupMembership(joined.generation, joined.member, place.instance), {}):
        case Done(share):
            gathering.shares = {producer: share}
            return Done(None)
        case trouble:
            return trouble


def _leave(context: KafkaContext, producer: str, group: str) -> Outcome[None]:
    return context.producers[producer].probe.leave_group(context.session.unique(group), context.memberships[producer][-1])


def _listed(wanted: object) -> str:
    return f"{wanted}" if wanted else "nothing"
