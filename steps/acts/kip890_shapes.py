"""Acts of KIP-890 with logs of other shapes: segments, many partitions, topic ids, several writers at once, members that return."""

from collections.abc import Iterator

from .act import Act, ActLine
from .kip890_episodes import Kip890Episode, acts_of
from .kip890_lines import NEEDS, given, readers, then, when
from .kip890_model import PARTITIONS, Kip890Clients
from .kip890_transactions import DONE, ENDS, is_new, is_open, may_act
from .kip890_words import IDEMPOTENT, KEPT, LANE, WASTE, WROTE, E, J, K

_BROAD = 'a topic "broad" with 12 partitions'
_BY_ID = "E uses Produce v13"
_ANY = "a read_committed Fetch of any batch of E in lane-0 lists its aborted transaction"
_EVERYWHERE = 'every partition of "broad" holds one {} marker of E, and its last stable offset is its high watermark'
_SAME = "the log of {} has not grown"

_SHAPES = tuple(
    Kip890Episode(givens, asks, due, why)
    for givens, asks, due, why in (
        ((LANE, E, "E has written 4 batches to lane-0"), "E aborts", (_ANY, "readers of lane-0 see nothing"), "145"),
        (
            (LANE, E, "E has written 4 batches to lane-0", '"{u}p" has been written to lane-0'),
            "E aborts",
            (_ANY, 'readers of lane-0 see "{u}p"'),
            "145",
        ),
        *(
            ((_BROAD, E, 'E has written "{u}" to every partition of "broad"'), f"E {ends}", (_EVERYWHERE.format(kind),), "212")
            for ends, kind in (("commits", "COMMIT"), ("aborts", "ABORT"))
        ),
        ((KEPT, E, _BY_ID), 'E writes "{u}" to kept-0', ("it is done", "the transaction of E is Ongoing in kept-0"), "250"),
        (
            (KEPT, E, _BY_ID, WROTE),
            "E aborts",
            (
                "one ABORT marker was added to kept-0, with the next epoch of E",
                "the last stable offset of kept-0 is the high watermark",
            ),
            "250",
        ),
        (
            (KEPT, E, _BY_ID, WROTE, "E has committed"),
            'E writes "late" to kept-0 with its previous epoch',
            ("it is refused with INVALID_PRODUCER_EPOCH", _SAME.format("kept-0")),
            "250",
        ),
        (
            (WASTE, E, 'topic "waste" has been deleted and made again'),
            'E writes "{u}" to waste-0 by the id of the deleted topic',
            ("it is refused with UNKNOWN_TOPIC_ID", _SAME.format("waste-0"), "the transaction of E is unchanged"),
            "251",
        ),
        (
            (KEPT, '"{u}" has been written to kept-0', '"{u}2" has been written to kept-0'),
            'the records of kept-0 before "{u}2" are deleted',
            ("it is done", 'kept-0 begins with "{u}2"', 'readers of kept-0 see "{u}2"'),
            "362",
        ),
        (
            (KEPT, IDEMPOTENT, 'I has written "{u}" to kept-0', "I has raised its own epoch", 'I has written "{u}2" to kept-0'),
            'I writes "late" to kept-0 with its previous epoch',
            ("it is refused with INVALID_PRODUCER_EPOCH", _SAME.format("kept-0")),
            "367",
        ),
        (
            (
                *(KEPT, E, "E is an old client (transaction version 0)"),
                *('E has sent "{u}" to kept-0, whatever was answered', "E has added kept-0"),
            ),
            'E writes "{u}2" to kept-0 at sequence 1',
            ("it is refused with OUT_OF_ORDER_SEQUENCE_NUMBER", _SAME.format("kept-0")),
            "366",
        ),
    )
)
_MEMBERS = (
    Kip890Episode(
        (J, K), "the system crashes and restarts", ('group "crew" still has J', 'group "crew" still has K'), "395", "JK", "crash"
    ),
)


def _write_together(model: Kip890Clients, partition: str, *names: str) -> list[ActLine]:
    """Several transactions are open in one partition."""
    lines = []
    for name in names:
        value = model.new_value(name)
        model.write(name, partition, value)
        lines.append(given(f'{name} has written "{value}" to {partition}', "142"))
    return [*lines, *readers(model, partition)]


def _may_write_together(model: Kip890Clients, partition: str, *names: str) -> bool:
    return partition not in model.unread and all(is_new(model, name) for name in names)


def _end_in_its_form(model: Kip890Clients, name: str, ends: str, partition: str) -> list[ActLine]:
    """The marker as its bytes have it."""
    model.end(name, commit=ends == "commits", how=ends, waited=True)
    form = f"the marker in {partition} is a transactional control batch with one record, one offset and no sequence"
    return [when(f"{name} {ends}", "060"), then(form, "125"), given(f"{name} has {DONE[ends]}", "064")]


def _may_end_in_its_form(model: Kip890Clients, name: str, ends: str, partition: str) -> bool:
    current = model.producers[name].open
    has_one = bool(ends) and current is not None and bool(current.values_in(partition))
    return is_open(model, name) and is_new(model, name) and has_one and model.is_quiet and partition not in model.unread


def _commit_with_a_later_marker(model: Kip890Clients, name: str, partition: str) -> list[ActLine]:
    value = model.new_value(name)
    model.write(name, partition, value)
    model.end(name, commit=True, how="commits", waited=True)
    later = f"the markers added to {partition} have no smaller coordinator epoch than those before"
    return [when(f'{name} commits "{value}" to {partition}', "162"), then(later, "162"), given(f"{name} has committed", "064")]


def _may_commit_with_a_later_marker(model: Kip890Clients, name: str, partition: str) -> bool:
    """Where a marker has come before."""
    decided = any(one.transaction is not None and one.transaction.committed is not None for one in model.logs[partition])
    return may_act(model, name) and is_new(model, name) and decided and model.is_quiet and partition not in model.unread


def acts() -> Iterator[Act[Kip890Clients]]:
    """The acts with other shapes."""
    for episodes in (_SHAPES, _MEMBERS):
        yield from acts_of(episodes)
    for p in PARTITIONS[:2]:
        yield Act(f"A, B and T write to {p}", _may_write_together, _write_together, (p, "A", "B", "T"), NEEDS)
        for x in ("A", "B"):
            for ends in ENDS:
                yield Act(f"{x} {ends}, and its marker in {p} is looked at", _may_end_in_its_form, _end_in_its_form, (x, ends, p), NEEDS)
            said = f"{x} commits to {p} with no earlier marker"
            yield Act(said, _may_commit_with_a_later_marker, _commit_with_a_later_marker, (x, p), NEEDS)
