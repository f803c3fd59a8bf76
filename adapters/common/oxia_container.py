"""An Oxia in a container: the metadata store that Pulsar's metadata-driven transactions were written for.

This module imports testcontainers and Docker's client, so other modules import it only when a container is needed.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from testcontainers.core.wait_strategies import LogMessageWaitStrategy

from .address import LOOPBACK, Address, free_port
from .containers import BrokerContainer, started

OXIA_IMAGE = "oxia/oxia:0.14.0"
_LAST_WORDS = "Serving Prometheus metrics"
"""What a standalone server writes when everything else serves."""
_SERVES_WITHIN_S = 60
_LOOKED_AT_EVERY_S = 0.1


class OxiaContainer(BrokerContainer):
    """The container, whose start waits until it serves; `address` is its address on this machine, also after it was killed."""

    def __init__(self, image: str = OXIA_IMAGE, shards: int = 1) -> None:
        port = free_port()
        self.address = Address(LOOPBACK, port)
        super().__init__(image, {}, (port,))
        address = f"0.0.0.0:{port}"
        # Its data need not outlive this machine, and syncing takes most of the time of a write.
        self.with_command(["oxia", "standalone", "--public-addr", address, "--shards", str(shards), "--wal-sync-data=false"])
        serves = LogMessageWaitStrategy(_LAST_WORDS).with_startup_timeout(_SERVES_WITHIN_S).with_poll_interval(_LOOKED_AT_EVERY_S)
        self.waiting_for(serves)


@contextmanager
def oxia(waits_for: Callable[[str], None], image: str = OXIA_IMAGE, shards: int = 1) -> Iterator[OxiaContainer]:
    """Yields a serving Oxia, which is removed after the block. Raises SystemUnreachable."""
    container = started(image, lambda: OxiaContainer(image, shards), "The metadata store in memory needs no container.", waits_for)
    try:
        yield container
    finally:
        container.stop()
