"""Times one call of bench/functions.R with stablebear.

Only the call is timed; the tensor of functions is built before. The results go to
FOLDER/result.bin, of an evaluation those of the first 100 functions, column by column.
Usage: python bench/functions-peer.py FOLDER NAME CALL THREADS REPEATS CASE SIZE
where CALL is "evaluate" or "norm1", "norm2", ..., and CASE and SIZE name the row.
"""

import os
import sys

os.environ["SB_FORCE_CPU"] = "1"

import numpy as np
import stablebear as sb
from data import read_functions
from timing import record, time_calls


def main():
    folder, name, call, threads, repeats, case, size = sys.argv[1:]
    sb.system.limit_cpus(int(threads))
    fs = sb.PcfTensor(read_functions(f"{folder}/{name}"))
    grid = np.linspace(0, 3, 1000)

    def run():
        return fs(grid) if call == "evaluate" else sb.lp_norm(fs, p=int(call[4:]))

    result = np.asarray(run(), dtype=np.float64)
    if call == "evaluate":
        result = result[:100].T
    np.ascontiguousarray(result).tofile(f"{folder}/result.bin")
    record(case, size, time_calls(run, int(repeats)))


main()
