"""What CI asks of a release that it does not ask everything: where it is known to deviate, and a little of everything else."""

from fencepost.contract import gherkin, register
from fencepost.contract.gherkin import requirement_of
from fencepost.deviations import known_deviations


def deviating(system: str, version: str) -> set[str]:
    """The requirements of which that release is known to break a scenario."""
    known = known_deviations.load_for(system, version, True, register.bundled()).known
    return {one.entry.requirement for one in known} - {known_deviations.ANY}


def smoke(*specs: str) -> set[str]:
    """A requirement of each feature of these proposals, the first one: every area of the protocol is entered once."""
    return {name for feature in gherkin.bundled() if feature.spec in specs for name in [requirement_of(feature.rules[0].tags)] if name}


def asked(system: str, version: str, *specs: str) -> frozenset[str]:
    """Both together."""
    return frozenset(deviating(system, version) | smoke(*specs))


def requirements_tested(*specs: str) -> set[str]:
    """All that these proposals test."""
    return {row.id for row in register.bundled().rows(specs) if row.is_tested}
