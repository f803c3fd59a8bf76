"""Trials of a proposal's acts on the reference."""

from collections.abc import Callable
from typing import Any

from fencepost.contract.register import bundled
from fencepost.contract.registration import SpecifiedSystem
from fencepost.explore.disturbed import DisturbedTable
from fencepost.explore.finding_scenario import reported
from fencepost.explore.reduction import reduced
from fencepost.explore.search import SearchProgress
from fencepost.explore.trial import ExploredFinding, Trials
from fencepost.run.judged_systems import JudgedSystems
from fencepost.run.options import RunOptions
from fencepost.steps.acts.act import ActLine, Table
from fencepost.steps.vocabularies import speech_of


def trials(table: Table[Any], protocol: str, defect: str | None = None, profile: str | None = None) -> Trials:
    """With a defect, or as a release is; what that release is known to break is no finding."""
    systems = JudgedSystems(RunOptions(asked=SpecifiedSystem({"defect": defect} if defect else {}, profile)), bundled())
    systems.open({protocol: [frozenset()]})
    offers = systems.handshakes[protocol].capabilities
    disturbed = DisturbedTable.of(table, protocol, offers, systems.profile, [defect] if defect else [])
    return Trials(disturbed.table, systems.by_protocol[protocol].session, known=systems.expectations[protocol], disturbed=disturbed)


def always(_: SearchProgress) -> bool:
    """There is time for more."""
    return True


def raising(error: Exception) -> Callable[..., None]:
    """A function that raises this, whatever it is called with."""

    def raises(*_: object) -> None:
        raise error

    return raises


def scenario_of(broken: Trials, healthy: Trials, found: ExploredFinding) -> tuple[ActLine, ...]:
    """What exploration makes of a finding."""
    small = reduced(found, broken.find)
    return reported(small, lambda said: broken.shows(said, small), speech_of(broken.table.spec), lambda said: healthy.meets(said, small))
