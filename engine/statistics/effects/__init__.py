"""Is it contamination or difficulty? Estimates within samples and submissions, matched pairs, trends."""
