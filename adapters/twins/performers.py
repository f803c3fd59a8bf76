"""Which class performs a disturbance, by its name and the protocol."""

from collections.abc import Mapping

from .performer import Performer
from .replay import CleanStop, Crash

_OF_ALL: Mapping[str, type[Performer]] = {"crash": Crash, "clean-stop": CleanStop}
_OF_PROTOCOL: Mapping[str, Mapping[str, type[Performer]]] = {}


def performers_of(protocol: str) -> Mapping[str, type[Performer]]:
    """What can be performed on a session of this protocol."""
    return {**_OF_ALL, **_OF_PROTOCOL.get(protocol, {})}
