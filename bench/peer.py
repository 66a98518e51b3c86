"""Times one case of bench/cases.csv with masspcf, on the same data and threads.

Only the matrix call is timed; the tensor of functions is built before. Where several
cases differ only in what masspcf does not know (the instruction set), one run serves all.
Usage: python bench/peer.py FOLDER CASES CASE THREADS REPEATS
"""

import csv
import os
import statistics
import sys
import time
from importlib.metadata import version

os.environ["MPCF_FORCE_CPU"] = "1"

import masspcf as mp
import numpy as np
from data import read_functions


def main():
    folder, cases, name, threads, repeats = sys.argv[1:]
    repeats = int(repeats)
    with open(cases, newline="") as file:
        case = next(row for row in csv.DictReader(file) if row["case"] == name)
    mp.system.limit_cpus(int(threads))
    dtype = np.float32 if case["precision"] == "single" else np.float64
    fs = mp.PcfTensor(read_functions(f"{folder}/{case['workload']}", dtype, int(case["n"])))

    def run():
        if case["function"] == "l2_kernel":
            return mp.l2_kernel(fs)
        p = float(case["p"])
        return mp.pdist(fs, p=1 if p == 1 else p)

    def seconds():
        start = time.perf_counter()
        result = run()
        return time.perf_counter() - start, result

    first, result = seconds()
    pairs = np.fromfile(f"{folder}/{case['workload']}-{case['n']}.pairs", dtype=np.int32)
    i, j = pairs.reshape(2, -1).tolist()
    entries = np.array([result[a, b] for a, b in zip(i, j)], dtype=np.float64)
    entries.tofile(f"{folder}/{name}.peer.bin")
    del result

    # The same rule for the number of repeats as in pcfdist.R.
    slow = first > 15
    times = [first] if slow else []
    wanted = min(3, repeats) if slow else max(repeats, min(21, int(2 / first)))
    while len(times) < wanted:
        elapsed, result = seconds()
        del result
        times.append(elapsed)

    with open(f"{folder}/{name}.peer.csv", "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["case", "seconds", "fastest", "repeats", "version", "build"])
        out.writerow([name, statistics.median(times), min(times), len(times),
                      version("masspcf"), mp.system.build_type()])
    print(f"  masspcf  {statistics.median(times):8.3f} s", flush=True)


main()
