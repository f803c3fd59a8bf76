"""The short names of brokers, such as `kafka:4.1.1`, their images, and the images that are no broker of a system."""

import functools
import re
from importlib import resources

from pydantic import BaseModel

from fencepost.contract.datafile import load
from fencepost.contract.errors import WrongUsage

from .common.genuine import ImageName

_STORES = ("oxia/oxia",)
_NAME = re.compile(
    r"(?:[A-Za-z0-9.-]+(?::\d+)?/)?[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*)*"
    r"(?::\w[\w.-]{0,127})?(?:@[a-z0-9]+:[0-9a-f]{32,})?|sha256:[0-9a-f]{12,64}",
    re.ASCII,
)
"""The name of an image as Docker has it: a registry, a repository of small letters, a tag, a digest; or an image by its digest."""


class _Broker(BaseModel):
    """The fields of a broker in `fixtures/brokers.yaml` that this module reads."""

    image: str
    official: list[str]


def check_image(image: str, system: str) -> None:
    """Raises WrongUsage, before any container is started, for a text that is no image name, and for another project's image."""
    if not _NAME.fullmatch(image):
        raise WrongUsage(
            f"{image!r} is not the name of an image; expected REPOSITORY:TAG, such as {_images()[system]}: no blanks, and small letters"
        )
    repository = ImageName.of(image).repository
    if repository in _STORES:
        raise WrongUsage(f"{image} is a metadata store, and no broker; expected an image of {system}, such as {_images()[system]}")
    for name, broker in _brokers().items():
        mine = name.partition("-")[0]
        if mine != system and repository in {ImageName.of(one).repository for one in broker.official}:
            raise WrongUsage(
                f"{image} is an image of {mine}, and the system to judge is {system}: use `{mine}`, or an image such as {_images()[system]}"
            )


def image_of(broker: str) -> str:
    """The image of a broker: a name alone is the image in `fixtures/brokers.yaml`, NAME:TAG is the same repository with another tag."""
    images = _images()
    name, colon, tag = broker.partition(":")
    if name not in images or bool(colon) != bool(tag):
        raise WrongUsage(
            f"{broker!r} is not a broker with a short name; expected {' or '.join(images)}, with a version or without, such as kafka:4.1.1"
        )
    return f"{images[name].rpartition(':')[0]}:{tag}" if tag else images[name]


@functools.cache
def _brokers() -> dict[str, _Broker]:
    return load(resources.files("fencepost.fixtures") / "brokers.yaml", dict[str, _Broker])


def _images() -> dict[str, str]:
    return {name: broker.image for name, broker in _brokers().items()}
