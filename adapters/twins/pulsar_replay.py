"""Restarts and lost connections on Pulsar, where clients have producers and consumers.

A client library opens these again by itself, at once. A broker then redelivers what a consumer had received and not acknowledged; what the
user had taken before is left out, so that what is received is that of the scenario without the disturbance. What is not redelivered is a
violation, whether or not the scenario would have received it.
"""

from abc import abstractmethod

from fencepost.adapters.pulsar.pulsar_session import PulsarSession
from fencepost.contract.evidence import Violation
from fencepost.contract.outcomes import Refused

from .performer import Performer
from .prelude import done
from .replay import clean_stop, crash


class _Interruption(Performer):
    """Clients lose their producers and consumers between two steps, and open them again."""

    session: PulsarSession

    def before_step(self) -> None:
        open_again = self.session.noted_attached()
        self.interrupt()
        for lost in open_again():
            raise Violation(lost.expected, lost.seen, what=f"redelivery to {lost.consumer} on its next connection")

    def end(self) -> None:
        for lost in self.session.not_redelivered():
            raise Violation(lost.expected, lost.seen, what=f"redelivery to {lost.consumer} of what aborts have returned")

    @abstractmethod
    def interrupt(self) -> None:
        """What they lose them by."""


class PulsarCrash(_Interruption):
    """The system crashes between two steps, and restarts."""

    def interrupt(self) -> None:
        crash(self)


class PulsarCleanStop(_Interruption):
    """The system stops cleanly between two steps, and restarts."""

    def interrupt(self) -> None:
        clean_stop(self)


class Unload(_Interruption):
    """The broker drops its memory of each topic in which clients write or read, and loads the topic again when it is next used."""

    idle = "no topic in which the scenario writes or reads was there"

    def interrupt(self) -> None:
        probe = self.session.client("the client of the unloading")
        for topic in self.undisturbed.topics:
            topic = topic.replace(self.undisturbed.suffix, self.session.unique(""))
            unloaded = probe.unload_topic(topic)
            if isinstance(unloaded, Refused):  # as that of a topic that is not made yet
                self.idle = f"unloading was refused: {unloaded.error} ({unloaded.code})"
            else:
                done(unloaded, f"unloading {topic}")
                self.did("unloaded", "topic")


class Reconnect(_Interruption):
    """Every client loses its connections between two steps, and the system keeps running."""

    idle = "no client was connected"

    def interrupt(self) -> None:
        self.did("closed", "connection", self.session.connections)
        self.session.disconnect()
