"""The sentences of KIP-890: `setting` has the Given, `acts` the When, `answers` and `logs` the Then, `world` what they share."""
