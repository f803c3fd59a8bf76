"""Each fault of an image, or of Docker, has its own error. No container is started here."""

from collections.abc import Callable

import pytest
from docker.errors import APIError, DockerException, ImageNotFound  # type: ignore[import-untyped]  # it has no types

from fencepost.adapters.common import container_image
from fencepost.contract.errors import SystemUnreachable

IMAGE, INSTEAD = "corp/broker:1", "Use --bootstrap."


class Registry:
    """Docker with these images; a pull calls `pull`."""

    def __init__(self, here: set[str], pull: Callable[[str], None], get: Callable[[str], None] = lambda _: None) -> None:
        self.images = self
        self._here, self._pull, self._get = here, pull, get

    def get(self, image: str) -> str:
        self._get(image)
        if image not in self._here:
            raise ImageNotFound("404 Client Error for http+docker://localhost: Not Found", explanation=f"No such image: {image}")
        return image

    def pull(self, image: str) -> None:
        self._pull(image)
        self._here.add(image)

    def close(self) -> None: ...


def failing(explanation: str) -> Callable[[str], None]:
    def fail(_: str) -> None:
        raise APIError("500 Server Error for http+docker://localhost/v1.41/images", explanation=explanation)

    return fail


def had(monkeypatch: pytest.MonkeyPatch, registry: Registry) -> list[str]:
    """Get the image from that registry; returns what was reported as awaited."""
    reported: list[str] = []
    monkeypatch.setattr(container_image.docker, "from_env", lambda: registry)
    container_image.have(IMAGE, reported.append, INSTEAD)
    return reported


def test_an_image_that_is_here_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """No registry is asked for it."""
    assert had(monkeypatch, Registry({IMAGE}, failing("must not be pulled"))) == []


def test_an_image_is_not_pulled_without_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be large, so the pull is reported."""
    (reported,) = had(monkeypatch, Registry(set(), lambda _: None))

    assert reported == "Docker to pull the image, which is not on this machine yet"


@pytest.mark.parametrize(
    ("registry", "why"),
    [
        (
            Registry(set(), failing("manifest unknown")),
            "the image corp/broker:1 is not on this machine, and cannot be pulled: manifest unknown. ",
        ),
        (Registry(set(), failing("invalid reference format")), "'corp/broker:1' is not the name of an image, "),
        (Registry(set(), lambda _: None, failing("invalid reference format")), "'corp/broker:1' is not the name of an image, "),
    ],
)
def test_an_image_that_cannot_be_had_is_reported_with_the_reason(registry: Registry, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In Docker's words, without its addresses, and with an alternative."""
    with pytest.raises(SystemUnreachable) as raised:
        had(monkeypatch, registry)

    assert str(raised.value).startswith(why)
    assert str(raised.value).endswith(INSTEAD)
    assert "http+docker" not in str(raised.value)


def test_a_docker_that_does_not_answer_is_no_fault_of_the_image(monkeypatch: pytest.MonkeyPatch) -> None:
    """The remedy differs."""

    def fail() -> None:
        raise DockerException("Error while fetching server API version: no such file")

    monkeypatch.setattr(container_image.docker, "from_env", fail)

    with pytest.raises(SystemUnreachable, match=r"^Docker does not answer, .* Start Docker, or let this user use it\. Use --bootstrap\.$"):
        container_image.have(IMAGE, lambda _: None, INSTEAD)


@pytest.mark.parametrize(
    ("explanation", "why"),
    [
        ("No command specified", "has no command, so it starts nothing: it is no broker's image"),
        ("port is already allocated", "could not start a container from it: port is already allocated"),
    ],
)
def test_an_image_that_cannot_be_started_is_distinguished_from_a_docker_that_cannot(explanation: str, why: str) -> None:
    """The text of Docker's error decides."""
    assert why in str(container_image.not_started(IMAGE, APIError("400 Client Error", explanation=explanation), INSTEAD))
