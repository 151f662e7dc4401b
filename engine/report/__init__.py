"""What a paper prints: the findings beside ours, and every table and figure with its caption."""
