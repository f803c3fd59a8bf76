from pytest_bdd import scenarios

from fencepost.features.step_definitions import define

define("pip31")
scenarios(".")
