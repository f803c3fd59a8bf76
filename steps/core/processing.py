"""Writers that read, process and write: what a group receives becomes output, in one transaction."""

from fencepost.contract.outcomes import Done
from fencepost.steps.step_outcomes import observed

from .core_context import CoreContext
from .vocabulary import CONTENT, CORE


@CORE.when("{writer} and {other:writer} process {log} into {results:log} for group {group} at the same time")
def process(context: CoreContext, writer: str, other: str, log: str, results: str, group: str) -> None:
    """One after the other, each takes all that the group receives now and writes the same values as results; the second takes while the
    first has not decided. Then each commits, or aborts where something was refused or nothing was received.
    """
    commits = {name: _processed(context, name, log, results, group) for name in (writer, other)}
    for name, commit in commits.items():
        context.end(name, commit)


@CORE.then("each of {values} is seen in {results:log} or left of {log} for group {group}, and not both")
def is_processed_once(context: CoreContext, values: tuple[str, ...], results: str, log: str, group: str) -> None:
    """What a new reader sees of the results and what a new member of the group receives are together exactly these values, each once."""
    seen: tuple[str, ...] = ()
    left: tuple[str, ...] = ()

    def both() -> tuple[str, ...]:
        nonlocal seen, left
        seen = tuple(observed(context.system.committed(results), f"reading {results}"))
        left = tuple(observed(context.system.left(group, log), f"reading {log} as {group}"))
        return seen + left

    context.expect(
        sorted(context.look(both, values)) == sorted(values),
        what=f"{log} processed by {group}",
        expected=f"each of {CONTENT.render(values)} once",
        seen=f"{CONTENT.render(seen)} in {results}, {CONTENT.render(left)} left",
    )


def _processed(context: CoreContext, name: str, log: str, results: str, group: str) -> bool:
    """Whether there is something to commit."""
    match context.take_what_is_free(name, group, log):
        case Done(taken) if taken:
            return all(isinstance(context.write(name, results, value), Done) for value in taken)
        case _:
            return False
