"""Defects in the offsets of groups that change while a transaction is open."""

from typing import Any

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.errors import Error, Refused
from fencepost.reference.kafka.groups import Groups, Sender
from fencepost.reference.kafka.node import Parts


class _Forgives(Groups):
    forgiven: Error

    def check_membership(self, group: str, sender: Sender) -> None:
        try:
            super().check_membership(group, sender)
        except Refused as refusal:
            if refusal.error is not self.forgiven:
                raise


class _TakesEveryGeneration(_Forgives):
    forgiven = Error.ILLEGAL_GENERATION


class _TakesEveryInstance(_Forgives):
    forgiven = Error.FENCED_INSTANCE_ID


class _CommitOverrules(Groups):
    def counts(self, decided: Any, committed: Any) -> bool:  # noqa: ARG002 - that is the defect
        return True


class _KeepsThePending(Groups):
    def remove(self, place: Any) -> None:
        pending = {producer_id: dict(places) for producer_id, places in self._pending.items()}
        super().remove(place)
        self._pending = pending


OLDER_GENERATION_COMMITS = Defect(
    name="older-generation-commits",
    breaks={"KIP890-240": Symptom(what="answer to TxnOffsetCommit", seen="^payments-0: success")},
    story="Whoever is a member may send offsets, also one that has missed a rebalance and no longer reads that partition.",
    origin="KIP-447: a zombie that only the group coordinator can know",
    parts=Parts(groups=_TakesEveryGeneration),
)

FENCED_INSTANCE_COMMITS = Defect(
    name="fenced-instance-commits",
    breaks={"KIP890-241": Symptom(what="answer to TxnOffsetCommit", seen="^payments-0: success")},
    story="A process whose place in the group was taken by another still commits offsets for it.",
    origin="textbook: an instance id that is not compared",
    parts=Parts(groups=_TakesEveryInstance),
)

COMMIT_TAKES_OFFSET_BACK = Defect(
    name="commit-takes-offset-back",
    breaks={"KIP890-242": Symptom(what="committed offset of payments-0 in group shop", seen="^offset 5")},
    story="The commit of a transaction puts its offset over one that was committed after it, and the group reads its input again.",
    origin="textbook: the last to become visible wins",
    parts=Parts(groups=_CommitOverrules),
)

DELETED_GROUP_COMES_BACK = Defect(
    name="deleted-group-comes-back",
    breaks={"KIP890-243": Symptom(what="committed offset of payments-0 in group shop", seen="^offset 5")},
    story="A group is deleted with what it has committed, and comes back with what was pending then.",
    origin="textbook: a second place that deletion forgets",
    parts=Parts(groups=_KeepsThePending),
)
