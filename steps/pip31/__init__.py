"""The sentences of PIP-31.

All stand on `ground`: topics, what is written and read, and the ends of transactions, which `world` knows and `setting` begins. The
themes have sentences of their own: `acknowledging`, `adding`, `batches`, `coordinator`, `deduplication`, `ending`, `expiry`,
`holding`, `late`, `participants`, `recovery`.
"""
