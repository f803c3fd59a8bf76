"""Members of consumer groups: generations and assignments."""

from typing import Any

from reference_client import TOPIC, Client

OK, ILLEGAL_GENERATION, UNKNOWN_MEMBER, REBALANCING = 0, 22, 25, 27


class Group(Client):
    """A client that can be several members."""

    def join(self, member: str = "", wants: bytes = b"w", *, group: str = "g", protocol: str = "range", timeout_ms: int = 6000) -> Any:
        fields = {"session_timeout": timeout_ms, "rebalance_timeout": 6000, "protocol_type": "consumer"}
        protocols = [{"name": protocol, "metadata": wants}]
        return self.ask("join_group", 7, group_id=group, member_id=member, protocols=protocols, **fields)

    def sync(self, generation: int, member: str, **assignments: bytes) -> tuple[int, bytes]:
        brought = [{"member_id": name.replace("_", "-"), "assignment": share} for name, share in assignments.items()]
        answer = self.ask("sync_group", 3, group_id="g", generation_id=generation, member_id=member, assignments=brought)
        return int(answer.error_code), answer.assignment

    def beat(self, generation: int, member: str) -> int:
        return int(self.ask("heartbeat", 3, group_id="g", generation_id=generation, member_id=member).error_code)

    def leave(self, member: str) -> int:
        answer = self.ask("leave_group", 3, group_id="g", members=[{"member_id": member, "group_instance_id": None}])
        return int(answer.members[0].error_code)

    def commit(self, offset: int) -> None:
        topics = [{"name": TOPIC, "partitions": [{"partition_index": 0, "committed_offset": offset, "committed_metadata": None}]}]
        self.ask("offset_commit", 8, group_id="g", generation_id_or_member_epoch=-1, member_id="", topics=topics)

    def committed(self) -> int:
        groups = [{"group_id": "g", "topics": [{"name": TOPIC, "partition_indexes": [0]}]}]
        return int(self.ask("offset_fetch", 8, groups=groups, require_stable=True).groups[0].topics[0].partitions[0].committed_offset)

    def two(self) -> tuple[int, str, str]:
        """A settled group of two: the generation, the leader, the other."""
        first, second = self.join().member_id, self.join().member_id
        generation = int(self.join(first).generation_id)
        self.sync(generation, first, member_0=b"one", member_1=b"two")
        return generation, first, second


def test_the_first_member_leads_and_hands_out_what_each_gets() -> None:
    """Only the leader learns of the others; a member that asks too early joins again, and then gets its share."""
    group = Group()
    first = group.join(wants=b"a")
    assert (first.leader, [member.metadata for member in first.members]) == (first.member_id, [b"a"])
    second = group.join(wants=b"b")
    assert (second.leader, second.members, second.generation_id) == (first.member_id, (), first.generation_id + 1)
    assert group.sync(second.generation_id, second.member_id) == (REBALANCING, b"")
    assert group.beat(first.generation_id, first.member_id) == REBALANCING

    again = group.join(first.member_id, b"a")
    assert again.generation_id == second.generation_id
    assert {member.member_id: member.metadata for member in again.members} == {"member-0": b"a", "member-1": b"b"}
    assert group.sync(again.generation_id, "member-0", member_0=b"one", member_1=b"two") == (OK, b"one")
    assert group.join("member-1", b"b").generation_id == again.generation_id
    assert group.sync(again.generation_id, "member-1") == (OK, b"two")
    assert group.beat(again.generation_id, "member-1") == OK


def test_a_generation_ends_when_a_member_comes_goes_or_wants_something_else() -> None:
    """All others have to join again; a member that joins again without a change changes nothing."""
    group = Group()
    generation, leader, other = group.two()
    assert group.join(other).generation_id == generation
    assert group.join(other, b"else").generation_id == generation + 1
    assert group.beat(generation, leader) == REBALANCING
    assert group.leave(other) == OK
    assert group.beat(generation, leader) == REBALANCING
    assert group.beat(generation + 1, leader) == ILLEGAL_GENERATION
    alone = group.join(leader)
    assert (alone.generation_id, [member.member_id for member in alone.members]) == (generation + 2, [leader])
    assert group.leave(other) == UNKNOWN_MEMBER


def test_a_settled_group_outlives_a_crash() -> None:
    """Its generation, members and shares stay the same over crashes; new members get new ids; a member that has left does not return."""
    group = Group()
    generation, leader, other = group.two()
    for _ in range(60):
        group.commit(8)
    for _ in range(2):
        group.broker.crash()
        group.broker.restart()
        assert group.beat(generation, leader) == OK
        assert group.beat(generation, other) == OK
        assert group.sync(generation, other) == (OK, b"two")
    assert group.committed() == 8
    assert group.join().member_id not in (leader, other)
    for member in (leader, other):
        assert group.leave(member) == OK


def test_what_is_not_settled_is_lost_in_a_crash() -> None:
    """A member without an assignment joins again; a group that its last member has left is empty; a deleted one is gone."""
    group = Group()
    generation, leader, other = group.two()
    third = group.join().member_id
    group.broker.crash()
    group.broker.restart()
    assert group.beat(generation + 1, third) == UNKNOWN_MEMBER
    assert group.beat(generation, leader) == OK

    assert (group.leave(leader), group.leave(other)) == (OK, OK)
    group.broker.crash()
    group.broker.restart()
    assert group.beat(generation, leader) == UNKNOWN_MEMBER
    assert group.join().generation_id > generation


def test_what_a_group_refuses() -> None:
    """No name 24; another protocol 23; an unknown member id 25; a later generation 22."""
    group = Group()
    generation, leader, _ = group.two()
    errors = [
        group.join(group="").error_code,
        group.join(protocol="other").error_code,
        group.join("stranger").error_code,
    ]
    assert [int(error) for error in errors] == [24, 23, 25]
    assert group.beat(generation + 1, leader) == ILLEGAL_GENERATION
    assert group.beat(generation, leader) == OK
