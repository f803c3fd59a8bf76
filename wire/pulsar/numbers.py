"""Numbers that the wire has in unsigned fields, where brokers and clients mean a signed one: -1 stands for none."""

_RANGE = 2**64


def unsigned(number: int) -> int:
    """A signed number as such a field holds it."""
    return number % _RANGE


def signed(field: int) -> int:
    """The number that such a field means."""
    return field - _RANGE if field >= _RANGE // 2 else field


MINUS_ONE = unsigned(-1)
"""Also the request id of a command that a broker sends without a request."""
