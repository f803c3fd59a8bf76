"""All anomalies, a module for each family; `ANOMALIES` has them in the order of reports."""

from . import acks, cycles, fencing, log_integrity, offsets, positions, pruning, segments, visibility
from .anomaly import Anomaly

__all__ = ["ANOMALIES", "Anomaly"]

ANOMALIES: tuple[Anomaly, ...] = (
    *log_integrity.ANOMALIES,
    *visibility.ANOMALIES,
    *fencing.ANOMALIES,
    *segments.ANOMALIES,
    *pruning.ANOMALIES,
    *positions.ANOMALIES,
    *offsets.ANOMALIES,
    *acks.ANOMALIES,
    *cycles.ANOMALIES,
)
