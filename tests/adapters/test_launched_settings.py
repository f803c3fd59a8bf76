"""The capabilities of a broker that a launcher starts follow from its file, and each missing one has its reason."""

import sys
from pathlib import Path

import pytest

from fencepost.adapters.common.launcher import Passing, read
from fencepost.adapters.kafka.kafka_login import Passwords
from fencepost.adapters.kafka.kafka_settings import NodeAddresses, kafka_settings
from fencepost.adapters.kafka.launched_settings import Launched, file_of, launched, passed_on, variables_of, words_of
from fencepost.adapters.kafka.launched_system import LaunchedKafkaSystem
from fencepost.contract.brokers import BROKERS_AT_ONCE, ScheduledScenario

PLACE = NodeAddresses(20_001, "127.0.0.1", 20_002, 20_003, "127.0.0.1:20003", "127.0.0.1:20002")


def had(folder: Path, *lines: str) -> Launched:
    path = folder / "broker.yaml"
    path.write_text("\n".join(["name: a broker", f"start: {sys.executable}", *lines, ""]), encoding="utf-8")
    return launched(read(str(path)))


def test_with_a_file_of_properties_all_is_offered_that_a_container_offers(tmp_path: Path) -> None:
    """If it can start a second node."""
    found = had(tmp_path, "settings: {passed-as: property-file}", "most-nodes: 2")

    assert found.settings == kafka_settings()
    assert not found.missing


@pytest.mark.parametrize(
    ("lines", "missing", "why"),
    [
        (
            ["most-nodes: 2"],
            {"known-limits", "short-expiry", "compaction", "verification-off", "authorizer"},
            "accepts no settings, and this needs",
        ),
        (["settings: {passed-as: property-file}"], {"two-nodes"}, "starts 1 node, and 2 are needed"),
        (["settings: {passed-as: property-file}", "most-nodes: 2", "stop: cannot"], {"clean-stop"}, "cannot be stopped"),
        (["settings: {passed-as: property-file}", "most-nodes: 2", "kill: cannot"], {"crash", "reload"}, "cannot be killed"),
        (
            ["settings: {passed-as: property-file}", "most-nodes: 2", "pause: cannot", "resume: cannot"],
            {"two-nodes"},
            "a node cannot be paused",
        ),
        (["settings: {passed-as: property-file}", "most-nodes: 2", "data: none"], {"crash", "reload", "clean-stop"}, "keeps no data"),
        (
            ["settings: {passed-as: arguments, word: '{name}={value}'}", "most-nodes: 2"],
            {"authorizer"},
            "passwords would be visible in the process list",
        ),
        (
            ["settings: {passed-as: environment, word: 'B_{NAME}', names: [transaction.max.timeout.ms]}", "most-nodes: 2"],
            {"short-expiry", "compaction", "verification-off", "authorizer"},
            "has no name for the setting",
        ),
        (
            ["settings: {passed-as: cannot, has: {transaction.max.timeout.ms: '900000'}}", "most-nodes: 2"],
            {"short-expiry", "compaction", "verification-off", "authorizer"},
            "accepts no settings",
        ),
    ],
)
def test_what_the_file_does_not_offer_is_missing_with_its_reason(tmp_path: Path, lines: list[str], missing: set[str], why: str) -> None:
    """And no other is missing."""
    found = had(tmp_path, *lines)

    assert set(found.missing) == missing
    assert found.settings.capabilities == kafka_settings().capabilities - missing
    assert all(why in reason for reason in found.missing.values())


def test_brokers_of_three_nodes_have_one_controller(tmp_path: Path) -> None:
    """With every configuration, and each node listens at its own ports."""
    settings = had(tmp_path, "settings: {passed-as: property-file}", "nodes: 3").settings

    for name in settings.configurations:
        nodes = [settings.properties_at(name, PLACE, Passwords({}), node) for node in (1, 2, 3)]
        assert settings.nodes(name) == 3
        assert [node["node.id"] for node in nodes] == ["1", "2", "3"]
        assert [node["process.roles"] for node in nodes] == ["broker,controller", "broker", "broker"]
        assert ["CONTROLLER://" in node["listeners"] for node in nodes] == [True, False, False]
        assert {node["controller.quorum.voters"] for node in nodes} == {"1@127.0.0.1:20002"}


def test_a_process_listens_on_loopback_alone() -> None:
    """At all of its ports; nothing in braces is left, and settings that only an image knows are left out."""
    for name in kafka_settings().configurations:
        passwords = Passwords.made_up_for(kafka_settings().users(name))
        properties = kafka_settings().properties_at(name, PLACE, passwords, 1)
        assert all("://127.0.0.1:" in listener for listener in properties["listeners"].split(","))
        assert not any("{" in value for value in properties.values())
        assert not {"opts", "log4j.loggers"} & properties.keys()


def test_settings_are_passed_in_each_way() -> None:
    """By the broker's own names, if it has some."""
    passing = Passing.model_validate({"passed-as": "arguments", "word": "--set {name}={value}", "names": {"a.b": "x-y"}})

    settings = passed_on(passing, {"a.b": "1 2", "c": "3"})

    assert settings == {"x-y": "1 2"}
    assert words_of(passing, settings) == ["--set", "x-y=1 2"]
    assert variables_of(Passing.model_validate({"passed-as": "environment", "word": "B_{NAME}"}), settings) == {"B_X_Y": "1 2"}
    assert file_of({"a": 'org.Login required x="\\"', "b": ""}) == 'a=org.Login required x="\\\\"\nb=\n'


def test_brokers_that_are_judged_at_the_same_time_have_room_together(tmp_path: Path) -> None:
    """Also if each broker has three nodes."""
    path = tmp_path / "broker.yaml"
    path.write_text(f"name: a broker\nstart: {sys.executable}\nnodes: 3\nsettings: {{passed-as: property-file}}\n", encoding="utf-8")
    system = LaunchedKafkaSystem(read(str(path)))
    scenarios = [
        ScheduledScenario("kip890/ending.feature", frozenset({need})) for need in ("crash", "two-nodes", "authorizer", "short-expiry")
    ]

    found = system.brokers(scenarios)

    assert [one.containers for one in found.started] == [3] * 4
    assert found.containers_at_once == BROKERS_AT_ONCE * 3
