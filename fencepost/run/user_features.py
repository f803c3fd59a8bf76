"""Features outside of the package: `run --feature FILE` plays only these files, `run --features DIR` those of a folder in addition to the
bundled ones.

They use the sentences of the proposal whose requirements their Rules name. Each is collected by a separate test module, made for the run,
since pytest-bdd collects from modules.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from fencepost.contract import gherkin, register
from fencepost.contract.datafile import DataFileError
from fencepost.contract.errors import WrongUsage
from fencepost.contract.gherkin import Feature, requirement_of
from fencepost.steps import vocabularies

_MODULE = """from pytest_bdd import scenarios

from fencepost.features.step_definitions import define

define({spec!r})
scenarios({path!r})
"""


def files_of(folder: Path) -> tuple[Path, ...]:
    """The feature files below a folder. Raises WrongUsage if there are none."""
    if not folder.is_dir():
        what = "is a file; --feature FILE plays one" if folder.exists() else "there is no such folder"
        raise WrongUsage(f"--features {folder}: {what}; expected a folder with files called NAME.feature")
    found = tuple(sorted(folder.rglob("*.feature")))
    if not found:
        raise WrongUsage(f"--features {folder}: expected a folder with files called NAME.feature, and there are none")
    return found


class OwnFeature(NamedTuple):
    """A feature file, the requirements that its Rules name, and the proposal whose sentences it uses."""

    file: Path
    requirements: tuple[str, ...]
    spec: str
    feature: Feature


def read(file: Path) -> OwnFeature:
    """A file whose steps can all be played. Raises WrongUsage for any other, with its line."""
    try:
        feature = gherkin.parse(str(file), file.read_text(encoding="utf-8"))
    except IsADirectoryError as error:
        raise WrongUsage(f"--feature {file}: is a folder, not a feature file; --features DIR plays those of a folder") from error
    except FileNotFoundError as error:
        raise WrongUsage(
            f"--feature {file}: there is no such file; expected a feature file, such as one that `fencepost explore` saves"
        ) from error
    except (OSError, UnicodeDecodeError, DataFileError) as error:
        raise WrongUsage(f"{file}: expected a feature file that can be read: {error}") from error
    rows, named = register.bundled(), []
    for rule in feature.rules:
        identifier = requirement_of(rule.tags) or ""
        if identifier not in rows.by_id:
            tags = _listed([f"@{tag}" for tag in rule.tags])
            raise WrongUsage(f"{file}:{rule.line}: expected a Rule with the tag of a requirement, such as @CORE-07; it has {tags}")
        named.append(identifier)
    specs = {rows.spec_of(identifier) for identifier in named}
    if len(specs) != 1:
        raise WrongUsage(
            f"{file}: expected Rules of one proposal, because the proposal decides what steps may say; found {_listed(sorted(specs))}"
        )
    _check_steps(file, feature, spec := specs.pop())
    return OwnFeature(file.resolve(), tuple(named), spec, replace(feature, path=f"{spec}/{file.name}"))


@contextmanager
def modules_of(features: Sequence[OwnFeature]) -> Iterator[list[str]]:
    """Test modules that collect these features; without features, no folder is made."""
    if not features:
        yield []
        return
    with TemporaryDirectory(prefix="fencepost-features-") as folder:
        modules = []
        for number, one in enumerate(features):
            module = Path(folder) / f"test_own_{number}.py"
            module.write_text(_MODULE.format(spec=one.spec, path=str(one.file)), encoding="utf-8")
            modules.append(str(module))
        yield modules


def _check_steps(file: Path, feature: Feature, spec: str) -> None:
    for step in feature.said:
        if vocabularies.sentence_of(spec, step.kind, step.text) is None:
            raise WrongUsage(
                f"{file}:{step.line}: no sentence of {spec} parses the {step.kind} {step.text!r}; "
                f"`fencepost sentences --spec {spec}` shows them, and another version may have written the file"
            )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"
