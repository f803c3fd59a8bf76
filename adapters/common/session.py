"""One scenario's view of a system, as far as it is the same for every protocol: clients, names, faults, and what it releases."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import ExitStack
from typing import Generic, Protocol, TypeVar

from fencepost.contract.ports import Faults, Time
from fencepost.contract.shared_crashes import SharedCrashes

from .system_faults import SessionFaults


class Probe(Protocol):
    """A client with its own connections."""

    def close(self) -> None:
        """Close its connections; a later call opens new ones."""
        ...


P = TypeVar("P", bound=Probe)


class ProtocolSession(ABC, Generic[P]):
    """A session; its names end with `suffix`, and so differ from those of other sessions."""

    def __init__(self, time: Time, faults: Faults, suffix: str) -> None:
        self.time = time
        self._session_faults = SessionFaults(faults, self.disconnect)
        self.faults: Faults = self._session_faults
        self._suffix = suffix
        self._probes: dict[str, P] = {}
        self._closing: list[Callable[[], None]] = []
        self.broker_log: Callable[[], str] | None = None
        """What the broker wrote while the session was open, if that is known."""

    @abstractmethod
    def new_client(self, name: str) -> P:
        """A probe for a client that is named for the first time."""

    def client(self, name: str) -> P:
        """The probe of the client with that name: the same one each time."""
        if name not in self._probes:
            self._probes[name] = self.new_client(name)
        return self._probes[name]

    def unique(self, name: str) -> str:
        return f"{name}-{self._suffix}"

    def share(self, crashes: SharedCrashes) -> None:
        """From now on, this session and other sessions on this broker have common crashes."""
        self._session_faults.shared = crashes

    def gather(self) -> None:
        """Wait until the other sessions that share the next crash have come as far."""
        if self._session_faults.shared is not None:
            self._session_faults.shared.gather()

    def on_close(self, act: Callable[[], None]) -> None:
        """Add an action for when the session closes."""
        self._closing.append(act)

    def close(self) -> None:
        with ExitStack() as ending:  # each, even if one before it fails
            for act in self._closing:
                ending.callback(act)
            self._closing = []
            ending.callback(self.disconnect)
            ending.callback(self._session_faults.undo)

    def disconnect(self) -> None:
        """Close the connections of every client, as after a network failure. The next call of each opens new ones."""
        for probe in self._probes.values():
            probe.close()
