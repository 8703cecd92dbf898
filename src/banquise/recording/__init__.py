"""What is kept: run file, ledger, events."""
