"""Times functions from persistence diagrams with stablebear, as bench/diagrams.R.

Only the conversion is timed; the tensor of barcodes is built before.
Usage: python bench/diagrams-peer.py [DIAGRAMS] [BARS] [THREADS]
"""

import os
import sys

os.environ["SB_FORCE_CPU"] = "1"

import numpy as np
import stablebear as sb
from stablebear import persistence as ph
from timing import record, time_calls


def main():
    setting = [10000, 500, 2]
    arguments = [int(a) for a in sys.argv[1:]]
    setting[: len(arguments)] = arguments
    count, bars, threads = setting
    sb.system.limit_cpus(threads)
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
    for name, curve in curves.items():
        record(name, f"{count} diagrams of {bars} bars", time_calls(lambda: curve(x), 11))


main()
