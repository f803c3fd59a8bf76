"""One scenario's view of a Pulsar system whose topics are scalable and whose transactions are metadata-driven."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from fencepost.contract.errors import NotOffered
from fencepost.contract.events import Event
from fencepost.contract.metadata_view import MetadataView

from .kept_exchanges import KeptHead
from .probe import PulsarProbe
from .pulsar_history import events
from .pulsar_session import PulsarSession
from .scalable import Ends, ScalableProbe
from .store_writes import BROKER, StoreWrite


class ScalableSession(PulsarSession):
    """A session with clients of scalable topics, and a view of the metadata store if the system can show it.

    `is_true` returns whether the session saw the true state: not after a fault that made a broker act on an old state. `length_of` counts
    the entries of a topic on disk.
    """

    protocol = "pulsar-scalable"

    def __init__(
        self,
        *of_any: Any,
        metadata: MetadataView | None = None,
        is_true: Callable[[], bool] = lambda: True,
        length_of: Callable[[str], int] | None = None,
        over_tls: bool = False,
    ) -> None:
        super().__init__(*of_any, over_tls=over_tls)
        self._length_of = length_of
        self._ends = Ends()
        self._metadata = metadata
        self._is_true = is_true
        self._writes = self._recorder.with_same_moments()

    @property
    def metadata(self) -> MetadataView:
        """The metadata store. Raises NotOffered."""
        if self._metadata is None:
            raise NotOffered("metadata-store: no client outside of this system can read its metadata store")
        return self._metadata

    def length_of(self, log: str) -> int:
        """The number of entries in a segment. Raises NotOffered."""
        if self._length_of is None:
            raise NotOffered("entry-counts: no client outside of this system can count the entries of a segment")
        return self._length_of(log)

    def new_client(self, name: str) -> PulsarProbe:
        return ScalableProbe(self.new_connections(name), self.time, self.unique("scratch"), self._ends)

    def note(self, write: StoreWrite, doubt: str | None) -> None:
        """A broker has written to its metadata store; `doubt` is the reason why the outcome is unknown, if it is."""
        self._writes.begin(BROKER, "metadata store", write, {}, one_way=True).lost = doubt
        self._tape.wrote(write, doubt)

    def history(self, run_id: str) -> list[Event]:
        """The history, with the brokers' writes to the metadata store. Empty if a fault made the system act on an old state."""
        calls = sorted([*self._recorder.calls, *self._writes.calls], key=lambda call: call.began)
        return events(calls, run_id) if self._is_true() else []

    def _head(self) -> KeptHead:
        return replace(super()._head(), is_true=self._is_true())
