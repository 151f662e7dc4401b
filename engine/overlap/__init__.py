"""The overlap gate: contamination of an evaluation set against a corpus at hand."""
