"""Who is in a consumer group: joining, the leader's assignment, heartbeats, leaving.

A *generation* is one set of members with one assignment. Whoever joins, leaves or stays away for longer than its session may last,
begins the next generation, and all members have to join that one too; its leader hands out the assignment, and then it is stable.

Kafka lets a member wait in JoinGroup until the others have joined as well. Here nobody waits: JoinGroup is answered at once, and who
asks for its assignment too early is answered REBALANCE_IN_PROGRESS, which clients answer by joining again. They come to the same end.

Members are in memory only. After a crash clients are answered UNKNOWN_MEMBER_ID and join anew. Static members are treated as any others.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from fencepost.reference.kernel.clock import Clock

from .errors import Error, Refused

SESSION_TIMEOUT_MS = (6_000, 1_800_000)
"""`group.min.session.timeout.ms` and `group.max.session.timeout.ms`, with Kafka's defaults."""

MOST_MEMBERS = 1_000


@dataclass(frozen=True, slots=True)
class Joining:
    """What a member brings: how assignments can be made that it understands, the best first, and what it wants for each."""

    protocol_type: str
    protocols: Mapping[str, bytes]
    session_timeout_ms: int


@dataclass(frozen=True, slots=True)
class Joined:
    """What a member is answered. Only the leader hears of the others: their ids, and what they want."""

    member: str
    generation: int
    protocol: str
    leader: str
    others: Mapping[str, bytes]


@dataclass(slots=True)
class _Group:
    generation: int = 0
    leader: str | None = None
    protocol: str = ""
    members: dict[str, Joining] = field(default_factory=dict)
    heard_at: dict[str, int] = field(default_factory=dict)
    joined: set[str] = field(default_factory=set)
    """Who has joined this generation."""
    assignments: Mapping[str, bytes] | None = None
    """What the leader has handed out, None before that."""

    def next_generation(self) -> None:
        self.generation += 1
        self.joined.clear()
        self.assignments = None
        if self.leader not in self.members:
            self.leader = None

    def remove(self, member: str) -> None:
        del self.members[member], self.heard_at[member]
        self.next_generation()


class Membership:
    """The members of all groups."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._groups: dict[str, _Group] = {}
        self._members_so_far = 0

    def join(self, name: str, member: str, joining: Joining) -> Joined:
        """Join the group's generation, which may be a new one. An empty member id asks for one. Raises Refused."""
        if not name:
            raise Refused(Error.INVALID_GROUP_ID)
        if not SESSION_TIMEOUT_MS[0] <= joining.session_timeout_ms <= SESSION_TIMEOUT_MS[1]:
            raise Refused(Error.INVALID_SESSION_TIMEOUT)
        group = self._groups.get(name, _Group())
        if member and member not in group.members:
            raise Refused(Error.UNKNOWN_MEMBER_ID)
        others = [known for other, known in group.members.items() if other != member]
        shared = [protocol for protocol in joining.protocols if all(protocol in other.protocols for other in others)]
        if not shared or any(other.protocol_type != joining.protocol_type for other in others):
            raise Refused(Error.INCONSISTENT_GROUP_PROTOCOL)
        if not member and len(group.members) >= MOST_MEMBERS:
            raise Refused(Error.GROUP_MAX_SIZE_REACHED)
        self._groups[name] = group
        if not member:
            self._members_so_far += 1
            member = f"member-{self._members_so_far}"
        is_news = group.members.get(member) != joining
        leader_has_looked = group.leader in group.joined
        is_settled = group.assignments is not None
        group.members[member], group.heard_at[member] = joining, self._clock.now
        if (is_news and (leader_has_looked or group.generation == 0)) or (is_settled and member == group.leader):
            group.next_generation()
        group.joined.add(member)
        if group.leader is None:
            group.leader = member
        if member == group.leader:
            group.protocol = shared[0]
        wanted = {other: known.protocols[group.protocol] for other, known in group.members.items()} if member == group.leader else {}
        return Joined(member, group.generation, group.protocol, group.leader, wanted)

    def sync(self, name: str, generation: int, member: str, assignments: Mapping[str, bytes]) -> bytes:
        """The member's assignment; `assignments` are everybody's, from the leader.

        Raises Refused: REBALANCE_IN_PROGRESS when the leader has not given any, UNKNOWN_MEMBER_ID and ILLEGAL_GENERATION as `check`.
        """
        group = self._of_member(name, generation, member)
        if member == group.leader and group.assignments is None:
            group.assignments = dict(assignments)
        if group.assignments is None:
            raise Refused(Error.REBALANCE_IN_PROGRESS)
        return group.assignments.get(member, b"")

    def heartbeat(self, name: str, generation: int, member: str) -> None:
        """The member is still there. Raises Refused: REBALANCE_IN_PROGRESS when it has to join the next generation."""
        self._of_member(name, generation, member)

    def leave(self, name: str, member: str) -> None:
        """The member goes. Raises Refused: UNKNOWN_MEMBER_ID when there is no such member."""
        group = self._groups.get(name)
        if group is None or member not in group.members:
            raise Refused(Error.UNKNOWN_MEMBER_ID)
        group.remove(member)
        self._forget_if_empty(name)

    def check(self, name: str, generation: int, member: str) -> None:
        """Whether the member may commit offsets: it is one, and of this generation.

        Raises Refused: UNKNOWN_MEMBER_ID when it is none, ILLEGAL_GENERATION when the generation is another.
        """
        group = self._groups.get(name)
        if group is None or member not in group.members:
            raise Refused(Error.UNKNOWN_MEMBER_ID, member)
        if generation != group.generation:
            raise Refused(Error.ILLEGAL_GENERATION)

    def has_members(self, name: str) -> bool:
        return name in self._groups

    def remove_the_silent(self) -> None:
        """The timer's work: members that were not heard of for as long as their session may last."""
        for name, group in list(self._groups.items()):
            for member, joining in list(group.members.items()):
                if group.heard_at[member] + joining.session_timeout_ms < self._clock.now:
                    group.remove(member)
            self._forget_if_empty(name)

    def _of_member(self, name: str, generation: int, member: str) -> _Group:
        group = self._groups.get(name)
        if group is None or member not in group.members:
            raise Refused(Error.UNKNOWN_MEMBER_ID)
        if generation > group.generation:
            raise Refused(Error.ILLEGAL_GENERATION)
        group.heard_at[member] = self._clock.now
        if generation < group.generation or member not in group.joined:
            raise Refused(Error.REBALANCE_IN_PROGRESS)
        return group

    def _forget_if_empty(self, name: str) -> None:
        if not self._groups[name].members:
            del self._groups[name]
