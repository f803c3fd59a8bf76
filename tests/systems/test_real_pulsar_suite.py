"""The suite on Apache Pulsar in containers: what it must say, and that nothing is left behind."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from asked_again import judge_container
from commands import check_where_java_is, compliance, verdicts
from docker_here import PULSAR_IMAGE

from fencepost import expectations
from fencepost.contract import register

pytestmark = pytest.mark.docker(PULSAR_IMAGE)

MOST_NOT_OFFERED = 10
LEAST_HISTORIES = 100
LEAST_JUDGED = 55
"""Requirements of PIP-31 that are met, or known deviations."""


@dataclass(frozen=True)
class Judged:
    """A run whose histories were judged as well, where there is a Java."""

    results: Path
    red_once: frozenset[str]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    """All of PIP-31 and of the core."""
    folder = tmp_path_factory.mktemp("pulsar")
    return Judged(folder, judge_container("pulsar", PULSAR_IMAGE, ("--spec", "pip31", "--spec", "core", *check_where_java_is()), folder))


def test_a_release_of_pulsar_conforms_but_for_its_known_deviations(judged: Judged) -> None:
    """Every tested requirement is judged and none is red again when it is asked again; what deviates is named; little is not offered."""
    results = judged.results
    found = {name: verdict for name, verdict in verdicts(results).items() if name not in judged.red_once}
    known = {one.entry.requirement for one in expectations.load_for("pulsar", "4.0.7", True, register.bundled()).known}
    assert set(found.values()) <= {"met", "known_deviation", "not_offered"}
    shown = {requirement for requirement, verdict in found.items() if verdict == "known_deviation"}
    by_cause = {row["id"] for row in compliance(results)["requirements"] if "NoSnapshot" in (row["reason"] or "")}
    assert shown <= known | by_cause
    assert list(found.values()).count("not_offered") <= MOST_NOT_OFFERED
    assert len([name for name, verdict in found.items() if name.startswith("PIP31") and verdict != "not_offered"]) >= LEAST_JUDGED
    system = {"name": "pulsar", "version": "4.0.7", "profile": "pulsar-4.0"}
    assert compliance(results)["system"].items() >= system.items()


@pytest.mark.usefixtures("java")
def test_the_histories_of_a_release_of_pulsar_show_only_what_deviates(judged: Judged) -> None:
    """All of them were judged, and could be read; writes to an ended transaction are those of known deviations."""
    told = compliance(judged.results)["histories"]

    assert (told["judged"] > LEAST_HISTORIES, told["quarantined"]) == (True, 0)
    assert "write-to-ended-transaction" in {anomaly["anomaly"] for anomaly in told["anomalies"] if anomaly["definite"]}
    assert {anomaly["requirement"] for anomaly in told["anomalies"] if anomaly["red"]} <= judged.red_once
