"""Distances of distributions by scipy and of spike trains by PySpike, for bench/doors.R.

Usage: python bench/doors-peer.py FOLDER SAMPLES POINTS TRAINS SPIKES
Prints rows: the case, the pair and its distance, of the pairs of the first 20; and the case, NA, NA
and the seconds that a pair takes, by the clock (-wall) and of the processor (-cpu).
"""

import itertools
import sys
import time

import numpy as np
import pyspike
from scipy.stats import energy_distance, wasserstein_distance


def report(case, distance, things, timed):
    for i, j in itertools.combinations(range(min(20, len(things))), 2):
        print(case, i, j, repr(float(distance(things[i], things[j]))))
    pairs = list(itertools.islice(itertools.combinations(range(len(things)), 2), timed))
    start = time.perf_counter(), time.process_time()
    for i, j in pairs:
        distance(things[i], things[j])
    print(case + "-wall", "NA", "NA", (time.perf_counter() - start[0]) / len(pairs))
    print(case + "-cpu", "NA", "NA", (time.process_time() - start[1]) / len(pairs))


def main():
    folder = sys.argv[1]
    samples, points, trains, spikes = (int(a) for a in sys.argv[2:])
    of_samples = np.fromfile(folder + "/samples").reshape(samples, points)
    of_trains = [
        pyspike.SpikeTrain(times, [0.0, 100.0])
        for times in np.fromfile(folder + "/trains").reshape(trains, spikes)
    ]
    report("W1", wasserstein_distance, of_samples, 5000)
    report("energy", energy_distance, of_samples, 5000)
    report("ISI", pyspike.isi_distance, of_trains, 5000)
    report("SPIKE", pyspike.spike_distance, of_trains, 5000)


main()
