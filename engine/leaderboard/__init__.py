"""Leaderboard rows: submissions joined with labels and statistics, for the export and the dashboard alike."""
