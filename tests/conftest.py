"""What all tests share: names of cases that are the same in every process, and one thread a worker.

Parallel workers collect for themselves and compare names, so a name made of bytes that hold the time, of an address
in memory or of the order of a set stops the whole run. Threads of several workers would wait for each other.
"""
import os
import re

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"): os.environ.setdefault(variable, "1")

ADDRESS = re.compile(r"0x[0-9a-fA-F]{6,}")


def pytest_make_parametrize_id(config, val, argname):
    """Bytes are named by their length, addresses in memory left out; None: pytest's own name."""
    if isinstance(val, bytes | bytearray): return f"{argname}-{len(val)} bytes"
    if isinstance(val, set | frozenset): return f"{argname}-{len(val)} values"
    if isinstance(val, str) and ADDRESS.search(val): return ADDRESS.sub("0x", val)
    return None
