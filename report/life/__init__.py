"""One metadata-driven transaction as a picture: what its client asked, and what stood in the metadata store meanwhile.

`transaction_life` reads that from a history, and `life_picture` draws it. `python -m fencepost.report.life HISTORY` prints the SVG.
"""
