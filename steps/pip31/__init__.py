"""The sentences that only PIP-31 needs: what coordinators answer, ends that race with each other or with a time-out, and producers that
send again. All else it says in the words that the Pulsar proposals share, in `steps/pulsar`."""
