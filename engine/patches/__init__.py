"""Patches: diffs, blocks and logical lines."""
