"""Which step of a scenario made which request.

A session counts its exchanges, and the player notes how many there had been when a step was over. An exchange is found again in the
history by its client, its name, and its place among those of that client and name. What is no exchange, such as a broker's write to its
metadata store, belongs to the step of the request before it.
"""

import re
from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass

from .calls import Call


@dataclass(frozen=True)
class PicturedStep:
    """A step: its words with the keyword, and how many exchanges there had been when it was over. `fault` says what the system goes through
    in it, such as a crash; `outcome` is `done`, `failed` or `not reached`.
    """

    words: str
    exchanges: int
    fault: str | None = None
    outcome: str = "done"


@dataclass(frozen=True)
class Scene:
    """What is known of a scenario in addition to its history; everything may be missing.

    `exchanges` are the clients and names of all exchanges. `expected` and `seen` are those of a violation, and `what` says of what.
    """

    steps: tuple[PicturedStep, ...] = ()
    exchanges: tuple[tuple[str, str], ...] = ()
    what: str | None = None
    expected: str | None = None
    seen: str | None = None

    @property
    def is_red(self) -> bool:
        return self.expected is not None or self.seen is not None


def steps_of(calls: Sequence[Call], scene: Scene) -> list[int]:
    """For each request, in the order in which they were made, the number of its step from 0; none goes back."""
    waiting: defaultdict[tuple[str, str], deque[int]] = defaultdict(deque)
    for number, call in enumerate(calls):
        waiting[_key(call.client, call.full_name)].append(number)
    found: dict[int, int] = {}
    begin = 0
    for step, said in enumerate(scene.steps):
        for client, name in scene.exchanges[begin : said.exchanges]:
            numbers = waiting[_key(client, name)]
            if numbers:
                found[numbers.popleft()] = step
        begin = max(begin, said.exchanges)
    last = 0
    steps = [last := found.get(number, last) for number in range(len(calls))]
    for number in range(len(steps) - 1, 0, -1):  # what a broker sends unasked may have begun in an earlier step
        steps[number - 1] = min(steps[number - 1], steps[number])
    return steps


def _key(client: str, name: str) -> tuple[str, str]:
    return client, re.sub(r"[^a-z0-9/]", "", name.lower())


def decisive(calls: Sequence[Call], steps: Sequence[int], scene: Scene) -> Call | None:
    """The request that decided: of a red the last one that its violation names, or the last one; of a green the act of the When."""
    shown = [(call, step) for call, step in zip(calls, steps, strict=True) if not call.is_helper]
    if not shown:
        return None
    if scene.is_red or not scene.steps:
        named = [call for call, _ in shown if scene.what and _is_named_in(call, scene.what)]
        return (named or [call for call, _ in shown])[-1] if scene.is_red else None
    when = _when(scene)
    acts = [call for call, step in shown if step == when and not call.only_looks and call.client != "broker"]
    return next(iter(acts), None)


def _when(scene: Scene) -> int | None:
    return next((number for number, step in enumerate(scene.steps) if step.words.startswith("When ")), None)


def _is_named_in(call: Call, what: str) -> bool:
    name = re.sub(r"[^a-z]", "", call.api.lower())
    return len(name) > 3 and name in re.sub(r"[^a-z]", "", what.lower())
