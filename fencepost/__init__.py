"""Fencepost: the conformance suite and executable reference for streaming transactions.

This folder is the front door, in packages:

* `cli`: the command line. `cli.commands` has a module for each command, `cli.application` puts them together.
* `run`: one run of the suite, from options over played scenarios to verdicts; `run.parallel` for several workers.
* `console`: what a run shows, from its first line to its last.
* `results`: the results folder, and what is written, read and compared there.
* `deviations`: what is known to deviate, in the releases and in a user's own files.
* `catalogue`: `list`, `explain` and `sentences`. `doctor`, `explore`, `findings`, `site` and `soak` are those commands.
* `twins`: `run --twins`. `replay`: `replay` and `verify`.
* `proof`: `prove`, with defects, conforming variants and mutants; `museum`: its bugs of the field.
* `scaffolding`: `new`.

`plugin` is the pytest plugin. The other top packages of the project (`contract`, `reference`, ...) are subpackages too.
"""

from fencepost.contract import version

__all__ = ["__version__"]

__version__ = version.VERSION
