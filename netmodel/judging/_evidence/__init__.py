"""Published statements against what netmodel computes for them: the ledger."""
