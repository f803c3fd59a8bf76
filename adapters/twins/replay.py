"""Restarts and connections that end: what is durable must be enough."""

from .performer import Performer

_TRANSACTION_LOG = "__transaction_state"


class Crash(Performer):
    """Power is lost between two steps."""

    def before_step(self) -> None:
        self.session.faults.crash()
        self.session.faults.restart()


class CleanStop(Performer):
    """The system is stopped between two steps, and started again."""

    def before_step(self) -> None:
        self.session.faults.stop()
        self.session.faults.restart()


class RefusedAppend(Performer):
    """The transaction log does not take the next record."""

    def before_step(self) -> None:
        self.session.faults.refuse_append(_TRANSACTION_LOG, 1)


class Reconnect(Performer):
    """Every client loses its connections between two steps, and the system does not."""

    def before_step(self) -> None:
        self.session.disconnect()
