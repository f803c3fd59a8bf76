"""A simulated broker that restarts with another level of transaction.version: it answers from a script."""

from types import SimpleNamespace
from typing import Any

import pytest
from scripted_broker import ScriptedBroker, says

from fencepost.contract.evidence import Evidence, Violation
from fencepost.steps.kafka.kafka_context import KafkaContext
from fencepost.steps.kip890.features import restarts_at

LEVELS = says(error_code=0, api_keys=[], supported_features=[], finalized_features=[], finalized_features_epoch=1)
FAILS = says(error_code=-1, api_keys=[])


def test_a_broker_that_fails_while_it_starts_is_not_back() -> None:
    """It listens, and answers ApiVersions with an error before it ends: the scenario is red because it does not restart."""
    broker = ScriptedBroker(api_versions=[LEVELS, LEVELS, FAILS], update_features=[says(error_code=0, error_message=None)])
    observer, recorder = broker.probe()
    faults = SimpleNamespace(crash=lambda: None, restart=lambda: None)
    session: Any = SimpleNamespace(client=lambda _: observer, exchanges=recorder.exchanges, faults=faults, time=observer._time)

    with pytest.raises(Violation, match=r"(?s)a broker that restarts.*UNKNOWN_SERVER_ERROR"):
        restarts_at(KafkaContext(session, Evidence()), 0)
