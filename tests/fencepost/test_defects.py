"""Each defect of the reference is caught by the scenario of its requirement, for its stated reason; no conforming variant is caught."""

import re

import pytest

from fencepost.contract import register
from fencepost.proof.defect_proof import Breadth, Proof, prove
from fencepost.reference.defects import CONFORMING, DEFECTS


@pytest.fixture(scope="module")
def proof(request: pytest.FixtureRequest) -> Proof:
    """What the suite says of every variant, found out once. A violation is that of the first scenario that is violated, so `make test-all`
    only adds whether a defect breaks the reference down in a later one.
    """
    breadth = Breadth.ITS_OWN if request.config.getoption("--thorough") else Breadth.UNTIL_SHOWN
    return prove(register.bundled(), (), breadth, workers=2, report=lambda *_: None)


@pytest.mark.parametrize("name", sorted(DEFECTS))
def test_a_defect_is_caught_for_its_reason(name: str, proof: Proof) -> None:
    """The scenarios of each broken requirement are red, and the violation shows the symptom that is due there."""
    seen = next(one for one in proof.seen if one.defect.name == name)

    assert seen.trouble is None
    for requirement, symptom in DEFECTS[name].breaks.items():
        assert seen.verdicts[requirement] == "violated"
        assert symptom.shows_in(seen.violations[requirement]), seen.violations[requirement]


@pytest.mark.parametrize("name", sorted(CONFORMING))
def test_no_scenario_catches_a_conforming_variant(name: str, proof: Proof) -> None:
    """Unusual order and timing that break no promise are no red; and everything was asked."""
    seen = next(one for one in proof.seen if one.defect.name == name)

    assert seen.trouble is None
    assert set(seen.verdicts) == {row for row, protocols in proof.protocols.items() if seen.defect.protocol in protocols}
    assert set(seen.verdicts.values()) == {"met"}


def test_the_first_defects_are_there() -> None:
    """There are at least the five of the first slice, each with an origin, and conforming variants."""
    broken = {requirement for defect in DEFECTS.values() for requirement in defect.breaks}

    assert broken >= {"KIP890-060", "KIP890-126", "KIP890-100", "KIP890-160", "KIP890-137"}
    assert all(defect.origin and defect.story for defect in DEFECTS.values())
    assert len(CONFORMING) >= 14


def test_many_defects_are_real_bugs() -> None:
    """At least 15 different bugs of real brokers are made again, each by its number."""
    numbers = {number for defect in DEFECTS.values() for number in re.findall(r"KAFKA-\d+|[\w-]+/[\w-]+#\d+", defect.origin)}

    assert len(numbers) >= 15, sorted(numbers)
