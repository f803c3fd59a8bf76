"""Numbers that the wire has in fields without a sign, where brokers and clients mean a signed one: -1 stands for none."""

_RANGE = 2**64


def unsigned(number: int) -> int:
    """A signed number as such a field has it."""
    return number % _RANGE


def signed(field: int) -> int:
    """The number that such a field means."""
    return field - _RANGE if field >= _RANGE // 2 else field


MINUS_ONE = unsigned(-1)
"""Also the request id of what a broker says without having been asked."""
