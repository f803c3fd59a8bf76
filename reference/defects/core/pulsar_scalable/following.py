"""Defects of scalable topics in what readers are given who are there all along."""

from fencepost.reference.defects.core.pulsar.following import PassesByWhatIsCommittedLater
from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.metadata_transactions import MetadataParts


@defect(
    {"CORE-29": seen('^"early"$', expected='"a1", "a2"$', what="follower of orders")},
    origin="textbook: a wake-up that is missing in one of two places",
    of=MetadataParts,
)
class CoreScalableCommittedPassesFollowersBy(PassesByWhatIsCommittedLater):
    """A commit wakes nobody, and the next plain message leads waiting consumers past it; only a new subscription gets it."""
