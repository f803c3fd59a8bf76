"""How producers' applications form a group: what each brings, is answered and is assigned."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from fencepost.adapters.kafka.kafka_values import PROTOCOL, Bringing, GroupMembership, JoinGroupAnswer, Share
from fencepost.adapters.kafka.probe import KafkaProbe
from fencepost.contract.evidence import SetUpFailed
from fencepost.contract.outcomes import Done, Outcome, Refused, Unknown

from .kafka_context import KafkaContext
from .vocabulary import KAFKA

SHORT_SESSION_MS = 1_500
SHORTEST_BY_DEFAULT_MS = 6_000
"""A broker with the default `group.min.session.timeout.ms` refuses shorter sessions."""
_ANSWERS_OF_A_SESSION = 10
"""As many answers as joining a group takes have to fit into a session, so that members can keep it while the others join."""


def wanted_by(name: str) -> bytes:
    """The metadata that a producer's application brings to its group."""
    return f"what {name} wants".encode()


def share_of(name: str) -> bytes:
    """What a leader assigns to a producer's application."""
    return f"the share of {name}".encode()


@dataclass
class Gathering:
    """The answers to the members that joined last, and the share that each got then."""

    joined: dict[str, JoinGroupAnswer] = field(default_factory=dict)
    shares: dict[str, Share] = field(default_factory=dict)
    reported: dict[str, Outcome[None]] = field(default_factory=dict)
    """The answers to Heartbeats of the members that had joined before."""

    session_ms: int = 0
    """The session timeout, in milliseconds, of the member that joined last with a short one."""
    asked_ms: float = 0.0
    """When that member asked to join."""


@KAFKA.state
def gathering() -> Gathering:
    """The state of the group."""
    return Gathering()


def place_of(context: KafkaContext, producer: str) -> GroupMembership | None:
    """The last membership of a producer in its group."""
    return context.memberships[producer][-1] if producer in context.memberships else None


def member_named(context: KafkaContext, producer: str, membership: str) -> GroupMembership:
    """The membership of its group that a producer claims."""
    return context.memberships[producer][-1 if membership == "the member that it is" else -2]


def gather(
    context: KafkaContext, gathering: Gathering, group: str, new: str, other: str | None, instance: str | None, bringing: Bringing
) -> Outcome[None]:
    """`new` joins, and the other members join again when Heartbeat asks for it; all get their shares. Else the first failure."""
    probes = {name: context.producers[name].probe for name in filter(None, (new, other))}
    gathering.joined, gathering.shares, gathering.reported = {}, {}, {}
    waits: dict[str, Callable[[], Outcome[JoinGroupAnswer]]] = {}
    known = place_of(context, new)
    name = context.session.unique(group) if group else ""
    if other is None:
        first = probes[new].join(name, known.member if known else "", instance, bringing)
        waits[new] = lambda: first
    else:
        waits[new] = probes[new].send_join(name, known.member if known else "", instance, bringing)
        place = context.memberships[other][-1]
        gathering.reported[other] = until_reported(context, probes[other], name, place)
        waits[other] = probes[other].send_join(name, place.member, place.instance, Bringing({PROTOCOL: wanted_by(other)}))
    for one, outcome in {one: wait() for one, wait in waits.items()}.items():
        match outcome:
            case Done(joined):
                gathering.joined[one] = joined
            case Refused() | Unknown() as trouble:
                return trouble
    instances = {new: instance} | ({} if other is None else {other: context.memberships[other][-1].instance})
    for one, joined in gathering.joined.items():
        context.memberships.setdefault(one, []).append(GroupMembership(joined.generation, joined.member, instances[one]))
    return _share_out(context, gathering, probes, name)


def until_reported(context: KafkaContext, probe: KafkaProbe, group: str, place: GroupMembership) -> Outcome[None]:
    """Send Heartbeats until one is refused or patience ends."""
    reported: Outcome[None] = Unknown("the session's patience is over before the first attempt")
    for _ in context.time.attempts():
        reported = probe.heartbeat(group, place)
        if isinstance(reported, Refused):
            break
    return reported


def _share_out(context: KafkaContext, gathering: Gathering, probes: Mapping[str, KafkaProbe], group: str) -> Outcome[None]:
    """The leader sends SyncGroup last, and the others wait for it; where they are answered REBALANCE_IN_PROGRESS, they retry."""
    by_id = {joined.member: name for name, joined in gathering.joined.items()}
    leaders = [name for name, joined in gathering.joined.items() if joined.leader == joined.member]
    places = {name: context.memberships[name][-1] for name in gathering.joined}
    early = {name: probes[name].send_sync(group, places[name], {}) for name in gathering.joined if name not in leaders}
    outcomes = {}
    for name in leaders:
        joined = gathering.joined[name]
        listed = [] if joined.skips_assignment else joined.others
        assignments = {member: share_of(by_id.get(member, "a stranger")) for member in listed}
        outcomes[name] = probes[name].sync(group, places[name], assignments)
    reported = {name: wait() for name, wait in early.items()}
    again = [name for name, outcome in reported.items() if isinstance(outcome, Refused) and outcome.error == "REBALANCE_IN_PROGRESS"]
    outcomes |= reported | {name: probes[name].sync(group, places[name], {}) for name in again}
    for name, outcome in outcomes.items():
        if (trouble := _kept(gathering, name, outcome)) is not None:
            return trouble
    return Done(None)


def _kept(gathering: Gathering, name: str, outcome: Outcome[Share]) -> Refused | Unknown | None:
    match outcome:
        case Done(share):
            gathering.shares[name] = share
            return None
        case trouble:
            return trouble


def short_session_ms(context: KafkaContext, probe: KafkaProbe) -> int:
    """A short session that the broker allows and is quick enough for; a member that joins a separate group finds that out."""
    began = context.time.now_ms()
    reported = probe.join(context.session.unique("short-session"), bringing=Bringing(session_timeout_ms=SHORT_SESSION_MS))
    is_too_short = isinstance(reported, Refused) and reported.error == "INVALID_SESSION_TIMEOUT"
    is_slow = _ANSWERS_OF_A_SESSION * (context.time.now_ms() - began) > SHORT_SESSION_MS
    return SHORTEST_BY_DEFAULT_MS if is_too_short or is_slow else SHORT_SESSION_MS


def beat_through_sessions(
    context: KafkaContext, gathering: Gathering, probe: KafkaProbe, group: str, place: GroupMembership
) -> Outcome[None]:
    """Heartbeats for two sessions. A broker may refuse one only where a busy machine let a whole session pass without any.

    Raises SetUpFailed where that happened: the question could not be put.
    """
    began, asked = context.time.now_ms(), gathering.asked_ms
    outcome: Outcome[None] = Done(None)
    for _ in context.time.attempts():
        before, asked = asked, context.time.now_ms()
        outcome = probe.heartbeat(group, place)
        silent_ms = context.time.now_ms() - before
        if isinstance(outcome, Refused) and silent_ms >= gathering.session_ms:
            raise SetUpFailed(f"a member with a session of {gathering.session_ms} ms sent nothing for up to {silent_ms:.0f} ms")
        if isinstance(outcome, Refused) or asked - began > 2 * gathering.session_ms:
            break
    return outcome
