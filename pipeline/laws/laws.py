"""All laws, in the order in which a report tells of them."""

from . import acks, cycles, fencing, log_integrity, offsets, positions, segments, visibility
from .witness import Law

LAWS: tuple[Law, ...] = (
    *log_integrity.LAWS,
    *visibility.LAWS,
    *fencing.LAWS,
    *segments.LAWS,
    *positions.LAWS,
    *offsets.LAWS,
    *acks.LAWS,
    *cycles.LAWS,
)
