"""Times landscapes with persim, as bench/landscapes.R, of a few diagrams only.

Usage: python bench/landscapes-peer.py [DIAGRAMS] [BARS]
The virtual environment needs persim==0.4.1 (python -m pip install persim==0.4.1).
"""

import itertools
import sys
import time

import numpy as np
from persim.landscapes import PersLandscapeExact


def main():
    setting = [8, 100]
    arguments = [int(a) for a in sys.argv[1:]]
    setting[: len(arguments)] = arguments
    count, bars = setting
    random = np.random.default_rng(20240407)
    births = random.uniform(size=(count, bars))
    deaths = births + random.exponential(size=(count, bars))
    start = time.perf_counter()
    landscapes = [
        PersLandscapeExact(dgms=[np.column_stack(both)], hom_deg=0)
        for both in zip(births, deaths)
    ]
    for landscape in landscapes:
        landscape.compute_landscape()
    built = time.perf_counter()
    pairs = list(itertools.combinations(landscapes, 2))
    for a, b in pairs:
        (a - b).p_norm(p=2)
    end = time.perf_counter()
    print(f"  persim: all levels: {(built - start) / count:.4f} s a diagram")
    print(f"  persim: L2 of all levels: {(end - built) / len(pairs):.4f} s a pair")

    tied = PersLandscapeExact(dgms=[np.array([[2.0, 6], [0, 4], [0, 4]])], hom_deg=0)
    tied.compute_landscape()
    print(f"  persim: level 2 of [2, 6], [0, 4], [0, 4]: {tied.critical_pairs[1]}")


main()
