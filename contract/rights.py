"""Refusals for want of a right, on a broker whose users Fencepost did not set up.

There the user of a run may lack a right, such as CLUSTER_ACTION for WriteTxnMarkers, and the broker may refuse for that. A scenario that
sets up rights itself uses a broker of known rights.
"""

import re
from typing import Protocol, runtime_checkable

from .evidence import Mismatch

_FOR_WANT_OF_A_RIGHT = re.compile(r"\b(?:CLUSTER|TOPIC|GROUP|TRANSACTIONAL_ID)_AUTHORIZATION_FAILED\b")


@runtime_checkable
class OfUnknownRights(Protocol):
    """A session whose user may lack rights."""

    @property
    def has_unknown_rights(self) -> bool:
        """Whether it is not known what its user may do."""
        ...


def right_refused(seen: Mismatch | None) -> str | None:
    """The error by which the system refused what was seen, if that is for want of a right."""
    found = _FOR_WANT_OF_A_RIGHT.search(seen.seen) if seen is not None else None
    return found[0] if found else None


def may_lack_rights(session: object) -> bool:
    """Whether the broker may refuse for want of a right in this session."""
    return isinstance(session, OfUnknownRights) and session.has_unknown_rights
