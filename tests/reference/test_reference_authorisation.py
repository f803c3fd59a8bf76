"""Authorisation in the reference: the lists, the order of the checks, and what a connection may do before its login."""

from typing import Any

import pytest

from fencepost.reference.kafka import ANONYMOUS, Profile, ReferenceKafka, Settings
from fencepost.reference.serving.kafka_caller import Caller
from fencepost.wire.kafka.acl_codes import ALLOW, ANYWHERE, CLUSTER, LITERAL, AclOperation, Resource, ResourceKind, Right
from fencepost.wire.kafka.batches import Batch, Record, encode
from fencepost.wire.kafka.entities import request

KIT, ALICE = "User:kit", "User:alice"
GUARDED = Settings(has_authorizer=True, super_users=frozenset({KIT}))
ID = Resource(ResourceKind.TRANSACTIONAL_ID, "x")
ANYTHING = {
    "resource_type_filter": 1,
    "resource_name_filter": None,
    "pattern_type_filter": 1,
    "principal_filter": None,
    "host_filter": None,
    "operation": 1,
    "permission_type": 1,
}


class Guarded:
    """A broker with an authorizer, and its topics `open` and `closed`."""

    def __init__(self, settings: Settings = GUARDED) -> None:
        self.broker = ReferenceKafka(Profile.load("seed"), settings=settings)
        topics = [
            {"name": name, "num_partitions": 1, "replication_factor": 1, "assignments": [], "configs": []} for name in ("open", "closed")
        ]
        self.ask(KIT, "create_topics", 7, topics=topics)

    def ask(self, principal: str, api: str, version: int, **fields: Any) -> Any:
        answer = self.broker.handle(request(api, version, **fields), principal)
        assert answer is not None
        return answer

    def grant(self, operation: AclOperation, resource: Resource, /, by: str = KIT, **other: Any) -> int:
        """CreateAcls for alice; returns the error."""
        creation = {
            "resource_type": int(resource.kind),
            "resource_name": resource.name,
            "resource_pattern_type": LITERAL,
            "principal": ALICE,
            "host": ANYWHERE,
            "operation": int(operation),
            "permission_type": ALLOW,
        }
        return int(self.ask(by, "create_acls", 3, creations=[creation | other]).results[0].error_code)

    def init(self, name: str | None = "x", principal: str = ALICE) -> int:
        """InitProducerId; returns the error."""
        return int(self.ask(principal, "init_producer_id", 4, transactional_id=name, transaction_timeout=1000).error_code)

    def rights(self) -> list[str]:
        found = self.ask(KIT, "describe_acls", 3, **ANYTHING)
        return [f"{resource.resource_name} {AclOperation(entry.operation).name}" for resource in found.resources for entry in resource.acls]


def test_what_is_not_allowed_is_refused_but_to_super_users() -> None:
    """A client that has not logged in is no special user."""
    guarded = Guarded()

    assert guarded.init() == 53
    assert guarded.init(principal=ANONYMOUS) == 53
    assert guarded.init(principal=KIT) == 0


def test_without_an_authorizer_every_principal_may_do_everything() -> None:
    """And there are no lists to change or to read."""
    free = Guarded(Settings())

    assert free.init() == 0
    assert free.grant(AclOperation.WRITE, ID) == 54
    assert int(free.ask(KIT, "delete_acls", 3, filters=[ANYTHING]).filter_results[0].error_code) == 54
    assert int(free.ask(KIT, "describe_acls", 3, **ANYTHING).error_code) == 54


def test_a_right_is_for_one_name_and_one_user_and_outlives_a_crash() -> None:
    """Until it is deleted; the deletion outlives a crash too."""
    guarded = Guarded()
    assert guarded.grant(AclOperation.WRITE, ID) == 0
    guarded.broker.crash()
    guarded.broker.restart()

    assert guarded.init() == 0
    assert guarded.init("y") == 53
    assert guarded.init(principal="User:bob") == 53
    deleted = guarded.ask(KIT, "delete_acls", 3, filters=[ANYTHING | {"principal_filter": ALICE}]).filter_results[0]
    assert [found.resource_name for found in deleted.matching_acls] == ["x"]
    guarded.broker.crash()
    guarded.broker.restart()
    assert guarded.init() == 53


def test_a_filter_finds_what_it_names_and_no_more() -> None:
    """By kind, name, principal and operation; what it leaves open matches anything."""
    guarded = Guarded()
    for operation, resource in (
        (AclOperation.WRITE, ID),
        (AclOperation.DESCRIBE, ID),
        (AclOperation.READ, Resource(ResourceKind.GROUP, "g")),
    ):
        guarded.grant(operation, resource)
    just = {"resource_type_filter": 5, "resource_name_filter": "x", "principal_filter": ALICE, "operation": int(AclOperation.WRITE)}

    assert guarded.rights() == ["x WRITE", "x DESCRIBE", "g READ"]
    guarded.ask(KIT, "delete_acls", 3, filters=[ANYTHING | just])
    assert guarded.rights() == ["x DESCRIBE", "g READ"]
    guarded.ask(KIT, "delete_acls", 3, filters=[ANYTHING | {"operation": int(AclOperation.WRITE)}])
    assert guarded.rights() == ["x DESCRIBE", "g READ"]


@pytest.mark.parametrize(
    "other",
    [
        {"permission_type": 2},
        {"resource_pattern_type": 4},
        {"host": "10.0.0.1"},
        {"resource_name": "*"},
        {"principal": "User:*"},
        {"operation": 2},
    ],
    ids=str,
)
def test_an_entry_that_would_be_misread_is_refused(other: dict[str, Any]) -> None:
    """The reference has no DENY, prefixes, hosts, wildcards or ALL; reading them as something else would grant rights."""
    guarded = Guarded()

    assert guarded.grant(AclOperation.WRITE, ID, **other) == 42
    assert guarded.rights() == []


def test_a_producer_id_is_for_a_principal_that_may_write_anywhere() -> None:
    """To some topic, or by IDEMPOTENT_WRITE."""
    guarded = Guarded()
    assert guarded.init(None) == 31
    guarded.grant(AclOperation.WRITE, Resource(ResourceKind.TOPIC, "open"))
    assert guarded.init(None) == 0

    other = Guarded()
    other.grant(AclOperation.IDEMPOTENT_WRITE, CLUSTER)
    assert other.init(None) == 0


@pytest.mark.parametrize("version", [12, 13])
def test_one_topic_that_is_refused_does_not_keep_the_others_from_a_produce(version: int) -> None:
    """Every partition has its answer, whether topics are named by name or by id."""
    guarded = Guarded()
    guarded.grant(AclOperation.WRITE, Resource(ResourceKind.TOPIC, "open"))
    reported = guarded.ask(KIT, "metadata", 12, topics=None, include_topic_authorized_operations=False).topics
    ids = {topic.name: topic.topic_id for topic in reported}
    data = [{"index": 0, "records": encode(Batch((Record(b"v"),)))}]
    topics = [{"name": name} if version < 13 else {"topic_id": ids[name]} for name in ("closed", "open")]

    answer = guarded.ask(
        ALICE,
        "produce",
        version,
        transactional_id=None,
        acks=-1,
        timeout=1000,
        topic_data=[topic | {"partition_data": data} for topic in topics],
    )

    errors = {topic.name if version < 13 else topic.topic_id: int(topic.partition_responses[0].error_code) for topic in answer.responses}
    assert errors == ({"closed": 29, "open": 0} if version < 13 else {ids["closed"]: 29, ids["open"]: 0})


def test_partitions_next_to_a_refused_one_are_not_added() -> None:
    """They are answered OPERATION_NOT_ATTEMPTED; a missing one, that it is missing."""
    guarded = Guarded()
    guarded.grant(AclOperation.WRITE, ID)
    guarded.grant(AclOperation.WRITE, Resource(ResourceKind.TOPIC, "open"))
    guarded.init()
    topics = [{"name": "open", "partitions": [0, 7]}, {"name": "closed", "partitions": [0]}]

    answer = guarded.ask(
        ALICE,
        "add_partitions_to_txn",
        3,
        v3_and_below_transactional_id="x",
        v3_and_below_producer_id=1000,
        v3_and_below_producer_epoch=0,
        v3_and_below_topics=topics,
    )

    reported = [
        (topic.name, [int(entry.partition_error_code) for entry in topic.results_by_partition])
        for topic in answer.results_by_topic_v3_and_below
    ]
    assert reported == [("open", [55, 3]), ("closed", [29])]


def test_before_its_login_a_connection_may_only_ask_what_there_is() -> None:
    """ApiVersions is answered; a login without a handshake, or any other request, closes the connection."""
    users = Settings(has_authorizer=True, super_users=frozenset({KIT}), passwords={"kit": "secret"})
    broker = Guarded(users).broker
    caller = Caller(broker)

    assert caller.send(request("api_versions", 0)).read() is not None
    assert caller.send(request("list_transactions", 0, state_filters=[], producer_id_filters=[])).read() is None
    assert caller.send(request("sasl_authenticate", 2, auth_bytes=b"\0kit\0secret")).read() is None
    assert caller.principal == ANONYMOUS


@pytest.mark.parametrize("proof", [b"\0kit\0wrong", b"\0nobody\0secret", b"\0kit\0", b"kit\0secret", b"", b"\xff\0\xff\0\xff"])
def test_a_proof_that_proves_nothing_logs_no_user_in(proof: bytes) -> None:
    """A wrong password, an unknown user, half a proof, no text at all: 58, and the connection still has no user."""
    caller = Caller(Guarded(Settings(has_authorizer=True, super_users=frozenset({KIT}), passwords={"kit": "secret"})).broker)
    strange: Any = caller.send(request("sasl_handshake", 1, mechanism="SCRAM-SHA-256")).read()
    conforming: Any = caller.send(request("sasl_handshake", 1, mechanism="PLAIN")).read()

    answer: Any = caller.send(request("sasl_authenticate", 2, auth_bytes=proof)).read()

    assert (int(strange.error_code), int(conforming.error_code), int(answer.error_code)) == (33, 0, 58)
    assert caller.principal == ANONYMOUS


def test_settings_are_read_as_kafka_has_them() -> None:
    """The users of PlainLoginModule with their passwords, which no repr shows."""
    settings = Settings.of(
        {
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "super.users": "User:kit;User:ANONYMOUS",
            "listener.name.clients.plain.sasl.jaas.config": 'Plain required username="kit" password="s1" user_kit="s1" user_a="s2";',
        }
    )

    assert settings.has_authorizer
    assert settings.super_users == {"User:kit", "User:ANONYMOUS"}
    assert settings.passwords == {"kit": "s1", "a": "s2"}
    assert "s2" not in repr(settings)
    assert str(Right(ALICE, AclOperation.WRITE, ID)) == "User:alice may WRITE transactional_id x"
