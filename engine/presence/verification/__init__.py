"""Test verification (Section 3.4): does the snapshot's version of the fix pass the sample's tests?"""
