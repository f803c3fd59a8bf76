"""What a scenario says to an author who names what no step has made."""

import pytest

from fencepost.contract.errors import WrongUsage
from fencepost.steps.core.core_context import CoreContext as OfCore
from fencepost.steps.kafka.kafka_context import KafkaContext as OfKafka
from fencepost.steps.named import NamedThings
from fencepost.steps.pulsar.subscriptions import Subscriptions
from fencepost.steps.pulsar.topics import ScenarioTopics
from fencepost.steps.pulsar.transactions import Transactions
from fencepost.steps.vocabularies import vocabularies_of

NOTHING: object = None


def named() -> list[tuple[str, object]]:
    """What scenarios name, each with a proposal whose scenarios do."""
    kafka, core = OfKafka(NOTHING, NOTHING), OfCore(NOTHING, NOTHING, NOTHING)  # type: ignore[arg-type]  # none is asked
    pulsar = (Transactions(NOTHING), ScenarioTopics(NOTHING), Subscriptions(NOTHING))  # type: ignore[arg-type]
    return [
        *(("kip890", things) for things in (kafka.producers, kafka.topics, kafka.memberships)),
        ("core", core.writers),
        *(("pip31", things.by_name) for things in pulsar),
    ]


@pytest.mark.parametrize(("spec", "things"), named())
def test_a_name_that_no_step_has_made_is_the_scenarios_mistake(spec: str, things: "NamedThings[object]") -> None:
    """It is reported with the name, what was made so far, and a sentence of that proposal which makes such a thing."""
    with pytest.raises(
        WrongUsage, match=r"'Z' before a step has made it \(none was made so far\); expected first, such as: Given "
    ) as error:
        things["Z"]
    sentence = str(error.value).partition("such as: Given ")[2]
    assert any(vocabulary.find("Given", sentence) for vocabulary in vocabularies_of(spec)), sentence

    things["B"] = things["A"] = object()
    with pytest.raises(WrongUsage, match=r"\(made so far: A, B\)"):
        things["Z"]
