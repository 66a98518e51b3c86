"""Times functions from persistence diagrams with masspcf, as bench/diagrams.R.

Only the conversion is timed; the tensor of barcodes is built before.
Usage: python bench/diagrams-peer.py [DIAGRAMS] [BARS] [THREADS]
"""

import os
import statistics
import sys
import time

os.environ["MPCF_FORCE_CPU"] = "1"

import masspcf as mp
import numpy as np
from masspcf import persistence as ph
from record import record


def main():
    setting = [10000, 500, 2]
    arguments = [int(a) for a in sys.argv[1:]]
    setting[: len(arguments)] = arguments
    count, bars, threads = setting
    mp.system.limit_cpus(threads)
    random = np.random.default_rng(20240407)
    births = random.uniform(size=(count, bars))
    deaths = births + random.exponential(size=(count, bars))
    x = ph.BarcodeTensor(
        [ph.Barcode(np.column_stack(both)) for both in zip(births, deaths)]
    )
    curves = {
        "stable rank": ph.barcode_to_stable_rank,
        "Betti curve": ph.barcode_to_betti_curve,
        "accumulated persistence": lambda x: ph.barcode_to_accumulated_persistence(
            x, verbose=False
        ),
    }
    print(f"masspcf: {count} diagrams of {bars} bars, {threads} threads")
    for name, curve in curves.items():
        seconds = []
        for _ in range(12):
            start = time.perf_counter()
            result = curve(x)
            seconds.append(time.perf_counter() - start)
            del result
        del seconds[0]
        median = statistics.median(seconds)
        print(f"  {name:24} median {median:.4f} s, best {min(seconds):.4f} s")
        record(name, f"{count} diagrams of {bars} bars", median)


main()
