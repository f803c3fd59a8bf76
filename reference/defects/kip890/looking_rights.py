"""Defects in who may look at transactions, and who may add to them."""

from collections.abc import Callable, Sequence

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.kafka.authorizer import Authorizer


@defect(
    {"KIP890-258": seen("^refunds-0: success", what="answer to AddPartitionsToTxn")},
    origin="textbook: a right that is checked where records arrive, and not before",
)
class AddingNeedsNoTopicRight(Authorizer):
    """A client that may not write to a topic can add it to a transaction, and so block its readers."""

    def may_add(self, principal: str, topic: str) -> bool:  # noqa: ARG002 - that is the defect
        return True


@defect({"KIP890-259": seen("^success", what="answer to FindCoordinator")}, origin="textbook: a request that was thought to be harmless")
class CoordinatorToldToAnybody(Authorizer):
    """FindCoordinator answers for every transactional id, also to clients without the right to it."""

    def may_find_coordinator(self, principal: str, transactional_id: str) -> bool:  # noqa: ARG002 - that is the defect
        return True


@defect(
    {"KIP890-259": seen("^success", expected="GROUP_AUTHORIZATION_FAILED", what="answer to FindCoordinator")},
    origin="textbook: one kind of key that is checked, and another that is not",
)
class GroupsToldToAnybody(Authorizer):
    """FindCoordinator answers for every group, also to clients without the right to it."""

    def may_find_group(self, principal: str, group: str) -> bool:  # noqa: ARG002 - that is the defect
        return True


@defect(
    {"KIP890-260": seen("^success", what="answer to DescribeTransactions"), "KIP890-261": seen("^A in it", what="list of transactions")},
    origin="textbook: a request that was thought to be harmless",
)
class TransactionsToldToAnybody(Authorizer):
    """Every client may list and describe transactions, with their producer ids and epochs."""

    def may_see_transactional_id(self, principal: str, transactional_id: str) -> bool:  # noqa: ARG002 - that is the defect
        return True


_ALL_SHOWN = seen("^success, success$", what="^entries of the answer$")


@defect(
    {"KIP890-259": _ALL_SHOWN, "KIP890-260": _ALL_SHOWN, "KIP890-262": _ALL_SHOWN},
    origin="textbook: a loop that ends before the last of several",
)
class LastOfSeveralToldToAnybody(Authorizer):
    """A request about several ids or topics checks each but the last, which every client may see."""

    def denied(self, names: Sequence[str], may_see: Callable[[str], bool]) -> list[str]:
        return super().denied(names[:-1] or names, may_see)


@defect(
    {
        "KIP890-259": _ALL_SHOWN,
        "KIP890-260": _ALL_SHOWN,
        "KIP890-261": seen("^B not in it", what="^list of transactions$"),
        "KIP890-262": _ALL_SHOWN,
    },
    origin="found by mutants: the right to the first of several counts for all",
)
class FirstOfSeveralCounts(Authorizer):
    """A principal sees all of several ids or topics if it may see the first of them, and none if it may not."""

    def denied(self, names: Sequence[str], may_see: Callable[[str], bool]) -> list[str]:
        return [] if super().denied(names[:1], may_see) == [] else list(names)


@defect({"KIP890-262": seen("^success", what="answer to DescribeProducers")}, origin="textbook: a request that was thought to be harmless")
class ProducersToldToAnybody(Authorizer):
    """DescribeProducers lists the producers of a topic also to clients that may not read it."""

    def may_see_producers_of(self, principal: str, topic: str) -> bool:  # noqa: ARG002 - that is the defect
        return True


@defect(
    {"KIP890-269": seen("refunds", what="answer to DescribeTransactions")},
    origin="textbook: one right is checked where two things are shown",
)
class TopicsToldToAnybody(Authorizer):
    """A client that may describe a transactional id sees all topics of its transaction, also those that it may not describe."""

    def may_see_topic(self, principal: str, topic: str) -> bool:  # noqa: ARG002 - that is the defect
        return True
