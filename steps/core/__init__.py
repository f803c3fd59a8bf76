"""The sentences of the core: `setting` has the Given, `acts` the When, `sight` the Then, `world` what they share."""
