"""A corpus with known truth: what the gate finds of each kind of leak, and what it cannot see."""
