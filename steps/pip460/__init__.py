"""The sentences that only PIP-460 uses: layouts of scalable topics, their changes, and the clients that are notified of them."""
