"""The calls of a consumer in a group, and of one outside: JoinGroup and SyncGroup, OffsetCommit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kio.schema.errors import ErrorCode

from fencepost.contract.outcomes import Done, Outcome, Refused

from .cluster import CoordinatorKind, CoordinatorOf
from .kafka_calls import KafkaCalls, partition_result, the_only
from .kafka_error_outcomes import COORDINATOR_AWAY, TO_LEADER, verdict
from .kafka_values import PROTOCOL, PROTOCOL_TYPE, Bringing, GroupMembership, JoinGroupAnswer, Share, TopicPartition

_REBALANCE_TIMEOUT_MS = 10_000
"""How long a broker waits for other members: a request may take longer than that."""

_NEEDS_AN_ID = "MEMBER_ID_REQUIRED"

_SYNC_NAMES_PROTOCOL = 5
"""From this version on SyncGroup names the protocol that the members have agreed upon."""

BRINGING = Bringing()
"""What a member brings by default."""


class MembershipCalls(KafkaCalls):
    """Membership by the classic protocol, in which members choose the assignment."""

    def join_group(self, group: str, member: str = "", instance: str | None = None) -> Outcome[GroupMembership]:
        """JoinGroup and SyncGroup of the group's only member; without a member id the group gives it one."""
        match self.join(group, member, instance):
            case Done(joined):
                place = GroupMembership(joined.generation, joined.member, instance)
                synced = self.sync(group, place, {joined.member: b""})
                return Done(place) if isinstance(synced, Done) else synced
            case trouble:
                return trouble

    def join(self, group: str, member: str = "", instance: str | None = None, bringing: Bringing = BRINGING) -> Outcome[JoinGroupAnswer]:
        """JoinGroup, which is answered when all other members have joined this generation as well.

        A new member that is refused with its new id, which brokers should do from version 4 on only, joins again with that id.
        """
        answer = self._write(self._of(group), self._joining(group, member, instance, bringing), _joined, COORDINATOR_AWAY)
        given = _member_id_to_join_with(answer) if not member else ""
        return self.join(group, given, instance, bringing) if given else answer

    def send_join(
        self, group: str, member: str = "", instance: str | None = None, bringing: Bringing = BRINGING
    ) -> Callable[[], Outcome[JoinGroupAnswer]]:
        """JoinGroup, sent once, now; the caller awaits the answer, before this client sends its next request."""
        wait = self._send(self._of(group), self._joining(group, member, instance, bringing), _joined)

        def joined() -> Outcome[JoinGroupAnswer]:
            answer = wait()
            given = _member_id_to_join_with(answer) if not member else ""
            return self.join(group, given, instance, bringing) if given else answer

        return joined

    def _joining(self, group: str, member: str, instance: str | None, bringing: Bringing) -> Any:
        """A new member gets its id at once before version 4; a static member does from version 5 on."""
        version = self._offer.highest("join_group", 2, 3) if instance is None else self._offer.highest("join_group", 5, 9)
        return self._request(
            "join_group",
            version,
            group_id=group,
            session_timeout=bringing.session_timeout_ms,
            rebalance_timeout=_REBALANCE_TIMEOUT_MS,
            member_id=member,
            protocol_type=bringing.protocol_type,
            protocols=[{"name": name, "metadata": wanted} for name, wanted in bringing.protocols.items()],
            **_static(instance),
        )

    def sync(self, group: str, place: GroupMembership, assignments: Mapping[str, bytes]) -> Outcome[Share]:
        """SyncGroup: the leader sends what it assigns to each member id, others send nothing; the answer is the member's own share."""
        return self._write(self._of(group), self._syncing(group, place, assignments), _shared, COORDINATOR_AWAY)

    def send_sync(self, group: str, place: GroupMembership, assignments: Mapping[str, bytes]) -> Callable[[], Outcome[Share]]:
        """SyncGroup, sent once, now; the caller awaits the answer, before this client sends its next request."""
        return self._send(self._of(group), self._syncing(group, place, assignments), _shared)

    def _syncing(self, group: str, place: GroupMembership, assignments: Mapping[str, bytes]) -> Any:
        version = self._offer.highest("sync_group", 1, 2) if place.instance is None else self._offer.highest("sync_group", 3, 5)
        named = {"protocol_type": PROTOCOL_TYPE, "protocol_name": PROTOCOL} if version >= _SYNC_NAMES_PROTOCOL else {}
        return self._request(
            "sync_group",
            version,
            group_id=group,
            generation_id=place.generation,
            member_id=place.member,
            assignments=[{"member_id": member, "assignment": share} for member, share in assignments.items()],
            **_static(place.instance),
            **named,
        )

    def heartbeat(self, group: str, place: GroupMembership) -> Outcome[None]:
        """Heartbeat of that member in that generation."""
        message = self._request(
            "heartbeat",
            self._offer.highest("heartbeat", 0, 2) if place.instance is None else self._offer.highest("heartbeat", 3, 4),
            group_id=group,
            generation_id=place.generation,
            member_id=place.member,
            **_static(place.instance),
        )
        return self._write(self._of(group), message, lambda answer: verdict(answer.error_code, None), COORDINATOR_AWAY)

    def leave_group(self, group: str, place: GroupMembership) -> Outcome[None]:
        """LeaveGroup of that member alone; from version 3 on it is a list of one."""
        if place.instance is None:
            message = self._request("leave_group", self._offer.highest("leave_group", 0, 2), group_id=group, member_id=place.member)
            return self._write(self._of(group), message, lambda answer: verdict(answer.error_code, None), COORDINATOR_AWAY)
        version = self._offer.highest("leave_group", 3, 5)
        entry = {"member_id": place.member, "group_instance_id": place.instance}
        message = self._request("leave_group", version, group_id=group, members=[entry])

        def read(answer: Any) -> Outcome[None]:
            if answer.error_code is not ErrorCode.none:
                return verdict(answer.error_code, None)
            return verdict(the_only(answer.members, answer, place.member).error_code, None)

        return self._write(self._of(group), message, read, COORDINATOR_AWAY)

    def commit_offset(self, group: str, partition: TopicPartition, offset: int, place: GroupMembership | None = None) -> Outcome[None]:
        """OffsetCommit, outside any transaction; without a member unless one is named."""
        version = self._offer.highest("offset_commit", 2, 9)
        sender = place or GroupMembership(-1, "")
        message = self._request(
            "offset_commit",
            version,
            group_id=group,
            generation_id_or_member_epoch=sender.generation,
            member_id=sender.member,
            topics=[
                {
                    "name": partition.topic,
                    "partitions": [{"partition_index": partition.partition, "committed_offset": offset, "committed_metadata": None}],
                }
            ],
            **_static(sender.instance),
        )

        def read(answer: Any) -> Outcome[None]:
            return verdict(partition_result(answer.topics, partition, answer).error_code, None)

        return self._write(self._of(group), message, read, COORDINATOR_AWAY | TO_LEADER)

    @staticmethod
    def _of(group: str) -> CoordinatorOf:
        return CoordinatorOf(CoordinatorKind.GROUP, group)


def _static(instance: str | None) -> dict[str, str]:
    return {} if instance is None else {"group_instance_id": instance}


def _member_id_to_join_with(answer: Outcome[JoinGroupAnswer]) -> str:
    """The member id that a refusal gives; empty if there is none."""
    if isinstance(answer, Refused) and answer.error == _NEEDS_AN_ID:
        return str(answer.fields["member_id"])
    return ""


def _joined(answer: Any) -> Outcome[JoinGroupAnswer]:
    others = {str(member.member_id): bytes(member.metadata) for member in answer.members}
    joined = JoinGroupAnswer(
        answer.member_id,
        int(answer.generation_id),
        answer.leader,
        getattr(answer, "protocol_type", None),
        answer.protocol_name,
        others,
        getattr(answer, "skip_assignment", False),
    )
    return verdict(answer.error_code, joined, member_id=answer.member_id)


def _shared(answer: Any) -> Outcome[Share]:
    names = (answer.protocol_type, answer.protocol_name) if answer.__version__ >= _SYNC_NAMES_PROTOCOL else None
    return verdict(answer.error_code, Share(bytes(answer.assignment), names))
