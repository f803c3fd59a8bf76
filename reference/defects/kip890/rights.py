"""Defects in rights that are given and taken away, and in who may do that."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.authorizer import Authorizer
from fencepost.reference.kafka.node import Parts
from fencepost.wire.kafka.acls import Right


class _NeverRevokes(Authorizer):
    def revoke(self, right: Right) -> None:
        pass


class _AnybodyChangesRights(Authorizer):
    def may_change_rights(self, principal: str) -> bool:  # noqa: ARG002 - that is the defect
        return True


class _AnybodyIsIdempotent(Authorizer):
    def may_be_idempotent(self, principal: str) -> bool:  # noqa: ARG002 - that is the defect
        return True


RIGHTS_ARE_NEVER_TAKEN_AWAY = Defect(
    name="rights-are-never-taken-away",
    breaks={"KIP890-375": Symptom(what="answer to Produce", expected="^TOPIC_AUTHORIZATION_FAILED", seen="^success")},
    story="DeleteAcls answers that the entry is gone, and its user goes on writing.",
    origin="textbook: what was looked up once is kept",
    parts=Parts(authorizer=_NeverRevokes),
)

ANYBODY_CHANGES_RIGHTS = Defect(
    name="anybody-changes-rights",
    breaks={"KIP890-376": Symptom(what="answer to CreateAcls", seen="^success")},
    story="Any user may give himself every right.",
    origin="textbook: a request that only administrators' tools send",
    parts=Parts(authorizer=_AnybodyChangesRights),
)

ANYBODY_IS_IDEMPOTENT = Defect(
    name="anybody-is-idempotent",
    breaks={"KIP890-379": Symptom(what="answer to InitProducerId", seen="^success")},
    story="Producer ids are given to whoever asks, and partitions keep state for all of them.",
    origin="textbook: a right that was thought to be implied",
    parts=Parts(authorizer=_AnybodyIsIdempotent),
)
