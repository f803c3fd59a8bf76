"""Which packages there are. The rooms stand at the root for readers, and each is a subpackage of fencepost.

A room is a folder at the root with an `__init__.py`. All that is below it, and below `fencepost/`, is found; nothing is listed by hand.
Everything else about the project stands in pyproject.toml.
"""

from pathlib import Path

from setuptools import find_packages, setup

NAME = "fencepost"
ROOMS = sorted(path.parent.name for path in Path().glob("*/__init__.py") if path.parent.name != NAME)

setup(
    packages=[
        NAME,
        *(f"{NAME}.{package}" for package in find_packages(NAME)),
        *(f"{NAME}.{room}" for room in ROOMS),
        *(f"{NAME}.{room}.{package}" for room in ROOMS for package in find_packages(room)),
    ],
    package_dir={NAME: NAME, **{f"{NAME}.{room}": room for room in ROOMS}},
)
