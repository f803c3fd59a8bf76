"""The types of what sentences name about rights: what users may do, and requests that show it."""

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from fencepost.steps.phrase import phrases
from fencepost.steps.sentence_types import choice, text

from .kafka_sentence_types import API, GROUP, MARKER, NODE, NUMBER, PARTITION, PARTITIONS, PRODUCERS, TOPIC, TRANSACTIONAL_ID

DESCRIBE, READ, WRITE_TO, WRITE_UNDER = "describe", "read", "write to", "write under"
"""What an ACL allows."""


@dataclass(frozen=True)
class ForItsId:
    """A request of a producer about its own transactional id."""

    request: str


@dataclass(frozen=True)
class ForIds:
    """A request for these producers' transactional ids."""

    request: str
    producers: tuple[str, ...]


@dataclass(frozen=True)
class ForGroup:
    """FindCoordinator for a group, in this version."""

    version: int
    group: str

    @property
    def request(self) -> str:
        return f"FindCoordinator v{self.version}"


@dataclass(frozen=True)
class ForPartitions:
    """DescribeProducers for partitions, in one request."""

    partitions: tuple[str, ...]
    request: ClassVar[str] = "DescribeProducers"


@dataclass(frozen=True)
class ForRight:
    """A request about the right to read a topic."""

    request: str
    topic: str


@dataclass(frozen=True)
class MarkerTo:
    """WriteTxnMarkers v1 for a partition."""

    marker: str
    partition: str
    request: ClassVar[str] = "WriteTxnMarkers"


@dataclass(frozen=True)
class ToNode:
    """A request to a node, even if another one should get it."""

    request: str
    node: int


@dataclass(frozen=True)
class OnItsId:
    """A right on the user's transactional id."""

    operation: str


@dataclass(frozen=True)
class OnTopic:
    """A right on a topic."""

    operation: str
    topic: str


@dataclass(frozen=True)
class OnGroup:
    """The right to read a group."""

    group: str


@dataclass(frozen=True)
class MayWriteUnder:
    """The right to write under a transactional id."""

    transactional_id: str


OnlyRight: TypeAlias = OnTopic | MayWriteUnder
GrantedRight: TypeAlias = OnItsId | OnTopic | OnGroup
OwnRequest: TypeAlias = ForItsId | ForIds | ForGroup | ForPartitions | ForRight | MarkerTo | ToNode

ROLE = choice(
    "role",
    "an ordinary user",
    "an operator",
    "another broker",
    meaning="who may write and read under the scenario's names; to the cluster an operator may ALTER, another broker CLUSTER_ACTION",
)
RIGHT = phrases(
    "right",
    (
        choice("operation", DESCRIBE, WRITE_TO, READ, meaning="what an ACL allows on a topic"),
        text("topic_name", "[a-z]+", "a topic"),
        choice("id_operation", DESCRIBE, WRITE_UNDER, meaning="what an ACL allows on a transactional id"),
        GROUP,
    ),
    "what an ACL allows",
    {"{operation:id_operation} its transactional id": OnItsId, "{operation} {topic:topic_name}": OnTopic, "read group {group}": OnGroup},
)
ONLY_MAY = phrases(
    "only_right",
    (choice("operation", READ, WRITE_TO, meaning="what an ACL allows on a topic"), TOPIC, TRANSACTIONAL_ID),
    "the one right that a user has",
    {"{operation} {topic}": OnTopic, "write under transactional id {transactional_id}": MayWriteUnder},
)
MAY = choice("may", "may", "may not", meaning="whether a user's request is done, or refused for a right that is missing")
GRANTED = choice(
    "granted",
    *("allowed", "no longer allowed", "denied the right", "allowed from another host alone"),
    meaning="an entry that is created or deleted; one that denies, or is for another host, grants nothing",
)
ITS_REQUEST = choice(
    "its_request",
    *("FindCoordinator v3", "FindCoordinator", "DescribeTransactions", "ListTransactions"),
    meaning="a request about a transactional id; FindCoordinator is in its newest version unless another is named",
)
ACL_REQUEST = choice("acl_request", "CreateAcls", "DeleteAcls", "DescribeAcls", meaning="a request about who may do what")
REQUEST_FOR_IDS = choice("request_for_ids", "FindCoordinator", "DescribeTransactions", meaning="a request about several transactional ids")
OWN_REQUEST = phrases(
    "own_request",
    (ITS_REQUEST, REQUEST_FOR_IDS, PRODUCERS, NUMBER, GROUP, PARTITION, PARTITIONS, ACL_REQUEST, TOPIC, MARKER, API, NODE),
    "a request, and what it is about",
    {
        "{request:its_request} for its transactional id": ForItsId,
        "{request:request_for_ids} for {producers}": ForIds,
        "FindCoordinator v{version:number} for group {group}": ForGroup,
        "DescribeProducers for {partitions}": ForPartitions,
        "{request:acl_request} for a right to read {topic}": ForRight,
        "{marker} to {partition}": MarkerTo,
        "{request:api} to node {node}": ToNode,
    },
)
