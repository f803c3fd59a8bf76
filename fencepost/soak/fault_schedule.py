"""The faults of a soak run: which ones, when, and how each is done."""

import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from fencepost.contract.capabilities import CAPABILITIES
from fencepost.contract.errors import UnknownName, WrongUsage
from fencepost.contract.ports import Faults, PassesTime, Session

from .load_clients import LATE, STALL

NEEDS = {"crash": "crash", "pause": "two-nodes", "wire": "wire-faults", LATE: None, STALL: None}
"""The capability that the system must offer for each fault. A fault without one is a misbehaviour of the clients."""
OF_CLIENTS = frozenset(name for name, needed in NEEDS.items() if needed is None)

PAUSED_NODE = 2
PAUSED_S = 5.0
_REQUESTS = ("produce", "end_txn", "txn_offset_commit")
"""The requests that are lost or duplicated in flight."""


def named(text: str | None, offered: Collection[str], system: str) -> tuple[str, ...]:
    """The faults in a list such as `crash,pause`. Raises UnknownName, and WrongUsage for one that the system does not offer."""
    names = tuple(dict.fromkeys(name.strip() for name in text.split(","))) if text else ()
    for name in names:
        if name not in NEEDS:
            raise UnknownName("fault", name, NEEDS)
        needed = NEEDS[name]
        if needed is not None and needed not in offered:
            can = ", ".join(fault for fault, need in NEEDS.items() if need is None or need in offered)
            raise WrongUsage(f"--faults {name}: {system} does not offer {needed} ({CAPABILITIES[needed]}); faults that it offers: {can}")
    return names


@dataclass
class FaultSchedule:
    """The next fault and its time, in seconds since the run began; drawn, and the same for the same seed."""

    faults: Sequence[str]
    every_s: float
    chance: random.Random
    due_s: float = 0.0

    def __post_init__(self) -> None:
        self._plan(0.0)

    def take(self, now_s: float) -> str | None:
        """The fault that is due, if one is."""
        if not self.faults or now_s < self.due_s:
            return None
        self._plan(now_s)
        return self.chance.choice(self.faults)

    def _plan(self, now_s: float) -> None:
        self.due_s = now_s + self.every_s * self.chance.uniform(0.5, 1.5)


def inflict(fault: str, faults: Faults, session: Session, writers: Sequence[str], chance: random.Random) -> None:
    """Inject a fault, and return when the system serves again. `session` is that of the clients, whose connections a wire fault affects."""
    match fault:
        case "crash":
            faults.crash()
            faults.restart()
        case "pause":
            faults.pause(PAUSED_NODE)
            try:
                _pass(session, PAUSED_S)
            finally:
                faults.resume(PAUSED_NODE)
        case "wire":
            wire, client, request = session.wire, chance.choice(writers), chance.choice(_REQUESTS)
            chance.choice((wire.lose_request, wire.lose_answer, wire.arrive_twice))(client, request)


def _pass(session: Session, seconds: float) -> None:
    if isinstance(session.time, PassesTime):
        session.time.let_pass(seconds * 1000)
        return
    for _ in session.time.attempts(seconds):
        pass
