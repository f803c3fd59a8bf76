from pytest_bdd import scenarios

from fencepost.steps import sentences

globals().update(sentences("transaction_key"))
scenarios(".")
