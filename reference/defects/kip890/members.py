"""Defects in groups whose members join and leave."""

from collections.abc import Mapping, Sequence
from typing import Any

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.group_records import StoredGroup
from fencepost.reference.kafka.groups import GroupOffsets, Sender
from fencepost.reference.kafka.kafka_errors import Errors, RequestRefused
from fencepost.reference.kafka.membership import ConsumerGroup, GroupMembers


@defect({"KIP890-352": seen("what A wants", what="what JoinGroup answers B")}, origin="textbook: two members that each think they decide")
class FollowersAreToldOfTheOthers(GroupMembers):
    """Every member receives the list of all members as if it were the leader, and assigns partitions by itself."""

    def reported(self, group: ConsumerGroup, member: str) -> Mapping[str, bytes]:
        return super().reported(group, member) or super().reported(group, group.leader)


@defect({"KIP890-353": seen("^success", what="Heartbeat of A")}, origin="textbook: a change of members without a new generation")
class LeavingGoesUnnoticed(GroupMembers):
    """A member leaves, and the others are not notified, so no member takes over its partitions."""

    def remove(self, group: ConsumerGroup, member: str) -> None:
        generation = group.generation
        super().remove(group, member)
        group.generation = generation


@defect({"KIP890-354": seen("^success", what="answer to JoinGroup")}, origin="textbook: an empty name that is treated as one")
class NamelessGroupJoined(GroupMembers):
    """Consumers without a configured group all join the group whose name is empty, and take partitions from each other."""

    def check_may_join(self, name: str) -> None:
        pass


@defect({"KIP890-355": seen("^''")}, origin="KIP-345: the assignment is kept by member id, which is another after the restart")
class RestartLosesAssignment(GroupMembers):
    """An instance that restarts keeps its membership of the group, and receives an empty assignment."""

    def take_own_place(self, group: ConsumerGroup, old: str) -> str:
        new = super().take_own_place(group, old)
        group.members[new].share = b""
        return new


@defect(
    {"KIP890-395": seen("UNKNOWN_MEMBER_ID", what="Heartbeat of A")},
    origin="our own reference until 2026-11: a twin with a crash showed it, and Kafka 4.3.1 does otherwise",
)
class RestartForgetsMembers(GroupMembers):
    """A group's members are in memory only, and after a crash each of them is a stranger."""

    def restore(self, stored: StoredGroup) -> None:
        pass


@defect({"KIP890-356": seen("^success", what="answer to OffsetCommit")}, origin="textbook: the same check at the second place")
class OlderGenerationCommitsOutside(GroupOffsets):
    """Members are checked when they send offsets in a transaction, and not when they commit without one."""

    def check_plain(self, group: str, sender: Sender) -> None:
        pass


@defect({"KIP890-356": seen("^success", what="answer to OffsetCommit")}, origin="textbook: an error that is treated as no membership")
class StrangerCommitsOutside(GroupOffsets):
    """Outside of transactions an unknown member id is taken for none, and a consumer that has left moves the position of its group."""

    def check_plain(self, group: str, sender: Sender) -> None:
        try:
            super().check_plain(group, sender)
        except RequestRefused as refused:
            if refused.error is not Errors.UNKNOWN_MEMBER_ID:
                raise


@defect({"KIP890-357": seen("^success", what="answer to DeleteGroups")}, origin="textbook: deletion without a check")
class LiveGroupDeleted(GroupOffsets):
    """A group is deleted while its members are at work, and they begin at the start again."""

    def check_may_go(self, group: str, places: Sequence[Any]) -> None:
        pass
