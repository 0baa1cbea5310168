"""What all tests share: products keep to one thread, as in the command; each core has a worker of the tests already."""

import os

from stoprule.cli.main import BLAS

for library in BLAS:  # before numpy is loaded
    os.environ.setdefault(f"{library}_THREADS", "1")
