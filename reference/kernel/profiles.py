"""Reading release profiles: one YAML file each, checked against the model of its protocol."""

from functools import cache
from importlib.resources.abc import Traversable
from typing import TypeVar

import yaml
from pydantic import BaseModel, ValidationError

Model = TypeVar("Model", bound=BaseModel)
_document = cache(yaml.safe_load)  # of a text: a proof opens thousands of brokers, and to read a file anew takes a tenth of its time


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
        return model.model_validate({**_document(file.read_text(encoding="utf-8")), "name": name})
    except (yaml.YAMLError, TypeError) as error:
        raise ProfileError(f"{file}: expected a mapping in YAML: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(step) for step in first["loc"])
        plain = first["msg"].removeprefix("Value error, ").replace("Input should be", "expected")
        said = "this key is not known here" if first["type"] == "extra_forbidden" else plain
        raise ProfileError(f"{file}: {key}: {said}") from error
