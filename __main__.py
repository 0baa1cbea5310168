"""The command `stoprule`, and `python -m stoprule`."""

from __future__ import annotations


def main() -> None:
    """Run the command. What it needs is loaded only now: worker processes load this file too, and nothing of it."""
    from stoprule.cli.main import main as command

    command()


if __name__ == "__main__":
    main()
