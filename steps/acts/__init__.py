"""Acts: the parts from which exploration builds sequences that are in no feature.

An act is one or more sentences of a vocabulary, with a condition under which it is possible, and an effect on a model that holds only what
clients know. What is expected afterwards is a sentence too, so a sequence is a scenario at every moment. A table of acts may import the
vocabularies' contexts, and nothing of a run.
"""
