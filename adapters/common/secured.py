"""The options for reaching a system that fencepost did not start, and logging in there."""

from collections.abc import Collection, Mapping

from fencepost.contract.errors import WrongUsage

_STARTED = ("container", "launcher")


def refuse_where_started(options: Mapping[str, str], secured: Collection[str]) -> None:
    """Raises WrongUsage if one of these options is used for a system that fencepost starts, which has neither TLS nor logins."""
    started = [name for name in _STARTED if name in options]
    if started and (own := [name for name in secured if name in options]):
        raise WrongUsage(f"--{own[0]} and --{started[0]} exclude each other: fencepost reaches what it starts without TLS and logins")
