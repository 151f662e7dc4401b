"""The offline engine: reads benchmarks, histories and submissions, and writes labels to DuckDB."""
