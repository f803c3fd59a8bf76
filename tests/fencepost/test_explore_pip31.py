"""Exploration of PIP-31: silent on what conforms, and defects that are seen in their shortest sequences."""

import pytest

from fencepost import together
from fencepost.contract.register import bundled
from fencepost.contract.registration import Asked
from fencepost.explore import search
from fencepost.explore.trial import Trials
from fencepost.judged_systems import JudgedSystems
from fencepost.options import Options
from fencepost.reference.defects import LAWFUL, Defect
from fencepost.steps.acts.pip31 import TABLE


def trials(defect: str | None = None, profile: str | None = None) -> Trials:
    """Trials of PIP-31 on the reference; what a release is known to break is no finding."""
    systems = JudgedSystems(Options(asked=Asked({"defect": defect} if defect else {}, profile)), bundled())
    systems.open({"pulsar": [frozenset()]})
    known = frozenset(one.entry.requirement for one in systems.expectations["pulsar"].known)
    return Trials(TABLE.offered(systems.handshakes["pulsar"].capabilities), systems.by_protocol["pulsar"].session, known=known)


def always(_: search.Progress) -> bool:
    return True


@pytest.mark.parametrize("profile", [None, "pulsar-4.0", "pulsar-5.0"])
def test_the_reference_keeps_random_sequences(profile: str | None) -> None:
    """With either transaction buffer, and as the proposal or a release has it."""
    progress = search.drawn(trials(profile=profile), 40, 10, 1, always)

    assert (progress.finding, progress.count) == (None, 40)


def test_the_reference_keeps_each_act() -> None:
    """By itself, with what the end of every sequence looks at."""
    progress = search.exhaustive(trials(), 1, always)

    assert (progress.finding, progress.is_whole) == (None, True)
    assert progress.count > 80


@pytest.mark.parametrize(
    "group", [one for one in together.groups(LAWFUL.values()) if one[0].protocol == "pulsar"], ids=lambda group: group[0].name
)
def test_conforming_variants_are_silent(monkeypatch: pytest.MonkeyPatch, group: tuple[Defect, ...]) -> None:
    """Those that replace different parts are one broker."""
    broker = together.as_one(group)
    monkeypatch.setitem(LAWFUL, broker.name, broker)

    assert search.drawn(trials(broker.name), 20, 10, 4, always).finding is None
