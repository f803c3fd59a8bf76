"""The class that performs a disturbance, by its name and the protocol, and what is looked at when a scenario is over."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .kafka_after_end import AfterTheEnd
from .kafka_compaction import CompactionTwin
from .kafka_crowd import CrashInACrowd, Crowd
from .kafka_entries import Reordered, Split
from .kafka_form import ById, Compressed, OlderLooks, OneBatch
from .kafka_last_look import kafka_last_look
from .kafka_late_marker import LateMarker
from .kafka_lived_in import LivedIn
from .kafka_lost_in_crash import LostInACrash
from .kafka_moves import CoordinatorMoved, LeaderMoved
from .kafka_overtaken import Overtaken
from .kafka_prelude import Prelude
from .kafka_repeat import AnswerLost, Late, NewConnection, Twice
from .node_messages import MessagesLate, MessagesLost, MessagesTwice
from .performer import Performer, Undisturbed
from .pulsar_before import PulsarCrowd, TopicPrelude
from .pulsar_elsewhere import PulsarAnswerLost, PulsarNewConnection
from .pulsar_entries import PulsarReordered, PulsarSplit
from .pulsar_last_look import pulsar_last_look
from .pulsar_repeat import PulsarLate, PulsarTwice
from .pulsar_replay import PulsarCleanStop, PulsarCrash, Reconnect, Unload
from .replay import CleanStop, CrashBetweenSteps, RefusedAppend

_BETWEEN_NODES: Mapping[str, type[Performer]] = {
    "messages-twice": MessagesTwice,
    "messages-lost": MessagesLost,
    "messages-late": MessagesLate,
}
_OF_PULSAR: Mapping[str, type[Performer]] = {
    **_BETWEEN_NODES,
    "crash": PulsarCrash,
    "clean-stop": PulsarCleanStop,
    "reconnect": Reconnect,
    "unload": Unload,
    "twice": PulsarTwice,
    "late": PulsarLate,
    "split": PulsarSplit,
    "reordered": PulsarReordered,
    "answer-lost": PulsarAnswerLost,
    "new-connection": PulsarNewConnection,
    "prelude": TopicPrelude,
    "crowd": PulsarCrowd,
}
_OF_PROTOCOL: Mapping[str, Mapping[str, type[Performer]]] = {
    "kafka": {
        **_BETWEEN_NODES,
        "crash": CrashBetweenSteps,
        "clean-stop": CleanStop,
        "twice": Twice,
        "answer-lost": AnswerLost,
        "late": Late,
        "lost-in-a-crash": LostInACrash,
        "late-marker": LateMarker,
        "overtaken": Overtaken,
        "after-the-end": AfterTheEnd,
        "new-connection": NewConnection,
        "split": Split,
        "reordered": Reordered,
        "one-batch": OneBatch,
        "older-looks": OlderLooks,
        "by-id": ById,
        "compressed": Compressed,
        "prelude": Prelude,
        "crowd": Crowd,
        "crash-in-a-crowd": CrashInACrowd,
        "refused-append": RefusedAppend,
        "compaction": CompactionTwin,
        "leader-moved": LeaderMoved,
        "coordinator-moved": CoordinatorMoved,
        "lived-in": LivedIn,
    },
    "pulsar": _OF_PULSAR,
    "pulsar-scalable": _OF_PULSAR,
}


def performers_of(protocol: str) -> Mapping[str, type[Performer]]:
    """The disturbances that can be performed on a session of this protocol."""
    return _OF_PROTOCOL.get(protocol, {})


_LAST_LOOKS: Mapping[str, Callable[[Any, Undisturbed], Iterator[str]]] = {
    "kafka": kafka_last_look,
    "pulsar": pulsar_last_look,
    "pulsar-scalable": pulsar_last_look,
}


def last_look_of(session: Any, protocol: str, undisturbed: Undisturbed) -> tuple[str, ...]:
    """What clients find on a session of this protocol after the last step of its scenario."""
    look = _LAST_LOOKS.get(protocol)
    return tuple(look(session, undisturbed)) if look else ()
