"""On which metadata store the reference keeps its metadata-driven transactions: one in memory for each scenario, or an Oxia for all."""

from collections.abc import Callable
from contextlib import ExitStack
from typing import Protocol

from fencepost.contract.errors import SystemUnreachable, WrongUsage
from fencepost.reference.metadata.faults import StoreFaults
from fencepost.reference.metadata.memory import MemoryStore
from fencepost.reference.metadata.memory_data import MemoryData
from fencepost.reference.metadata.plain import PlainStore
from fencepost.reference.metadata.store import MetadataStore, Unavailable
from fencepost.reference.metadata.troubled import TroubledStore

_MEMORY, _OXIA, _AT = "memory", "oxia", "oxia://"


class Stores:
    """The store of one broker, whose nodes are clients of it, with its faults. A plain one has no sequences and no indexes of its own."""

    def __init__(self, connect: Callable[[StoreFaults], MetadataStore], plain: type[PlainStore] | None) -> None:
        self.faults = StoreFaults()
        self._connect = connect
        self._plain = plain

    def connect(self) -> MetadataStore:
        """One more client."""
        store = self._connect(self.faults)
        return self._plain(store) if self._plain else store


class Backend(Protocol):
    """Where stores come from."""

    def open(self) -> None:
        """Have it ready. Raises SystemUnreachable."""
        ...

    def stores(self, plain: type[PlainStore] | None = None) -> Stores:
        """A store for one broker."""
        ...

    def close(self) -> None:
        """Give everything back; may be called twice."""
        ...


class InMemory:
    """A store of its own for each broker."""

    def open(self) -> None:
        """There is nothing to start."""

    def stores(self, plain: type[PlainStore] | None = None) -> Stores:
        data = MemoryData()
        return Stores(lambda faults: MemoryStore(data, faults), plain)

    def close(self) -> None:
        """There is nothing to give back."""


class OnOxia:
    """One Oxia for all, at an address, or in a container of fencepost's own. Ids of transactions and names of topics keep brokers apart."""

    def __init__(self, address: str | None) -> None:
        self._address = address
        self._opened = ExitStack()

    def open(self) -> None:
        from fencepost.reference.metadata.oxia import OxiaStore

        if self._address is None:
            from fencepost.adapters.common.oxia_container import oxia

            self._address = str(self._opened.enter_context(oxia(lambda _: None)).address)
        try:
            OxiaStore(self._address).close()
        except Unavailable as error:
            raise SystemUnreachable(f"the metadata store: {error}. Is an Oxia running there? --metadata oxia starts one") from error

    def stores(self, plain: type[PlainStore] | None = None) -> Stores:
        from fencepost.reference.metadata.oxia import OxiaStore

        assert self._address is not None, "it was opened"
        address = self._address
        clients: list[OxiaStore] = []

        def connect(faults: StoreFaults) -> MetadataStore:
            clients.append(OxiaStore(address, beside=clients[0] if clients else None))
            return TroubledStore(clients[-1], faults)

        return Stores(connect, plain)

    def close(self) -> None:
        self._opened.close()


def backend(named: str | None) -> Backend:
    """The store that the user names: `memory`, `oxia`, or `oxia://HOST:PORT`. Raises WrongUsage."""
    match named:
        case None | "memory":
            return InMemory()
        case "oxia":
            return OnOxia(None)
        case str(url) if url.startswith(_AT) and url.removeprefix(_AT):
            return OnOxia(url.removeprefix(_AT))
    raise WrongUsage(f"--metadata {named}: expected {_MEMORY}, {_OXIA} (which starts one in a container) or {_AT}HOST:PORT")
