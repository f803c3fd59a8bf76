"""Acts of KIP-890 in which two things meet: the protocols in one transaction, a timeout with an end or with an earlier transaction, several
transactional ids in one request, and more partitions than a sequence has."""

from collections.abc import Iterator

from .act import Act, ActLine
from .kip890_episodes import Kip890Episode, acts_of
from .kip890_lines import NEEDS, given, markers, then, when
from .kip890_model import Kip890Clients
from .kip890_transactions import DONE, ENDS, is_open, move_on, while_t_is_idle
from .kip890_words import KEPT, NOT_IN, SHORT, E, F

_WIDE = 'a topic "wide" with 12 partitions'
_EVERYWHERE = 'E has written "{u}" to every partition of "wide"'
_MARKED = 'every partition of "wide" holds one {} marker of E, and its last stable offset is its high watermark'

_MIXED = tuple(
    Kip890Episode((*givens,), asks, due, why, needs=needs)
    for givens, asks, due, why, needs in (
        (
            (
                *(KEPT, E + SHORT, F + SHORT, "completion of E's transactions is blocked", "E has been asked to commit"),
                'F has written "{u}" to kept-0',
            ),
            "F leaves its transaction open past its timeout",
            ("the transaction of F is over", "the transaction of E is PrepareCommit"),
            "159",
            "hold-markers",
        ),
        (
            (
                *(KEPT, E + SHORT, F + SHORT, 'E has committed "{u}" to kept-0', 'F has written "{u}2" to kept-0'),
                "F has left its transaction open past its timeout",
            ),
            'E writes "{u}3" to kept-0 and leaves its transaction open past its timeout',
            ("the transaction of E was open for at least a short timeout",),
            "213",
            "",
        ),
        ((_WIDE, E, _EVERYWHERE), "E commits", (_MARKED.format("COMMIT"),), "212", ""),
        ((_WIDE, E, _EVERYWHERE), "E aborts", (_MARKED.format("ABORT"),), "212", ""),
        (
            (_WIDE, E + SHORT, 'E has added every partition of "wide"'),
            "E leaves its transaction open past its timeout",
            (_MARKED.format("ABORT"),),
            "212",
            "",
        ),
        ((_WIDE, E, _EVERYWHERE, "the system has crashed and restarted"), "E commits", (_MARKED.format("COMMIT"),), "212", "crash"),
        *(
            ((KEPT, E, F), asks, due, why, "")
            for asks, due, why in (
                (
                    "E adds kept-0 for E and verifies kept-0 for F in one request",
                    (
                        *("it is done for kept-0 of E", f"it is refused for kept-0 of F with {NOT_IN}"),
                        *("the transaction of E is Ongoing in kept-0", "the transaction of F is unchanged"),
                    ),
                    "040",
                ),
                (
                    "E verifies kept-0 for F and adds kept-0 for E in one request",
                    (
                        *(f"it is refused for kept-0 of F with {NOT_IN}", "it is done for kept-0 of E"),
                        *("the transaction of E is Ongoing in kept-0", "the transaction of F is unchanged"),
                    ),
                    "040",
                ),
                (
                    "E adds kept-0 for E with an epoch ahead of the current one and for F in one request",
                    ("it is refused for kept-0 of E with PRODUCER_FENCED", "it is done for kept-0 of F"),
                    "037",
                ),
                (
                    "E adds kept-0 for E and adds kept-9 for F in one request",
                    ("it is done for kept-0 of E", "it is refused for kept-9 of F with UNKNOWN_TOPIC_OR_PARTITION"),
                    "037",
                ),
            )
        ),
    )
)


def _end_by_the_other_protocol(model: Kip890Clients, name: str, ends: str) -> list[ActLine]:
    """The version of EndTxn decides whether the epoch is bumped, and not the requests that led to it."""
    producer = model.producers[name]
    was_old = bumps = producer.is_old
    usual, other = ("v4", "v5") if was_old else ("v5", "v4")
    lines = [given(f"{name} uses EndTxn {other}", "208"), when(f"{name} {ends}", "208")]
    lines.append(then("it is done and answers the same producer id and the next epoch" if bumps else "it is done", "208"))
    lines += markers(model, name, ENDS[ends].upper(), "208", bumps=bumps)
    lines += [given(f"{name} has {DONE[ends]}", "208")] if bumps else []
    lines.append(given(f"{name} uses EndTxn {usual}", "208"))
    producer.is_old = not bumps
    model.end(name, commit=ends == "commits", how="ended by the other protocol", waited=True)
    producer.is_old, producer.last_end = was_old, None
    move_on(producer)
    return lines


def _may_end_by_the_other_protocol(model: Kip890Clients, name: str, *_: str) -> bool:
    """A new client that keeps its epoch has to wait for its markers, since a late one would end what it sends next. Those in partitions
    are looked at, and those of groups are not.
    """
    producer = model.producers[name]
    current = producer.open
    if current is None or not is_open(model, name) or producer.is_exhausted:
        return False
    waits = bool(current.added) and not current.added & model.unread and not current.has_offsets and model.is_quiet
    return producer.is_old or waits


def acts() -> Iterator[Act[Kip890Clients]]:
    """The acts in which two things meet."""
    for act in acts_of(_MIXED):
        yield while_t_is_idle(act) if "past its timeout" in act.name else act
    for x in ("A", "B"):
        for ends in ENDS:
            name = f"{x} {ends} by the other protocol's EndTxn"
            yield Act(name, _may_end_by_the_other_protocol, _end_by_the_other_protocol, (x, ends), NEEDS)
