"""A package that is installed next to ours and registers a system: what an installer would write into a folder of the Python path."""

from pathlib import Path

SYSTEM = '''
"""The reference under another name, at an address that it does not need."""

from dataclasses import replace

from fencepost.adapters.reference_kafka import ReferenceSystem
from fencepost.contract.errors import WrongUsage


class Tiny(ReferenceSystem):
    name = "tiny"

    def open(self):
        return replace(super().open(), version="7.5.1", judged_as=(self.name, "7.5.1"))


class TinySystem:
    usage = "a tiny broker is named with --set-system address=HOST:PORT"
    options = {"address": "judge the tiny broker there, at HOST:PORT"}

    def profiles(self):
        return ("seed",)

    def protocols(self, asked):
        return ("kafka",)

    def systems(self, asked):
        if "address" not in asked.options:
            raise WrongUsage(f"which tiny broker? {self.usage}")
        return {"kafka": Tiny(patience_s=asked.patience_s)}


registration = TinySystem()
'''
"""A module that registers a system, whole."""


def install(folder: Path, module: str = SYSTEM, entry: str = "tiny = tiny_system:registration", name: str = "tiny-broker") -> None:
    """Put a package into the folder: its module `tiny_system`, and its metadata with one entry point."""
    (folder / "tiny_system.py").write_text(module, encoding="utf-8")
    metadata = folder / f"{name.replace('-', '_')}-7.5.1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 7.5.1\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text(f"[fencepost.systems]\n{entry}\n", encoding="utf-8")
