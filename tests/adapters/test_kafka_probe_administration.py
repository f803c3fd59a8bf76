"""What an administrator's calls make of an answer."""

import pytest
from scripted_broker import ScriptedBroker, says

from fencepost.adapters.kafka.offer import Offer, Range
from fencepost.contract.outcomes import Done, Refused

DONE, REFUSED = (0, None), (95, "not this level")


def result(code: int, message: str | None) -> dict[str, object]:
    return {"feature": "transaction.version", "error_code": code, "error_message": message}


@pytest.mark.parametrize("version", [1, 2])
def test_a_change_of_a_level_is_done_when_nothing_is_refused(version: int) -> None:
    """With one result for all, and with one for each feature."""
    broker = ScriptedBroker(update_features=[says(error_code=0, error_message=None, results=[result(*DONE)])])
    probe, _ = broker.probe(Offer({"update_features": Range(0, version)}))

    assert probe.update_feature("transaction.version", 1, lower=True) == Done(None)


@pytest.mark.parametrize(("version", "whole", "single"), [(1, DONE, REFUSED), (1, REFUSED, REFUSED), (2, REFUSED, DONE)])
def test_a_refusal_is_told_wherever_it_stands(version: int, whole: tuple[int, str | None], single: tuple[int, str | None]) -> None:
    """Up to version 1 the request may be well and the one feature refused; nobody asks a second time."""
    broker = ScriptedBroker(update_features=[says(error_code=whole[0], error_message=whole[1], results=[result(*single)])])
    probe, _ = broker.probe(Offer({"update_features": Range(0, version)}))

    assert probe.update_feature("transaction.version", 9, lower=False) == Refused("INVALID_UPDATE_VERSION", 95, "not this level")
    assert broker.count("update_features") == 1
