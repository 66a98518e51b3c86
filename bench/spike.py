"""Compares SPIKE distances of pcfdist with PySpike, and with exact fractions.

Usage: Rscript bench/spike.R [PAIRS [SEED]] | bench/.venv/bin/python bench/spike.py [FRACTIONS]
Prints a table, and exits with 1 if a number is wrong or missing. `bench/venv.sh doors` installs PySpike. The first
FRACTIONS pairs, 1000 unless given, are computed from the definition, in fractions; PySpike takes all.

A number is wrong if it differs by more than 1e-12 from PySpike, unless that is NaN and the fraction agrees, or by more
than 1e-13 from the fraction. PySpike loses digits of times that are large beside the recording: those around 1e6 are
all compared with fractions instead.
"""

import contextlib
import io
import sys
from bisect import bisect_right
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pyspike


class Train:
    """The knots of a train: its spikes, and auxiliary ones where these do not reach the ends."""

    def __init__(self, spikes, begin, end):
        if not spikes or spikes == [begin]:
            self.early, self.late, self.knots = False, False, [begin, end]
            return
        self.early, self.late = spikes[0] > begin, spikes[-1] < end
        several = len(spikes) > 1
        first = min(begin, 2 * spikes[0] - spikes[1]) if several else begin
        last = max(end, 2 * spikes[-1] - spikes[-2]) if several else end
        self.knots = [first] * self.early + spikes + [last] * self.late

    def nearest(self, time):
        return min(abs(time - knot) for knot in self.knots)

    def state(self, other, time):
        """The interval and the distance from the other train at a time that is no knot."""
        knots = self.knots
        k = bisect_right(knots, time)
        before, after = knots[k - 1], knots[k]
        weight = (time - before) / (after - before)
        if self.early and k == 1:
            weight = 1
        if self.late and k == len(knots) - 1:
            weight = 0
        return after - before, (1 - weight) * other.nearest(before) + weight * other.nearest(after)


def exact_distance(numbers, first, second):
    begin, end, low, high, scale = numbers
    f, g = Train(first, begin, end), Train(second, begin, end)
    cuts = sorted({low, high, *(t for t in f.knots + g.knots if low < t < high)})
    total = Fraction(0)
    for left, right in pairwise(cuts):
        middle = (left + right) / 2
        (interval_f, of_f), (interval_g, of_g) = f.state(g, middle), g.state(f, middle)
        both = interval_f + interval_g
        total += (right - left) * 2 * (interval_g * of_f + interval_f * of_g) / (both * max(both, 2 * scale))
    return total / (high - low)


def pyspike_distance(numbers, first, second):
    begin, end, low, high, scale = numbers
    trains = [pyspike.SpikeTrain(np.array(spikes), [begin, end]) for spikes in (first, second)]
    interval = None if (low, high) == (begin, end) else (low, high)
    with contextlib.redirect_stdout(io.StringIO()):  # it prints numbers
        return pyspike.spike_distance(*trains, interval=interval, MRTS=scale)


def main():
    fractions = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    counts = {"PySpike": 0, "fractions": 0, "NaN of PySpike": 0}
    largest, wrong = dict.fromkeys(counts, 0.0), 0
    for number, line in enumerate(sys.stdin):
        parts = [[float.fromhex(text) for text in part.split()] for part in line.rstrip("\n").split(";")]
        (*numbers, found), first, second = parts
        peer = pyspike_distance(numbers, first, second) if abs(numbers[0]) < 1e6 else None
        lost = peer is not None and not np.isfinite(peer)
        checks = [] if peer is None or lost else [("PySpike", abs(found - peer), 1e-12)]
        if number < fractions or lost or peer is None:
            exact = exact_distance(*([Fraction(x) for x in part] for part in (numbers, first, second)))
            kind = "NaN of PySpike" if lost else "fractions"
            checks.append((kind, float(abs(Fraction(found) - exact)), 1e-13))
        for kind, error, due in checks:
            counts[kind] += 1
            largest[kind] = max(largest[kind], error)
            if not error <= due:
                wrong += 1
                print("wrong, beside", kind, *numbers, found, first, second, file=sys.stderr)
    print("| beside | pairs | largest difference |\n| --- | --- | --- |")
    for kind, count in counts.items():
        print(f"| {kind} | {count} | {largest[kind]:.1e} |")
    print(f"\n{wrong} wrong")
    sys.exit(wrong > 0 or counts["PySpike"] == 0)


main()
