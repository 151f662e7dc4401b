from hypothesis import settings

# A busy machine must not fail a test: no test here is about time.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
