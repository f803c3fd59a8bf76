"""A Pulsar system that is running already and that fencepost did not start."""

from collections.abc import Collection

from fencepost.adapters.common import genuine
from fencepost.adapters.common.patience import PATIENCE_S
from fencepost.adapters.common.restart_command import RESTART_COMMAND, CommandedFaults, RestartCommand
from fencepost.adapters.common.system_faults import NoFaults
from fencepost.contract.errors import WrongUsage
from fencepost.contract.outcomes import Done, Outcome
from fencepost.contract.ports import Handshake

from .handshake import MAY_BE_OFFERED, describe, identify, reported_by
from .levers import LEVERS, missing
from .pulsar_session import PulsarSession
from .pulsar_settings import pulsar_settings
from .reach import Addresses, ask, reach_one, serves_transactions, wall_session
from .security import OPEN

_REACHABLE_WITHIN_S = 6.0
_LEVERS_WITHIN_S = 5.0
"""How long a lever may take to show an effect."""
_ASKED_WITHIN_S = 10.0


class PulsarAt:
    """The system at the first of these addresses that answers `open`."""

    name = "pulsar"

    def __init__(self, addresses: Addresses, patience_s: float = PATIENCE_S, command: RestartCommand | None = None) -> None:
        self._addresses = addresses
        self._place = addresses.place()
        self._patience_s = patience_s
        self._command = command
        self._commanded: CommandedFaults | None = None
        self._is_open = False

    def prepare(self, needs: Collection[frozenset[str]] = ()) -> None:
        """There is nothing to start."""

    def may_offer(self) -> frozenset[str]:
        """The levers, if they have an effect, and crashes if the user gives a command; nothing that needs settings."""
        return frozenset(LEVERS) | MAY_BE_OFFERED | self._crash()

    def open(self) -> Handshake:
        """Ask the broker for its offer.

        A system that serves no transactions is opened all the same, with a note: scenarios judge that.
        """
        self._place, offer = reach_one(self._addresses, _REACHABLE_WITHIN_S)
        if self._command is not None:
            self._commanded = CommandedFaults(self._command, self._place.service, self._serves)
        outcome = serves_transactions(self._place, self._patience_s)
        notes = [] if isinstance(outcome, Done) else [f"no transaction could be begun and ended within {self._patience_s:g} s: {outcome}"]
        notes = [f"at {self._place}", *self._addresses.passed_over(self._place), *notes]
        if self._place.security != OPEN:
            notes.append(f"reached over {self._place.security}")
        self._is_open = True
        settings = pulsar_settings()
        identity = identify(offer.server, settings.releases)
        whose = genuine.of_stranger(settings.project_of(self.name), f"the broker at {self._place}", reported_by(identity))
        reasons = dict.fromkeys(settings.capabilities - self.may_offer(), f"{self._place} was not started by fencepost")
        if "crash" in reasons:
            reasons["crash"] += f"; --{RESTART_COMMAND} CMD says how it is killed and started"
        reasons |= self._missing_levers() if isinstance(outcome, Done) else dict.fromkeys(LEVERS, str(outcome))
        lines = [f"{name}: {reason}" for name, reason in sorted(reasons.items())]
        offered = (LEVERS.keys() - reasons.keys()) | self._crash()
        return describe(offer, identity, whose, offered=offered, missing=lines, notes=notes)

    def _crash(self) -> frozenset[str]:
        return frozenset() if self._command is None else frozenset({"crash"})

    def _missing_levers(self) -> dict[str, str]:
        session = wall_session(self._place, min(self._patience_s, _LEVERS_WITHIN_S), NoFaults(str(self._place)))
        try:
            return missing(session)
        finally:
            session.close()

    def session(self, title: str, needs: frozenset[str] = frozenset()) -> PulsarSession:  # noqa: ARG002 - it is the same for all
        """A fresh session; a broker that an earlier one left down is restarted first. Raises SetUpFailed."""
        if not self._is_open:
            raise WrongUsage(f"a session with {self._place} was requested before open()")
        if self._commanded is not None:
            self._commanded.bring_back()
        return wall_session(self._place, self._patience_s, self._commanded or NoFaults(str(self._place)))

    def answers(self) -> bool:
        """Whether the broker answers now, or is down because a scenario had it killed."""
        return (self._commanded is not None and self._commanded.is_away) or isinstance(ask(self._place), Done)

    def close(self) -> None:
        """Leave the broker running. Connections belong to sessions, which close them."""
        if self._commanded is not None:
            self._commanded.leave()

    def _serves(self) -> Outcome[object]:
        answer = ask(self._place)
        return serves_transactions(self._place, _ASKED_WITHIN_S) if isinstance(answer, Done) else answer
