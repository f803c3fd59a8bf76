"""The museum: bugs of released brokers and clients, and which requirement finds each, if a defect of the reference reproduces it.

`bugs` reads `fixtures/museum.yaml`, `proof` plays the defects (`fencepost prove --museum`), and `museum_page` writes `docs/museum.md`.
"""
