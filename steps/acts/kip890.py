"""The acts of KIP-890, in one table: clients of both protocols, their groups, readers, operators and faults."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace

from fencepost.contract.gherkin import GherkinStep
from fencepost.steps.player import player_of

from . import (
    kip890_clusters,
    kip890_endings,
    kip890_faults,
    kip890_leftovers,
    kip890_limits,
    kip890_lives,
    kip890_logs,
    kip890_looks,
    kip890_markers,
    kip890_mixed,
    kip890_nodes,
    kip890_offsets,
    kip890_operators,
    kip890_orders,
    kip890_refusals,
    kip890_requests,
    kip890_restarts,
    kip890_rights,
    kip890_shapes,
    kip890_storage,
    kip890_thirds,
    kip890_transactions,
    kip890_users,
)
from .act import Act, ActLine, Table
from .kip890_lines import everything, given, listed_as_aborted, offsets, readers, then, when
from .kip890_model import GROUPS, IDS, PARTITIONS, Kip890Clients
from .kip890_transactions import DONE

_MODULES = (
    kip890_transactions,
    kip890_refusals,
    kip890_offsets,
    kip890_looks,
    kip890_faults,
    kip890_endings,
    kip890_rights,
    kip890_operators,
    kip890_nodes,
    kip890_logs,
    kip890_lives,
    kip890_requests,
    kip890_shapes,
    kip890_orders,
    kip890_mixed,
    kip890_thirds,
    kip890_markers,
    kip890_limits,
    kip890_restarts,
    kip890_clusters,
    kip890_users,
    kip890_storage,
    kip890_leftovers,
)
_Says = Callable[..., Sequence[ActLine]]
_PRODUCERS = {"A": "", "B": "", "H": "", "T": " and a short timeout", "M": "", "J": "", "K": ""}


def _opens(used: frozenset[str]) -> list[ActLine]:
    lines = [given('a topic "payments" with 2 partitions', "372")]
    if "orders-0" in used:
        lines.append(given('a topic "orders" with 1 partition', "372"))
    lines += [
        given(f'producer {name} with transactional id "{IDS[name]}"{with_}', "014") for name, with_ in _PRODUCERS.items() if name in used
    ]
    if "U" in used:
        lines.append(given('producer U with transactional id "user" and group "billing", logged in as an ordinary user', "173"))
    lines += [given("producer L at the last usable epoch", "026")] if "L" in used else []
    if kip890_logs.LEDGER in used:
        lines.append(given('a compacted topic "ledger" that keeps markers for no time', "440"))
        lines.append(given('producers P and Q with transactional ids "parts" and "quota"', "440"))
    return lines


def _closes(model: Kip890Clients) -> list[ActLine]:
    lines: list[ActLine] = []
    for name, producer in model.producers.items():
        if producer.open is not None and producer.owns_its_id and not (name == "H" and model.blocked):
            ends = "commits" if producer.open.writes or producer.open.offsets else "aborts"
            lines += [when(f"{name} {ends}", "060"), then("it is done", "060")]
            model.decide(producer, commit=ends == "commits")
    for partition in model.readable(PARTITIONS):
        if model.logs[partition]:
            lines += [*readers(model, partition), *everything(model, partition), *listed_as_aborted(model, partition)]
    for group, partition in {**model.offsets, **model.dropped}:
        if group not in model.unclear_groups:
            lines += offsets(model, group, partition)
    return lines


def _compares(step: GherkinStep) -> bool:
    return bool(player_of("kip890").compared(step, (step,)))


@functools.cache
def _compared(says: _Says) -> _Says:
    """The same without comparisons with a snapshot that was taken before an end in flight."""

    @functools.wraps(says)
    def lines(model: Kip890Clients, *arguments: str) -> list[ActLine]:
        was_early = model.has_early_snapshot
        said = list(says(model, *arguments))
        if any(line.kind == "When" for line in said):
            model.has_early_snapshot = False
        return [line for line in said if not (was_early and _compares(line.step))]

    return lines


def _acts() -> tuple[Act[Kip890Clients], ...]:
    return tuple(replace(act, says=_compared(act.says)) for module in _MODULES for act in module.acts())


def _begins() -> frozenset[str]:
    """What clients do before much else is possible."""
    partitions = [f"{x} {does} {p}" for x in "AB" for p in PARTITIONS for does in ("has written to", "has committed a value to")]
    last = ("L has written to payments-0", "L has committed")
    offsets = [f"A has sent an offset of {PARTITIONS[0]} to {group}" for group in GROUPS]
    ends = [f"{x} has {done}" for x in "AB" for done in DONE.values()]
    others = ("H is blocked", "H commits, and is not done", "H aborts, and is not done", "T has written to payments-0")
    return frozenset((*partitions, *last, *offsets, *ends, *others, "A has initialised again", "A changes its protocol"))


TABLE = Table(
    "kip890",
    Kip890Clients,
    _acts(),
    _opens,
    _closes,
    places=(frozenset(), frozenset({"B"}), frozenset({"payments-1", "orders-0"}), frozenset({"B", "payments-1", "orders-0"})),
    alike=(("A", "B"), ("payments-0", "payments-1"), GROUPS),
    hears=Kip890Clients.hear,
    costly=frozenset({"aged-ids"}),
    hurries=lambda model: model.producers["T"].open is not None,
    begins=_begins(),
)
