"""Times masspcf's mean of the functions that bench/means.R wrote.

The tensor of functions is built before; only the mean is timed. Prints the median of
REPEATS calls in seconds. Usage: python bench/means-peer.py FOLDER N THREADS REPEATS
"""

import os
import statistics
import sys
import time

os.environ["MPCF_FORCE_CPU"] = "1"

import masspcf as mp
import numpy as np
from data import read_functions

folder, n, threads, repeats = sys.argv[1], *map(int, sys.argv[2:])
mp.system.limit_cpus(threads)
fs = mp.PcfTensor(read_functions(f"{folder}/means-{n}"))

seconds = []
for _ in range(repeats):
    start = time.perf_counter()
    mean = mp.mean(fs)
    seconds.append(time.perf_counter() - start)

points = np.asarray(mean[0] if not isinstance(mean, mp.Pcf) else mean)
at = np.fromfile(f"{folder}/means-{n}.at")
index = np.searchsorted(points[:, 0], at, side="right")
np.concatenate([[0], points[:, 1]])[index].tofile(f"{folder}/means-{n}.peer")
print(statistics.median(seconds))
