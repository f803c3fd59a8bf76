"""Which packages there are. The top packages are at the root for readers, and each is a subpackage of fencepost.

A top package is a folder at the root with an `__init__.py`. All that is below it, and below `fencepost/`, is found; nothing is
listed by hand. Everything else about the project is in pyproject.toml.
"""

from pathlib import Path

from setuptools import find_packages, setup

NAME = "fencepost"
TOP = sorted(path.parent.name for path in Path().glob("*/__init__.py") if path.parent.name != NAME)

setup(
    packages=[
        NAME,
        *(f"{NAME}.{package}" for package in find_packages(NAME)),
        *(f"{NAME}.{top}" for top in TOP),
        *(f"{NAME}.{top}.{inner}" for top in TOP for inner in find_packages(top)),
    ],
    package_dir={NAME: NAME, **{f"{NAME}.{top}": top for top in TOP}},
)
