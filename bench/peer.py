"""Times one case of bench/cases.csv with stablebear, on the same data and threads.

Only the matrix call is timed; the tensor of functions is built before. Records a row, and writes
the compared entries to CASE.peer.bin. Usage: python bench/peer.py FOLDER CASES CASE THREADS REPEATS
"""

import csv
import os
import sys

os.environ["SB_FORCE_CPU"] = "1"

import numpy as np
import stablebear as sb
from data import read_functions
from timing import record, time_calls, timed


def main():
    folder, cases, name, threads, repeats = sys.argv[1:]
    with open(cases, newline="") as file:
        case = next(row for row in csv.DictReader(file) if row["case"] == name)
    sb.system.limit_cpus(int(threads))
    dtype = np.float32 if case["precision"] == "single" else np.float64
    fs = sb.PcfTensor(read_functions(f"{folder}/{case['workload']}", dtype, int(case["n"])))

    def run():
        if case["function"] == "l2_kernel":
            return sb.l2_kernel(fs)
        p = float(case["p"])
        return sb.pdist(fs, p=1 if p == 1 else p)

    first, result = timed(run)
    pairs = np.fromfile(f"{folder}/{case['workload']}-{case['n']}.pairs", dtype=np.int32)
    i, j = pairs.reshape(2, -1).tolist()
    entries = np.array([result[a, b] for a, b in zip(i, j)], dtype=np.float64)
    entries.tofile(f"{folder}/{name}.peer.bin")
    del result
    record(name, case["n"], time_calls(run, int(repeats), 21, first), n=case["n"])


main()
