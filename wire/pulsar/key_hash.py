"""The hash by which a key of a scalable topic finds its segment: Murmur3 of 32 bits, seed 0, over the key's UTF-8 bytes.

A hash of the key space has 16 bits. The client specification of PIP-486 uses the high half, the text of PIP-475 the low one. A broker
never sees which: clients route.
"""

import struct
from typing import Literal, TypeAlias

Half: TypeAlias = Literal["high", "low"]

_MASK = 0xFFFFFFFF
_C1, _C2 = 0xCC9E2D51, 0x1B873593


def murmur3(data: bytes) -> int:
    """Murmur3 x86, 32 bits, seed 0, as a number without a sign."""
    whole = len(data) & ~3
    hashed = 0
    for (block,) in struct.iter_unpack("<I", data[:whole]):
        hashed = _turned(hashed ^ _mixed(block), 13) * 5 + 0xE6546B64 & _MASK
    hashed ^= _mixed(int.from_bytes(data[whole:], "little")) ^ len(data)
    hashed = (hashed ^ hashed >> 16) * 0x85EBCA6B & _MASK
    hashed = (hashed ^ hashed >> 13) * 0xC2B2AE35 & _MASK
    return hashed ^ hashed >> 16


def segment_hash(key: str, half: Half = "high") -> int:
    """The place of a key in the key space, 0 to 65535."""
    hashed = murmur3(key.encode())
    return hashed >> 16 if half == "high" else hashed & 0xFFFF


def _mixed(block: int) -> int:
    return _turned(block * _C1 & _MASK, 15) * _C2 & _MASK


def _turned(number: int, by: int) -> int:
    return (number << by | number >> 32 - by) & _MASK
