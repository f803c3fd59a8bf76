"""Deliberately broken variants of the reference, and unusual lawful ones.

A *defect* is a broker in which one part decides one thing wrongly, so that one requirement is broken: a suite that is worth its
verdicts turns red at it, and says why. An *oddity* breaks no requirement, but has unusual order or timing: a suite that turns red at
one has found nothing.
"""

from .adding import (
    ANNOUNCEMENT_FORGOTTEN,
    BATCH_SHARES_A_VERDICT,
    COMPLETED_IS_A_DEAD_END,
    EMPTY_ID_IS_LOOKED_UP,
    EPOCH_AHEAD_ACCEPTED,
    FOREIGN_PRODUCER_ID_ACCEPTED,
    IDLE_NEEDS_NO_VERIFYING,
    MARKERS_NOT_WAITED_FOR,
    OPEN_IS_ENOUGH,
    REPEATED_ANNOUNCEMENT_REFUSED,
    UNKNOWN_PARTITION_STOPS_NOTHING,
    VERIFYING_ADDS,
    VERIFYING_HAS_ONE_ERROR,
    VERIFYING_KNOWS_ONE_PARTITION,
)
from .appending import STALE_EPOCH_ACCEPTED
from .defect import Defect
from .ending import NO_EPOCH_BUMP
from .isolation import LSO_IGNORES_OPEN_TRANSACTIONS
from .markers import MARKER_MISSING_ON_ONE_PARTITION
from .oddities import GAPS_IN_OFFSETS, LATE_COMPLETION
from .recovery import DECISION_FORGOTTEN_BY_CRASH

__all__ = ["DEFECTS", "ODDITIES", "Defect"]

_ALL = (
    ANNOUNCEMENT_FORGOTTEN,
    BATCH_SHARES_A_VERDICT,
    COMPLETED_IS_A_DEAD_END,
    DECISION_FORGOTTEN_BY_CRASH,
    EMPTY_ID_IS_LOOKED_UP,
    EPOCH_AHEAD_ACCEPTED,
    FOREIGN_PRODUCER_ID_ACCEPTED,
    GAPS_IN_OFFSETS,
    IDLE_NEEDS_NO_VERIFYING,
    LATE_COMPLETION,
    LSO_IGNORES_OPEN_TRANSACTIONS,
    MARKERS_NOT_WAITED_FOR,
    MARKER_MISSING_ON_ONE_PARTITION,
    NO_EPOCH_BUMP,
    OPEN_IS_ENOUGH,
    REPEATED_ANNOUNCEMENT_REFUSED,
    STALE_EPOCH_ACCEPTED,
    UNKNOWN_PARTITION_STOPS_NOTHING,
    VERIFYING_ADDS,
    VERIFYING_HAS_ONE_ERROR,
    VERIFYING_KNOWS_ONE_PARTITION,
)

DEFECTS: dict[str, Defect] = {defect.name: defect for defect in _ALL if defect.breaks is not None}

ODDITIES: dict[str, Defect] = {defect.name: defect for defect in _ALL if defect.breaks is None}
