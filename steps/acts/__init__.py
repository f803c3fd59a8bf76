"""Acts: what exploration puts together to sequences that nobody wrote down.

An act is one or more sentences of a vocabulary, with a condition under which it may come, and an effect on a model that holds only what
clients know. What is due afterwards is a sentence too, so a sequence is a scenario at every moment. A table of acts may import the
vocabularies' contexts, and nothing of a run.
"""
