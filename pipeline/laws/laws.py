"""All laws, in the order in which a report tells of them."""

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
