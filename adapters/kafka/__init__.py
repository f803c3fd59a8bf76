"""Driving any system that speaks Kafka's protocol: one probe, several transports, and Apache Kafka in containers or processes."""
