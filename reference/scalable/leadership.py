"""Which broker is the controller of a scalable topic: the one whose ephemeral record is in the metadata store. PIP-468, "Controller".

The record ends with the broker's session, and then the first broker to write it is the next controller.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from fencepost.reference.kernel.rules import rule
from fencepost.reference.metadata.store import NEW, MetadataStore, StoreSession, Unavailable, VersionConflict
from fencepost.reference.pulsar.server_errors import CommandRefused, ServerError

from . import paths
from .layout_records import MalformedLayout

_DIGITS = 19


class Leadership:
    """The topics that one broker, `node`, leads. All calls raise CommandRefused: SERVICE_NOT_READY if the store is unavailable."""

    def __init__(self, node: int, store: MetadataStore) -> None:
        self.node = node
        self._store = store
        self._session: StoreSession | None = None

    def leader_of(self, topic: str) -> int | None:
        """Decision: the number of the node that leads the topic; None while none does. Raises MalformedLayout for an invalid record."""
        if (record := self._store.get(paths.controller(topic))) is None:
            return None
        if not (record.value.isdigit() and len(record.value) < _DIGITS):
            raise MalformedLayout(record.key, f"expected the number of a node, not {record.value[:_DIGITS]!r}")
        return int(record.value)

    def lead(self, topic: str) -> None:
        """Decision: this node becomes the topic's controller, unless another one is or was faster: then that one stays."""
        rule("PIP460-41")
        try:
            self._session = self._session or self._store.session()
            with _answering(), suppress(VersionConflict):
                self._session.put_ephemeral(paths.controller(topic), str(self.node).encode(), expected=NEW)
        except CommandRefused:
            self._session = None  # it may have expired, and its records with it
            raise

    def close(self) -> None:
        """Stop leading all topics. Closing twice does no harm."""
        if self._session is not None:
            self._session.close()
            self._session = None


@contextmanager
def _answering() -> Iterator[None]:
    try:
        yield
    except Unavailable as error:
        raise CommandRefused(ServerError.SERVICE_NOT_READY, f"metadata store: {error}") from error
