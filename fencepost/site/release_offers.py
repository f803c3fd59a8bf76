"""Which proposals a line of releases is tested for: those of which the reference offers anything with the profile of that line."""

import functools

from fencepost.adapters import registry
from fencepost.contract import proposals
from fencepost.contract.registration import SpecifiedSystem
from fencepost.run.options import RunOptions
from fencepost.run.plays import Plays
from fencepost.run.selection import Selection
from fencepost.run.verdicts import lacks


@functools.cache
def offered_by(system: str, line: str) -> frozenset[str]:
    """The proposals of which the reference offers anything with the profile of that line; none for a line that has no profile."""
    profile = f"{system}-{line}"
    if profile not in registry.find(registry.REFERENCE).profiles():
        return frozenset()
    like = SpecifiedSystem({}, profile)
    spoken = frozenset(registry.protocols_of(registry.REFERENCE, like))
    bound = tuple(spec for spec, proposal in proposals.bundled().by_spec.items() if not spoken.isdisjoint(proposal.protocols))
    with Plays(RunOptions(asked=like, selection=Selection(specs=bound))) as plays:
        shakes = plays.systems.handshakes
        return frozenset(play.feature.spec for play in plays if not lacks(profile, play.needs, shakes[play.protocol]))
