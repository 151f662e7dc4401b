"""Tables that leave the product: CSV, JSON, Parquet, LaTeX."""
