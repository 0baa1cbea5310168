"""Compiled loops, where numba is installed."""

import subprocess
import sys

import pytest
from stoprule.enumerate import compiled


class TestLoop:
    def test_without_numba(self, monkeypatch):
        """Give none, so that the caller takes its numpy way."""
        monkeypatch.setattr(compiled, "available", lambda: False)
        assert compiled.loop("accumulate") is None

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
