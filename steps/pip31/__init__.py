"""The sentences that only PIP-31 needs: the answers of coordinators, ends that race with each other or with a timeout, and producers that
resend. All else uses the shared Pulsar sentences in `steps/pulsar`.
"""
