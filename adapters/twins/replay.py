"""Restarts: what is durable must be enough."""

from .performer import Performer

_TRANSACTION_LOG = "__transaction_state"


class CrashBetweenSteps(Performer):
    """The system crashes between two steps, and restarts."""

    def before_step(self) -> None:
        crash(self)


class CleanStop(Performer):
    """The system stops cleanly between two steps, and restarts."""

    def before_step(self) -> None:
        clean_stop(self)


class RefusedAppend(Performer):
    """The transaction log does not take the next record."""

    idle = "nothing was written to the transaction log any more"

    _is_armed = False

    def before_step(self) -> None:
        self.session.faults.refuse_append(_TRANSACTION_LOG, 1)
        self._is_armed = True

    def look_back(self) -> None:
        if self._is_armed and not self.session.faults.append_is_to_be_refused(_TRANSACTION_LOG):
            self.did("refused", "append")


def crash(performer: Performer) -> None:
    """Every node of the system loses its power, and the system is started again."""
    performer.session.faults.crash()
    performer.session.faults.restart()
    performer.did("lost power", "time")


def clean_stop(performer: Performer) -> None:
    """The system is stopped as its operator does it, and started again."""
    performer.session.faults.stop()
    performer.session.faults.restart()
    performer.did("stopped cleanly", "time")
