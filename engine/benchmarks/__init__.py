"""Benchmarks: samples, their ids, and readers for the formats in which people have them."""
