"""Defects in rights that are given and taken away, and in who may do that."""

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.authorizer import Authorizer
from fencepost.wire.kafka.acl_codes import AclOperation, ResourceKind, Right


@defect(
    {"KIP890-375": seen("^success", expected="^TOPIC_AUTHORIZATION_FAILED", what="answer to Produce")},
    origin="textbook: what was looked up once is kept",
)
class RightsAreNeverTakenAway(Authorizer):
    """DeleteAcls answers that the entry is deleted, and its user can still write."""

    def revoke(self, right: Right) -> None:
        pass


@defect({"KIP890-376": seen("^success", what="answer to CreateAcls")}, origin="textbook: a request that only administrators' tools send")
class AnybodyChangesRights(Authorizer):
    """Any user may give himself every right."""

    def may_change_rights(self, principal: str) -> bool:  # noqa: ARG002 - that is the defect
        return True


@defect({"KIP890-379": seen("^success", what="answer to InitProducerId")}, origin="textbook: a right that was thought to be implied")
class AnybodyIsIdempotent(Authorizer):
    """Every client that asks is assigned a producer id, and partitions keep state for all of them."""

    def may_be_idempotent(self, principal: str) -> bool:  # noqa: ARG002 - that is the defect
        return True


@defect(
    {"KIP890-379": seen("CLUSTER_AUTHORIZATION_FAILED", expected="^success$", what="answer to InitProducerId")},
    origin="textbook: a loop that ends before the last",
)
class TheNewestRightUnseen(Authorizer):
    """InitProducerId without a transactional id looks through all entries but the one that was made last."""

    def may_be_idempotent(self, principal: str) -> bool:
        found = self.rights()[:-1] or self.rights()
        kinds = {one.resource.kind for one in found if one.principal == principal and one.operation is AclOperation.WRITE}
        return not self.is_on or ResourceKind.TOPIC in kinds
