"""The sentences of PIP-31: `setting` has the Given, `acts` the When, `sight` the Then, `world` what they share."""
