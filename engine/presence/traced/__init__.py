"""The `traced` detector: follows a fix through renames, moves and refactoring."""
