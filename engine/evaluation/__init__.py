"""Evidence that the detectors work."""
