"""Is it contamination or difficulty, and what of a ranking survives? Estimates, comparisons, patterns."""
