"""Who touches whom."""
