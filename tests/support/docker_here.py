"""Whether containers can be started here. Where they must be, their absence fails instead of skipping."""

import functools
import gc
import os
import subprocess
import warnings

import pytest
from spent import tree_of

from fencepost.adapters.common import owners

IMAGE = "apache/kafka:4.3.1"
NEWEST_IMAGE = "apache/kafka:4.4.0"
OLDER_IMAGE = "apache/kafka:4.0.0"
PULSAR_IMAGE = "apachepulsar/pulsar:4.0.7"


@functools.cache
def _trouble(image: str) -> str | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # Docker's client does not close its socket when Docker does not listen
        trouble = _ask_docker(image)
        gc.collect()
    return trouble


def _ask_docker(image: str) -> str | None:
    import docker  # type: ignore[import-untyped]
    from docker.errors import DockerException  # type: ignore[import-untyped]

    try:
        client = docker.from_env()
    except (DockerException, OSError) as error:
        return f"Docker cannot be reached: {error}"
    try:
        client.images.get(image)
    except (DockerException, OSError) as error:
        return f"Docker has no image {image}: {error}"
    finally:
        client.close()
    return None


def image_for(item: pytest.Item) -> str | None:
    """The image of the test's marker `docker`; None where it has no such marker. Raises UsageError for one without an image."""
    marker = item.get_closest_marker("docker")
    if marker is None:
        return None
    match marker.args:
        case (str(image),) if not marker.kwargs:
            return image
        case _:
            raise pytest.UsageError(f"{item.nodeid}: expected pytest.mark.docker(IMAGE), seen docker{marker.args}")


def require_docker(image: str) -> None:
    """Skip with the reason when there is no Docker or no such image, or fail when FENCEPOST_REQUIRE_CONTAINERS=1 asks for them."""
    require(_trouble(image))


def require(trouble: str | None) -> None:
    """The same for any broker that is not here; None where it is."""
    if trouble is None:
        return
    if os.environ.get("FENCEPOST_REQUIRE_CONTAINERS") == "1":
        pytest.fail(f"FENCEPOST_REQUIRE_CONTAINERS=1, and {trouble}")
    pytest.skip(trouble)


def containers_of(owner: str) -> list[str]:
    """The containers, running or not, that carry this owner in their label."""
    command = ["docker", "ps", "--all", "--quiet", "--filter", f"label=fencepost.owner={owner}"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


def owners_of_containers() -> list[str]:
    """The owners of our containers that exist, running or not; other runs may have others."""
    command = ["docker", "ps", "-a", "--filter", f"label={owners.LABEL}", "--format", f'{{{{.Label "{owners.LABEL}"}}}}']
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def begun_by(run: int) -> list[str]:
    """The owners of a run's containers: its process, and those among which it deals the scenarios."""
    return [owner for owner in owners_of_containers() if int(owner.split(" ")[1]) in tree_of(run)]


def abandoned_owners() -> list[str]:
    """The owners that are gone and whose containers are not."""
    return [owner for owner in owners_of_containers() if owners.is_gone(owner)]
