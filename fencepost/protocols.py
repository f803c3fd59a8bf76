"""Which protocols a proposal is about. A core requirement is about every transactional log, so it is asked of each."""

PROTOCOLS_OF = {
    "core": ("kafka", "pulsar"),
    "kip890": ("kafka",),
    "pip31": ("pulsar",),
}
"""For each proposal, by its folder in `features/`, the protocols whose systems it binds."""


def specs_of(protocol: str) -> tuple[str, ...]:
    """The proposals that bind systems of a protocol."""
    return tuple(spec for spec, protocols in PROTOCOLS_OF.items() if protocol in protocols)
