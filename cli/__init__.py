"""The `stoprule` command and the study file."""
