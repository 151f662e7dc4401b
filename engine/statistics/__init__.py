"""Intervals, tests and verdicts; every figure that the product shows is computed here."""
