"""One Kafka broker that is running already: its address, its offer, its users, and what its owner allows."""

from collections.abc import Collection, Sequence

from fencepost.adapters.common.address import Address
from fencepost.adapters.common.restart_command import CommandedFaults, RestartCommand
from fencepost.adapters.common.system_faults import NoFaults
from fencepost.contract.errors import WrongUsage
from fencepost.contract.outcomes import Done, Outcome

from .handshake import ask
from .kafka_session import KafkaSession
from .offer import KafkaOffer
from .probe import TakeFromPool, no_pool
from .reach import NO_USERS, Users, reach_one, readable, serves_transactions, wall_session
from .security import OPEN

_REACHABLE_WITHIN_S = 6.0
"""An unreachable system is reported within ten seconds, with the second for each advertised address."""
_ASKED_WITHIN_S = 5.0


class RunningBroker:
    """The broker or cluster at the first of these addresses that answers `open`."""

    def __init__(self, addresses: Sequence[Address], patience_s: float, command: RestartCommand | None, users: Users = NO_USERS) -> None:
        self._addresses, self._patience_s, self.users = addresses, patience_s, users
        self.address = addresses[0]
        self._command = command
        self._commanded: CommandedFaults | None = None
        self._offer: KafkaOffer | None = None

    def open(self) -> list[str]:
        """Ask the broker for its offer; returns notes for the handshake. Raises SystemUnreachable, Malformed."""
        self.address, offered = reach_one(self._addresses, _REACHABLE_WITHIN_S, self.users)
        self._offer, notes = readable(self.address, offered, self.users)
        self._commanded = None if self._command is None else CommandedFaults(self._command, self.address, self._serves)
        if self.address != self._addresses[0]:
            before = ", ".join(map(str, self._addresses[: self._addresses.index(self.address)]))
            notes.append(f"reached at {self.address}, because no broker answers at {before}")
        return notes if self.users.usual == OPEN else [*notes, f"reached over {self.users.usual}"]

    @property
    def offer(self) -> KafkaOffer:
        """The broker's offer. Raises WrongUsage before `open`."""
        if self._offer is None:
            raise WrongUsage(f"a session with {self.address} was requested before open()")
        return self._offer

    def serves(self, patience_s: float) -> Outcome[object]:
        """Initialise a transactional id there, and return the outcome. Raises NotOffered."""
        return serves_transactions(self.address, self.offer, patience_s, self.users)

    def session(self, needs: Collection[str], take_from_pool: TakeFromPool = no_pool) -> KafkaSession:
        """A fresh session; a broker that an earlier one left down is restarted first. Raises SetUpFailed."""
        offer = self.offer
        if self._commanded is not None:
            self._commanded.bring_back()
        faults = self._commanded or NoFaults(str(self.address))
        return wall_session(self.address, offer, self._patience_s, faults, needs, users=self.users, take_from_pool=take_from_pool)

    def close(self) -> None:
        """Leave the broker running."""
        if self._commanded is not None:
            self._commanded.leave()

    def answers(self) -> bool:
        """Whether the broker answers now, or is down because a scenario had it killed."""
        return (self._commanded is not None and self._commanded.is_away) or isinstance(self._ask(), Done)

    def _ask(self) -> Outcome[KafkaOffer]:
        transport = self.users.connect("handshake", self.address)
        try:
            return ask(transport, deadline_s=_ASKED_WITHIN_S)
        finally:
            transport.close()

    def _serves(self) -> Outcome[object]:
        answer = self._ask()
        return self.serves(_ASKED_WITHIN_S) if isinstance(answer, Done) else answer
