"""The packages import one way only."""

import ast
import runpy
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from imports import CHECKOUT, ORDER, imported, modules

CLOSER = {
    "adapters": {"contract", "wire", "fixtures"},
    "steps": {
        "contract",
        "wire",
        "adapters.kafka.cleaned_partition",
        "adapters.kafka.probe",
        "adapters.kafka.kafka_settings",
        "adapters.kafka.kafka_values",
        "adapters.pulsar.probe",
        "adapters.pulsar.pulsar_values",
    },
    "features": {"steps"},
    "pipeline": {"contract"},
    "report": {"contract", "fixtures", "pipeline"},
    "fencepost": {
        "contract",
        "adapters.images",
        "adapters.offered_at_once",
        "adapters.registry",
        "adapters.replay",
        "adapters.twins",
        "reference.defects",
        "reference.serving.offer",
        "reference.serving.server",
        "steps",
        "pipeline",
        "report",
    },
}
"""Packages that may import less: nobody but a few modules of the adapters knows the reference, so that everything else could judge any
implementation; what judges histories, and what people look at, know files and the foundation. The front door knows systems, protocols
and engines only by the registry, and what performs a disturbance, or sends requests again,
by its name."""

MAY_IMPORT_TOO = {
    "adapters/engines.py": {"reference"},
    "adapters/metadata_stores.py": {"reference"},
    "adapters/noted_store.py": {"reference"},
    "adapters/reference_faults.py": {"reference"},
    "adapters/reference_kafka.py": {"reference"},
    "adapters/reference_metadata.py": {"reference"},
    "adapters/reference_pulsar.py": {"reference"},
    "adapters/reference_registration.py": {"reference"},
    "adapters/reference_scalable.py": {"reference"},
    "adapters/kafka/inprocess.py": {"reference"},
    "fencepost/catalogue/checklist_of_kafka.py": {"adapters.kafka.kept_exchanges", "wire.kafka"},
    "fencepost/catalogue/checklist_of_pulsar.py": {"adapters.pulsar.kept_exchanges", "adapters.pulsar.tape", "wire.pulsar"},
}


def allowed_in(module: str) -> set[str]:
    """The packages, or modules, that a module may import."""
    package = module.split("/")[0]
    return {package, *CLOSER.get(package, ORDER[: ORDER.index(package)]), *MAY_IMPORT_TOO.get(module, ())}


def packages_of_imports(path: Path) -> set[str]:
    """What a module imports from our packages, as dotted names without the leading `fencepost`, but for the front door's own."""
    ours = imported(path)
    return {name.removeprefix("fencepost.") if name.split(".")[1:2] and name.split(".")[1] in ORDER else name for name in ours}


def test_a_package_imports_only_what_it_may() -> None:
    """The arrows of the design: which package may import which."""
    wrong = {module: not_allowed(allowed_in(module), packages_of_imports(CHECKOUT / module)) for module in modules()}

    assert {module: names for module, names in wrong.items() if names} == {}
    assert not_allowed({"contract"}, {"contract.events", "contracts", "steps"}) == {"contracts", "steps"}


def not_allowed(allowed: set[str], names: set[str]) -> set[str]:
    """The names that are neither among the allowed packages and modules nor in one of them."""
    return {name for name in names if not any(name == may or name.startswith(f"{may}.") for may in allowed)}


def test_the_arrows_are_really_read() -> None:
    """The check sees imports of every form; a module that imports nothing of ours would prove nothing."""
    assert "adapters.kafka.probe.KafkaProbe" in packages_of_imports(CHECKOUT / "steps/kafka/kafka_context.py")
    assert "steps.kafka.kafka_context.KafkaContext" in packages_of_imports(CHECKOUT / "steps/kafka/writing.py")
    assert "contract.evidence.Evidence" in packages_of_imports(CHECKOUT / "contract/items.py")


def test_every_room_says_what_it_is_for() -> None:
    """Each `__init__` has a docstring."""
    assert [
        package for package in ORDER if not ast.get_docstring(ast.parse((CHECKOUT / package / "__init__.py").read_text(encoding="utf-8")))
    ] == []


def test_a_module_of_the_front_door_is_found_by_its_name() -> None:
    """No name of one stands more than twice in all packages: a search for `ending` found eight files, and the ninth was meant."""
    names = Counter(Path(module).stem for module in modules())
    front = {Path(module).stem for module in modules() if module.startswith("fencepost/")} - {"__init__", "__main__"}

    assert {name for name in front if names[name] > 2} == set()
    assert names["__init__"] > 2  # they are really counted


def test_every_package_is_delivered(monkeypatch: pytest.MonkeyPatch) -> None:
    """setup.py finds every folder with an `__init__`, so that the wheel has it, and nothing of the tests."""
    given: dict[str, Any] = {}
    monkeypatch.chdir(CHECKOUT)
    monkeypatch.setattr("setuptools.setup", given.update)
    packages = {path.parent.relative_to(CHECKOUT) for package in (*ORDER, "docs") for path in (CHECKOUT / package).rglob("__init__.py")}
    names = {".".join(package.parts if package.parts[0] == "fencepost" else ("fencepost", *package.parts)) for package in packages}

    runpy.run_path(str(CHECKOUT / "setup.py"))

    assert set(given["packages"]) == names
    assert given["package_dir"]["fencepost.reference"] == "reference"
