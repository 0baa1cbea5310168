"""`python -m stoprule` is the command `stoprule`."""

from stoprule.cli.main import main

main()
