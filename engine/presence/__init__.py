"""Stage II: is a gold patch still in a snapshot?"""
