"""All laws, in the order of reports."""

from . import acks, cycles, fencing, log_integrity, offsets, positions, pruning, segments, visibility
from .witness import Law

LAWS: tuple[Law, ...] = (
    *log_integrity.LAWS,
    *visibility.LAWS,
    *fencing.LAWS,
    *segments.LAWS,
    *pruning.LAWS,
    *positions.LAWS,
    *offsets.LAWS,
    *acks.LAWS,
    *cycles.LAWS,
)
