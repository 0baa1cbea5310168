"""`python -m stoprule` is the command `stoprule`."""

from .cli.main import main

main()
