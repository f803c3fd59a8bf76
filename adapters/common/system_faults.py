"""Faults of a system: those that every session undoes, and those that a system does not offer."""

from collections.abc import Callable

from fencepost.contract.errors import NotOffered
from fencepost.contract.metadata_view import TroublesStore
from fencepost.contract.ports import DisturbsMessages, DoublesAnswers, EndsBrokers, ExpiresSessions, FailsAppends, Faults, KeyTopicFaults
from fencepost.contract.shared_crashes import SharedCrashes


class NoCrashPoints:
    """Crash points, which only a system offers whose code reports where it is."""

    def crash_at(self, point: str) -> None:
        raise NotOffered(f"crash-points: the system is killed from outside, and no fault can be injected when it is {point}")


class NoCleanStop:
    """Clean stops, for a system that can only be killed."""

    def stop(self) -> None:
        raise NotOffered("clean-stop: the system can only be killed, and not stopped cleanly")


class NoFaults(NoCrashPoints, NoCleanStop):
    """The faults of a system that another party runs."""

    def __init__(self, whose: str) -> None:
        self._whose = whose

    def crash(self) -> None:
        raise NotOffered(f"crash: {self._whose} was not started by fencepost, which kills it only with --restart-command")

    def start_again(self) -> None:
        raise NotOffered(f"restart: {self._whose} was not started by fencepost, so fencepost does not start it again")

    def restart(self) -> None:
        raise NotOffered(f"restart: {self._whose} was not started by fencepost, so fencepost does not start it again")

    def pause(self, node: int) -> None:
        raise NotOffered(f"two-nodes: {self._whose} was not started by fencepost, so fencepost does not pause node {node}")

    def resume(self, node: int) -> None:
        raise NotOffered(f"two-nodes: {self._whose} was not started by fencepost, so fencepost does not pause node {node}")


class OneNode:
    """Pauses of nodes, for a system of one node."""

    def pause(self, node: int) -> None:
        raise NotOffered(f"two-nodes: node {node} cannot be paused, because the system has one node")

    def resume(self, node: int) -> None:
        raise NotOffered(f"two-nodes: node {node} cannot be resumed, because the system has one node")


class SessionFaults:
    """The system's faults. A crash or a stop ends every connection, and a connection lost to it must not seem the next request's fault.

    It remembers the paused nodes, so that none stays paused. If other scenarios share its crashes, one kill serves all.
    """

    def __init__(self, faults: Faults, forget_connections: Callable[[], None]) -> None:
        self._faults = faults
        self._forget_connections = forget_connections
        self._paused: set[int] = set()
        self.shared: SharedCrashes | None = None

    def crash(self) -> None:
        self._once("crash", self._faults.crash)

    def stop(self) -> None:
        self._once("stop", self._faults.stop)

    def start_again(self) -> None:
        self._once("start", self._faults.start_again)

    def restart(self) -> None:
        self._once("restart", self._faults.restart)

    def _once(self, fault: str, act: Callable[[], None]) -> None:
        if self.shared is None:
            act()
        else:
            self.shared.together(fault, act)
        self._forget_connections()

    def crash_at(self, point: str) -> None:
        self._faults.crash_at(point)

    def double_answers(self) -> None:
        assert isinstance(self._faults, DoublesAnswers), "whose system offers doubled-answers"
        self._faults.double_answers()

    def refuse_append(self, log: str, number: int) -> None:
        self._appends().refuse_append(log, number)

    def append_is_to_be_refused(self, log: str) -> bool:
        return self._appends().append_is_to_be_refused(log)

    def _appends(self) -> FailsAppends:
        assert isinstance(self._faults, FailsAppends), "whose system offers failed-appends"
        return self._faults

    def trouble_store(self, fault: str, records: str) -> None:
        assert isinstance(self._faults, TroublesStore), "whose system offers store-faults"
        self._faults.trouble_store(fault, records)

    def release_store(self) -> None:
        assert isinstance(self._faults, TroublesStore), "whose system offers store-faults"
        self._faults.release_store()

    def delay_messages(self, ms: int) -> None:
        self._messages().delay_messages(ms)

    def repeat_messages(self, times: Callable[[object], int]) -> None:
        self._messages().repeat_messages(times)

    def _messages(self) -> DisturbsMessages:
        assert isinstance(self._faults, DisturbsMessages), "whose system offers late-ends or node-messages"
        return self._faults

    def fail_key_topic(self) -> None:
        self._key_topic().fail_key_topic()

    def damage_key_topic(self, record: bytes) -> None:
        self._key_topic().damage_key_topic(record)

    def compact_key_topic(self) -> None:
        self._key_topic().compact_key_topic()

    def unreadable_key_records(self) -> int:
        return self._key_topic().unreadable_key_records()

    def crash_broker(self, service_url: str) -> None:
        """Connections to other brokers stay; those to this one are found lost."""
        assert isinstance(self._faults, EndsBrokers), "whose system offers more-brokers"
        self._faults.crash_broker(service_url)

    def _key_topic(self) -> KeyTopicFaults:
        assert isinstance(self._faults, KeyTopicFaults), "whose system offers key-topic-faults"
        return self._faults

    def expire_session(self, service_url: str) -> None:
        assert isinstance(self._faults, ExpiresSessions), "whose system offers more-brokers and store-faults"
        self._faults.expire_session(service_url)

    def pause(self, node: int) -> None:
        self._faults.pause(node)
        self._paused.add(node)

    def resume(self, node: int) -> None:
        self._faults.resume(node)
        self._paused.discard(node)

    def undo(self) -> None:
        """Resume the nodes that a scenario left paused."""
        for node in sorted(self._paused):
            self.resume(node)
