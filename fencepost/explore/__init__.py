"""`fencepost explore`: sequences of acts that nobody wrote down, every one to a bound or as many as time allows; findings are scenarios."""

import logging

logging.getLogger("fencepost").addHandler(logging.NullHandler())  # what the reference logs of thousands of sequences, nobody reads
