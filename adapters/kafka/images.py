"""The short names of brokers, such as `kafka:4.1`, and the images that they stand for."""

from fencepost.adapters.ports import WrongUsage

from .settings import kafka_settings


def image_of(broker: str) -> str:
    """The image of a broker: `kafka` is the one of `fixtures/brokers.yaml`, `kafka:TAG` is that repository with another tag."""
    name, colon, tag = broker.partition(":")
    if name != "kafka" or bool(colon) != bool(tag):
        raise WrongUsage(f"{broker!r} is not a broker with a short name; expected kafka or kafka:VERSION, such as kafka:4.1.1")
    image = kafka_settings().image
    return f"{image.rpartition(':')[0]}:{tag}" if tag else image
