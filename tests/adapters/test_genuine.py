"""Which known deviations hold for a broker: those of its release, and none for any other system with the protocol."""

import pytest

from fencepost.adapters.common.containers import repository_digest
from fencepost.adapters.common.genuine import ImageName, Whose, of_image, of_stranger
from fencepost.adapters.judged_by_profile import judged_by
from fencepost.adapters.kafka.kafka_settings import kafka_settings
from fencepost.adapters.kafka.offer import VersionRange
from fencepost.adapters.kafka.release import identify, reported_by, said_by
from fencepost.adapters.pulsar import handshake as pulsar
from fencepost.adapters.pulsar.pulsar_settings import pulsar_settings
from fencepost.adapters.reference_kafka import ReferenceSystem

KAFKA = kafka_settings().project_of("kafka")
PULSAR = pulsar_settings().project_of("pulsar")
OF_4_3 = ("4.3", "supports metadata.version up to 30")
DIGEST = "sha256:" + "1a" * 32


@pytest.mark.parametrize(
    ("name", "repository", "tag"),
    [
        ("apache/kafka:4.3.1", "apache/kafka", "4.3.1"),
        ("docker.io/apache/kafka", "apache/kafka", None),
        (f"index.docker.io/apache/kafka:4.3.1@{DIGEST}", "apache/kafka", "4.3.1"),
        (f"apache/kafka@{DIGEST}", "apache/kafka", None),
        ("kafka:4.3.1", "library/kafka", "4.3.1"),
        ("docker.io/kafka", "library/kafka", None),
        ("docker.io/library/kafka", "library/kafka", None),
        ("localhost:5000/kafka", "localhost:5000/kafka", None),
        ("registry:5000/apache/kafka:4.3.1", "registry:5000/apache/kafka", "4.3.1"),
    ],
)
def test_an_image_is_known_by_its_repository_and_tag(name: str, repository: str, tag: str | None) -> None:
    """As Docker reads a name: the default registry may be left out, a port is no tag, a digest names no version."""
    assert ImageName.of(name) == ImageName(repository, tag)


@pytest.mark.parametrize(
    ("image", "version"),
    [
        ("apache/kafka:4.3.1", "4.3.1"),
        ("docker.io/apache/kafka:4.3.0", "4.3.0"),
        (f"apache/kafka:4.3.1@{DIGEST}", "4.3.1"),
        ("apache/kafka:4.3", "4.3"),
        ("apache/kafka:latest", "4.3"),
        ("apache/kafka", "4.3"),
        (f"apache/kafka@{DIGEST}", "4.3"),
        ("apache/kafka:4.3.1-mine", "4.3"),
    ],
)
def test_the_projects_own_image_that_says_what_its_tag_says_is_that_release(image: str, version: str) -> None:
    """To the patch level if the tag has one, else to the line that follows from the broker's report."""
    whose = of_image(KAFKA, image, *OF_4_3)

    assert (whose.judged_as, whose.looks_like) == (("kafka", version), None)
    assert whose.deviations == (
        f"the bundled deviations of kafka {version} hold: {image} is the official image, and the broker supports metadata.version up to 30"
    )


@pytest.mark.parametrize(
    "image",
    [
        "corp/broker:pr-1234",
        "corp/broker:2.7",
        "corp/broker:4.3.1",
        "kafka:4.3.1",
        "registry:5000/apache/kafka:4.3.1",
        "apache/kafka-x:4.3.1",
    ],
)
def test_another_image_has_no_releases_deviations_whatever_its_tag(image: str) -> None:
    """The reason has what it looks like, and the option for that case."""
    whose = of_image(KAFKA, image, *OF_4_3)

    assert (whose.judged_as, whose.looks_like) == (None, ("kafka", "4.3"))
    assert whose.deviations == (
        f"no bundled deviations: {image} is not the official image; if it is Apache Kafka 4.3, use --known-as kafka:4.3"
    )


def test_the_projects_own_image_with_another_version_has_no_deviations() -> None:
    """A separate build under the project's name, or a release newer than the kit."""
    other = of_image(KAFKA, "apache/kafka:4.0.0", *OF_4_3)
    newer = of_image(KAFKA, "apache/kafka:4.9.0", None, "supports metadata.version up to 99")

    assert (other.judged_as, other.looks_like) == (None, ("kafka", "4.3"))
    assert "is tagged 4.0.0, but the broker supports metadata.version up to 30, as 4.3 does; if it is Apache Kafka 4.3" in str(
        other.deviations
    )
    reported = "no bundled deviations: apache/kafka:4.9.0 supports metadata.version up to 99, as no known release does"
    assert newer == Whose(None, None, reported)


def test_a_broker_that_runs_already_may_be_anybodys() -> None:
    """Any broker can report the same about itself."""
    like, unlike = of_stranger(KAFKA, "the broker at a:1", "4.3"), of_stranger(KAFKA, "the broker at a:1", None)

    assert (like.judged_as, like.looks_like, unlike.judged_as, unlike.looks_like) == (None, ("kafka", "4.3"), None, None)
    assert str(like.deviations).endswith("may be any broker; if it is Apache Kafka 4.3, use --known-as kafka:4.3")
    assert str(unlike.deviations).endswith("if it is a release of Apache Kafka, name it, such as --known-as kafka:X.Y.Z")


@pytest.mark.parametrize(
    ("level", "reported"),
    [
        (VersionRange(7, 33), "4.4"),
        (VersionRange(7, 30), "4.3"),
        (VersionRange(7, 22), "4.0"),
        (VersionRange(7, 25), "4.0"),
        (VersionRange(7, 34), None),
        (None, None),
    ],
)
def test_kafka_reports_its_release_line_by_metadata_version(level: VersionRange | None, reported: str | None) -> None:
    """A level of no known release gives none, however near it is."""
    assert reported_by(level, kafka_settings().releases) == reported
    assert ("metadata.version up to" in said_by(level)) == (level is not None)


def test_only_a_whole_version_is_exact() -> None:
    """A tag such as 4.3 names a line, and one such as 4.3.1-mine no release."""
    releases = kafka_settings().releases

    exact = {tag: identify(VersionRange(7, 30), releases, tag).exact for tag in ("4.3.1", "4.3.1-rc1", "4.3", "4.3.1-mine")}

    assert exact == {"4.3.1": True, "4.3.1-rc1": True, "4.3": False, "4.3.1-mine": False}


@pytest.mark.parametrize(
    ("image", "server", "judged_as"),
    [
        ("apachepulsar/pulsar:4.0.7", "Pulsar Server4.0.7", ("pulsar", "4.0.7")),
        ("apachepulsar/pulsar:latest", "Pulsar Server4.0.7", ("pulsar", "4.0.7")),
        ("apachepulsar/pulsar:5.0.0-M1", "Pulsar Server5.0.0-M1", ("pulsar", "5.0.0b1")),
        ("apachepulsar/pulsar:4.0.7", "Pulsar Server4.0.8", None),
        ("apachepulsar/pulsar:4.0.7", "Corp Server", None),
        ("corp/pulsar:4.0.7", "Pulsar Server4.0.7", None),
    ],
)
def test_pulsar_reports_its_whole_version(image: str, server: str, judged_as: tuple[str, str] | None) -> None:
    """In CONNECTED, so it must equal the tag."""
    reported = pulsar.reported_by(pulsar.identify(server, pulsar_settings().releases))

    assert of_image(PULSAR, image, reported, f"calls itself {server!r}").judged_as == judged_as


def test_a_profile_excuses_nothing() -> None:
    """--profile does not change which deviations hold, in either direction."""
    text, release = ReferenceSystem("seed"), ReferenceSystem("kafka-4.3")

    assert judged_by("kafka-4.3", text).open().judged_as is None
    assert judged_by("seed", release).open().judged_as == ("kafka", "4.3.1")


def test_a_digest_is_that_of_the_repository_in_the_name() -> None:
    """An image may be in several repositories; if it is in none with this name, the digest of another one identifies it."""
    known = ["corp/broker@sha256:c", "apache/kafka@sha256:a"]

    assert repository_digest("docker.io/apache/kafka:4.3.1", known) == "sha256:a"
    assert repository_digest("corp/broker:2.7", known) == "sha256:c"
    assert repository_digest("mine:1", ["apache/kafka@sha256:a"]) == "sha256:a"
    assert repository_digest("mine:1", []) is None
