"""Oxia's official Python client, with timeouts, and with the errors of the metadata store.

The only module that imports it. Its releases 0.2.x have no timeouts, and do not expose shards, so this module uses some of their
internals; `pyproject.toml` admits no later releases.
"""

import logging
import socket
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from threading import Event, Lock, Thread
from typing import TypeAlias, TypeVar

try:
    import grpc
    import oxia
    import oxia.ex
    from oxia.defs import NotificationType
    from oxia.internal.connection_pool import ConnectionPool
    from oxia.internal.service_discovery import ServiceDiscovery
    from oxia.internal.sessions import SessionManager
except ImportError as error:
    raise ImportError(f"a metadata store on Oxia needs {error.name}, which is not there: pip install 'fencepost[oxia]'") from error

from . import oxia_keys
from .oxia_turns import turn
from .store import ChangeKind, Unavailable, VersionConflict
from .timely import Patience, within

ANSWERS_WITHIN_S = 4.0
"""The timeout of one request, and of a wait for notifications."""
KINDS = {
    NotificationType.KEY_CREATED: ChangeKind.CREATED,
    NotificationType.KEY_MODIFIED: ChangeKind.MODIFIED,
    NotificationType.KEY_DELETED: ChangeKind.DELETED,
}
_SESSION_ENDS_AFTER_MS = 30_000
"""Without a heartbeat; the client's default."""

_NAMESPACE = "default"

T = TypeVar("T")
Failure: TypeAlias = Callable[[str], Exception]
"""Makes the exception, with this message, for a request that an Oxia did not execute."""

# Exceptions report what goes wrong; without a handler Python would print what the client logs, too.
logging.getLogger("oxia").addHandler(logging.NullHandler())


class Link:
    """One of Oxia's clients, with timeouts, and with the errors of the port."""

    def __init__(self, address: str, failure: Failure = Unavailable) -> None:
        self._address = address
        self._failure = failure
        self._closed = False
        self.writes = 0
        """How many writes were begun; closing the link, which ends its sessions, counts as one."""
        self._patience = Patience(ANSWERS_WITHIN_S)
        try:
            self._client = self._try(lambda: _Client(address, _NAMESPACE), "")
        except BaseException:
            self._patience.close()
            raise

    def ask(self, call: "Callable[[oxia.Client], T]", key: str = "") -> T:
        """What the client returns for that key. Raises VersionConflict, Unavailable."""
        self.check_open()
        return self._try(lambda: call(self._client), key)

    def write(self, call: "Callable[[oxia.Client], T]", key: str = "") -> T:
        """The same for a write, while no other client on this machine writes there, even one whose call has timed out."""

        def alone(client: oxia.Client) -> T:
            with turn(self._address, ANSWERS_WITHIN_S):
                return call(client)

        self.writes += 1
        return self.ask(alone, key)

    def found(self, call: "Callable[[oxia.Client], T]") -> T | None:
        """The same; None if there is no such key."""

        def ask(client: oxia.Client) -> T | None:
            try:
                return call(client)
            except oxia.ex.KeyNotFound:
                return None

        return self.ask(ask)

    def last_up_to(self, key: str, partition_key: str) -> str | None:
        """The last key of that shard up to this one."""
        floor = oxia.ComparisonType.FLOOR
        found = self.found(lambda client: client.get(key, partition_key=partition_key, comparison_type=floor, include_value=False))
        return str(found[0]) if found else None

    def check_open(self) -> None:
        """Raises Unavailable."""
        if self._closed:
            raise Unavailable(self._reported("this client of it was closed"))

    def close(self) -> None:
        """End the client and its sessions. A call that does not return is left to end with the process."""
        if not self._closed:
            self._closed = True
            self.writes += 1
            self._patience.close()
            with suppress(TimeoutError):
                within(ANSWERS_WITHIN_S, self._close)

    def fences(self) -> dict[str, str]:
        """Fences, one for each shard, with partition keys that lead there. The client's own API does not expose shards."""
        found: dict[int, str] = {}
        shards = self._client._service_discovery.get_all_shards()
        for partition_key in map(str, count()):
            if len(found) == len(shards):
                break
            found.setdefault(self.shard_of(partition_key), partition_key)
        return {oxia_keys.fence(shard): partition_key for shard, partition_key in found.items()}

    def shard_of(self, partition_key: str) -> int:
        """The shard that has its records."""
        return int(self._client._service_discovery.get_shard(partition_key).shard)

    def unavailable(self, why: object) -> Exception:
        """The error, with the address of this Oxia."""
        return self._failure(self._reported(why))

    def _reported(self, why: object) -> str:
        return f"the Oxia at {self._address} did not do it: {why}"

    def _close(self) -> None:
        with turn(self._address, ANSWERS_WITHIN_S):
            self._client.close()

    def _try(self, call: Callable[[], T], key: str) -> T:
        try:
            return self._patience.ask(call)
        except oxia.ex.UnexpectedVersionId as error:
            raise VersionConflict(f"{key!r} is not at the version that was expected") from error
        except oxia.ex.SessionNotFound as error:
            raise self.unavailable("the session has expired") from error
        except TimeoutError as error:
            raise self.unavailable(f"no answer within {ANSWERS_WITHIN_S:g} s") from error
        except Exception as error:
            raise self.unavailable(error.details() if isinstance(error, grpc.Call) else f"{type(error).__name__}: {error}") from error


def _check_listening(address: str) -> None:
    """Raises OSError at once if no server listens at the address, for which Oxia's client would retry until its timeout."""
    host, _, port = address.rpartition(":")
    socket.create_connection((host.strip("[]"), int(port)), ANSWERS_WITHIN_S).close()


class _First:
    """Replaces a barrier of two: the first shards release the waiting thread, and later ones wait for no thread."""

    def __init__(self) -> None:
        self.passed = Event()

    def wait(self) -> None:
        self.passed.set()


class _Discovery(ServiceDiscovery):  # type: ignore[misc]  # it has no types
    """As in 0.2.1, but there the thread may run before its barrier exists, and blocks for ever when it is notified of shards again.

    Raises TimeoutError, and then leaves nothing that still retries.
    """

    def __init__(self, address: str, connections: ConnectionPool, namespace: str) -> None:
        self._assignments: dict[int, object] = {}
        self._service_address = address
        self._connection_pool = connections
        self._namespace = namespace
        self._closed = False
        self._lock = Lock()
        self._init_barrier = _First()
        self._thread = Thread(target=self.get_assignments, daemon=True)
        self._thread.start()
        if not self._init_barrier.passed.wait(ANSWERS_WITHIN_S):
            self._closed = True
            connections.close()
            raise TimeoutError


class _Client(oxia.Client):  # type: ignore[misc]
    """The client with that discovery; `close` does not wait for it."""

    def __init__(self, address: str, namespace: str) -> None:
        self._closed = False
        _check_listening(address)
        self._connections = ConnectionPool()
        self._service_discovery = _Discovery(address, self._connections, namespace)
        self._session_manager = SessionManager(self._service_discovery, _SESSION_ENDS_AFTER_MS, None)

    def close(self) -> None:
        self._service_discovery._closed = True
        super().close()
