"""The museum: bugs of released brokers and clients, and which requirement finds each where a defect of the reference makes it again.

`bugs` reads `fixtures/museum.yaml`, `proof` plays the defects (`fencepost prove --museum`), and `page` writes `docs/museum.md`.
"""
