"""Driving anything that speaks Kafka's protocol: one probe, several transports, and a container with Apache Kafka."""
