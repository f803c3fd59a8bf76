"""Defects in who may take part in a transaction."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.authorizer import Authorizer
from fencepost.wire.kafka.acl_codes import CLUSTER, AclOperation, Resource, ResourceKind


@defect(
    {"KIP890-036": seen("^success", what="answer to AddPartitionsToTxn")},
    origin="textbook: a comparison with one version where all later ones were meant",
)
class LaterBatchesForEverybody(Authorizer):
    """AddPartitionsToTxn is kept for brokers in version 4 only, so with version 5 any client changes any transaction."""

    def may_add_for_brokers(self, principal: str, version: int) -> bool:
        return version != 4 or super().may_add_for_brokers(principal, version)


@defect(
    {"KIP890-036": seen("^success", what="answer to AddPartitionsToTxn")},
    origin="textbook: a request that the authors expect from brokers only",
)
class BatchesForEverybody(Authorizer):
    """Every client may send AddPartitionsToTxn v4, although its rights to the transactional ids in it are not checked."""

    def may_add_for_brokers(self, principal: str, version: int) -> bool:  # noqa: ARG002 - it does not ask
        return True


@defect(
    {"KIP890-173": seen("^(success|.*: no error)")},
    origin="textbook: WRITE implies DESCRIBE, and the implication is read in the wrong direction",
)
class DescribeEndsTransactions(Authorizer):
    """A client that may describe a transactional id may use it too, so an auditor ends the transactions that it looks at."""

    def may_use_transactional_id(self, principal: str, transactional_id: str) -> bool:
        return self.allows(principal, AclOperation.DESCRIBE, Resource(ResourceKind.TRANSACTIONAL_ID, transactional_id))


@defect(
    {"KIP890-174": seen("^(success|.*: no error)")},
    origin="textbook: the check is in OffsetCommit and was not copied to TxnOffsetCommit",
)
class AnybodyMovesAGroup(Authorizer):
    """Offsets in a transaction are not checked against the group, so any producer moves any group."""

    def may_commit_for_group(self, principal: str, group: str) -> bool:  # noqa: ARG002 - it does not ask
        return True


@defect({"KIP890-174": seen("^refunds-0: success", what="answer to TxnOffsetCommit")}, origin="textbook: one of two checks left out")
class OffsetsOfUnreadableTopics(Authorizer):
    """Offsets in a transaction are checked against the group only, so they are stored for topics that the user may not read."""

    def may_commit_offsets_in(self, principal: str, topic: str) -> bool:  # noqa: ARG002 - it does not ask
        return True


@defect(
    {"KIP890-175": Symptom(what="answer to WriteTxnMarkers", error="^CLUSTER_AUTHORIZATION_FAILED$")},
    origin="textbook: a list of which one was meant to be enough",
)
class MarkersNeedBothRights(Authorizer):
    """WriteTxnMarkers demands ALTER and CLUSTER_ACTION, so an operator cannot end what hangs."""

    def may_write_markers(self, principal: str) -> bool:
        return all(self.allows(principal, operation, CLUSTER) for operation in (AclOperation.ALTER, AclOperation.CLUSTER_ACTION))


@defect(
    {"KIP890-175": seen("^success", expected="CLUSTER_AUTHORIZATION_FAILED")},
    origin="textbook: a request that the authors expect from brokers only",
)
class AnybodyWritesMarkers(Authorizer):
    """WriteTxnMarkers is accepted from every client, so a client can end another one's transaction without the coordinator."""

    def may_write_markers(self, principal: str) -> bool:  # noqa: ARG002 - it does not ask
        return True


@defect(
    {"KIP890-176": seen("^success", expected="TOPIC_AUTHORIZATION_FAILED")},
    origin="textbook: WRITE implies DESCRIBE, and the implication is read in the wrong direction",
)
class AddedWithoutARightToTheTopic(Authorizer):
    """Produce v12 checks only the right to describe the topic, and then adds the partition to the transaction and appends."""

    def may_write_to(self, principal: str, topic: str) -> bool:
        return self.allows(principal, AclOperation.DESCRIBE, Resource(ResourceKind.TOPIC, topic))
