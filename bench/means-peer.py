"""Times stablebear's mean of the functions that bench/means.R wrote.

The tensor of functions is built before; only the mean is timed. Its values at the times that
bench/means.R wrote go to FOLDER. Usage: python bench/means-peer.py FOLDER N THREADS REPEATS
"""

import os
import sys

os.environ["SB_FORCE_CPU"] = "1"

import numpy as np
import stablebear as sb
from data import read_functions
from timing import record, time_calls, timed

folder, n, threads, repeats = sys.argv[1], *map(int, sys.argv[2:])
sb.system.limit_cpus(threads)
fs = sb.PcfTensor(read_functions(f"{folder}/means-{n}"))
first, mean = timed(lambda: sb.mean(fs))
record("mean", f"{n} functions", time_calls(lambda: sb.mean(fs), repeats, first=first))

points = np.asarray(mean[0] if not isinstance(mean, sb.Pcf) else mean)
at = np.fromfile(f"{folder}/means-{n}.at")
index = np.searchsorted(points[:, 0], at, side="right")
np.concatenate([[0], points[:, 1]])[index].tofile(f"{folder}/means-{n}.peer")
