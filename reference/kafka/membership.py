"""The members of consumer groups: joining, the leader's assignment, heartbeats, leaving.

A *generation* is one set of members with one assignment. A member that joins, leaves or exceeds its session timeout
begins the next generation, and all members have to join that one too; its leader hands out the assignment, and then it is settled.

Kafka lets a member wait in JoinGroup until the others have joined as well. Here no request waits: JoinGroup is answered at once, and a
member that asks for its assignment too early is answered REBALANCE_IN_PROGRESS, which makes clients join again. The result is the same.

A *static* member names the instance of an application that it is. The same instance may join again without its member id, after a restart
of the application: it replaces the member that it was, in the same generation, and a client with the old id is fenced.

A settled generation is stored where the group's offsets are (`group_records`), and is recovered after a crash, with sessions that begin
again. A member that had joined without an assignment is then answered UNKNOWN_MEMBER_ID, and joins again.
"""

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from fencepost.reference.kernel.clock import Clock
from fencepost.reference.kernel.rules import rule

from .group_records import Joining, StoredGroup, StoredMember
from .kafka_errors import Errors, RequestRefused


@dataclass(frozen=True, slots=True)
class JoinGroupResult:
    """The answer to JoinGroup. Only the leader gets the others: their ids, and what they want."""

    member: str
    generation: int
    protocol: str
    leader: str
    others: Mapping[str, bytes]


@dataclass(slots=True)
class GroupMember:
    """A member, as its group knows it."""

    brings: Joining
    instance: str | None
    heard_at: int
    generation: int
    """The last generation that it has joined."""
    share: bytes = b""
    """What the leader has assigned to it."""


@dataclass(slots=True)
class ConsumerGroup:
    """A group that has members, or has had some."""

    members: dict[str, GroupMember] = field(default_factory=dict)
    """By their ids; the longest-standing member is first."""
    generation: int = 0
    settled: int = 0
    """The last generation whose leader has handed out the assignment."""

    @property
    def leader(self) -> str:
        """The longest-standing member."""
        return next(iter(self.members))

    @property
    def protocol(self) -> str:
        """The leader's preferred protocol among those that all members support; `join` ensures that there is one."""
        brought = [member.brings.protocols for member in self.members.values()]
        return next(protocol for protocol in brought[0] if all(protocol in protocols for protocols in brought))

    def id_of(self, instance: str) -> str | None:
        """The member that an instance is."""
        return next((name for name, member in self.members.items() if member.instance == instance), None)

    def known(self, name: str, instance: str | None) -> GroupMember:
        """The member.

        Raises RequestRefused: FENCED_INSTANCE_ID when its instance is another member by now, UNKNOWN_MEMBER_ID when there is none.
        """
        if instance is not None and self.id_of(instance) not in (None, name):
            raise RequestRefused(Errors.FENCED_INSTANCE_ID, instance)
        if name not in self.members:
            raise RequestRefused(Errors.UNKNOWN_MEMBER_ID, name)
        return self.members[name]

    @property
    def is_settled(self) -> bool:
        """Whether its members know their assignments."""
        return self.settled == self.generation

    def begin_next_generation(self) -> None:
        self.generation += 1


class GroupMembers:
    """The members of all groups. `life` counts the starts of the broker before this one: no member id is given out in two of them."""

    def __init__(self, clock: Clock, life: int = 0) -> None:
        self._clock = clock
        self._life = life
        self.store: Callable[[StoredGroup], None] = lambda _: None
        """Makes a group durable."""
        self._groups: defaultdict[str, ConsumerGroup] = defaultdict(ConsumerGroup)
        self._durable: dict[str, StoredGroup] = {}
        self._numbers = itertools.count()

    def join(self, name: str, member: str, joining: Joining, instance: str | None = None) -> JoinGroupResult:
        """Join the group's generation, which may be a new one. An empty member id asks for one. Raises RequestRefused.

        A known static member takes its own place again, in the current generation unless it brings something else.
        """
        self.check_may_join(name)
        group = self._groups[name]
        before = None if member or instance is None else group.id_of(instance)
        if before is not None:
            member = self.take_own_place(group, before)
        known = group.known(member, instance) if member else None
        self.check_fits(joining, [other.brings for other in group.members.values() if other is not known])
        if known is None:
            member = self._new_id()
            known = group.members[member] = GroupMember(joining, instance, self._clock.now, group.generation)
            group.begin_next_generation()
        elif known.brings != joining or (group.is_settled and member == group.leader and before is None):
            group.begin_next_generation()
        known.brings, known.heard_at, known.generation = joining, self._clock.now, group.generation
        if before is not None and group.is_settled:
            self._put_down(name)
        return JoinGroupResult(member, group.generation, group.protocol, group.leader, self.reported(group, member))

    def check_may_join(self, name: str) -> None:
        """Decision: a group needs a name. Raises RequestRefused."""
        if not name:
            rule("KIP890-354")
            raise RequestRefused(Errors.INVALID_GROUP_ID)

    def check_fits(self, joining: Joining, others: Sequence[Joining]) -> None:
        """Decision: a member must support a protocol that all others do. Raises RequestRefused."""
        is_shared = any(all(protocol in other.protocols for other in others) for protocol in joining.protocols)
        if not is_shared or any(other.protocol_type != joining.protocol_type for other in others):
            rule("KIP890-354")
            raise RequestRefused(Errors.INCONSISTENT_GROUP_PROTOCOL)

    def reported(self, group: ConsumerGroup, member: str) -> Mapping[str, bytes]:
        """Decision: what JoinGroup returns of the others: only to the leader, what all of them want."""
        rule("KIP890-352")
        return {name: known.brings.protocols[group.protocol] for name, known in group.members.items()} if member == group.leader else {}

    def take_own_place(self, group: ConsumerGroup, old: str) -> str:
        """Decision: an instance that rejoins continues as the member that it was, under another id, which this returns."""
        rule("KIP890-355")
        new = self._new_id()
        group.members = {new if name == old else name: known for name, known in group.members.items()}
        return new

    def stored(self, name: str) -> StoredGroup:
        """Decision: what is durable of a group: its generation, and its members in their order with what each brought and was assigned."""
        rule("KIP890-395")
        group = self._groups[name]
        members = (StoredMember(each, known.brings, known.instance, known.share) for each, known in group.members.items())
        return StoredGroup(name, group.generation, tuple(members))

    def restore(self, stored: StoredGroup) -> None:
        """Decision: what is known of a group after a crash: what its log has, settled as it was; its members' sessions begin again."""
        rule("KIP890-395")
        members = {
            member.name: GroupMember(member.brings, member.instance, self._clock.now, stored.generation, member.share)
            for member in stored.members
        }
        self._groups[stored.name] = ConsumerGroup(members, stored.generation, stored.generation)
        self._durable[stored.name] = stored

    def forget(self, name: str) -> None:
        """A group was deleted."""
        self._groups.pop(name, None)
        self._durable.pop(name, None)

    def durable(self) -> Iterator[StoredGroup]:
        """The groups as they are to be stored in their log; one whose next generation is not settled yet is as it was settled last."""
        yield from self._durable.values()

    def _put_down(self, name: str) -> None:
        self._durable[name] = self.stored(name)
        self.store(self._durable[name])

    def sync(self, name: str, generation: int, member: str, instance: str | None, assignments: Mapping[str, bytes]) -> bytes:
        """The member's assignment; `assignments` are those of all members, from the leader.

        Raises RequestRefused: REBALANCE_IN_PROGRESS when the leader has not sent any, and as `heartbeat`.
        """
        known = self.heartbeat(name, generation, member, instance)
        group = self._groups[name]
        if not group.is_settled:
            if member != group.leader:
                raise RequestRefused(Errors.REBALANCE_IN_PROGRESS)
            for other, each in group.members.items():
                each.share = assignments.get(other, b"")
            group.settled = group.generation
            self._put_down(name)
        return known.share

    def heartbeat(self, name: str, generation: int, member: str, instance: str | None) -> GroupMember:
        """The member is alive.

        Raises RequestRefused: REBALANCE_IN_PROGRESS when it has to join the next generation, ILLEGAL_GENERATION when it names one that is
        not its own, FENCED_INSTANCE_ID and UNKNOWN_MEMBER_ID as `check`.
        """
        group = self._groups[name]
        known = group.known(member, instance)
        if generation != known.generation:
            raise RequestRefused(Errors.ILLEGAL_GENERATION)
        known.heard_at = self._clock.now
        if generation != group.generation:
            rule("KIP890-353")
            raise RequestRefused(Errors.REBALANCE_IN_PROGRESS)
        return known

    def leave(self, name: str, member: str, instance: str | None) -> None:
        """The member leaves. Raises RequestRefused: FENCED_INSTANCE_ID and UNKNOWN_MEMBER_ID as `check`."""
        group = self._groups[name]
        group.known(member, instance)
        self._remove(name, member)

    def _remove(self, name: str, member: str) -> None:
        self.remove(self._groups[name], member)
        if not self._groups[name].members:
            self._put_down(name)

    def remove(self, group: ConsumerGroup, member: str) -> None:
        """Decision: without a member the others need another assignment."""
        rule("KIP890-353")
        del group.members[member]
        group.begin_next_generation()

    def check(self, name: str, generation: int | None, member: str, instance: str | None) -> None:
        """Whether the member may commit offsets: it is one, and of this generation.

        Raises RequestRefused: FENCED_INSTANCE_ID when its instance is another member by now, UNKNOWN_MEMBER_ID when it is none,
        ILLEGAL_GENERATION when the generation is another.
        """
        group = self._groups[name]
        group.known(member, instance)
        if generation != group.generation:
            rule("KIP890-240")
            raise RequestRefused(Errors.ILLEGAL_GENERATION)

    def has_members(self, name: str) -> bool:
        return bool(self._groups[name].members)

    def remove_the_silent(self) -> None:
        """The timer's work: remove members whose session timeout has passed."""
        for group, each in self._groups.items():
            for member, known in list(each.members.items()):
                if known.heard_at + known.brings.session_timeout_ms < self._clock.now:
                    self._remove(group, member)

    def _new_id(self) -> str:
        return f"member-{next(self._numbers)}" if self._life == 0 else f"member-{self._life}-{next(self._numbers)}"
