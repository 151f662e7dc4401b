"""Leaderboard submissions: who resolved what, read from every format that leaderboards publish."""
