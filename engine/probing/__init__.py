"""Stage I: was a repository in the training data?"""
