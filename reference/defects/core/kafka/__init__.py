"""The core's defects, as Kafka's reference has them."""
