"""The short names of brokers, such as `kafka:4.1.1`, and the images that they stand for."""

from fencepost.contract.errors import WrongUsage

from .kafka.settings import kafka_settings
from .pulsar.settings import pulsar_settings


def image_of(broker: str) -> str:
    """The image of a broker: a name alone is the one of `fixtures/brokers.yaml`, NAME:TAG is that repository with another tag."""
    images = {"kafka": kafka_settings().image, "pulsar": pulsar_settings().image}
    name, colon, tag = broker.partition(":")
    if name not in images or bool(colon) != bool(tag):
        raise WrongUsage(
            f"{broker!r} is not a broker with a short name; expected kafka or pulsar, with a version or without, such as kafka:4.1.1"
        )
    return f"{images[name].rpartition(':')[0]}:{tag}" if tag else images[name]
