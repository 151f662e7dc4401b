"""Tables for other programs, papers and spreadsheets."""
