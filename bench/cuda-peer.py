"""Times masspcf on its CUDA build, on the data that bench/cuda.R wrote.

Usage: python bench/cuda-peer.py FOLDER
"""

import csv
import statistics
import sys
import time
import types

# masspcf looks for GPUs with lspci, which may be missing or find none, and then quietly
# computes on the CPU. Tell it that there is one; the assertion below checks the result.
detect = types.ModuleType("_gpu_detect")
detect.has_nvidia_gpu = lambda: True
detect.nvidia_gpu_count = lambda: 1
detect.detect_nvidia_gpus = lambda: [{"name": "NVIDIA"}]
sys.modules["_gpu_detect"] = detect

import masspcf as mp  # noqa: E402
import numpy as np  # noqa: E402
from data import read_functions  # noqa: E402

assert mp.system.build_type() == "CUDA"

folder = sys.argv[1]
cases = [
    ("L1", lambda f: mp.pdist(f, p=1)),
    ("p = 2", lambda f: mp.pdist(f, p=2)),
    ("inner product", mp.l2_kernel),
]

with open(f"{folder}/peer.csv", "w", newline="") as file:
    out = csv.writer(file)
    out.writerow(["case", "precision", "seconds", "a"])
    for precision, dtype in [("single", np.float32), ("double", np.float64)]:
        functions = read_functions(f"{folder}/paper", dtype)
        for name, call in cases:
            seconds = []
            for repeat in range(6):
                start = time.perf_counter()
                result = call(functions)
                seconds.append(time.perf_counter() - start)
                first = float(result[0, 0]) if name == "inner product" else float(result[1, 0])
                del result
            out.writerow([name, precision, statistics.median(seconds[1:]), first])
            print("masspcf", name, precision, statistics.median(seconds[1:]), flush=True)
