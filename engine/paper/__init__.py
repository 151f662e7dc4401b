"""The paper's printed figures, kept as the paper's in `data/paper/`, for comparison with ours."""
