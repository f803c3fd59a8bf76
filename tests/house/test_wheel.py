"""The wheel: what is delivered holds every feature and data file. That it works by itself is shown by the tutorial's test."""

import re
import zipfile
from pathlib import Path

import pytest
from commands import CHECKOUT, fencepost
from wheel import built


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory)


def test_the_wheel_holds_every_feature_and_data_file(wheel: Path) -> None:
    """A missing data file would show only at a user's."""
    inside = set(zipfile.ZipFile(wheel).namelist())
    packages = ("contract", "features", "fixtures", "reference", "adapters", "steps", "pipeline", "report", "wire", "fencepost")
    files = [
        path.relative_to(CHECKOUT).as_posix()
        for package in packages
        for path in (CHECKOUT / package).rglob("*")
        if path.suffix in (".feature", ".yaml", ".json", ".ini", ".mjs", ".j2", ".properties", ".py", ".typed")
    ]

    files += [path.relative_to(CHECKOUT).as_posix() for path in (CHECKOUT / "docs").glob("*.md")]

    assert [name for name in files if (name if name.startswith("fencepost/") else f"fencepost/{name}") not in inside] == []


def test_a_page_that_is_named_can_be_shown() -> None:
    """A user who installed the wheel has no docs/ next to it; `fencepost explain PAGE` shows what a message or a help text names."""
    sources = [path for package in ("fencepost", "adapters", "report") for path in (CHECKOUT / package).rglob("*.py")]
    pages = re.compile(r"(?:docs/|fencepost explain )([a-z-]+)(?:\.md|` shows)")
    named = {page for path in sources for page in pages.findall(path.read_text(encoding="utf-8"))}

    assert "your-own-system" in named
    for page in named:
        text = (CHECKOUT / "docs" / f"{page}.md").read_text(encoding="utf-8")
        assert fencepost("explain", f"docs/{page}.md", expect=0).out == text
