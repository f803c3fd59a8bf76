"""Bugs of released brokers that no defect of another theme makes again. `fixtures/museum.yaml` has all of them, with their triggers."""
