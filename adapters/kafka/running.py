"""One Kafka broker that is running already: its address, what it offers, who logs in, and what its owner lets be done to it."""

from collections.abc import Collection

from fencepost.adapters.common.address import Address
from fencepost.adapters.common.faults import NoFaults
from fencepost.adapters.common.restart_command import CommandedFaults, RestartCommand
from fencepost.contract.errors import WrongUsage
from fencepost.contract.outcomes import Done, Outcome

from .handshake import ask
from .offer import Offer
from .probe import TakeFromPool, no_pool
from .reach import NOBODY, Users, reach, readable, serves_transactions, wall_session
from .session import KafkaSession

_REACHABLE_WITHIN_S = 6.0
"""Together with the second that each advertised address has, an unreachable system is reported within ten."""
_ASKED_WITHIN_S = 5.0


class RunningBroker:
    """The broker, or the cluster, at that address."""

    def __init__(self, address: Address, patience_s: float, command: RestartCommand | None, users: Users = NOBODY) -> None:
        self.address, self._patience_s, self._users = address, patience_s, users
        self._commanded = None if command is None else CommandedFaults(command, address, self._serves)
        self._offer: Offer | None = None

    def open(self) -> list[str]:
        """Ask it what it offers; answers what is to be noted. Raises SystemUnreachable, Malformed."""
        self._offer, notes = readable(self.address, reach(self.address, _REACHABLE_WITHIN_S, self._users), self._users)
        return notes

    @property
    def offer(self) -> Offer:
        """What it offers. Raises WrongUsage before it is open."""
        if self._offer is None:
            raise WrongUsage(f"a session with {self.address} was asked for before open()")
        return self._offer

    def serves(self, patience_s: float) -> Outcome[object]:
        """Whether a transactional id can be initialised there. Raises NotOffered."""
        return serves_transactions(self.address, self.offer, patience_s, self._users)

    def session(self, needs: Collection[str], take_from_pool: TakeFromPool = no_pool) -> KafkaSession:
        """A fresh session; what an earlier one left dead is brought back first. Raises SetUpFailed."""
        offer = self.offer
        if self._commanded is not None:
            self._commanded.bring_back()
        faults = self._commanded or NoFaults(str(self.address))
        return wall_session(self.address, offer, self._patience_s, faults, needs, users=self._users, take_from_pool=take_from_pool)

    def close(self) -> None:
        """Leave it running."""
        if self._commanded is not None:
            self._commanded.leave()

    def answers(self) -> bool:
        """Whether it answers now, or is down because a scenario had it killed."""
        return (self._commanded is not None and self._commanded.is_away) or isinstance(self._ask(), Done)

    def _ask(self) -> Outcome[Offer]:
        transport = self._users.connect("handshake", self.address)
        try:
            return ask(transport, deadline_s=_ASKED_WITHIN_S)
        finally:
            transport.close()

    def _serves(self) -> Outcome[object]:
        answer = self._ask()
        return self.serves(_ASKED_WITHIN_S) if isinstance(answer, Done) else answer
