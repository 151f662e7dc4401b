"""Rewrites of Python and Java source that keep its meaning, as programmers make them."""
