"""Under which protocols the reference is asked of a requirement: those where it offers what one of the scenarios needs.

A log of Kafka cannot be sealed, so nothing that its reference does can break, or prove, a row about sealed logs.
"""

import functools
from collections.abc import Mapping

from fencepost.adapters import registry
from fencepost.contract import gherkin, proposals
from fencepost.contract.register import Register
from fencepost.contract.registration import Asked


def protocols_asked(requirement: str, register: Register) -> tuple[str, ...]:
    """Of the protocols that a requirement binds, in the order of its proposal. All of them where no scenario stands for it."""
    bound = proposals.bundled().protocols_of(register.spec_of(requirement))
    needs = [frozenset(gherkin.needs_in(scenario.tags)) for _, scenario in gherkin.scenarios_of(requirement)]
    return tuple(protocol for protocol in bound if not needs or any(need <= _offered()[protocol] for need in needs))


@functools.cache
def _offered() -> Mapping[str, frozenset[str]]:
    """What the reference offers, by protocol."""
    systems = registry.build(registry.REFERENCE, Asked())
    try:
        return {protocol: system.open().capabilities for protocol, system in systems.items()}
    finally:
        for system in systems.values():
            system.close()
