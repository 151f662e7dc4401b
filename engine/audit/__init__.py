"""One results file against a training cutoff: nothing is imported, nothing leaves the machine."""
