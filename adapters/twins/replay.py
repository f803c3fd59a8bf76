"""Restarts and lost connections: what is durable must be enough."""

from .performer import Performer

_TRANSACTION_LOG = "__transaction_state"


class Crash(Performer):
    """The system crashes between two steps, and restarts."""

    def before_step(self) -> None:
        self.session.faults.crash()
        self.session.faults.restart()


class CleanStop(Performer):
    """The system stops cleanly between two steps, and restarts."""

    def before_step(self) -> None:
        self.session.faults.stop()
        self.session.faults.restart()


class RefusedAppend(Performer):
    """The transaction log does not take the next record."""

    def before_step(self) -> None:
        self.session.faults.refuse_append(_TRANSACTION_LOG, 1)


class Reconnect(Performer):
    """Every client loses its connections between two steps, and the system keeps running."""

    def before_step(self) -> None:
        self.session.disconnect()
