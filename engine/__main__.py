"""Entry point of `benchchecker` and `python -m engine`."""

from engine.cli.app import main

if __name__ == "__main__":
    main()
