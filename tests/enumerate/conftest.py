"""Compiled loops from the first call on: the tables of these tests are too small to be worth compiling for."""

import pytest
from stoprule.enumerate import compiled


@pytest.fixture(autouse=True)
def compiled_at_once(monkeypatch):
    """Where numba is installed, take the compiled way unless a test asks for the other."""
    monkeypatch.setattr(compiled, "COMPILES_IN", 0)
