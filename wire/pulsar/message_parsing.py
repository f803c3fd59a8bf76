"""Reading messages strictly: bytes that cannot be read as the expected message are a MalformedPulsarFrame."""

from typing import TypeVar

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError, Message

M = TypeVar("M", bound=Message)
_SHOWN_BYTES = 64


class MalformedPulsarFrame(ValueError):
    """Bytes that are not the expected message; has the reason and the first of them."""

    def __init__(self, why: str, data: bytes) -> None:
        shown = bytes(data[:_SHOWN_BYTES]).hex(" ")
        rest = f" ... ({len(data)} bytes in all)" if len(data) > _SHOWN_BYTES else ""
        super().__init__(f"{why}; the bytes: {shown or 'none'}{rest}")


def fill(message: M, encoded: bytes, what: str, data: bytes) -> M:
    """The empty message, filled; it may still lack fields. `data` is shown in the error."""
    try:
        message.MergeFromString(encoded)
    except DecodeError as error:
        raise MalformedPulsarFrame(f"{what} was due, and the codec refuses it: {error}", data) from error
    return message


def complete(message: M, what: str, data: bytes) -> M:
    """The message, with all required fields, and text wherever text is required."""
    if not message.IsInitialized():
        missing: list[str] = message.FindInitializationErrors()  # type: ignore[attr-defined]  # the stubs lack it
        raise MalformedPulsarFrame(f"{what} lacks {', '.join(missing)}", data)
    if (field := _no_text(message)) is not None:
        raise MalformedPulsarFrame(f"{what} has bytes in {field} that are no UTF-8", data)
    return message


def _no_text(message: Message) -> str | None:
    """A text field whose bytes are no text: the codec accepts them, and returns bytes."""
    for field, value in message.ListFields():
        values = value if field.is_repeated else (value,)
        if field.message_type is not None:
            found = next((inner for one in values if (inner := _no_text(one)) is not None), None)
            if found is not None:
                return found
        elif field.type == FieldDescriptor.TYPE_STRING and any(isinstance(one, bytes) for one in values):
            return str(field.name)
    return None
