"""The image of containers: present on this machine, or pulled with a notice, or refused with the reason.

It distinguishes cases with different remedies: Docker that does not answer, an invalid name, an image that is not on this machine and
cannot be pulled, and one that Docker has and cannot start.

This module imports Docker's client, so other modules import it only when a container is needed.
"""

import contextlib
from collections.abc import Callable

import docker  # type: ignore[import-untyped]  # it has no types
from docker.errors import APIError, DockerException, ImageNotFound  # type: ignore[import-untyped]

from fencepost.contract.errors import SystemUnreachable

_NO_COMMAND = "no command specified"
_NO_NAME = "invalid reference format"


def have(image: str, waits_for: Callable[[str], None], instead: str) -> None:
    """Have the image on this machine; `waits_for` is called if it is pulled. Raises SystemUnreachable, which ends with `instead`."""
    try:
        client = docker.from_env()
    except (DockerException, OSError) as error:
        raise SystemUnreachable(
            f"Docker does not answer, so no container of {image} can be started: {said(error)}. "
            f"Start Docker, or let this user use it. {instead}"
        ) from error
    with contextlib.closing(client):
        try:
            client.images.get(image)
        except ImageNotFound:
            waits_for("Docker to pull the image, which is not on this machine yet")
            _pull(client, image, instead)
        except APIError as error:
            raise SystemUnreachable(_refused(image, error, instead)) from error


def _pull(client: docker.DockerClient, image: str, instead: str) -> None:
    try:
        client.images.pull(image)
    except (DockerException, OSError) as error:
        if _NO_NAME in said(error):
            raise SystemUnreachable(_refused(image, error, instead)) from error
        raise SystemUnreachable(
            f"the image {image} is not on this machine, and cannot be pulled: {said(error)}. Is its name right, and can its registry be "
            f"reached from here? {instead}"
        ) from error


def not_started(image: str, error: Exception, instead: str) -> SystemUnreachable:
    """The error for an image that Docker has and cannot start."""
    if _NO_COMMAND in said(error).lower():
        return SystemUnreachable(f"the image {image} has no command, so it starts nothing: it is no broker's image. {instead}")
    return SystemUnreachable(f"Docker has the image {image}, but could not start a container from it: {said(error)}. {instead}")


def said(error: Exception) -> str:
    """Docker's error, without the address of the request; without such a text, the system's error about the connection."""
    explanation = getattr(error, "explanation", None)
    return str(explanation or _of_the_connection(error) or error).strip().rstrip(".")


def _of_the_connection(error: BaseException) -> str | None:
    """The innermost error, such as `Connection refused`, without the errors that the client wraps around it."""
    reported, cause = None, error.__cause__ or error.__context__
    while cause:
        reported = cause.strerror if isinstance(cause, OSError) and cause.strerror else reported
        cause = cause.__cause__ or cause.__context__
    return reported


def _refused(image: str, error: Exception, instead: str) -> str:
    return (
        f"{image!r} is not the name of an image, Docker says: {said(error)}; expected REPOSITORY:TAG, such as apache/kafka:4.3.1. {instead}"
    )
