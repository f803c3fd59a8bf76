"""The topics of the broker: which there are is journalled, and each is loaded when it is first asked for.

A topic that nobody made comes up when somebody produces to it or subscribes, as brokers do by default. A partitioned topic is only
a number; its partitions are topics whose names end with `-partition-N`.
"""

import re
from collections.abc import Callable

from fencepost.reference.kernel.journal import Disk, Journal

from .errors import Error, Refused
from .topic import Topic

_NAME = re.compile(r"persistent://[^/\s]+/[^/\s]+/[^/\s]+")


class Topics:
    """All topics. `load` brings one into memory, as it is on disk."""

    def __init__(self, disk: Disk, load: Callable[[str], Topic]) -> None:
        self._journal: Journal[tuple[str, bool]] = disk.journal("topics")
        self._partitioned: Journal[tuple[str, int]] = disk.journal("partitioned-topics")
        self._disk = disk
        self._load = load
        self._loaded: dict[str, Topic] = {}
        self.names = {name for name, is_there in dict(self._journal).items() if is_there}

    def create(self, name: str) -> Topic:
        """Make a topic, or find the one that is there. Refused INVALID_TOPIC_NAME."""
        if not _NAME.fullmatch(name):
            raise Refused(Error.INVALID_TOPIC_NAME, f"{name!r} is not a topic; expected persistent://TENANT/NAMESPACE/NAME")
        if name not in self.names:
            self._journal.append((name, True))
            self.names.add(name)
        return self.named(name)

    def create_partitioned(self, name: str, partitions: int) -> None:
        """Make a partitioned topic with all its partitions."""
        self._partitioned.append((name, partitions))
        for number in range(partitions):
            self.create(f"{name}-partition-{number}")

    def partitions(self, name: str) -> int:
        """How many partitions a topic has; 0 where it has none."""
        return dict(self._partitioned).get(name, 0)

    def named(self, name: str) -> Topic:
        """Refused TOPIC_NOT_FOUND where there is none of that name."""
        if name not in self.names:
            raise Refused(Error.TOPIC_NOT_FOUND, f"there is no topic {name}")
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        return self._loaded[name]

    def unload(self, name: str) -> None:
        """Forget what is in memory of a topic; who is connected to it must be told before."""
        self._loaded.pop(name, None)

    def delete(self, name: str) -> None:
        """Remove a topic, with everything that it stored."""
        self.named(name)
        self._loaded.pop(name, None)
        self.names.remove(name)
        self._journal.append((name, False))
        self._disk.erase(lambda journal: journal.split(" ", 1)[-1].split(" ")[0].removesuffix("/_txnlog") == name)

    def loaded(self) -> tuple[Topic, ...]:
        """Those in memory."""
        return tuple(self._loaded.values())
