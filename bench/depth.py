"""Compares how deep pcfdist says that functions lie with exact fractions.

Usage: Rscript bench/depth.R [COLLECTIONS [SEED]] | python3 bench/depth.py
Prints the largest error of each kind, and exits with 1 if one is more than 1e-12.
"""

import bisect
import sys
from fractions import Fraction
from itertools import combinations, pairwise


def read_number(text):
    number = None if text == "NA" else float.fromhex(text)
    return None if number is None or number != number else Fraction(number)


class Function:
    """Of lines: the values and left limits, of steps: both ends of a stretch are the value."""

    def __init__(self, numbers, lines):
        columns = 3 if lines else 2
        m = len(numbers) // columns
        self.times, self.value = numbers[:m], numbers[(columns - 1) * m :]
        self.left = numbers[m : 2 * m] if lines else None

    def ends(self, begin, end):
        k = bisect.bisect_right(self.times, begin) - 1
        a = self.value[k]
        if a is None or self.left is None or k + 1 == len(self.times):
            return a, a
        slope = (self.left[k + 1] - a) / (self.times[k + 1] - self.times[k])
        return a + slope * (begin - self.times[k]), a + slope * (end - self.times[k])


def parts_of(ends):
    """Shares of a stretch between the crossings of its lines."""
    cuts = {Fraction(0), Fraction(1)}
    for (a, b), (c, d) in combinations([e for e in ends if e[0] is not None], 2):
        if (a - c) * (b - d) < 0:
            cuts.add((a - c) / ((a - c) - (b - d)))
    return pairwise(sorted(cuts))


def places(values, k):
    seen = [v for v in values if v is not None]
    return sum(v < values[k] for v in seen), sum(v > values[k] for v in seen), len(seen)


def depths(functions, window, weight):
    n = len(functions)
    total, seen = [[0] * n, [0] * n], [[0] * n, [0] * n]
    times = {t for f in [*functions, weight] for t in f.times if window[0] < t < window[1]}
    for begin, end in pairwise([window[0], *sorted(times), window[1]]):
        ends = [f.ends(begin, end) for f in functions]
        for first, last in parts_of(ends):
            width = (end - begin) * (last - first) * weight.ends(begin, end)[0]
            middle = (first + last) / 2
            values = [None if a is None else a + (b - a) * middle for a, b in ends]
            for k in range(n):
                if values[k] is None:
                    continue
                below, above, count = places(values, k)
                if count > 1:
                    lost = Fraction(below * (below - 1) + above * (above - 1), count * (count - 1))
                    total[0][k] += width * count * (1 - lost)
                    seen[0][k] += width * count
                total[1][k] += width * count * (1 - abs(Fraction(1, 2) - Fraction(count - above, count)))
                seen[1][k] += width * count
    return [a / b for of in range(2) for a, b in zip(total[of], seen[of], strict=True)]


def main():
    worst, count, functions = {}, {}, []
    for text in sys.stdin:
        what, numbers = text.rstrip("\n").split("\t")
        numbers = [read_number(number) for number in numbers.split(" ")]
        if what in ("steps", "lines"):
            kind, window, functions = what, numbers, []
        elif what == "weight":
            weight = Function(numbers, False)
        elif what == "given":
            functions.append(Function(numbers, kind == "lines"))
        else:
            wanted = depths(functions, window, weight)
            high = max(abs(v) for f in functions for v in f.value if v is not None) > 1e5
            kind += ", around 1e6" if high else ""
            count[kind] = count.get(kind, 0) + 1
            errors = [1 if a is None else abs(float(a - b)) for a, b in zip(numbers, wanted, strict=True)]
            worst[kind] = max(worst.get(kind, 0), *errors)
    for kind in sorted(worst):
        print(f"{kind:20} {count[kind]:6} collections, largest error {worst[kind]:.2g}")
    sys.exit(not worst or max(worst.values()) > 1e-12)


main()
