"""Sentences: each step turns words into one call on a probe, or judges one observation.

No protocol and no waiting loops here; those are the probe's. `sentence` says what a sentence is; `core`, `kafka` and `pulsar` are the
vocabularies that proposals share, and a proposal may have some sentences of its own in a folder of its name.

`stage` is the state of one scenario, `player` plays the steps of one. No module here imports pytest; `features/step_definitions.py` makes
the sentences known to pytest-bdd.
"""
