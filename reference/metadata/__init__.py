"""A metadata store, as metadata-driven transactions need one (PIP-471, "Metadata store"): one port, three stores."""
