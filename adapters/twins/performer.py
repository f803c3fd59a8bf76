"""One disturbance in one play: what it does when the session opens, before a step, and after the last."""

from dataclasses import dataclass
from typing import Any

from fencepost.contract.ports import Exchange


@dataclass(frozen=True)
class Undisturbed:
    """What is known of the play without the disturbance: all that was said. A disturbance takes names from it."""

    exchanges: tuple[Exchange, ...] = ()


class Performer:
    """A disturbance of this session, which does nothing yet. `session` is that of its protocol, just opened, and no client exists."""

    def __init__(self, session: Any, undisturbed: Undisturbed) -> None:
        self.session = session
        self.undisturbed = undisturbed
        self.is_active = True
        """Whether it disturbs what is said now. A play narrows a difference down to one step by this."""

    def begin(self) -> None:
        """The session has been opened, and nothing was said. Raises NotOffered where it cannot be disturbed so."""

    def before_step(self) -> None:
        """Two steps stand to both sides."""

    def end(self) -> None:
        """The last step is over. Raises Violation where what the disturbance itself has asked for does not hold."""
