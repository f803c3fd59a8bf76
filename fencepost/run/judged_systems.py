"""What a run judges: a system for each protocol that it speaks.

A broker speaks one. The bundled reference speaks all, with a broker for each, so that one run judges every proposal.
"""

from collections.abc import Collection, Mapping

from fencepost.adapters import registry
from fencepost.contract import proposals
from fencepost.contract.errors import Malformed, SystemUnreachable
from fencepost.contract.ports import Handshake, System
from fencepost.contract.register import Register
from fencepost.deviations import known_deviations, user_deviations
from fencepost.deviations.known_as import Likeness, settled
from fencepost.deviations.known_deviations import Expectations

from .options import RunOptions
from .verdicts import lacks


class JudgedSystems:
    """The systems of one run, by their protocols."""

    def __init__(self, options: RunOptions, register: Register) -> None:
        self.by_protocol: Mapping[str, System] = options.build_systems()
        self.handshakes: dict[str, Handshake] = {}
        self.expectations: dict[str, Expectations] = {}
        self.likenesses: dict[str, Likeness] = {}
        self._options = options
        self._register = register
        self._own = user_deviations.read(options.expectations, register)

    @property
    def profile(self) -> str | None:
        """The profile of the reference; None for another system."""
        return self._options.profile

    def profile_of(self, protocol: str) -> str | None:
        """The profile of the reference, or that of the release which another system is; None for a system that is no known release."""
        known = self.handshakes[protocol].judged_as
        if self.profile is not None or known is None:
            return self.profile
        system, version = known
        return f"{system}-{'.'.join(version.split('.')[:2])}"

    @property
    def defect(self) -> str | None:
        """The defect or the conforming variant that the reference has; None without one."""
        return self._options.defect

    def protocols(self, requirement: str) -> tuple[str, ...]:
        """The protocols under which a requirement is asked here."""
        return self.protocols_of(self._register.spec_of(requirement))

    def protocols_of(self, spec: str) -> tuple[str, ...]:
        """The protocols under which a proposal is asked here."""
        return tuple(name for name in proposals.bundled().protocols_of(spec) if name in self.by_protocol)

    def prepare(self) -> None:
        """Begin to start what will be needed in any case."""
        for system in self.by_protocol.values():
            system.prepare()

    def open(self, needs: Mapping[str, Collection[frozenset[str]]]) -> None:
        """Wait for the systems of these protocols, and get their handshakes. `needs` has what the scenarios of each will need.

        Raises SystemUnreachable, DataFileError, and WrongUsage if a system is not what the user declares.
        """
        for protocol, wanted in needs.items():
            self.by_protocol[protocol].prepare(wanted)
        for protocol, wanted in needs.items():
            system = self.by_protocol[protocol]
            try:
                said = system.open()
                registry.check_opened(self._options.system, system, said)
            except (SystemUnreachable, Malformed) as error:
                raise SystemUnreachable(f"{system.name} cannot be judged: {error}") from error
            handshake = settled(self._options.system, said, self._options.named.known_as)
            self.handshakes[protocol] = handshake
            system.prepare([needs for needs in wanted if not lacks(system.name, needs, handshake)])
            # A profile of the reference need not imitate every deviation of its release.
            exact = self.profile is None and said.version_is_exact and handshake.judged_as == said.judged_as
            bundled, version = self._expected(handshake, exact), (handshake.judged_as or (system.name, handshake.version))[1]
            self.expectations[protocol] = self._own.added_to(bundled, version, exact)
            self.likenesses[protocol] = Likeness.of(handshake, self._register)

    def _expected(self, handshake: Handshake, exact: bool) -> Expectations:
        """The bundled deviations that hold for the system. If `exact`, they must show: its release is known to the patch level."""
        if handshake.judged_as is None:
            return Expectations()
        return known_deviations.load_for(*handshake.judged_as, exact, self._register)

    def close(self) -> None:
        """Release everything."""
        for system in self.by_protocol.values():
            system.close()
