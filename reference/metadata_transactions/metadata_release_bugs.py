"""Bugs of metadata-driven transactions in Apache Pulsar's releases, as variants of their parts. A profile names what its release does.

What stays a branch in the parts themselves is what the text leaves open.
"""

from collections.abc import Iterator, Sequence

from fencepost.reference.pulsar.pending_ack_store import PendingAck
from fencepost.reference.pulsar.pulsar_types import TxnId
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError

from .buffer import MetadataBuffer
from .metadata_coordinator import MetadataCoordinator
from .metadata_profile import MetadataProfile
from .pending_ack_records import PendingAckRecords
from .record_models import HeaderState


class LostRaceIsUnknown(MetadataCoordinator):
    """An end whose compare-and-set came second is answered with an unknown error."""

    def check_after_a_lost_race(self, txn: TxnId, found: HeaderState, wanted: HeaderState) -> None:
        if found not in (HeaderState.OPEN, wanted):
            raise CommandRefused(ServerError.UNKNOWN, f"{txn}: the header has another version")


class RecoversNoPositions(PendingAckRecords):
    """A subscription that is loaded knows which transactions have acknowledgements, and not of what: their commit does nothing."""

    def replay(self) -> Sequence[PendingAck]:
        return [PendingAck(txn) for txn in self._waiting]


class AcknowledgesInEnded(PendingAckRecords):
    """An acknowledgement in a transaction that is over, or never was, is pending."""

    def refuses_late_ones(self) -> bool:
        return False


class RecoversNoEntries(MetadataBuffer):
    """Readers of a loaded segment where no end was ever stored stop only after all existing entries."""

    def finds_entries(self) -> bool:
        return self._records.watermark(self._segment) is not None


def of(profile: MetadataProfile) -> Iterator[tuple[str, type]]:
    """The bugs of this release, each with the part in which it is."""
    if profile.lost_race == "unknown-error":
        yield "metadata_coordinator", LostRaceIsUnknown
    if profile.recovered_acknowledgements == "without-positions":
        yield "pending_ack_records", RecoversNoPositions
    if profile.acknowledgements_in_ended == "pending":
        yield "pending_ack_records", AcknowledgesInEnded
    if profile.recovered_open == "behind-them-all":
        yield "metadata_buffer", RecoversNoEntries
