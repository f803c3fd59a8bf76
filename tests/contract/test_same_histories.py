"""Names that a session makes up, as the comparison of two results folders finds them."""

import json
import sys
import time
from pathlib import Path

import pytest
from commands import CHECKOUT

sys.path.append(str(CHECKOUT))  # the comparison is a separate command

KEY = "k" * 65_536
"""A transaction key of the largest size that scenarios use."""


def _history(folder: Path, suffix: str, key: str) -> Path:
    event = {"client": f"client-{suffix}", "api": "SEND", "ctl": {"topic": f"orders-{suffix}", "again": f"x/orders-{suffix}-0", "key": key}}
    path = folder / f"TXKEY-01-1-a-{suffix}.jsonl"
    path.write_text(json.dumps(event) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("key", ["", KEY, f"{KEY}-1", "a-" * 30_000], ids=["none", "one word", "a number", "many parts"])
def test_sessions_differ_in_made_up_names_alone(tmp_path: Path, key: str) -> None:
    """Whatever else a word contains, and in time proportional to its length: a search from each letter on would take minutes."""
    from benchmarks import same_histories

    began = time.process_time()
    one, other = (same_histories._events(_history(tmp_path, suffix, key)) for suffix in ("0a1b2c", "ffffff"))

    assert one == other
    assert '"name ' in one[0]
    assert "0a1b2c" not in one[0]
    assert same_histories._events(_history(tmp_path, "123abc", key + "z")) != one
    assert time.process_time() - began < 5
