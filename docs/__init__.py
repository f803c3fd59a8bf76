"""The pages, which the wheel carries for `fencepost explain PAGE`. Nothing is imported from here, and nothing imports it."""
