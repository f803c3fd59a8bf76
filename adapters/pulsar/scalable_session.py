"""One scenario's view of a Pulsar system whose topics are scalable and whose transactions are metadata-driven."""

from typing import Any

from .probe import PulsarProbe
from .scalable import Ends, ScalableProbe
from .session import PulsarSession


class ScalableSession(PulsarSession):
    """The same, with clients of scalable topics."""

    def __init__(self, *of_any: Any) -> None:
        super().__init__(*of_any)
        self._ends = Ends()

    def new_client(self, name: str) -> PulsarProbe:
        return ScalableProbe(self.new_connections(name), self.time, self.unique("scratch"), self._ends)
