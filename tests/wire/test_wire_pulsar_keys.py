"""The hash by which a key finds its segment, compared with known values."""

import pytest

from fencepost.wire.pulsar.key_hash import murmur3, segment_hash

KNOWN = {
    "": 0x00000000,
    "a": 0x3C2569B2,
    "b": 0x95DE7E03,
    "key-0": 0xE337F8BF,
    "key-1": 0x98B115A0,
    "k-1": 0xBD7718CB,
    "user-42": 0xB972DAD0,
    "pulsar": 0x80547BBB,
    "é": 0x10110787,
    "test": 0xBA6BD213,
    "Hello, world!": 0xC0363E43,
}


@pytest.mark.parametrize(("key", "hashed"), KNOWN.items())
def test_a_key_has_its_known_hash(key: str, hashed: int) -> None:
    """Over its UTF-8 bytes; of the two halves either may be the one that routes."""
    assert murmur3(key.encode()) == hashed
    assert (segment_hash(key), segment_hash(key, "low")) == (hashed >> 16, hashed & 0xFFFF)
