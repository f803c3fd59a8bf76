"""The sentences of PIP-460 that no other proposal speaks: layouts of scalable topics, their changes, and who is told of them."""
