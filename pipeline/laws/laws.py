"""All laws, in the order in which a report tells of them."""

from . import fencing, log_integrity, offsets, positions, visibility
from .witness import Law

LAWS: tuple[Law, ...] = (*log_integrity.LAWS, *visibility.LAWS, *fencing.LAWS, *positions.LAWS, *offsets.LAWS)
