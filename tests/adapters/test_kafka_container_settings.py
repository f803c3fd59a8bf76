"""What is known of Kafka in a container before one is started: its configurations, settings, image and version."""

import pytest
from docker_here import IMAGE

from fencepost.adapters.images import image_of
from fencepost.adapters.kafka.kafka_container_system import exact_version
from fencepost.adapters.kafka.kafka_settings import KafkaConfiguration, kafka_settings
from fencepost.contract.errors import NotOffered, WrongUsage


def test_a_configuration_that_does_not_exist_is_wrong_usage() -> None:
    """The error lists the configurations that there are."""
    with pytest.raises(WrongUsage, match="no configuration 'fast'; it has short, "):
        kafka_settings().environment("fast", 20_123)


def test_a_scenario_runs_on_the_first_configuration_that_offers_all_it_needs() -> None:
    """What configurations do not offer is no matter of theirs, and what no configuration offers at once cannot be had."""
    configurations = {
        "one": KafkaConfiguration(offers=["crash"], settings={}),
        "two": KafkaConfiguration(offers=["crash", "pause"], settings={}),
        "three": KafkaConfiguration(offers=["expiry"], settings={}),
    }
    settings = kafka_settings().model_copy(update={"configurations": configurations})

    assert settings.configuration_for({"crash", "transactions-v2"}) == "one"
    assert settings.configuration_for({"pause"}) == "two"
    with pytest.raises(NotOffered, match="no configuration that offers expiry, pause at once"):
        settings.configuration_for({"pause", "expiry"})
    assert settings.configurations_for([{"expiry"}, {"pause", "expiry"}, set()]) == ["one", "three"]


def test_the_settings_of_a_configuration_are_read_by_the_names_of_kafka() -> None:
    """As Apache's image does: one underscore is a dot, two are an underscore, three are a dash."""
    settings = {"KAFKA_A_B": "1", "KAFKA_LISTENER_NAME_X_SCRAM___SHA___256": "2", "KAFKA_C__D": "3"}
    odd = kafka_settings().model_copy(update={"configurations": {"odd": KafkaConfiguration(offers=[], settings=settings)}})

    assert odd.properties("odd") == {"a.b": "1", "listener.name.x.scram-sha-256": "2", "c_d": "3"}


def test_a_broker_advertises_the_port_at_which_it_listens() -> None:
    """It reaches itself by the address that clients use."""
    environment = kafka_settings().environment("short", 20_123)

    assert environment["KAFKA_ADVERTISED_LISTENERS"] == "PLAINTEXT://127.0.0.1:20123"
    assert environment["KAFKA_LISTENERS"].startswith("PLAINTEXT://:20123,")


@pytest.mark.parametrize(
    "name", [name for name, one in kafka_settings().configurations.items() if {"crash", "clean-stop", "expiry"} & set(one.offers)]
)
def test_a_broker_that_is_stopped_can_register_again_before_it_gives_up(name: str) -> None:
    """Kafka 4.0 registers no broker again while its old session lasts, also after a clean stop, and the broker gives up after 60 s."""
    assert int(kafka_settings().environment(name, 20_123)["KAFKA_BROKER_SESSION_TIMEOUT_MS"]) <= 10_000


@pytest.mark.parametrize(
    ("image", "version"),
    [
        ("apache/kafka:4.3.1", "4.3.1"),
        ("registry:5000/apache/kafka:4.1.0-rc0", "4.1.0-rc0"),
        ("apache/kafka:latest", None),
        ("registry:5000/kafka", None),
        ("kafka:4.0@sha256:1234", "4.0"),
    ],
)
def test_a_version_is_read_off_a_tag_that_is_one(image: str, version: str | None) -> None:
    """A tag such as `latest` says nothing."""
    assert exact_version(image) == version


@pytest.mark.parametrize(
    ("broker", "image"), [("kafka", IMAGE), ("kafka:4.1.1", "apache/kafka:4.1.1"), ("pulsar:5.0.0-M1", "apachepulsar/pulsar:5.0.0-M1")]
)
def test_a_short_name_stands_for_an_image(broker: str, image: str) -> None:
    """What users write for --broker."""
    assert image_of(broker) == image


@pytest.mark.parametrize("broker", ["", "kafka:", "redpanda", "redpanda:1"])
def test_what_is_no_short_name_is_refused(broker: str) -> None:
    """The error says what would be one."""
    with pytest.raises(WrongUsage, match="expected kafka or pulsar"):
        image_of(broker)
