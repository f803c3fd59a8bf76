"""Deliberately broken variants of the reference, and unusual lawful ones.

A *defect* is a broker in which one part decides one thing wrongly, so that one requirement is broken: a suite that is worth its
verdicts turns red at it, and says why. An *oddity* breaks no requirement, but has unusual order or timing: a suite that turns red at
one has found nothing.
"""

from .appending import STALE_EPOCH_ACCEPTED
from .defect import Defect
from .ending import NO_EPOCH_BUMP
from .isolation import LSO_IGNORES_OPEN_TRANSACTIONS
from .isolation_details import (
    A_COMMIT_DECIDES_ALL,
    ABORTED_BEFORE_THE_RANGE_NOT_LISTED,
    ABORTED_LEFT_OUT_BY_THE_BROKER,
    LOOK_UP_FINDS_UNDECIDED,
)
from .marker_details import (
    EMPTY_ABORT_INDEXED,
    LATE_MARKER_ENDS_THE_NEXT_TRANSACTION,
    MARKER_BUMPED_FOR_AN_OLD_CLIENT,
    MARKER_NOT_TRANSACTIONAL,
    MARKER_OF_A_STRANGER_FORGOTTEN,
    MARKER_OF_ANY_COORDINATOR,
    MARKER_OF_ANY_EPOCH,
    MARKER_WITH_THE_OLD_EPOCH,
    ONE_MISSING_PARTITION_FAILS_ALL,
    OPERATOR_MARKER_REFUSED,
    REPEATED_MARKER_REFUSED,
    STABLE_ONLY_BEFORE_THE_MARKER,
)
from .markers import MARKER_MISSING_ON_ONE_PARTITION
from .oddities import GAPS_IN_OFFSETS, LATE_COMPLETION
from .recovery import DECISION_FORGOTTEN_BY_CRASH

__all__ = ["DEFECTS", "ODDITIES", "Defect"]

_ALL = (
    ABORTED_BEFORE_THE_RANGE_NOT_LISTED,
    ABORTED_LEFT_OUT_BY_THE_BROKER,
    A_COMMIT_DECIDES_ALL,
    DECISION_FORGOTTEN_BY_CRASH,
    EMPTY_ABORT_INDEXED,
    GAPS_IN_OFFSETS,
    LATE_COMPLETION,
    LATE_MARKER_ENDS_THE_NEXT_TRANSACTION,
    LOOK_UP_FINDS_UNDECIDED,
    LSO_IGNORES_OPEN_TRANSACTIONS,
    MARKER_BUMPED_FOR_AN_OLD_CLIENT,
    MARKER_MISSING_ON_ONE_PARTITION,
    MARKER_NOT_TRANSACTIONAL,
    MARKER_OF_ANY_COORDINATOR,
    MARKER_OF_ANY_EPOCH,
    MARKER_OF_A_STRANGER_FORGOTTEN,
    MARKER_WITH_THE_OLD_EPOCH,
    NO_EPOCH_BUMP,
    ONE_MISSING_PARTITION_FAILS_ALL,
    OPERATOR_MARKER_REFUSED,
    REPEATED_MARKER_REFUSED,
    STABLE_ONLY_BEFORE_THE_MARKER,
    STALE_EPOCH_ACCEPTED,
)

DEFECTS: dict[str, Defect] = {defect.name: defect for defect in _ALL if defect.breaks is not None}

ODDITIES: dict[str, Defect] = {defect.name: defect for defect in _ALL if defect.breaks is None}
