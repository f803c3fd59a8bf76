"""Restarts and lost connections: what is durable must be enough."""

from fencepost.contract.outcomes import Refused

from .performer import Performer
from .prelude import done

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


class Unload(Performer):
    """The broker drops its memory of each topic in which clients write or read, and loads the topic again when it is next used."""

    def before_step(self) -> None:
        probe = self.session.client("the client of the unloading")
        for topic in self.undisturbed.topics:
            unloaded = probe.unload_topic(topic.replace(self.undisturbed.suffix, self.session.unique("")))
            if not isinstance(unloaded, Refused):  # as that of a topic that is not made yet
                done(unloaded, f"unloading {topic}")


class Reconnect(Performer):
    """Every client loses its connections between two steps, and the system keeps running."""

    def before_step(self) -> None:
        self.session.disconnect()
