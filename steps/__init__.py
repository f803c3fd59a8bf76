"""Sentences: each step turns words into one call on a probe, or judges one observation.

No protocol and no waiting loops here; those are the probe's. `sentence` defines what a sentence is; `core`, `kafka` and `pulsar` are the
vocabularies that proposals share, and a proposal may have its own sentences in a folder of its name.

`stage` is the state of one scenario, `player` plays the steps of one. No module here imports pytest; `features/step_definitions.py`
registers the sentences with pytest-bdd.
"""
