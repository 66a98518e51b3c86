"""Times stablebear on its CUDA build, on the data that bench/cuda.R wrote.

Records the rows, and writes the first entry of each result to FOLDER/entries.csv.
Usage: python bench/cuda-peer.py FOLDER
"""

import csv
import sys
import types

# stablebear looks for GPUs with lspci, which may be missing or find none, and then quietly
# computes on the CPU. Tell it that there is one; the assertion below checks the result.
detect = types.ModuleType("stablebear.gpu")
detect.has_nvidia_gpu = lambda: True
detect.nvidia_gpu_count = lambda: 1
detect.detect_nvidia_gpus = lambda: [{"name": "NVIDIA"}]
sys.modules["stablebear.gpu"] = detect

import numpy as np  # noqa: E402
import stablebear as sb  # noqa: E402
from data import read_functions  # noqa: E402
from timing import record, time_calls, timed  # noqa: E402

assert sb.system.build_type() == "CUDA"

folder = sys.argv[1]
cases = [
    ("L1", lambda f: sb.pdist(f, p=1)),
    ("p = 2", lambda f: sb.pdist(f, p=2)),
    ("inner product", sb.l2_kernel),
]

with open(f"{folder}/entries.csv", "w", newline="") as file:
    out = csv.writer(file)
    out.writerow(["case", "precision", "entry"])
    for precision, dtype in [("single", np.float32), ("double", np.float64)]:
        functions = read_functions(f"{folder}/paper", dtype)
        for name, call in cases:
            first, result = timed(lambda: call(functions))
            at = (0, 0) if name == "inner product" else (1, 0)
            out.writerow([name, precision, float(result[at])])
            del result
            record(name, precision, time_calls(lambda: call(functions), 5, first=first))
