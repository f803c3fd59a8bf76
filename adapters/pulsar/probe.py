"""The probe: Pulsar's commands and admin calls as calls that return an outcome.

A step calls one of these and judges what came back. Nothing here knows what a right answer is.
"""

from .acknowledging import AcknowledgementCalls
from .administration import AdminCalls
from .producing import ProducerCalls
from .transactions import TransactionCalls


class PulsarProbe(TransactionCalls, ProducerCalls, AcknowledgementCalls, AdminCalls):
    """One client of a Pulsar system, with connections of its own."""
