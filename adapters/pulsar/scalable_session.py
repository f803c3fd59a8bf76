"""One scenario's view of a Pulsar system whose topics are scalable and whose transactions are metadata-driven."""

from typing import Any

from fencepost.contract.errors import NotOffered
from fencepost.contract.metadata_view import MetadataView

from .probe import PulsarProbe
from .scalable import Ends, ScalableProbe
from .session import PulsarSession


class ScalableSession(PulsarSession):
    """The same, with clients of scalable topics, and a view of the metadata store where the system has one to show."""

    def __init__(self, *of_any: Any, metadata: MetadataView | None = None) -> None:
        super().__init__(*of_any)
        self._ends = Ends()
        self._metadata = metadata

    @property
    def metadata(self) -> MetadataView:
        """The metadata store. Raises NotOffered."""
        if self._metadata is None:
            raise NotOffered("metadata-store: nobody outside of this system can look at its metadata store")
        return self._metadata

    def new_client(self, name: str) -> PulsarProbe:
        return ScalableProbe(self.new_connections(name), self.time, self.unique("scratch"), self._ends)
