"""Reading release profiles: one YAML file each, checked against the model of its protocol."""

import functools
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any, ClassVar, Self, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

Model = TypeVar("Model", bound=BaseModel)


class ProfileError(ValueError):
    """There is no such profile, or its file is wrong; the message names the file and key, and what was expected."""


def names(folder: Traversable) -> list[str]:
    """The profiles of a folder."""
    return sorted(file.name.removesuffix(".yaml") for file in folder.iterdir() if file.name.endswith(".yaml"))


def load(folder: Traversable, name: str, model: type[Model]) -> Model:
    """The profile of that name. Raises ProfileError."""
    if name not in names(folder):
        raise ProfileError(f"there is no release profile {name!r}; there are {', '.join(names(folder))}")
    file = folder / f"{name}.yaml"
    try:
        return model.model_validate({**yaml.safe_load(file.read_text(encoding="utf-8")), "name": name})
    except (yaml.YAMLError, TypeError) as error:
        raise ProfileError(f"{file}: expected a mapping in YAML: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(step) for step in first["loc"])
        plain = first["msg"].removeprefix("Value error, ").replace("Input should be", "expected")
        said = "this key is not known here" if first["type"] == "extra_forbidden" else plain
        raise ProfileError(f"{file}: {key}: {said}") from error


class ProfilePart(BaseModel):
    """A part of a profile: nothing but what is declared, and never changed."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Imitated(ProfilePart):
    """The release whose known deviations a profile shows."""

    system: str
    version: str


class ReleaseProfile(ProfilePart):
    """A profile, which lies in `folder` of the releases."""

    folder: ClassVar[str] = "."

    name: str
    imitates: Imitated | None = None

    @classmethod
    def names(cls) -> list[str]:
        """The names of all profiles."""
        return names(_releases() / cls.folder)

    @classmethod
    def load(cls, name: str) -> Self:
        """The profile of that name. Raises ProfileError."""
        found: Self = _loaded(cls, name)
        return found


@functools.cache
def _loaded(model: type[ReleaseProfile], name: str) -> Any:
    return load(_releases() / model.folder, name, model)


def _releases() -> Traversable:
    return resources.files("fencepost.fixtures") / "releases"
