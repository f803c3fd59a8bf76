"""`fencepost explore`: sequences of acts, every one to a bound or as many as time allows; findings are scenarios."""

import logging

logging.getLogger("fencepost").addHandler(logging.NullHandler())  # the reference's log of thousands of sequences is no output
