"""Deliberately broken variants of the reference, and unusual lawful ones.

A *defect* is a broker in which one part decides one thing wrongly, so that one requirement is broken: a suite that is worth its
verdicts turns red at it, and says why. An *oddity* breaks no requirement, but has unusual order or timing: a suite that turns red at
one has found nothing.
"""

from .appending import STALE_EPOCH_ACCEPTED
from .defect import Defect
from .ending import NO_EPOCH_BUMP
from .isolation import LSO_IGNORES_OPEN_TRANSACTIONS
from .markers import MARKER_MISSING_ON_ONE_PARTITION
from .oddities import GAPS_IN_OFFSETS, LATE_COMPLETION
from .producing import PRODUCING
from .recovery import DECISION_FORGOTTEN_BY_CRASH
from .sequences import SEQUENCES

__all__ = ["DEFECTS", "ODDITIES", "Defect"]

_ALL = (
    DECISION_FORGOTTEN_BY_CRASH,
    GAPS_IN_OFFSETS,
    LATE_COMPLETION,
    LSO_IGNORES_OPEN_TRANSACTIONS,
    MARKER_MISSING_ON_ONE_PARTITION,
    NO_EPOCH_BUMP,
    STALE_EPOCH_ACCEPTED,
    *PRODUCING,
    *SEQUENCES,
)

DEFECTS: dict[str, Defect] = {defect.name: defect for defect in _ALL if defect.breaks is not None}

ODDITIES: dict[str, Defect] = {defect.name: defect for defect in _ALL if defect.breaks is None}
