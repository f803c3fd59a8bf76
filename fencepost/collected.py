"""Importing this runs a few scenarios, so that what a run reads at its beginning is there: features, sentences, registers, messages."""

import gc
import io
from contextlib import redirect_stderr, redirect_stdout
from importlib import resources

from pytest_bdd.feature import get_features

from . import suite

with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
    suite.judge(["--smoke"], workers=1)
get_features([str(resources.files("fencepost.features"))])  # pytest-bdd keeps them; the few scenarios are not of all proposals
gc.freeze()  # or the first collection of a forked process would go through all of it, and copy it
