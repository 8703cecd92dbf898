"""Chains of sliding blocks shaken by a capsizing iceberg."""
