"""The places of the reference's variants, and what they may override: a decision, by its public name."""

import dataclasses
import functools
import importlib
import inspect
import pkgutil
from collections.abc import Iterator

import pytest

from fencepost.contract import gherkin
from fencepost.museum.bugs import bundled
from fencepost.reference import defects, kafka, pulsar
from fencepost.reference.defects import CONFORMING, DEFECTS, Defect
from fencepost.reference.defects.decorator import declared_by
from fencepost.reference.kafka.kafka_coordinator import KafkaCoordinator
from fencepost.reference.kafka.partition_log import PartitionLog
from fencepost.reference.kafka.transaction import KafkaTransaction

VARIANTS = [*DEFECTS.values(), *CONFORMING.values()]


def overridden(parts: kafka.KafkaParts | pulsar.PulsarParts) -> Iterator[tuple[type, str]]:
    """What a variant has instead of the reference's own, constructors aside: the reference's class, and the name."""
    for field, conforming in vars(type(parts)()).items():
        part = getattr(parts, field)
        for name in {name for own in part.__mro__ if own not in conforming.__mro__ for name in vars(own)}:
            owner = next((known for known in conforming.__mro__[:-1] if name in vars(known)), None)
            if owner is not None and not name.startswith("__"):
                yield owner, name


def faults(parts: kafka.KafkaParts | pulsar.PulsarParts) -> list[str]:
    """The overridden names that are no decisions."""
    found = []
    for owner, name in overridden(parts):
        member = inspect.getattr_static(owner, name)
        decides = callable(member) or isinstance(member, property)
        is_decision = not decides or (inspect.getdoc(member) or "").startswith("Decision: ")
        if name.startswith("_") or not is_decision:
            found.append(f"{owner.__name__}.{name}")
    return found


def test_a_variant_overrides_decisions_only() -> None:
    """By their public names; the docstring of each begins with the word, so a reader of the reference finds what can go wrong."""
    found = {variant.name: faults(variant.parts) for variant in VARIANTS}

    assert {name: its for name, its in found.items() if its} == {}


def test_what_is_no_decision_is_found() -> None:
    """A private name, a public one whose docstring lacks the word, and a property."""

    class Meddles(KafkaCoordinator):
        def _is_pending(self, *_: object) -> bool:
            return False

        def load_for(self, *_: object) -> None:
            return

        def describe(self, *arguments: str) -> KafkaTransaction:
            return super().describe(*arguments)

    class Shrinks(PartitionLog):
        @property
        def end_offset(self) -> int:
            return 0

    assert sorted(faults(kafka.KafkaParts(coordinator=Meddles))) == ["KnownTransactions._is_pending", "KnownTransactions.load_for"]
    assert faults(kafka.KafkaParts(partition_log=Shrinks)) == ["PartitionLog.end_offset"]


def test_two_variants_of_one_name_are_refused() -> None:
    """The later one would silently replace the earlier."""
    one, other = VARIANTS[:2]

    assert list(defects.by_name([one, other, one])) == [one.name, other.name]
    with pytest.raises(ValueError, match=f"two variants are called '{one.name}'"):
        defects.by_name([one, dataclasses.replace(other, name=one.name)])


@functools.cache
def placed() -> dict[str, tuple[str, ...]]:
    """The names of the variants, each with its module below `reference/defects`."""
    found = {}
    for module in pkgutil.walk_packages(defects.__path__, f"{defects.__name__}."):
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, type) and value.__module__ == module.name:
                for variant in declared_by(value):
                    found[variant.name] = tuple(module.name.removeprefix(f"{defects.__name__}.").split("."))
    return found


@functools.cache
def features_of(requirement: str) -> set[tuple[str, str]]:
    """The features of a requirement, each as its proposal and its name."""
    return {
        (feature.path.split("/")[0], feature.path.split("/")[1].removesuffix(".feature"))
        for feature in gherkin.bundled()
        if requirement in {gherkin.requirement_of(rule.tags) for rule in feature.rules}
    }


def test_a_variant_stands_where_it_is_looked_for() -> None:
    """A defect is in `<proposal>/<feature>`, or a further file of either whose name begins so; one of the core in
    `core/<protocol>/<feature>`; a conforming variant in `conforming/`; a known bug without a feature in `museum/`, and in its file.
    """
    places = placed()

    assert not is_in_its_place(VARIANTS[0], ("elsewhere", *places[VARIANTS[0].name]))
    assert {variant.name: places[variant.name] for variant in VARIANTS if not is_in_its_place(variant, places[variant.name])} == {}


def _folder_in_core(variant: Defect) -> str:
    """The folder of its protocol; a variant for both kinds of Pulsar's coordinators is in that of the classic one."""
    is_of_both = any(variant in declared and len(declared) == 2 for declared in map(declared_by, vars(variant.parts).values()))
    return "pulsar" if is_of_both else variant.protocol.replace("-", "_")


def is_in_its_place(variant: Defect, place: tuple[str, ...]) -> bool:
    """Whether a reader who knows the requirement finds the variant there."""
    if variant.is_conforming:
        return place[0] == "conforming"
    if place[0] == "museum":
        return variant.name in {name for bug in bundled().played for name in bug.defects}
    features = {feature for requirement in variant.breaks for feature in features_of(requirement)}
    due = {(proposal, _folder_in_core(variant), name) if proposal == "core" else (proposal, name) for proposal, name in features}
    return any(place[:-1] == one[:-1] and _begin_alike(place[-1], one[-1]) for one in due)


def _begin_alike(module: str, feature: str) -> bool:
    """Whether one is a further file of the other: a module of a feature, or a feature of a module."""
    return f"{module}_".startswith(f"{feature}_") or f"{feature}_".startswith(f"{module}_")
