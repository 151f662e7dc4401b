"""Charts: one look for all, and for each its caption, its words, its data as a table and its downloads."""
