"""Defects of scalable topics in what readers are given who are there all along."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.core.pulsar.following import PassesByWhatIsCommittedLater
from fencepost.reference.defects.defect import Defect
from fencepost.reference.metadata_transactions import MetadataParts

COMMITTED_PASSES_FOLLOWERS_BY = Defect(
    name="core-scalable-committed-passes-followers-by",
    breaks={"CORE-29": Symptom(what="follower of orders", expected='"a1", "a2"$', seen='^"early"$')},
    story="A commit wakes nobody, and the next plain message leads waiting consumers past it; only a new subscription gets it.",
    origin="textbook: a wake-up that is missing in one of two places",
    parts=MetadataParts(subscription=PassesByWhatIsCommittedLater),
)
