"""Times one case of bench/functions.R with masspcf and prints the median seconds.

Only the call is timed; the tensor of functions is built before. The results go to
FOLDER/result.bin, of an evaluation those of the first 100 functions, column by column.
Usage: python bench/functions-peer.py FOLDER NAME CASE THREADS REPEATS
where CASE is "evaluate" or "norm1", "norm2", ...
"""

import os
import statistics
import sys
import time

os.environ["MPCF_FORCE_CPU"] = "1"

import masspcf as mp
import numpy as np
from data import read_functions


def main():
    folder, name, case, threads, repeats = sys.argv[1:]
    mp.system.limit_cpus(int(threads))
    fs = mp.PcfTensor(read_functions(f"{folder}/{name}"))
    grid = np.linspace(0, 3, 1000)

    def run():
        return fs(grid) if case == "evaluate" else mp.lp_norm(fs, p=int(case[4:]))

    result = np.asarray(run(), dtype=np.float64)
    if case == "evaluate":
        result = result[:100].T
    np.ascontiguousarray(result).tofile(f"{folder}/result.bin")
    seconds = []
    for _ in range(int(repeats)):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    print(statistics.median(seconds))


main()
