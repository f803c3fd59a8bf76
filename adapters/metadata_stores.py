"""The metadata store in which the reference keeps its metadata-driven transactions: one in memory for each broker, or an Oxia for all.

On an Oxia each judged broker has a separate root, so that no scenario sees the records of another scenario or run. A served broker uses the
whole store: it shares its transactions with every other broker that is served on it.
"""

import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import count
from typing import Protocol

from fencepost.contract.errors import SystemUnreachable, WrongUsage
from fencepost.contract.evidence import NoAnswer
from fencepost.reference.metadata.memory_data import MemoryData
from fencepost.reference.metadata.memory_store import MemoryStore
from fencepost.reference.metadata.plain import PlainStore
from fencepost.reference.metadata.rooted import RootedStore
from fencepost.reference.metadata.store import MetadataStore, Unavailable
from fencepost.reference.metadata.store_faults import StoreFaults
from fencepost.reference.metadata.troubled import TroubledStore

_MEMORY, _OXIA, _AT = "memory", "oxia", "oxia://"
_ADDRESS = re.compile(rf"{_AT}([^\s/:]+|\[[0-9a-fA-F:]+]):([0-9]{{1,5}})")


class Stores:
    """The store of one broker, whose nodes are its clients, with its faults. A plain one uses no sequences and indexes of the store."""

    def __init__(self, connect: Callable[[StoreFaults], MetadataStore], plain: type[PlainStore] | None) -> None:
        self.faults = StoreFaults()
        self._connect = connect
        self._plain = plain

    def connect(self) -> MetadataStore:
        """A further client of the store."""
        store = self._connect(self.faults)
        return self._plain(store) if self._plain else store


class Backend(Protocol):
    """Makes stores."""

    def open(self) -> None:
        """Prepare the backend. Raises SystemUnreachable."""
        ...

    def stores(self, plain: type[PlainStore] | None = None) -> Stores:
        """A store for one judged broker."""
        ...

    def served(self) -> Callable[[], MetadataStore]:
        """A function that connects a served broker to its store."""
        ...

    def close(self) -> None:
        """Release everything; may be called twice."""
        ...


class InMemory:
    """A separate store for each broker."""

    def open(self) -> None:
        """There is nothing to start."""

    def stores(self, plain: type[PlainStore] | None = None) -> Stores:
        data = MemoryData()
        return Stores(lambda faults: MemoryStore(data, faults), plain)

    def served(self) -> Callable[[], MetadataStore]:
        data = MemoryData()
        return lambda: MemoryStore(data)

    def close(self) -> None:
        """There is nothing to release."""


class OnOxia:
    """One Oxia for all brokers, at an address, or in a container that fencepost starts."""

    def __init__(self, address: str | None) -> None:
        self._address = address
        self._is_of_user = address is not None
        self._opened = ExitStack()
        self._root = f"fencepost-{secrets.token_hex(6)}/"
        """The root of this run; a broker's root is below it, with its number."""
        self._brokers = count(1)

    def open(self) -> None:
        try:
            from fencepost.reference.metadata.oxia import OxiaStore
            from fencepost.reference.metadata.oxia_turns import lock_file
        except ImportError as error:
            raise WrongUsage(str(error)) from error

        if self._address is None:
            from fencepost.adapters.common.oxia_container import oxia

            container = self._opened.enter_context(oxia(lambda _: None))
            self._address = str(container.address)
            self._opened.callback(lock_file(self._address).unlink, missing_ok=True)
        try:
            OxiaStore(self._address).close()
        except Unavailable as error:
            raise SystemUnreachable(f"the metadata store: {error}. Is an Oxia running there? --metadata oxia starts one") from error
        if self._is_of_user:
            self._opened.callback(self._clear)

    def stores(self, plain: type[PlainStore] | None = None) -> Stores:
        from fencepost.reference.metadata.oxia import OxiaStore

        address, root = self._where, f"{self._root}{next(self._brokers)}/"
        clients: list[OxiaStore] = []

        def connect(faults: StoreFaults) -> MetadataStore:
            # An Oxia that does not answer is no fault that a scenario has asked for, so there is nothing to judge.
            clients.append(OxiaStore(address, beside=clients[0] if clients else None, failure=NoAnswer))
            return TroubledStore(RootedStore(clients[-1], root), faults)

        return Stores(connect, plain)

    def served(self) -> Callable[[], MetadataStore]:
        from fencepost.reference.metadata.oxia import OxiaStore

        address = self._where
        return lambda: OxiaStore(address)

    def close(self) -> None:
        self._opened.close()

    @property
    def _where(self) -> str:
        assert self._address is not None, "it was opened"
        return self._address

    def _clear(self) -> None:
        """Delete this run's records from an Oxia that keeps running."""
        from fencepost.reference.metadata.oxia import OxiaStore

        with suppress(Unavailable):
            store = OxiaStore(self._where)
            try:
                store.clear(self._root)
            finally:
                store.close()


def backend(named: str | None) -> Backend:
    """The store that the user names: `memory`, `oxia`, or `oxia://HOST:PORT`. Raises WrongUsage."""
    match named:
        case None | "memory":
            return InMemory()
        case "oxia":
            return OnOxia(None)
        case str(url) if _ADDRESS.fullmatch(url):
            return OnOxia(url.removeprefix(_AT))
    raise WrongUsage(f"--metadata {named}: expected {_MEMORY}, {_OXIA} (which starts one in a container) or {_AT}HOST:PORT")


@contextmanager
def served(named: str | None) -> Iterator[Callable[[], MetadataStore]]:
    """Yields what connects a served broker to the store that the user names. Raises WrongUsage, SystemUnreachable."""
    where = backend(named)
    try:
        where.open()
        yield where.served()
    finally:
        where.close()
