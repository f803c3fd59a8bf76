"""The core's defects, as Pulsar's reference has them."""
