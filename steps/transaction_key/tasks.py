"""The tasks of a scenario, with the keys that they were granted."""

from dataclasses import dataclass, field

from fencepost.adapters.pulsar.probe import PulsarProbe
from fencepost.adapters.pulsar.pulsar_values import KeyGrant, OwnedKey, PendingKeyConnect
from fencepost.contract.outcomes import Done, Outcome
from fencepost.contract.ports import NamesPrincipals, Session
from fencepost.steps.pulsar.pulsar_context import PulsarContext

from .vocabulary import KEYS, NamedKey

_KB = 1024


@dataclass
class Task:
    """A process of an application: its client, its key, and the outcome of its connects."""

    probe: PulsarProbe
    key: NamedKey
    grants: list[KeyGrant] = field(default_factory=list)
    answer: Outcome[KeyGrant] | None = None
    """The outcome of its last connect."""
    pending: PendingKeyConnect | None = None
    """Its last connect, while its answer was not waited for."""
    asked_ms: float = 0.0
    """When its last connect was sent."""
    granted_ms: float = 0.0
    """When its last connect was answered."""

    @property
    def epoch(self) -> int:
        """The epoch that it was given last."""
        assert self.grants, f"a task connects with {self.key} before its epoch is asked for"
        epoch = self.grants[-1].epoch
        return -1 if epoch is None else epoch


@dataclass
class Tasks:
    """The tasks of one scenario."""

    session: Session
    by_name: dict[str, Task] = field(default_factory=dict)
    owners: set[str | None] = field(default_factory=lambda: {None})
    """The owners that clients of the scenario named."""
    highest: dict[NamedKey, int] = field(default_factory=dict)
    """The highest epoch of each key that a task was given."""
    spelled: dict[NamedKey, str] = field(default_factory=dict)
    """The prefix of the name of a key that was chosen for its coordinator."""
    _processes: int = 0

    def __getitem__(self, name: str) -> Task:
        return self.by_name[name]

    def new(self, name: str, key: NamedKey) -> Task:
        """A process that knows nothing of earlier ones, even if it takes over their task."""
        self._processes += 1
        self.owners.add(key.owner)
        client = f"{name}, process {self._processes}"
        if key.owner is None:
            probe: PulsarProbe = self.session.client(client)
        else:
            assert isinstance(self.session, NamesPrincipals), "a session with a system that offers principals"
            probe = self.session.client_of(client, key.owner)
        self.by_name[name] = Task(probe, key)
        return self[name]

    def connect(self, task: Task, epoch: int | None = -1, coordinator: int | None = None) -> Outcome[KeyGrant]:
        """Have a task connect, and remember what it was granted."""
        task.asked_ms = self.session.time.now_ms()
        if task.key.name == "no key":
            return self._granted(task, task.probe.connect_without_key())
        return self._granted(task, task.probe.connect_with_key(self.bytes_of(task.key), epoch, coordinator=coordinator))

    def connected(self, task: Task, pending: PendingKeyConnect, *, within_s: float | None = None) -> Outcome[KeyGrant]:
        """The same for a connect that is in flight."""
        return self._granted(task, task.probe.connected_with_key(pending, within_s=within_s))

    def coordinator_of(self, key: NamedKey) -> int | None:
        """The coordinator of a key, where a task was given it."""
        return next((one.grants[-1].coordinator for one in self.by_name.values() if one.key == key and one.grants), None)

    def settled(self, name: str, *, within_s: float | None = None) -> Task:
        """A task whose last connect was waited for."""
        task = self[name]
        if task.pending is not None:
            pending, task.pending = task.pending, None
            self.connected(task, pending, within_s=within_s)
        return task

    def bytes_of(self, key: NamedKey) -> bytes:
        """The bytes of a key in the system: only this scenario uses it. It ends with the scenario's name, so that one key can be a prefix
        of another.
        """
        unique = self.session.unique("key")
        odd = {
            "an empty key": b"",
            "a key of 1 byte": b"k",
            "a key of 64 KB": unique.ljust(64 * _KB, "k").encode(),
            "a key of 1024 bytes": unique.ljust(_KB, "k").encode(),
            "a key of 1025 bytes": unique.ljust(_KB + 1, "k").encode(),
            "a key in other letters": f"schlüssel-鍵-{unique}".encode(),
            "a key that is not UTF-8": b"\xff\xfe" + unique.encode(),
        }
        return odd[key.name] if key.is_odd else f"{unique}{self.spelled.get(key, '')}-{key.name}".encode()

    def name_of(self, key: NamedKey) -> str:
        """The same as administrators name it."""
        return self.bytes_of(key).decode()

    def owned(self, key: NamedKey) -> OwnedKey:
        """The same with its owner."""
        return OwnedKey(key.owner or "", self.name_of(key))

    def _granted(self, task: Task, outcome: Outcome[KeyGrant]) -> Outcome[KeyGrant]:
        task.answer, task.granted_ms = outcome, self.session.time.now_ms()
        if isinstance(outcome, Done):
            task.grants.append(outcome.value)
            self.highest[task.key] = max(self.highest.get(task.key, -1), task.epoch)
        return outcome


@KEYS.state
def tasks(context: PulsarContext) -> Tasks:
    """The tasks of this scenario."""
    return Tasks(context.session)
