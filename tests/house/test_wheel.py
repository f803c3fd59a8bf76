"""The wheel: what is delivered holds every feature and data file. That it works by itself is shown by the tutorial's test."""

import zipfile
from pathlib import Path

import pytest
from commands import CHECKOUT
from wheel import built


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory)


def test_the_wheel_holds_every_feature_and_data_file(wheel: Path) -> None:
    """A missing data file would show only at a user's."""
    inside = set(zipfile.ZipFile(wheel).namelist())
    rooms = ("contract", "features", "fixtures", "reference", "adapters", "steps", "pipeline", "report", "wire", "fencepost")
    files = [
        path.relative_to(CHECKOUT).as_posix()
        for room in rooms
        for path in (CHECKOUT / room).rglob("*")
        if path.suffix in (".feature", ".yaml", ".json", ".ini", ".mjs", ".j2", ".properties", ".py", ".typed")
    ]

    assert [name for name in files if (name if name.startswith("fencepost/") else f"fencepost/{name}") not in inside] == []
