"""A Pulsar system that is running already and belongs to somebody else."""

from collections.abc import Collection

from fencepost.adapters.common import genuine
from fencepost.adapters.common.faults import NoFaults
from fencepost.adapters.common.patience import PATIENCE_S
from fencepost.contract.errors import WrongUsage
from fencepost.contract.outcomes import Done
from fencepost.contract.ports import Handshake

from .handshake import describe, identify, told_by
from .reach import parse_place, reach, serves_transactions, wall_session
from .session import PulsarSession
from .settings import pulsar_settings

_REACHABLE_WITHIN_S = 6.0


class PulsarAt:
    """The system at `pulsar://HOST:PORT`, with its admin interface at `http://HOST:PORT`."""

    name = "pulsar"

    def __init__(self, service_url: str, admin_url: str, patience_s: float = PATIENCE_S) -> None:
        self._place = parse_place(service_url, admin_url)
        self._patience_s = patience_s
        self._is_open = False

    def prepare(self, needs: Collection[frozenset[str]] = ()) -> None:
        """There is nothing to start."""

    def may_offer(self) -> frozenset[str]:
        """Nothing that needs settings, or a container to kill."""
        return frozenset()

    def open(self) -> Handshake:
        """Ask the broker what it is.

        A system that serves no transactions is opened all the same, with a note: that is for scenarios to judge.
        """
        offer = reach(self._place, _REACHABLE_WITHIN_S)
        outcome = serves_transactions(self._place, self._patience_s)
        notes = [] if isinstance(outcome, Done) else [f"no transaction could be begun and ended within {self._patience_s:g} s: {outcome}"]
        self._is_open = True
        settings = pulsar_settings()
        identity = identify(offer.server, settings.releases)
        whose = genuine.of_stranger(settings.project_of(self.name), f"the broker at {self._place}", told_by(identity))
        missing = [f"{name}: {self._place} was not started by fencepost" for name in sorted(settings.capabilities)]
        return describe(offer, identity, whose, missing=missing, notes=[f"at {self._place}", *notes])

    def session(self, title: str, needs: frozenset[str] = frozenset()) -> PulsarSession:  # noqa: ARG002 - it is the same for all
        """A fresh session."""
        if not self._is_open:
            raise WrongUsage(f"a session with {self._place} was asked for before open()")
        return wall_session(self._place, self._patience_s, NoFaults(str(self._place)))

    def close(self) -> None:
        """There is nothing to give back: connections belong to sessions."""
