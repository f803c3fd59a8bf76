"""The topics of the broker: the list of them is journalled, and each is loaded when it is first asked for.

A missing topic is created when a client produces to it or subscribes, as brokers do by default. A partitioned topic is only a number; its
partitions are topics whose names end with `-partition-N`.
"""

from collections.abc import Callable, Collection
from typing import Generic, Protocol, TypeVar

from fencepost.reference.kernel.journal import Disk, Journal
from fencepost.reference.kernel.rules import rule

from .server_errors import CommandRefused, ServerError
from .sidecar_buffer import SIDECAR_SUFFIX


class Loaded(Protocol):
    """A topic in memory."""

    def close(self) -> None:
        """It is unloaded."""
        ...

    def erase(self) -> None:
        """It is deleted, with what is kept elsewhere than on its disk."""
        ...


Topic = TypeVar("Topic", bound=Loaded)


class PulsarTopics(Generic[Topic]):
    """All topics, as one node has them: every node knows the list of them, and loads those that it owns.

    `check` raises CommandRefused: INVALID_TOPIC_NAME, or SERVICE_NOT_READY when another node is the owner. `load` brings a topic into
    memory, as it is on disk.
    """

    def __init__(self, disk: Disk, check: Callable[[str], None], load: Callable[[str], Topic]) -> None:
        self._journal: Journal[tuple[str, bool]] = disk.journal("topics")
        self._partitioned: Journal[tuple[str, int]] = disk.journal("partitioned-topics")
        self._disk = disk
        self._check = check
        self._load = load
        self._loaded: dict[str, Topic] = {}
        self._names: set[str] = set()
        self._read_until = 0

    @property
    def names(self) -> Collection[str]:
        """All topics, also those that other nodes have created."""
        if self._read_until != len(self._journal):
            self._names = {name for name, is_there in dict(self._journal).items() if is_there}
            self._read_until = len(self._journal)
        return self._names

    def create(self, name: str) -> Topic:
        """Create a topic, or find the existing one. Raises CommandRefused: whatever `check` does."""
        self.check(name)
        if name not in self.names:
            self._record(name, is_there=True)
        return self.named(name)

    def create_partitioned(self, name: str, partitions: int) -> None:
        """Create a partitioned topic with all its partitions, whichever nodes will own them."""
        rule("PIP31-145")
        self._partitioned.append((name, partitions))
        for partition in self.names_of_partitions(name, partitions):
            self._record(partition, is_there=True)

    def names_of_partitions(self, name: str, partitions: int) -> list[str]:
        """Decision: the topics that are the partitions of another one."""
        return [f"{name}-partition-{number}" for number in range(partitions)]

    def partitions(self, name: str) -> int:
        """How many partitions a topic has; 0 if it is not partitioned."""
        return dict(self._partitioned).get(name, 0)

    def is_taken(self, name: str) -> bool:
        """Decision: whether a topic has that name, partitioned or not, so that no scalable topic may have it in its domain."""
        rule("PIP460-49")
        return name in self.names or self.partitions(name) > 0

    def named(self, name: str) -> Topic:
        """The topic of that name. Raises CommandRefused: TOPIC_NOT_FOUND when there is none, or whatever `check` does."""
        if name not in self.names:
            raise CommandRefused(ServerError.TOPIC_NOT_FOUND, f"there is no topic {name}")
        self.check(name)
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        return self._loaded[name]

    def in_memory(self, name: str) -> Topic | None:
        """The topic of that name if it is loaded, whichever node owns it by now: only there can clients be attached to it."""
        return self._loaded.get(name)

    def check(self, name: str) -> None:
        """Decision: only the node that owns a topic serves it. Raises CommandRefused: whatever the node's `check` does."""
        rule("PIP460-53")
        self._check(name)

    def unload(self, name: str) -> None:
        """Unload a topic; its producers and consumers must be closed before."""
        self._loaded.pop(name).close()

    def delete(self, name: str) -> None:
        """Delete a topic, which is in memory."""
        self._loaded[name].erase()
        self._loaded.pop(name).close()
        self._record(name, is_there=False)
        self.erase(name)

    def erase(self, name: str) -> None:
        """Decision: what a topic leaves when it is deleted: nothing that it stored."""
        rule("PIP31-146")
        self._disk.erase(lambda journal: journal.replace(SIDECAR_SUFFIX, "").split(" ")[1:2] == [name])

    def loaded(self) -> tuple[Topic, ...]:
        """The topics in memory."""
        return tuple(self._loaded.values())

    def _record(self, name: str, *, is_there: bool) -> None:
        self._journal.append((name, is_there))
