"""The acts of PIP-31 that PIP-471 uses: the same requests of the same clients, with the requirements of PIP-471 that they are about."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from . import pip31, pip31_episodes
from .act import Act, ActLine, Kind
from .pip31_consuming import READER
from .pip31_ending import SHORT
from .pip471_model import Pip471

_ROWS = {
    "PIP471-02": (26, 27),
    "PIP471-04": (74,),
    "PIP471-05": (23, 24, 25, 91),
    "PIP471-06": (22,),
    "PIP471-13": (67,),
    "PIP471-14": (36, 48, 90, 143, 144, 155),
    "PIP471-15": (49,),
    "PIP471-16": (50, 110),
    "PIP471-18": (5, 139, 158),
    "PIP471-19": (8,),
    "PIP471-20": (94, 141),
    "PIP471-21": (1, 16, 34, 80, 147, 148),
    "PIP471-22": (29,),
    "PIP471-23": (2,),
    "PIP471-24": (134,),
    "PIP471-28": (56, 59, 83, 140, 153),
    "PIP471-29": (37, 54, 55, 57, 58, 61, 62, 63, 64, 84, 85, 93, 154),
    "PIP471-30": (86,),
    "PIP471-32": (60, 95, 96),
    "PIP471-33": (28, 33, 47),
    "PIP471-43": (39, 40, 41, 43, 45),
    "PIP471-44": (42, 44, 75),
    "PIP471-45": (18, 20),
    "PIP471-47": (10, 11, 12, 30, 31, 32, 71, 157),
    "PIP471-55": (88,),
    "PIP471-63": (65, 131, 137),
    "PIP471-64": (52, 53, 73),
    "PIP471-68": (89,),
}
"""By requirement of PIP-471, those of PIP-31 that the same observation violates."""
_OURS = {f"PIP31-{number:02}": ours for ours, numbers in _ROWS.items() for number in numbers}
_LEFT_OUT = (
    "A writes to payments unannounced",
    "A adds orders late",
    "A adds workers late",
    "an unknown transaction adds workers",
    "requests are pipelined",
    "a transaction begins at each coordinator",
    "a topic with partitions is made",
    "states is compacted",
    "orders is made again",
    "a consumer of orders makes each of its requests",
    "another consumer tries to join auditors",
    "redelivery of i1 for workers, which is counted",
    "two consumers, of which one is active",
    "two consumers, and messages of one key",
)
"""Acts about which PIP-471 has no requirement, or a different one: clients need not add participants, and unannounced requests succeed."""


_EPISODES = frozenset(act.name for act in pip31_episodes.acts())
"""PIP-471 has others."""
_ADDS_UNKNOWN = "an unknown transaction adds orders"
"""Left out although its kind is kept: it also ends that transaction."""


def retold(lines: Sequence[ActLine]) -> list[ActLine]:
    """Lines of PIP-31 with requirements of PIP-471, without those that ask a participant for its state: a segment cannot be asked."""
    return [line._replace(requirement=_OURS.get(line.requirement, line.requirement)) for line in lines if not _asks_a_participant(line)]


def _asks_a_participant(line: ActLine) -> bool:
    return line.kind == "Then" and line.text.startswith("nothing of ") and " is pending in " in line.text


def retelling(says: Kind) -> Kind:
    """An act with its lines adapted so."""
    return lambda model, *arguments: retold(says(model, *arguments))


def _while_kept(may_come: Callable[..., bool], *, asks_late: bool) -> Callable[..., bool]:
    """As in PIP-31, but not for transactions that were collected, nor, if it `asks_late`, for those that may be by now; and reloading may
    take as long as a short timeout.

    No reader begins where a segment may not have followed an end yet.
    """

    def may_come_here(model: Pip471, *arguments: str) -> bool:
        is_slow = SHORT in arguments and SHORT not in model.transactions and bool(model.loaded_at)
        is_behind = READER in arguments and READER not in model.subscriptions and model.may_be_behind
        is_kept = model.collected.isdisjoint(arguments) and not (asks_late and model.has_waited)
        return not is_slow and not is_behind and is_kept and may_come(model, *arguments)

    return may_come_here


def _adapted() -> Iterator[Act[Any]]:
    by_name = pip31.TABLE.by_name
    left_out = {by_name[name].says for name in _LEFT_OUT}
    retellings: dict[Kind, Kind] = {}
    for act in pip31.TABLE.acts:
        if act.says in left_out or act.name in _EPISODES or act.name == _ADDS_UNKNOWN:
            continue
        says = retellings.setdefault(act.says, retelling(act.says))
        yield replace(act, says=says, may_come=_while_kept(act.may_come, asks_late=act.name.endswith(" late")))


ADAPTED: dict[str, Act[Any]] = {act.name: act for act in _adapted()}
"""By name."""


def elsewhere(act: str, name: str, *arguments: str, writes: bool = False) -> Act[Any]:
    """This act of PIP-31 with other arguments; an act that writes uses nothing that is sealed."""
    of = ADAPTED[act]

    def may_come(model: Pip471, *whom: str) -> bool:
        return model.knows(*whom) and not (writes and not model.sealed.isdisjoint(whom)) and of.may_come(model, *whom)

    return replace(of, name=name, arguments=arguments, may_come=may_come)
