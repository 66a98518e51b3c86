"""Adds the functions of bench/algebra.R pair by pair with masspcf.

Usage: python bench/algebra-peer.py FOLDER [THREADS]
"""

import os
import statistics
import sys
import time

os.environ["MPCF_FORCE_CPU"] = "1"

import masspcf as mp
from data import read_functions
from record import record


def report(name, size, run, repeats=9):
    run()
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = run()
        seconds.append(time.perf_counter() - start)
        del result
    print(f"  {name:22} median {1e3 * statistics.median(seconds):7.1f} ms, "
          f"fastest {1e3 * min(seconds):7.1f} ms", flush=True)
    record(name, size, statistics.median(seconds))


def main():
    folder = sys.argv[1]
    if len(sys.argv) > 2:
        mp.system.limit_cpus(int(sys.argv[2]))
    x, y = (mp.PcfTensor(read_functions(f"{folder}/{name}")) for name in ("left", "right"))
    size = f"{x.shape[0]} functions"
    report("x + y", size, lambda: x + y)
    report("x * y", size, lambda: x * y)
    report("x + x", size, lambda: x + x)
    report("2 * x", size, lambda: 2.0 * x)


main()
