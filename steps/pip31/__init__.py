"""The sentences of PIP-31.

`setting` has the Given, `acts` the When, `sight` the Then, `world` what they share. Themes with sentences of their own: `acknowledging`,
`batches`, `late`, `deduplication`, which stand on `ground`.
"""
