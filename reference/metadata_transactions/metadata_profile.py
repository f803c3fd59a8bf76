"""Where the proposal leaves a choice or has a gap, and how a release decided, as data in `fixtures/releases/metadata/*.yaml`.

`seed` follows the text, and where the text loses data, the requirement: unknown is visible and aborted is explicit (Q5), the operation
record comes first (Q4), participants with leftover records are notified again and these never force-deleted (Q6), acknowledgements are
recovered with their positions (R1). Other values are choices, or bugs in `metadata_release_bugs`.
"""

from typing import ClassVar, Literal

from fencepost.reference.kernel.profiles import ReleaseProfile


class MetadataProfile(ReleaseProfile):
    """The values at which metadata-driven transactions branch."""

    folder: ClassVar[str] = "metadata"

    publish_order: Literal["record-first", "append-first"]
    """Whether a send first writes its operation record or its entry in the ledger."""

    unknown_txn: Literal["visible", "aborted"]
    """What becomes of a message whose transaction has no header any more."""

    gc_leftovers: Literal["notified-again", "deleted"]
    """What the collection does with operation records of a transaction that ended long ago."""

    notification: Literal["events", "headers"]
    """How participants learn of an end: by events that the coordinator writes for each, or by watches on the headers themselves."""

    recovered_acknowledgements: Literal["with-positions", "without-positions"]
    """What a subscription that is loaded knows of pending acknowledgements; without positions their commit does nothing."""

    recovered_open: Literal["by-its-entries", "behind-them-all"]
    """Where readers of a loaded segment stop for its open transactions, if no end was ever stored there."""

    acknowledgements_in_ended: Literal["refused", "pending"]
    """What becomes of an acknowledgement in a transaction that is over, or never was."""

    lost_race: Literal["invalid-status", "unknown-error"]
    """How an end is answered whose compare-and-set came second."""

    gc_interval_ms: int
    gc_retention_ms: int
    """How long a header is kept after the end."""
