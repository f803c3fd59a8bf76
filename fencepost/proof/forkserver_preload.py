"""Importing this plays a few scenarios, so that what a play reads at its beginning is there: features, sentences, registers, messages."""

import gc

from fencepost.contract import gherkin, register
from fencepost.run.options import RunOptions
from fencepost.run.plays import Plays
from fencepost.steps import vocabularies

for spec in register.bundled().by_spec:
    vocabularies.speech_of(spec)
gherkin.bundled()  # smoke scenarios are of few proposals
with Plays(RunOptions(smoke=True)) as plays:
    for play in plays:
        plays.judge(play)
gc.freeze()  # or the first collection of a forked process would go through all of it, and copy it
