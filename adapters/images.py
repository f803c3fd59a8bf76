"""The short names of brokers, such as `kafka:4.1.1`, and the images that they stand for."""

import functools
from importlib import resources

from pydantic import BaseModel

from fencepost.contract.datafile import load
from fencepost.contract.errors import WrongUsage


class _Broker(BaseModel):
    """What is read here of a broker in `fixtures/brokers.yaml`."""

    image: str


def image_of(broker: str) -> str:
    """The image of a broker: a name alone is the one of `fixtures/brokers.yaml`, NAME:TAG is that repository with another tag."""
    images = _images()
    name, colon, tag = broker.partition(":")
    if name not in images or bool(colon) != bool(tag):
        raise WrongUsage(
            f"{broker!r} is not a broker with a short name; expected {' or '.join(images)}, with a version or without, such as kafka:4.1.1"
        )
    return f"{images[name].rpartition(':')[0]}:{tag}" if tag else images[name]


@functools.cache
def _images() -> dict[str, str]:
    found = load(resources.files("fencepost.fixtures") / "brokers.yaml", dict[str, _Broker])
    return {name: broker.image for name, broker in found.items()}
