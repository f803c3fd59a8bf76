from pytest_bdd import scenarios

from fencepost.features.step_definitions import define

define("kip890")
scenarios(".")
