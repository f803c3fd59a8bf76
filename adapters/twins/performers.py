"""The class that performs a disturbance, by its name and the protocol."""

from collections.abc import Mapping

from .kafka_after_end import AfterTheEnd
from .kafka_crowd import CrashInACrowd, Crowd
from .kafka_entries import Reordered, Split
from .kafka_form import ById, Compressed, OlderLooks, OneBatch
from .kafka_repeat import AnswerLost, Late, NewConnection, Twice
from .performer import Performer
from .prelude import Prelude
from .pulsar_before import PulsarCrowd, TopicPrelude
from .pulsar_elsewhere import PulsarAnswerLost, PulsarNewConnection
from .pulsar_repeat import PulsarTwice
from .replay import CleanStop, Crash, Reconnect, RefusedAppend, Unload

_OF_ALL: Mapping[str, type[Performer]] = {"crash": Crash, "clean-stop": CleanStop}
_OF_PULSAR: Mapping[str, type[Performer]] = {
    "reconnect": Reconnect,
    "unload": Unload,
    "twice": PulsarTwice,
    "answer-lost": PulsarAnswerLost,
    "new-connection": PulsarNewConnection,
    "prelude": TopicPrelude,
    "crowd": PulsarCrowd,
}
_OF_PROTOCOL: Mapping[str, Mapping[str, type[Performer]]] = {
    "kafka": {
        "twice": Twice,
        "answer-lost": AnswerLost,
        "late": Late,
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
    },
    "pulsar": _OF_PULSAR,
    "pulsar-scalable": _OF_PULSAR,
}


def performers_of(protocol: str) -> Mapping[str, type[Performer]]:
    """The disturbances that can be performed on a session of this protocol."""
    return {**_OF_ALL, **_OF_PROTOCOL.get(protocol, {})}
