"""The suite on Apache Pulsar in containers: the due verdicts, and no container is left afterwards."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from asked_again import judge_container
from commands import check_where_java_is, compliance, verdicts
from docker_here import PULSAR_IMAGE
from older_release import asked, deviating, requirements_tested

pytestmark = pytest.mark.docker(PULSAR_IMAGE)

VERSION = "4.0.7"
MOST_NOT_OFFERED = 10
SPECS = ("pip31", "core")


@dataclass(frozen=True)
class Judged:
    """A run whose histories were judged as well, where there is a Java."""

    results: Path
    asked: frozenset[str]
    """The requirements that it was asked to judge."""
    red_once: frozenset[str]


@pytest.fixture(
    scope="module",
    params=[pytest.param(True, id="where it deviates"), pytest.param(False, marks=pytest.mark.thorough, id="everything")],
)
def judged(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Judged:
    """PIP-31 and the core: where it is known to deviate and a little of each area, or all of both."""
    only = asked("pulsar", VERSION, *SPECS) if request.param else frozenset()
    folder = tmp_path_factory.mktemp("pulsar")
    options = [f"--only={requirement}" for requirement in sorted(only)] or [f"--spec={spec}" for spec in SPECS]
    red_once = judge_container("pulsar", PULSAR_IMAGE, (*options, *check_where_java_is()), folder)
    return Judged(folder, only or frozenset(requirements_tested(*SPECS)), red_once)


def test_a_release_of_pulsar_conforms_but_for_its_known_deviations(judged: Judged) -> None:
    """Every tested requirement is judged and none is red again when it is asked again; what deviates is named; little is not offered."""
    results = judged.results
    found = {name: verdict for name, verdict in verdicts(results).items() if name not in judged.red_once}
    assert set(found.values()) <= {"met", "known_deviation", "not_offered"}
    assert found.keys() | judged.red_once == judged.asked
    shown = {requirement for requirement, verdict in found.items() if verdict == "known_deviation"}
    by_cause = {row["id"] for row in compliance(results)["requirements"] if "NoSnapshot" in (row["reason"] or "")}
    assert shown <= deviating("pulsar", VERSION) | by_cause
    assert list(found.values()).count("not_offered") <= MOST_NOT_OFFERED
    system = {"name": "pulsar", "version": VERSION, "profile": "pulsar-4.0"}
    assert compliance(results)["system"].items() >= system.items()


@pytest.mark.usefixtures("java")
def test_the_histories_of_a_release_of_pulsar_show_only_what_deviates(judged: Judged) -> None:
    """All of them were judged, and could be read; writes to an ended transaction are those of known deviations."""
    reported = compliance(judged.results)["histories"]

    assert (reported["judged"] > len(judged.asked), reported["quarantined"]) == (True, 0)
    assert "write-to-ended-transaction" in {anomaly["anomaly"] for anomaly in reported["anomalies"] if anomaly["definite"]}
    assert {anomaly["requirement"] for anomaly in reported["anomalies"] if anomaly["red"]} <= judged.red_once
