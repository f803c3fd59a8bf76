"""Defects of grace periods while something else happens to the subscription."""

from collections.abc import Mapping
from functools import cached_property

from fencepost.reference.defects.decorator import defect, seen
from fencepost.reference.scalable.layout import Layout
from fencepost.reference.scalable.registrations import ConsumerRegistration
from fencepost.reference.scalable.sessions import Sessions, SubscriptionMember


@defect(
    {"PIP460-37": seen("^left$", expected="^no others$", what="^segments that bob was ")},
    origin="red team: one timer for the subscription, which is set for one consumer at a time",
)
class ScalableOneIsWaitedFor(Sessions):
    """When a second consumer of a subscription is lost, the first one is given up: only the last is waited for."""

    def waited_for_until(self, name: str) -> int:
        groups = [group for led in self._led.values() for group in led.values() if name in group]
        for other in [one for group in groups for known, one in group.items() if known != name and one.session is None]:
            other.until = self._now()
        return super().waited_for_until(name)

    def taken_over(self, name: str, registration: ConsumerRegistration) -> SubscriptionMember:
        return SubscriptionMember(registration, until=super().waited_for_until(name))


class _WaitsBeginAgain(Sessions):
    """The grace periods of the lost consumers begin again when a number that belongs to an assignment has grown since the last one."""

    @cached_property
    def last(self) -> dict[int, int]:
        """The number at the last assignment of these members."""
        return {}

    def number(self, members: Mapping[str, SubscriptionMember], layout: Layout) -> int:
        """The number."""
        raise NotImplementedError

    def sharing(self, members: Mapping[str, SubscriptionMember], layout: Layout) -> Mapping[str, SubscriptionMember]:
        now = self.number(members, layout)
        if now > self.last.get(id(members), now):
            for name, one in members.items():
                if one.session is None:
                    one.until = self.waited_for_until(name)
        self.last[id(members)] = now
        return super().sharing(members, layout)


@defect(
    {"PIP460-38": seen("^ann has ", expected="once$", what="^segments of orders$")},
    origin="red team: a rebalancing that sets the timer of the group again",
)
class ScalableJoinBeginsTheWaitAgain(_WaitsBeginAgain):
    """Each consumer that joins begins the grace periods of the lost ones again: while consumers come, no lost one is given up."""

    def number(self, members: Mapping[str, SubscriptionMember], layout: Layout) -> int:  # noqa: ARG002
        return len(members)


@defect(
    {"PIP460-38": seen("^ann has ", expected="once$", what="^segments of orders$")},
    origin="red team: a rebalancing that sets the timer of the group again",
)
class ScalableChangeBeginsTheWaitAgain(_WaitsBeginAgain):
    """Each change of the layout begins the grace periods of the lost consumers again."""

    def number(self, members: Mapping[str, SubscriptionMember], layout: Layout) -> int:  # noqa: ARG002
        return layout.epoch


@defect(
    {"PIP460-37": seen("^left and right$", expected="^left$", what="^segments of carol$")},
    origin="red team: a grace period that is implemented for one of two kinds of consumers",
)
class ScalableCheckpointsGivenUpAtOnce(Sessions):
    """A checkpoint consumer is given up as soon as its connection is lost, since it keeps its positions itself."""

    def is_over(self, member: SubscriptionMember) -> bool:
        return super().is_over(member) or (member.session is None and member.registration.kind == "CHECKPOINT")


@defect(
    {"PIP460-38": seen("^left$", expected="^left and right$", what="^segments of carol$")},
    origin="red team: a grace period that is implemented for one of two kinds of consumers",
)
class ScalableCheckpointsWaitedForEver(Sessions):
    """A checkpoint consumer that does not reconnect keeps its segments for ever."""

    def is_over(self, member: SubscriptionMember) -> bool:
        return super().is_over(member) and member.registration.kind == "STREAM"


@defect(
    {"PIP460-52": seen("^left and right$", expected="^left$", what="^segments of carol$")},
    origin="red team: a grace period that is implemented for one of two kinds of consumers",
)
class ScalableCheckpointsNotTakenOver(Sessions):
    """A controller that takes over waits for the stream consumers of its predecessor, and not for the checkpoint consumers."""

    def taken_over(self, name: str, registration: ConsumerRegistration) -> SubscriptionMember:
        found = super().taken_over(name, registration)
        return found if registration.kind == "STREAM" else SubscriptionMember(registration, until=self._now())
