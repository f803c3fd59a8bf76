"""How a blocked end can complete, also where the broker does not delete the topic at the first request."""

from fencepost.adapters.pulsar.inprocess import InProcessAdmin
from fencepost.adapters.pulsar.transport import Connect, ConnectAdmin
from fencepost.adapters.reference_pulsar import PulsarReferenceSystem
from fencepost.contract.evidence import Evidence
from fencepost.contract.outcomes import Done, Outcome, Unknown
from fencepost.reference.pulsar import ReferencePulsar
from fencepost.steps.pulsar.completion import is_held_up
from fencepost.steps.pulsar.pulsar_context import PulsarContext
from fencepost.steps.pulsar.subscriptions import Subscriptions
from fencepost.steps.pulsar.topics import ScenarioTopics
from fencepost.steps.pulsar.transactions import Transactions
from fencepost.wire.pulsar.admin import AdminAnswer, AdminRequest


class _Fails(InProcessAdmin):
    """Answers 500 to the first deletions, or to all of them."""

    left = 0

    def call(self, request: AdminRequest, deadline_s: float) -> Done[AdminAnswer] | Unknown:
        if request.method == "DELETE" and _Fails.left > 0:
            _Fails.left -= 1
            return Done(AdminAnswer(500, b"{}"))
        return super().call(request, deadline_s)


class _System(PulsarReferenceSystem):
    def ways_to(self, broker: ReferencePulsar) -> tuple[Connect, ConnectAdmin]:
        connect, _ = super().ways_to(broker)
        return connect, lambda: _Fails(broker)


def let_go(failures: int) -> Outcome[None]:
    system = _System("seed", patience_s=1.0)
    system.open()
    session = system.session("letting go")
    transactions = Transactions(session)
    topics = ScenarioTopics(transactions)
    transactions.begin("A")
    is_held_up(PulsarContext(session, Evidence(), transactions, topics, Subscriptions(topics)), "A")
    _Fails.left = failures
    return topics.let_go("A")


def test_a_deletion_that_fails_is_asked_for_again() -> None:
    """Pulsar 4.0.1 answers 500 after a crash, and deletes the topic when it has loaded it."""
    for failures in (0, 1, 3):
        assert let_go(failures) == Done(None)


def test_a_deletion_that_never_succeeds_is_not_known() -> None:
    """Patience ends, and no step reports that the end can complete."""
    assert isinstance(let_go(10**6), Unknown)
