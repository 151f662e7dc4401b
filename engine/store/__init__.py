"""The database: schema, build, checks, provenance."""
