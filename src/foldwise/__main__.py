"""`python -m foldwise` is the command `foldwise`."""

from foldwise.cli import main

if __name__ == "__main__":
    main()
