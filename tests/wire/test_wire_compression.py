"""The codecs: what is packed is unpacked, in the form that brokers read, and what was cut off is noticed."""

import pytest

from fencepost.wire.kafka.compression import NAMES, DoesNotUnpack, pack, unpack

LONG = bytes(range(256)) * 1_000
"""More than one block of any codec."""


@pytest.mark.parametrize("codec", NAMES)
@pytest.mark.parametrize("payload", [b"", b"v", LONG], ids=["nothing", "one byte", "256,000 bytes"])
def test_what_is_packed_is_unpacked(codec: str, payload: bytes) -> None:
    """In each codec, also nothing at all."""
    assert unpack(pack(payload, codec), codec) == payload


@pytest.mark.parametrize("codec", NAMES[1:])
def test_what_is_cut_off_does_not_unpack(codec: str) -> None:
    """Half of it is not taken for all."""
    packed = pack(LONG, codec)

    with pytest.raises(DoesNotUnpack):
        unpack(packed[: len(packed) // 2], codec)


def test_snappy_without_a_stream_is_read() -> None:
    """One block, as some clients send it; ours have snappy-java's header and a length before them."""
    header, length = 16, 4

    assert unpack(pack(b"value", "snappy")[header + length :], "snappy") == b"value"


def test_lz4_has_blocks_that_do_not_depend_on_each_other() -> None:
    """Brokers refuse a frame without that flag."""
    assert pack(LONG, "lz4")[4] & 0x20


def test_a_codec_that_there_is_not_is_not_written() -> None:
    """A batch is never sent plain that was to be compressed, and never read as if it were."""
    with pytest.raises(ValueError, match="compressed with brotli; expected one of none, gzip, snappy, lz4, zstd"):
        pack(b"v", "brotli")
    with pytest.raises(ValueError, match="there is no codec brotli"):
        unpack(b"v", "brotli")
