"""All laws, in the order in which a report tells of them."""

from . import log_integrity, positions, visibility
from .witness import Law

LAWS: tuple[Law, ...] = (*log_integrity.LAWS, *visibility.LAWS, *positions.LAWS)
