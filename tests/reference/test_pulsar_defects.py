"""What a defect of Pulsar changes is a decision that a reader of the reference finds named as one; a way to be made is none."""

import inspect
from types import FunctionType

import pytest

from fencepost.reference.defects import DEFECTS, LAWFUL, Defect
from fencepost.reference.kernel.network import Network
from fencepost.reference.pulsar import Parts
from fencepost.reference.pulsar.pending_ack_store import Waiting
from fencepost.reference.pulsar.pending_acks import PendingAcks
from fencepost.reference.pulsar.values import Action, TxnId

OF_PULSAR = [variant for variant in (*DEFECTS.values(), *LAWFUL.values()) if isinstance(variant.parts, Parts)]


def overridden(parts: Parts) -> list[tuple[str, object]]:
    """The members of the reference's parts that a variant replaces, by their names. The network is no part of Pulsar's."""
    found: list[tuple[str, object]] = []
    for field, lawful in vars(Parts()).items():
        for ancestor in getattr(parts, field).__mro__ if lawful is not Network else ():
            if ancestor not in lawful.__mro__:
                members = [name for name, member in vars(ancestor).items() if isinstance(member, (FunctionType, property))]
                found += [(name, getattr(lawful, name)) for name in members if hasattr(lawful, name)]
    return found


def no_decisions(parts: Parts) -> list[str]:
    """Those of them that have an underscore, or a docstring that does not begin as a decision."""
    return [
        name for name, member in overridden(parts) if name.startswith("_") or not (inspect.getdoc(member) or "").startswith("Decision: ")
    ]


@pytest.mark.parametrize("variant", OF_PULSAR, ids=lambda variant: variant.name)
def test_a_variant_overrides_decisions_only(variant: Defect) -> None:
    """A reader of the reference finds each of them in its words."""
    assert isinstance(variant.parts, Parts)
    assert no_decisions(variant.parts) == []


def test_what_is_no_decision_is_found() -> None:
    """A private method, a way to be made, and a method that decides nothing."""

    class Meddler(PendingAcks):
        def __init__(self) -> None:
            """Is made in another way."""

        def _hold(self, waiting: Waiting) -> None:
            """Holds nothing."""

        def erase(self) -> None:
            """Erases nothing."""

        def end(self, txn: TxnId, action: Action) -> Waiting:  # noqa: ARG002
            """Decides something."""
            return Waiting(txn)

    assert no_decisions(Parts(pending_acks=Meddler)) == ["__init__", "_hold", "erase"]
