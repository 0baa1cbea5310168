"""Compiled loops, where numba is installed."""

import subprocess
import sys
from collections import Counter

import pytest
from stoprule.enumerate import compiled


class TestLoop:
    def test_without_numba(self, monkeypatch):
        """Give none, so that the caller takes its numpy way."""
        monkeypatch.setattr(compiled, "available", lambda: False)
        assert compiled.loop("accumulate", 1e12) is None

    def test_when_it_pays(self, monkeypatch):
        """Give none until numpy's work, together with what it did before, takes as long as compiling."""
        pytest.importorskip("numba")
        monkeypatch.setattr(compiled, "COMPILES_IN", 1000)
        monkeypatch.setattr(compiled, "_spent", Counter())
        handed_out = [compiled.loop("accumulate", 400) is not None for _ in range(4)]
        assert handed_out == [False, False, True, True]
        assert compiled.loop("combine", 999) is None

    def test_nowhere_to_keep_it(self, monkeypatch):
        """Compile anew where numba finds no folder for its cache."""
        numba = pytest.importorskip("numba")
        asked = []

        def njit(**options):
            asked.append(options)
            if options.get("cache"):
                raise RuntimeError("cannot cache function: no locator available")
            return lambda function: function

        monkeypatch.setattr(numba, "njit", njit)
        assert compiled._compiled.__wrapped__("accumulate") is compiled.loops.accumulate
        assert asked == [{"cache": True, "nogil": True}, {"nogil": True}]

    def test_only_when_called(self):
        """Leave numba alone until a loop is asked for, so that the command line starts quickly."""
        code = "import sys, stoprule.enumerate.sweep_two, stoprule.enumerate.masks; print('numba' in sys.modules)"
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert ran.stdout.strip() == "False", ran.stderr
