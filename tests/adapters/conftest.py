"""What the tests of the Pulsar probe share: each has its own `broker`, which answers as its file says."""

import pytest
from scripted_pulsar import ScriptedPulsar, session_with

from fencepost.adapters.pulsar.probe import PulsarProbe
from fencepost.adapters.pulsar.pulsar_session import PulsarSession


@pytest.fixture
def session(broker: ScriptedPulsar) -> PulsarSession:
    """A session with the file's broker."""
    return session_with(broker)


@pytest.fixture
def probe(session: PulsarSession) -> PulsarProbe:
    """A client of it."""
    client: PulsarProbe = session.client("c")
    return client
