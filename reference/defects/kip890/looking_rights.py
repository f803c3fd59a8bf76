"""Defects in who may look at transactions, and who may add to them."""

from fencepost.contract.symptom import Symptom
from fencepost.reference.defects.defect import Defect
from fencepost.reference.kafka.authorizer import Authorizer
from fencepost.reference.kafka.node import Parts


class _AnybodyAdds(Authorizer):
    def may_add(self, principal: str, topic: str) -> bool:  # noqa: ARG002 - that is the defect
        return True


class _AnybodyFindsCoordinators(Authorizer):
    def may_find_coordinator(self, principal: str, transactional_id: str) -> bool:  # noqa: ARG002 - that is the defect
        return True


class _AnybodySeesTransactions(Authorizer):
    def may_see_transactional_id(self, principal: str, transactional_id: str) -> bool:  # noqa: ARG002 - that is the defect
        return True


class _AnybodySeesProducers(Authorizer):
    def may_see_producers_of(self, principal: str, topic: str) -> bool:  # noqa: ARG002 - that is the defect
        return True


class _AnybodySeesTopics(Authorizer):
    def may_see_topic(self, principal: str, topic: str) -> bool:  # noqa: ARG002 - that is the defect
        return True


ADDING_NEEDS_NO_TOPIC_RIGHT = Defect(
    name="adding-needs-no-topic-right",
    breaks={"KIP890-258": Symptom(what="answer to AddPartitionsToTxn", seen="^refunds-0: success")},
    story="Who may not write to a topic puts it into a transaction all the same, and keeps its readers waiting.",
    origin="textbook: a right that is asked for where records come in, and not before",
    parts=Parts(authorizer=_AnybodyAdds),
)

COORDINATOR_TOLD_TO_ANYBODY = Defect(
    name="coordinator-told-to-anybody",
    breaks={"KIP890-259": Symptom(what="answer to FindCoordinator", seen="^success")},
    story="FindCoordinator answers for every transactional id, whoever asks.",
    origin="textbook: a request that was thought to be harmless",
    parts=Parts(authorizer=_AnybodyFindsCoordinators),
)

TRANSACTIONS_TOLD_TO_ANYBODY = Defect(
    name="transactions-told-to-anybody",
    breaks={
        "KIP890-260": Symptom(what="answer to DescribeTransactions", seen="^success"),
        "KIP890-261": Symptom(what="list of transactions", seen="^A in it"),
    },
    story="An administrator's look at transactions is open to everybody, with producer ids and epochs.",
    origin="textbook: a request that was thought to be harmless",
    parts=Parts(authorizer=_AnybodySeesTransactions),
)

PRODUCERS_TOLD_TO_ANYBODY = Defect(
    name="producers-told-to-anybody",
    breaks={"KIP890-262": Symptom(what="answer to DescribeProducers", seen="^success")},
    story="DescribeProducers tells who writes to a topic, also to those who may not read it.",
    origin="textbook: a request that was thought to be harmless",
    parts=Parts(authorizer=_AnybodySeesProducers),
)

TOPICS_TOLD_TO_ANYBODY = Defect(
    name="topics-told-to-anybody",
    breaks={"KIP890-269": Symptom(what="answer to DescribeTransactions", seen="refunds")},
    story="Who may describe a transactional id is told all of its topics, also those that are kept from him.",
    origin="textbook: one right that is asked for where two things are told",
    parts=Parts(authorizer=_AnybodySeesTopics),
)
