"""KIP-890, Transactions Server-Side Defense."""
