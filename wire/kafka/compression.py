"""The codecs of record batches, by the names and numbers that Kafka has for them.

Each in the form that brokers read: snappy as the blocks of snappy-java's stream after its header, lz4 as a frame whose blocks do not
depend on each other.
"""

import struct
import zlib

import cramjam

NAMES = ("none", "gzip", "snappy", "lz4", "zstd")
"""By their numbers in a batch's attributes."""

_GZIP = 31
"""The wbits of a gzip header with the largest window."""

_SNAPPY_STREAM = b"\x82SNAPPY\x00" + struct.pack(">ii", 1, 1)
"""The header, with the version of the stream and the oldest that can read it."""

_SNAPPY_BLOCK = 32 * 1024
_BLOCK_LENGTH = struct.Struct(">i")
_LZ4_LEVEL = 1


class DoesNotUnpack(ValueError):
    """Bytes that the codec cannot have made."""


def pack(payload: bytes, compression: str) -> bytes:
    """The bytes, compressed. Raises ValueError for an unknown codec."""
    match compression:
        case "none":
            return payload
        case "gzip":
            return zlib.compress(payload, wbits=_GZIP)
        case "snappy":
            starts = range(0, len(payload), _SNAPPY_BLOCK)
            return _SNAPPY_STREAM + b"".join(_snappy_block(payload[at : at + _SNAPPY_BLOCK]) for at in starts)
        case "lz4":
            compressor = cramjam.lz4.Compressor(level=_LZ4_LEVEL, content_checksum=False, block_linked=False)
            compressor.compress(payload)
            return bytes(compressor.finish())
        case "zstd":
            return bytes(cramjam.zstd.compress(payload))
        case other:
            raise ValueError(f"a batch cannot be compressed with {other}; expected one of {', '.join(NAMES)}")


def unpack(payload: bytes, compression: str) -> bytes:
    """The bytes as they were. Raises DoesNotUnpack, and ValueError for an unknown codec."""
    try:
        match compression:
            case "none":
                return payload
            case "gzip":
                return zlib.decompress(payload, wbits=_GZIP)
            case "snappy":
                return _from_snappy(payload)
            case "lz4":
                return bytes(cramjam.lz4.decompress(payload))
            case "zstd":
                return bytes(cramjam.zstd.decompress(payload))
    except (zlib.error, struct.error, cramjam.DecompressionError) as error:
        raise DoesNotUnpack(str(error)) from error
    raise ValueError(f"there is no codec {compression}; expected one of {', '.join(NAMES)}")


def _snappy_block(payload: bytes) -> bytes:
    packed = bytes(cramjam.snappy.compress_raw(payload))
    return _BLOCK_LENGTH.pack(len(packed)) + packed


def _from_snappy(payload: bytes) -> bytes:
    """A stream of blocks or, as some clients send it, one block without anything around it."""
    if not payload.startswith(_SNAPPY_STREAM[:8]):
        return bytes(cramjam.snappy.decompress_raw(payload))
    at, found = len(_SNAPPY_STREAM), b""
    while at < len(payload):
        (length,) = _BLOCK_LENGTH.unpack_from(payload, at)
        at += _BLOCK_LENGTH.size
        if not 0 <= length <= len(payload) - at:
            raise DoesNotUnpack(f"snappy: a block of {length} bytes, where {len(payload) - at} are left")
        found += bytes(cramjam.snappy.decompress_raw(payload[at : at + length]))
        at += length
    return found
