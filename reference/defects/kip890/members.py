"""Defects in groups whose members come and go."""

from collections.abc import Mapping, Sequence
from typing import Any

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.group_records import StoredGroup
from fencepost.reference.kafka.groups import Groups, Sender
from fencepost.reference.kafka.membership import Group, Membership
from fencepost.reference.kafka.node import Parts


class _TellsEverybody(Membership):
    def told(self, group: Group, member: str) -> Mapping[str, bytes]:
        return super().told(group, member) or super().told(group, group.leader)


class _GoesUnnoticed(Membership):
    def remove(self, group: Group, member: str) -> None:
        generation = group.generation
        super().remove(group, member)
        group.generation = generation


class _NeedsNoName(Membership):
    def check_may_join(self, name: str) -> None:
        pass


class _LosesTheShare(Membership):
    def take_own_place(self, group: Group, old: str) -> str:
        new = super().take_own_place(group, old)
        group.members[new].share = b""
        return new


class _ForgetsMembers(Membership):
    def restore(self, stored: StoredGroup) -> None:
        pass


class _TakesAnybodyOutside(Groups):
    def check_plain(self, group: str, sender: Sender) -> None:
        pass


class _DeletesWhatLives(Groups):
    def check_may_go(self, group: str, places: Sequence[Any]) -> None:
        pass


FOLLOWERS_ARE_TOLD_OF_THE_OTHERS = Defect(
    name="followers-are-told-of-the-others",
    breaks={"KIP890-352": Symptom(what="what JoinGroup tells B", seen="what A wants")},
    story="Every member is told of all others as if it were the leader, and hands out an assignment of its own.",
    origin="textbook: two members that each think they decide",
    parts=Parts(membership=_TellsEverybody),
)

LEAVING_GOES_UNNOTICED = Defect(
    name="leaving-goes-unnoticed",
    breaks={"KIP890-353": Symptom(what="Heartbeat of A", seen="^success")},
    story="A member goes, and nobody takes over its partitions, for the others are not told.",
    origin="textbook: a change of members without a new generation",
    parts=Parts(membership=_GoesUnnoticed),
)

NAMELESS_GROUP_JOINED = Defect(
    name="nameless-group-joined",
    breaks={"KIP890-354": Symptom(what="answer to JoinGroup", seen="^success")},
    story="Consumers whose group nobody has configured all join the group without a name, and take partitions from each other.",
    origin="textbook: an empty name that is taken for one",
    parts=Parts(membership=_NeedsNoName),
)

RESTART_LOSES_ASSIGNMENT = Defect(
    name="restart-loses-assignment",
    breaks={"KIP890-355": Symptom(seen="^''")},
    story="An instance that starts again keeps its place in the group, and is told that no partition is its own.",
    origin="KIP-345: the assignment is kept by member id, which is another after the restart",
    parts=Parts(membership=_LosesTheShare),
)

OLDER_GENERATION_COMMITS_OUTSIDE = Defect(
    name="older-generation-commits-outside",
    breaks={"KIP890-356": Symptom(what="answer to OffsetCommit", seen="^success")},
    story="Members are checked when they send offsets in a transaction, and not when they commit without one.",
    origin="textbook: the same check at the second place",
    parts=Parts(groups=_TakesAnybodyOutside),
)

LIVE_GROUP_DELETED = Defect(
    name="live-group-deleted",
    breaks={"KIP890-357": Symptom(what="answer to DeleteGroups", seen="^success")},
    story="A group is deleted while its members are at work, and they begin at the start again.",
    origin="textbook: deletion that asks nobody",
    parts=Parts(groups=_DeletesWhatLives),
)

RESTART_FORGETS_MEMBERS = Defect(
    name="restart-forgets-members",
    breaks={"KIP890-395": Symptom(what="Heartbeat of A", seen="UNKNOWN_MEMBER_ID")},
    story="A group's members are in memory only, and after a crash each of them is a stranger.",
    origin="our own reference until 2026-11: a twin with a crash showed it, and Kafka 4.3.1 does otherwise",
    parts=Parts(membership=_ForgetsMembers),
)
