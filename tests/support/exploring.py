"""Trials of a proposal's acts on the reference."""

from collections.abc import Callable
from typing import Any

import pytest

from fencepost.contract.register import bundled
from fencepost.contract.registration import SpecifiedSystem
from fencepost.explore import search
from fencepost.explore.disturbed import DisturbedTable
from fencepost.explore.finding_scenario import reported
from fencepost.explore.reduction import reduced
from fencepost.explore.search import SearchProgress
from fencepost.explore.trial import ExploredFinding, Trials
from fencepost.proof import conforming_groups
from fencepost.reference.defects import CONFORMING, Defect
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


def conforming_on(*protocols: str) -> list[tuple[Defect, ...]]:
    """The conforming variants of these protocols, those that change different parts as one broker."""
    return [one for one in conforming_groups.groups(CONFORMING.values()) if one[0].protocol in protocols]


def found_on(
    group: tuple[Defect, ...], table: Table[Any], monkeypatch: pytest.MonkeyPatch, count: int, seed: int
) -> ExploredFinding | None:
    """What so many sequences of ten acts find on these variants as one broker."""
    broker = conforming_groups.as_one(group)
    monkeypatch.setitem(CONFORMING, broker.name, broker)
    return search.drawn(trials(table, broker.protocol, broker.name), count, 10, seed, always).finding


def shortest(broken: Trials, acts: tuple[str, ...]) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """The requirement that these acts find violated, the acts up to there, and those of them that it takes."""
    finding = broken.play(acts).finding
    assert finding is not None, f"{acts} find nothing"
    return finding.requirement, finding.acts, reduced(finding, broken.find).acts


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
