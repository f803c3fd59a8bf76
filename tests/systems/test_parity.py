"""In process and over TCP: the same suite, the same verdicts, the same histories."""

from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

import pytest
from commands import CHECKOUT, compliance, fencepost, python, verdicts
from recorded_runs import histories, scenarios
from served import serve_command

from fencepost.contract import proposals, register

PROFILES = ("seed", "kafka-4.0")
T = TypeVar("T")

SERVED = proposals.bundled().binding("kafka")
BEGINNINGS = tuple({row.id.rpartition("-")[0] + "-" for row in register.bundled().rows(SERVED)})
"""The proposals that are asked of a Kafka, and how the names of their requirements begin."""
LIES = ("sees it as it was before its last change", "will be loaded without a look at the end")
"""In the sentences of a store that shows a broker what is not so any more: such a scenario has no history."""


@pytest.fixture(scope="module", params=PROFILES)
def profile(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def in_process(profile: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of a run on the reference as it is bundled, which has the profile `seed` unless another one is asked for."""
    if profile == "seed":
        results: Path = request.getfixturevalue("reference_run")[0]
        return results
    folder = tmp_path_factory.mktemp("in-process")
    fencepost("run", "--profile", profile, "--no-html", "--results", folder, expect=0)
    return folder


def test_the_histories_are_the_same_event_by_event(profile: str, in_process: Path, tmp_path: Path) -> None:
    """The same requests, answers, virtual times, crashes and verdicts, whether entities are handed over or bytes sent.

    Of an answer that did not come, only how its absence is worded differs: over TCP it tells of a socket.
    """
    specs = (f"--spec={spec}" for spec in SERVED)
    python(CHECKOUT / "tests/fakes/served_reference.py", f"--profile={profile}", *specs, "--no-html", f"--results={tmp_path}", expect=0)

    assert asked_of_kafka(verdicts(tmp_path)) == asked_of_kafka(verdicts(in_process))
    every, over_tcp = histories(in_process), histories(tmp_path)
    offered, not_offered = recorded(in_process)
    assert offered <= len(every) <= offered + not_offered
    ours = asked_of_kafka(every)
    assert ours.keys() == over_tcp.keys()
    for name, events in ours.items():
        assert over_tcp[name] == events, name


def test_the_suite_says_of_a_served_reference_what_it_says_of_the_bundled_one(profile: str, in_process: Path, tmp_path: Path) -> None:
    """Behind an address, in real time: every scenario that is offered has the verdict that it has in process."""
    looks_often = "transaction.abort.timed.out.transaction.cleanup.interval.ms=200"
    with serve_command(tmp_path, "--profile", profile, "--set", looks_often) as served:
        # A profile excuses nothing behind an address: the user says which release is imitated.
        known_as = () if profile == "seed" else ("--known-as", profile.replace("-", ":"))
        given = ("--bootstrap", f"127.0.0.1:{served.port}", "--profile", profile, *known_as)
        fencepost("run", "kafka", *given, "--no-html", "--results", tmp_path / "results", expect=0)

    bundled, behind_address = scenarios(in_process, "kafka"), scenarios(tmp_path / "results", "kafka")
    offered = {name: verdict for name, verdict in behind_address.items() if verdict != "not_offered"}
    assert bundled.keys() == behind_address.keys()
    assert offered == {name: bundled[name] for name in offered}
    assert len(offered) > len(bundled) * 2 / 3


def asked_of_kafka(by_name: Mapping[str, T]) -> dict[str, T]:
    """What has the name of a requirement that is asked of a Kafka, or begins with it."""
    return {name: value for name, value in by_name.items() if name.startswith(BEGINNINGS)}


def recorded(results: Path) -> tuple[int, int]:
    """How many of a run's scenarios have a history: those that were offered, unless their system was shown what is not so. And how many
    may have one: those of which a step found that they are not offered.
    """
    every = [scenario for row in compliance(results)["requirements"] for scenario in row["scenarios"]]
    found = [scenario for scenario in every if scenario["verdict"] != "not_offered"]
    features = {scenario["feature"]: (CHECKOUT / "features" / scenario["feature"]).read_text() for scenario in found}
    told = [(name, text) for name, whole in features.items() for text in whole.split("Scenario: ")[1:]]
    untold = {(name, title(text)) for name, text in told if any(lie in text for lie in LIES)}
    return sum((scenario["feature"], scenario["name"]) not in untold for scenario in found), len(every) - len(found)


def title(scenario: str) -> str:
    return scenario.partition("\n")[0]
