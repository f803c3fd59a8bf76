from pytest_bdd import scenarios

from fencepost.features.step_definitions import define

define("transaction_key")
scenarios(".")
