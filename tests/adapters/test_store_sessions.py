"""A broker whose session with the metadata store has expired, and which still runs."""

from fencepost.adapters.reference_scalable import ScalableReferenceSystem
from fencepost.contract.outcomes import Done
from fencepost.contract.ports import ExpiresSessions


def test_another_broker_is_the_controller_then_wherever_it_was() -> None:
    system = ScalableReferenceSystem("seed")
    system.open()
    session = system.session("expired", frozenset({"more-brokers", "store-faults"}))
    client, faults = session.client("c"), session.faults
    assert isinstance(faults, ExpiresSessions)
    try:
        assert client.create_scalable_topic("topic://public/default/events", 2) == Done(None)
        seen = []
        for _ in range(3):
            found = client.looked_up("topic://public/default/events")
            assert isinstance(found, Done)
            assert found.value.controller is not None
            seen.append(found.value.controller)
            faults.expire_session(found.value.controller)
    finally:
        session.close()
        system.close()
    assert seen[0] == seen[2] != seen[1]
