"""What a run leaves and prints, searched for what must be in none of it."""

import gzip
from collections.abc import Iterable
from pathlib import Path

from forked import Finished


def places_with(secrets: Iterable[str], results: Path, finished: Finished) -> list[str]:
    """The files of a results folder, and `output`, in which one of these secrets is, in letters or as hexadecimal."""
    files = [file for file in results.rglob("*") if file.is_file()]
    assert any(file.suffix == ".gz" for file in files), "a run leaves its histories"
    read = {str(file): gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes() for file in files}
    read["output"] = (finished.out + finished.err).encode()
    sought = [form for secret in secrets for form in (secret.encode(), secret.encode().hex().encode())]
    return [place for place, text in read.items() if any(one in text for one in sought)]
