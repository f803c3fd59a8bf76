"""What a run would do, reported before anything is started."""

import json
from pathlib import Path
from typing import Any

import pytest
from commands import compliance, fencepost

from fencepost.adapters.common.line_up import MOST_BESIDE_OTHERS, MOST_CONTAINERS
from fencepost.contract import register, smoke
from fencepost.contract.brokers import ScheduledScenario
from fencepost.contract.registration import SpecifiedSystem as AskedOfSystem
from fencepost.run.options import RunOptions
from fencepost.run.plan import RunPlan, expected_seconds, in_words, plan_of, reported, weights
from fencepost.run.plays import plays_of
from fencepost.run.selection import Selection

KAFKA = AskedOfSystem({"container": "apache/kafka:4.3.1"})
PULSAR = AskedOfSystem({"container": "apachepulsar/pulsar:4.0.7"})


def planned(options: RunOptions, workers: int = 1) -> RunPlan:
    return plan_of(options.about_system(register.bundled()), register.bundled(), workers)


def test_a_whole_run_of_kafka_holds_five_containers_at_most() -> None:
    """All that it starts is counted; a cluster of two nodes is one broker and two containers."""
    plan = planned(RunOptions("kafka", KAFKA))
    (part,) = plan.protocols
    assert part.brokers is not None
    brokers = {one.configuration: (one.brokers, one.containers) for one in part.brokers.started}

    assert plan.containers_at_once == MOST_CONTAINERS
    assert brokers["two-nodes"] == (1, 2)
    assert brokers["levels"] == (1, 1)
    assert brokers["crashing-levels"][0] > 1
    assert part.brokers.image == "apache/kafka:4.3.1"
    assert [one.needs for one in part.not_offered] == ["crash-points", "doubled-answers", "failed-appends", "sealing", "virtual-time"]


def crashing(plan: RunPlan) -> tuple[int, int]:
    """The fresh brokers, and the scenarios that run on them."""
    ((brokers, scenarios),) = [
        (one.brokers, one.scenarios)
        for part in plan.protocols
        if part.brokers
        for one in part.brokers.started
        if one.configuration == "fresh"
    ]
    return brokers, scenarios


def test_scenarios_that_share_a_crash_have_one_broker() -> None:
    """As in a run, which has about a dozen. If scenarios run one after the other, each has a broker, and the run takes much longer."""
    selection = Selection(specs=("core", "pip31"))
    plan = planned(RunOptions("pulsar", PULSAR, selection))
    singly = planned(RunOptions("pulsar", PULSAR, selection, concurrency=1))
    brokers, scenarios = crashing(plan)

    assert 10 < brokers < 20 < 100 < scenarios
    assert crashing(singly) == crashing(planned(RunOptions("pulsar", PULSAR, selection), workers=2)) == (scenarios, scenarios)
    assert plan.seconds is not None
    assert singly.seconds is not None
    assert 4 * plan.seconds < singly.seconds


def test_a_broker_at_an_address_crashes_once_for_all_that_share_it() -> None:
    """The estimate has what a crash takes once for each wave, not once for each scenario."""
    asked = AskedOfSystem({"bootstrap": "127.0.0.1:9092", "restart-command": "true"})
    selection = Selection(only=("KIP890-163",))
    whole, singly = (planned(RunOptions("kafka", asked, selection, concurrency=most)).seconds for most in (8, 1))

    assert whole is not None
    assert singly is not None
    assert 4 * whole < singly


def test_scenarios_that_share_a_crash_are_as_much_of_a_run_as_one_of_them() -> None:
    """So the live estimate does not take a run for almost over when its first wave is."""
    system = RunOptions("kafka", KAFKA).build_systems()["kafka"]
    found = plays_of(register.bundled(), Selection(only=("CORE-24",)), lambda _: ("kafka",))
    plays = [play for play in found if play.needs == {"crash"}]

    assert len(plays) > 1
    assert sum(weights(system, plays).values()) == pytest.approx(*weights(system, plays[:1]).values())


def test_a_plan_counts_what_a_run_asks(reference_run: tuple[Path, str]) -> None:
    """The same requirements and scenarios, by proposal."""
    asked = [one for one in compliance(reference_run[0])["requirements"] if one["scenarios"]]
    plan = planned(RunOptions())

    requirements: dict[str, int] = {}
    for one in asked:
        spec = register.bundled().spec_of(one["id"])
        requirements[spec] = requirements.get(spec, 0) + 1
    by_protocol = {part.protocol: part for part in plan.protocols}
    assert by_protocol["kafka"].requirements == {"core": requirements["core"], "kip890": requirements["kip890"]}
    assert by_protocol["pulsar"].requirements == {spec: requirements[spec] for spec in ("core", "pip31", "transaction_key")}
    scenarios = sum(sum(part.scenarios.values()) for part in plan.protocols)
    assert scenarios == sum(len(one["scenarios"]) for one in asked)


def test_workers_share_out_what_is_started() -> None:
    """Each has a broker for scenarios without special needs, and holds few containers; the rest is started once, as by one process."""
    one, three = planned(RunOptions("kafka", KAFKA, concurrency=1)), planned(RunOptions("kafka", KAFKA), workers=3)
    counts = [
        {each.configuration: each.brokers for each in part.brokers.started}
        for plan in (one, three)
        for part in plan.protocols
        if part.brokers is not None
    ]

    assert counts[1] == counts[0] | {"short": 3}
    assert MOST_CONTAINERS < three.containers_at_once <= 3 * MOST_BESIDE_OTHERS
    assert one.seconds is not None
    assert three.seconds is not None
    assert three.seconds < one.seconds


def test_a_broker_that_runs_already_needs_no_container() -> None:
    """And what needs settings will not be offered."""
    plan = planned(RunOptions("kafka", AskedOfSystem({"bootstrap": "127.0.0.1:9092"})))
    (part,) = plan.protocols

    assert (part.brokers, plan.containers_at_once, plan.memory_mb) == (None, 0, 0)
    assert {"authorizer", "crash"} <= {need for one in part.not_offered for need in one.needs.split(", ")}


@pytest.mark.parametrize(("name", "asked"), [("kafka", KAFKA), ("pulsar", PULSAR)])
def test_a_smoke_run_takes_less_than_a_minute(name: str, asked: AskedOfSystem) -> None:
    """Estimated from measured seconds; a whole run takes longer."""
    quick, whole = planned(RunOptions(name, asked, smoke=True)), planned(RunOptions(name, asked))

    assert quick.seconds is not None
    assert whole.seconds is not None
    assert quick.seconds < 60 < whole.seconds


def test_a_smoke_run_starts_what_it_asks_for() -> None:
    """On Kafka one broker; on Pulsar one that all scenarios share, one with several coordinators, and one that is killed."""
    started = [
        part.brokers
        for name, asked in (("kafka", KAFKA), ("pulsar", PULSAR))
        for part in planned(RunOptions(name, asked, smoke=True)).protocols
    ]

    assert [sum(one.brokers for one in brokers.started) for brokers in started if brokers] == [1, 3]


def test_what_was_never_measured_is_not_guessed() -> None:
    """A system of another package has no estimate."""

    class Unmeasured:
        name = "theirs"

    systems: Any = {"kafka": Unmeasured()}

    assert expected_seconds(systems, {"kafka": [ScheduledScenario("core/fencing.feature", frozenset())]}) is None


def test_a_smoke_run_says_so_and_is_never_the_whole(tmp_path: Path) -> None:
    """compliance.json and the output both say so; with a proposal it is what both choose."""
    fencepost("run", "--smoke", "--spec", "pip31", "--no-html", "--results", tmp_path, expect=0)

    found = compliance(tmp_path)
    judged = [one["id"] for one in found["requirements"] if one["scenarios"]]
    assert found["selection"]["smoke"] is True
    assert found["selection"]["only"] == list(smoke.requirements_for(["kafka", "pulsar"]))
    assert sorted(judged) == sorted(one for one in smoke.requirements_for(["pulsar"]) if one.startswith("PIP31"))


def test_a_plan_starts_nothing_and_leaves_nothing(tmp_path: Path) -> None:
    """No folder is created; the text agrees with the numbers in JSON."""
    arguments = ("run", "kafka", "--container", "nowhere/kafka:0", "--smoke", "--plan", "--results", "there")
    printed = fencepost(*arguments, expect=0, cwd=tmp_path).out
    data = json.loads(fencepost(*arguments, "--format", "json", expect=0, cwd=tmp_path).out)

    assert [path.name for path in tmp_path.iterdir() if not path.name.startswith(".")] == []  # kio imports Hypothesis, where it is
    assert "nothing has been started" in printed
    assert "results: there" in printed
    assert "short            1 broker: " in printed
    assert (data["containers_at_once"], data["results"]) == (1, "there")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--only", "KIP890-165", "--smoke"), "nothing is selected"),
        (("--plan", "--format", "xml"), "unknown format 'xml'"),
        (("--plan", "--only", "KIP890-999"), "KIP890-999"),
    ],
)
def test_a_plan_that_cannot_be_made_is_refused(arguments: tuple[str, ...], why: str, tmp_path: Path) -> None:
    """As the run would be."""
    finished = fencepost("run", *arguments, expect=2, cwd=tmp_path)

    assert why in finished.out + finished.err


def test_nothing_in_a_plan_is_a_word_of_pythons() -> None:
    """For every kind of system."""
    for options in (RunOptions(), RunOptions("kafka", KAFKA), RunOptions("pulsar", PULSAR, Selection(levels=("MAY", "SHOULD")))):
        for line in reported(planned(options)):
            assert not any(word in line for word in ("None", "frozenset", "Counter", "()"))


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.2, "1 s"), (7.4, "7 s"), (34, "30 s"), (119, "120 s"), (140, "2 minutes"), (544, "9 minutes")]
)
def test_times_are_reported_as_roughly_as_they_are_known(seconds: float, words: str) -> None:
    """An estimate has no decimals."""
    assert in_words(seconds) == words
