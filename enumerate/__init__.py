"""Which rules are tried: families, cuts, sweeps, replay."""
