"""Defects in who may take part in a transaction."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.authorizer import Authorizer
from fencepost.reference.kafka.node import Parts
from fencepost.wire.kafka.acls import CLUSTER, Operation, Resource, ResourceKind


class _GuardsOneVersion(Authorizer):
    def may_add_for_brokers(self, principal: str, version: int) -> bool:
        return version != 4 or super().may_add_for_brokers(principal, version)


LATER_BATCHES_FOR_EVERYBODY = Defect(
    name="later-batches-for-everybody",
    breaks={"KIP890-036": Symptom(what="answer to AddPartitionsToTxn", seen="^success")},
    story="AddPartitionsToTxn is kept for brokers in version 4 only, so with version 5 any client changes anybody's transaction.",
    origin="textbook: a comparison with one version where all later ones were meant",
    parts=Parts(authorizer=_GuardsOneVersion),
)


class _BatchesForEverybody(Authorizer):
    def may_add_for_brokers(self, principal: str, version: int) -> bool:  # noqa: ARG002 - it does not ask
        return True


BATCHES_FOR_EVERYBODY = Defect(
    name="batches-for-everybody",
    breaks={"KIP890-036": Symptom(what="answer to AddPartitionsToTxn", seen="^success")},
    story="AddPartitionsToTxn v4 is taken from every client, although its rights to the transactional ids in it are not asked for.",
    origin="textbook: a request that the authors expect from brokers only",
    parts=Parts(authorizer=_BatchesForEverybody),
)


class _SeeingIsWriting(Authorizer):
    def may_use_transactional_id(self, principal: str, transactional_id: str) -> bool:
        return self.allows(principal, Operation.DESCRIBE, Resource(ResourceKind.TRANSACTIONAL_ID, transactional_id))


DESCRIBE_ENDS_TRANSACTIONS = Defect(
    name="describe-ends-transactions",
    breaks={"KIP890-173": Symptom(seen="^(success|.*: no error)")},
    story="Whoever may describe a transactional id may use it too, so an auditor ends the transactions that it looks at.",
    origin="textbook: WRITE implies DESCRIBE, and the implication is read in the wrong direction",
    parts=Parts(authorizer=_SeeingIsWriting),
)


class _AnybodysGroup(Authorizer):
    def may_commit_for_group(self, principal: str, group: str) -> bool:  # noqa: ARG002 - it does not ask
        return True


ANYBODY_MOVES_A_GROUP = Defect(
    name="anybody-moves-a-group",
    breaks={"KIP890-174": Symptom(seen="^(success|.*: no error)")},
    story="Offsets in a transaction are not checked against the group, so any producer moves any group.",
    origin="textbook: the check stands in OffsetCommit and was not copied to TxnOffsetCommit",
    parts=Parts(authorizer=_AnybodysGroup),
)


class _AnybodysTopic(Authorizer):
    def may_commit_offsets_in(self, principal: str, topic: str) -> bool:  # noqa: ARG002 - it does not ask
        return True


OFFSETS_OF_UNREADABLE_TOPICS = Defect(
    name="offsets-of-unreadable-topics",
    breaks={"KIP890-174": Symptom(what="answer to TxnOffsetCommit", seen="^refunds-0: success")},
    story="Offsets in a transaction are checked against the group only, so they are stored for topics that the user may not read.",
    origin="textbook: one of two checks left out",
    parts=Parts(authorizer=_AnybodysTopic),
)


class _BothRights(Authorizer):
    def may_write_markers(self, principal: str) -> bool:
        return all(self.allows(principal, operation, CLUSTER) for operation in (Operation.ALTER, Operation.CLUSTER_ACTION))


MARKERS_NEED_BOTH_RIGHTS = Defect(
    name="markers-need-both-rights",
    breaks={"KIP890-175": Symptom(what="answer to WriteTxnMarkers", error="^CLUSTER_AUTHORIZATION_FAILED$")},
    story="WriteTxnMarkers demands ALTER and CLUSTER_ACTION, so an operator cannot end what hangs.",
    origin="textbook: a list of which one was meant to be enough",
    parts=Parts(authorizer=_BothRights),
)


class _AnybodysMarkers(Authorizer):
    def may_write_markers(self, principal: str) -> bool:  # noqa: ARG002 - it does not ask
        return True


ANYBODY_WRITES_MARKERS = Defect(
    name="anybody-writes-markers",
    breaks={"KIP890-175": Symptom(expected="CLUSTER_AUTHORIZATION_FAILED", seen="^success")},
    story="WriteTxnMarkers is taken from every client, so one of them ends another one's transaction behind the coordinator's back.",
    origin="textbook: a request that the authors expect from brokers only",
    parts=Parts(authorizer=_AnybodysMarkers),
)


class _SeeingATopicIsWriting(Authorizer):
    def may_write_to(self, principal: str, topic: str) -> bool:
        return self.allows(principal, Operation.DESCRIBE, Resource(ResourceKind.TOPIC, topic))


ADDED_WITHOUT_A_RIGHT_TO_THE_TOPIC = Defect(
    name="added-without-a-right-to-the-topic",
    breaks={"KIP890-176": Symptom(expected="TOPIC_AUTHORIZATION_FAILED", seen="^success")},
    story="Produce v12 asks for the right to see the topic only, and then adds the partition to the transaction and appends.",
    origin="textbook: WRITE implies DESCRIBE, and the implication is read in the wrong direction",
    parts=Parts(authorizer=_SeeingATopicIsWriting),
)
