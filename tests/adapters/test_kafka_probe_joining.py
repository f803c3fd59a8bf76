"""How a member of a group joins with the id that its coordinator assigns."""

from scripted_broker import ScriptedBroker, says

from fencepost.contract.outcomes import Done, Refused


def test_a_member_that_is_notified_its_id_joins_with_it() -> None:
    """Also before version 4 of JoinGroup, in which no broker should require that; the member has joined once it has an id."""
    reported = says(error_code=79, generation_id=-1, protocol_name="", leader="", member_id="m-1", members=[])
    joined = says(error_code=0, generation_id=1, protocol_name="range", leader="m-1", member_id="m-1", members=[])
    broker = ScriptedBroker(join_group=[reported, joined])
    probe, recorder = broker.probe()

    answer = probe.join("shop")

    assert isinstance(answer, Done)
    assert (answer.value.member, answer.value.generation) == ("m-1", 1)
    asked = [exchange.request["member_id"] for exchange in recorder.exchanges() if exchange.name.startswith("JoinGroup")]
    assert asked == ["", "m-1"]


def test_an_id_that_is_not_reported_ends_the_joining() -> None:
    """MEMBER_ID_REQUIRED without an id is a refusal like others: there is no id to join with."""
    broker = ScriptedBroker(join_group=[says(error_code=79, generation_id=-1, protocol_name="", leader="", member_id="", members=[])])

    answer = broker.probe()[0].join("shop")

    assert isinstance(answer, Refused)
    assert answer.error == "MEMBER_ID_REQUIRED"
    assert broker.count("join_group") == 1
