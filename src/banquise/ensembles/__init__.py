"""Many runs: the product of parameter lists and seeds, here or on a cluster."""
