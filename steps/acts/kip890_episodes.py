"""Acts of KIP-890 that are complete in themselves: Givens, a When and what is expected, at any place of a sequence.

An act that needs a right, a second node or a member of a group needs its own set-up, so it is one act.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from .act import Act, ActLine, Script
from .kip890_lines import NEEDS, given, then, when
from .kip890_model import Kip890Clients

_ONCE = ("held up", "at the last usable epoch", '"crew"', '"made"', " batch", "transaction.version")
_FRESH = re.compile(r"\b(kept|spare|vault|waste|lane|broad|wide|east|west|grand|fund|till|purse)\b")
"""Names of an episode's own topics, transactional ids and groups: the next episode of a sequence has others."""
_ITS_VERSION = re.compile(r"\b([D-I])(?: uses | is an old client| compresses )")
_ITS_FAULT = re.compile(r"\b([D-I])'s (?=.*\bblocked)|\b([D-I]) with transactional id [^,]*, logged in as")
"""What stays with the letter of a producer, so that no later episode has one of this letter."""
_TAKES_TIME = re.compile(
    r"silent|Heartbeats for|short timeout|past its timeout|after the timeout|kept-8|blocked|paused|unavailable|is restarting"
)
"""What an episode has where time passes in it, in which T's transaction would time out."""
_IN_VAIN, _SPLIT = "has tried to add", frozenset({"the disturbance split"})
"""A request of which one entry keeps the others out, and the disturbance that sends each entry in a separate request."""
_OF_A_KIND, _AGED = 8, "at the last usable epoch"
_THEIR_LETTERS = re.compile(r"\b[D-I]\b")
AUTHORIZER, NODES = "authorizer", "two-nodes"
UNUSED = "an unused transactional id"


@dataclass(frozen=True)
class Kip890Episode:
    """Givens, a When and what is expected; {u} is a value that was not written yet. `who` takes part."""

    givens: tuple[str, ...]
    asks: str
    due: tuple[str, ...]
    why: str
    who: str = ""
    needs: str = ""

    @property
    def name(self) -> str:
        """Its name in a table of acts."""
        return "; ".join((*self.givens, self.asks))

    @property
    def goes_down(self) -> bool:
        """Whether the system crashes or stops in it."""
        return not {"crash", "clean-stop"}.isdisjoint(self.needs.split())


def acts_of(episodes: Iterable[Kip890Episode]) -> Iterator[Act[Kip890Clients]]:
    """These as acts, a few of each kind: the many of one theme do not crowd out others, and are not so rare that they never come."""
    left = list(episodes)
    while left:
        yield from _of_one_kind(left[:_OF_A_KIND])
        del left[:_OF_A_KIND]


def _of_one_kind(episodes: Iterable[Kip890Episode]) -> Iterator[Act[Kip890Clients]]:
    by_name = {f"{one.name} ({one.why})": one for one in episodes}

    def says(model: Kip890Clients, name: str, *_: str) -> list[ActLine]:
        return _lines(model, by_name[name])

    for name, one in by_name.items():
        needs = NEEDS | set(one.needs.split())
        used = ("orders-0",) if "orders" in " ".join((one.name, *one.due)) else ()
        excludes = _SPLIT if _IN_VAIN in name else frozenset()
        fits = _without_l if _AGED in name else _anywhere
        yield Act(name, _may_come(one), says, (name, *one.who, *used), needs, excludes=excludes, fits=fits)


def _anywhere(_: Script[Kip890Clients]) -> bool:
    return True


def _without_l(script: Script[Kip890Clients]) -> bool:
    """Only one producer of a sequence is at the last usable epoch."""
    return "L" not in script.met


def _lines(model: Kip890Clients, one: Kip890Episode) -> list[ActLine]:
    value = model.new_value("u")
    suffix = model.new_suffix()
    if one.goes_down:
        model.go_down()
    model.shown |= _marks(one)
    if NODES in one.needs:
        model.leave("A")
    if _AGED in one.name:
        model.producers["L"].is_exhausted = False
        model.leave("L")
    if one.who in ("M", "U", "N"):
        model.unread.add("payments-0")

    def said(text: str) -> str:
        return _FRESH.sub(rf"\1{suffix}", text.replace("{u}", value))

    lines = [given(said(text), one.why) for text in one.givens]
    lines += [when(said(one.asks), one.why), *(then(said(text), one.why) for text in one.due)]
    changed = dict.fromkeys(found for text in one.givens for found in _ITS_VERSION.findall(text))
    return [*lines, *(given(f"{name} is a new client (transaction version 2)", one.why) for name in changed)]


def _marks(one: Kip890Episode) -> set[str]:
    """The things about which this episode is that occur once in a sequence."""
    about = "nodes" if NODES in one.needs else "rights" if one.who == "U" else None
    named = {said for said in (*_ONCE, UNUSED) if said in one.name or any(said in due for due in one.due)}
    named |= {f"a fault of {name}" for text in one.givens for found in _ITS_FAULT.findall(text) for name in found if name}
    return named | ({about} if about else set()) | ({"marker"} if one.who == "M" else set())


def _may_come(one: Kip890Episode) -> Callable[..., bool]:
    marks, takes_time = _marks(one), bool(_TAKES_TIME.search(one.name))

    def may_come(model: Kip890Clients, *_: str) -> bool:
        """N has the transactional id of A, and what is blocked until a restart continues where a coordinator moves."""
        a = model.producers["A"]
        if takes_time and model.producers["T"].open is not None:
            return False
        if any(f"a fault of {name}" in model.shown for name in _THEIR_LETTERS.findall(one.name)):
            return False
        is_free = NODES not in one.needs or (a.open is None and not a.is_fenced and a.past == ["begun"] and not model.blocked)
        return is_free and (model.may_go_down or not one.goes_down) and model.is_quiet and marks.isdisjoint(model.shown)

    return may_come
