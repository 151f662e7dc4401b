"""Models: the registry of training cutoffs, and the resolution of names to it."""
