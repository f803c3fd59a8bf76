"""An Oxia in a container: the metadata store that Pulsar's metadata-driven transactions were written for.

This module imports testcontainers and Docker's client, so it is itself imported only where a container is really wanted.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from testcontainers.core.wait_strategies import LogMessageWaitStrategy

from .address import LOOPBACK, Address, free_port
from .containers import BrokerContainer, started

OXIA_IMAGE = "oxia/oxia:0.14.0"
_LAST_WORDS = "Serving Prometheus metrics"
"""What a standalone server says when it serves everything else."""
_SERVES_WITHIN_S = 60
_LOOKED_AT_EVERY_S = 0.1


class OxiaContainer(BrokerContainer):
    """The container, whose start waits until it serves; `address` is where this machine reaches it, also after it was killed."""

    def __init__(self, image: str = OXIA_IMAGE, shards: int = 1) -> None:
        port = free_port()
        self.address = Address(LOOPBACK, port)
        super().__init__(image, {}, (port,))
        address = f"0.0.0.0:{port}"
        # Nothing of it outlives this machine, and to sync each write is most of the time that it takes.
        self.with_command(["oxia", "standalone", "--public-addr", address, "--shards", str(shards), "--wal-sync-data=false"])
        serves = LogMessageWaitStrategy(_LAST_WORDS).with_startup_timeout(_SERVES_WITHIN_S).with_poll_interval(_LOOKED_AT_EVERY_S)
        self.waiting_for(serves)


@contextmanager
def oxia(waits_for: Callable[[str], None], image: str = OXIA_IMAGE, shards: int = 1) -> Iterator[OxiaContainer]:
    """An Oxia that serves, and is removed behind the block. Raises SystemUnreachable."""
    container = started(image, lambda: OxiaContainer(image, shards), "The metadata store in memory needs no container.", waits_for)
    try:
        yield container
    finally:
        container.stop()
