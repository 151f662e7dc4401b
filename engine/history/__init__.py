"""Repository history: snapshots, first-parent commits, file renames."""
