"""Compares what pcfdist says of piecewise linear functions with exact fractions.

Usage: Rscript bench/truth.R [COLLECTIONS [SEED]] | bench/.venv/bin/python bench/truth.py
Prints a table, and exits with 1 if a number is wrong or missing. `bench/venv.sh truth` installs gmpy2.

A number is wrong if its error is more than 1e-13, or 3e-6 in single precision, of what it would be if functions were
as large throughout each of their lines as at its larger end. Single precision rounds times to 2^-24 of the time that
all functions and a weight span: the widths of stretches shorter than 1/30 of that may change by twice as much.
"""

import bisect
import sys
from itertools import combinations, pairwise, product

from gmpy2 import cbrt, get_context, mpfr, mpq, sqrt

get_context().precision = 500
INFINITE = float("inf")
DUE = {"double": mpq(1, 10**13), "single": mpq(3, 10**6)}


def read_number(text):
    number = None if text == "NA" else float.fromhex(text)
    return mpq(number) if is_finite(number) else number


def is_finite(x):
    return x is not None and x == x and abs(x) < INFINITE


class Lines:
    """A piecewise linear function of fractions, None where it is not observed."""

    def __init__(self, numbers):
        m = len(numbers) // 3
        self.times, self.left, self.value = numbers[:m], numbers[m : 2 * m], numbers[2 * m :]

    def ends(self, begin, end):
        """The limits at both ends of an interval within one line, and the larger end of the line."""
        k = bisect.bisect_right(self.times, begin)
        a = self.value[k - 1] if k > 0 else self.left[0]
        if a is None:
            return None, None, None
        if k in (0, len(self.times)):
            return a, a, abs(a)
        first, last, b = self.times[k - 1], self.times[k], self.left[k]
        slope = (b - a) / (last - first)
        return a + slope * (begin - first), a + slope * (end - first), max(abs(a), abs(b))


class Case:
    def __init__(self, missing, window):
        self.missing, self.window, self.weight, self.lines, self.truths = missing, window, None, [], {}

    def stretches(self, lines):
        """(width, how much it may change, ends of each line), where all are observed and the weight is not 0."""
        low, high = self.window
        times = sorted(t for f in [*self.lines, self.weight] for t in f.times)
        cuts = {t for f in [*lines, self.weight] for t in f.times if low < t < high}
        for begin, end in pairwise([low, *sorted(cuts), high]):
            height, ends = self.weight.ends(begin, end)[0], [f.ends(begin, end) for f in lines]
            if height > 0 and all(e[0] is not None for e in ends):
                width = INFINITE if INFINITE in (-begin, end) else end - begin
                span = times[-1] - times[0]
                yield height * width, height * span / 2**23 if width < span / 30 else 0, ends

    def measure(self, lines, kind, p):
        """A number, what its error is relative to, and what it may lose in single precision."""
        stretches = list(self.stretches(lines))
        if not stretches:
            return (None, None, 0) if list(self.stretches([])) else (mpq(0), mpq(0), 0)  # no weight
        widths, short, ends = zip(*stretches)
        if kind == "inner":
            means = [(2 * a * c + a * d + b * c + 2 * b * d) / 6 for (a, b, _), (c, d, _) in ends]
            sizes = most = [f[2] * g[2] for f, g in ends]
        elif kind == "integral":
            means = [(a + b) / 2 for ((a, b, _),) in ends]
            sizes = most = [f[2] for (f,) in ends]
        else:
            apart = [[x - y for x, y in zip(e[0][:2], [*e, (0, 0)][1])] for e in ends]
            most, sizes = [max(map(abs, both)) for both in apart], [max(f[2] for f in e) for e in ends]
            if p == INFINITE:
                return max(most), max(sizes), 0
            means = [mean_power(a, b, p) for a, b in apart]
            most, sizes = ([mean_power(s, s, p) for s in x] for x in (most, sizes))
        length = sum(widths) if self.missing == "mean" else 1
        finite = [0 if w == INFINITE else w for w in widths]  # forever, lines are constant, and so exact
        whole, scale, lost = (total(*x) / length for x in ((widths, means), (finite, sizes), (short, most)))
        value = root(whole, p)
        lost = max(abs(root(max(x, 0) if p > 1 else x, p) - value) for x in (whole - lost, whole + lost)) if lost else 0
        return value, root(scale, p), lost


def mean_power(a, b, p):
    """The mean of |d|^p on a line from a to b: exact, unless p is 1.5."""
    power = (lambda d: abs(mpfr(d)) * sqrt(abs(mpfr(d)))) if p == 1.5 else (lambda d: abs(d) ** int(p))
    return power(a) if a == b else (b * power(b) - a * power(a)) / ((b - a) * mpq(p + 1))


def total(widths, means):
    """The sum of their products, where infinity times 0 is 0."""
    return sum((width * mean for width, mean in zip(widths, means) if mean != 0), mpq(0))


def root(x, p):
    if p == 1 or not is_finite(x):
        return x
    return sqrt(mpfr(x)) if p == 2 else cbrt(mpfr(x)) ** (2 if p == 1.5 else 1)


def quantile(values, share):
    at = (len(values) - 1) * mpq(share)
    lower, upper = sorted(values)[int(at)], sorted(values)[-int(-at // 1)]
    return lower + (at - int(at)) * (upper - lower)


class Report:
    def __init__(self):
        self.rows, self.collections, self.case = {}, 0, None

    def count(self, name, precision, numbers, wrong, error=0.0):
        row = self.rows.setdefault((name, precision), [0, 0, 0.0])
        row[:] = row[0] + numbers, row[1] + wrong, max(row[2], error)

    def add(self, name, precision, found, wanted, scale, slack=0):
        error, wrong = 0, str(found) != str(wanted)
        if is_finite(found) and is_finite(wanted):
            error = max(abs(found - wanted) - slack, 0)
            wrong = error > DUE[precision] * scale
        self.count(name, precision, 1, wrong, float(error / scale) if scale and error else float(error))
        if wrong:
            numbers = (x and float(x) for x in (found, wanted, scale))
            print("wrong, in collection", self.collections, name, precision, *numbers, file=sys.stderr)

    def check_numbers(self, found, kind, precision, p="1"):
        case, name = self.case, kind if kind in ("inner", "integral") else f"{kind}, p = {p}"
        if name not in case.truths:
            groups = {"distance": combinations(case.lines, 2), "inner": product(case.lines, repeat=2)}
            groups = groups.get(kind, zip(case.lines))
            case.truths[name] = [case.measure(group, kind, float(p)) for group in groups]
        for x, (wanted, scale, lost) in zip(found, case.truths[name], strict=True):
            self.add(name, precision, x, wanted, scale, lost if precision == "single" else 0)

    def check_value(self, numbers, side):
        times = numbers[: len(numbers) // (len(self.case.lines) + 1)]
        for (t, f), found in zip(product(times, self.case.lines), numbers[len(times) :], strict=True):
            begin = t if side == "right" else max([-INFINITE, *(s for s in f.times if s < t)])
            ends = f.ends(begin, t)
            self.add(f"value, {side}", "double", found, ends[0 if side == "right" else 1], ends[2])

    def check_function(self, numbers, name, share=None):
        """At both ends of all stretches: in between, the function and the truth are lines."""
        lines = self.case.lines
        n = 0 if share else len(lines)
        weights, result = numbers[:n] or [1] * len(lines), Lines(numbers[n:])
        cuts = {t for f in [*lines, result] for t in f.times}
        for begin, end in pairwise(sorted(cuts) if share else []):
            ends = [f.ends(begin, end) for f in lines]
            for f, g in combinations([f for f in ends if f[0] is not None], 2):
                if (f[0] - g[0]) * (f[1] - g[1]) < 0:
                    cuts.add(begin + (end - begin) * (f[0] - g[0]) / (f[0] - g[0] - f[1] + g[1]))
        for begin, end in pairwise([-INFINITE, *sorted(cuts), INFINITE]):
            ends = [f.ends(begin, end) for f in lines]
            wanted, scale, slack = [None, None], 0, 0
            if all(f[0] is not None for f in ends):
                values = [[w * f[k] for w, f in zip(weights, ends)] for k in (0, 1)]
                wanted = [quantile(v, share) if share else sum(v) for v in values]
                scale = max(abs(w) * f[2] for w, f in zip(weights, ends))
                if share and end - begin < INFINITE:  # the rounding of the times of crossings
                    slack = max(abs(f[1] - f[0]) for f in ends) / (end - begin) * abs(end) / 2**52
            for found, truth in zip(result.ends(begin, end), wanted):
                self.add(name, "double", found, truth, scale, slack)

    def read(self, file):
        for text in file:
            words, _, numbers = text.partition("\t")
            kind, *words = words.split(" ")
            numbers = [read_number(x) for x in numbers.split()]
            if kind == "case":
                self.collections += 1
                self.case = Case(words[0], numbers)
            elif kind == "weight":
                self.case.weight = Lines(numbers)
            elif kind == "given":
                self.case.lines.append(Lines(numbers))
            elif kind in ("function", "value"):
                getattr(self, f"check_{kind}")(numbers, *words)
            elif kind == "checked":
                self.count(" ".join(words), "both", *map(int, numbers))
            elif kind == "end":
                return numbers[0] == self.collections
            else:
                self.check_numbers(numbers, kind, *words)
        return False


report = Report()
complete = report.read(sys.stdin)
print("| result | precision | numbers | wrong | largest relative error |\n| --- | --- | --- | --- | --- |")
for key, (count, wrong, error) in sorted(report.rows.items()):
    print(f"| {key[0]} | {key[1]} | {count:,} | {wrong} | {error:.1e} |")
count, wrong = (sum(row[k] for row in report.rows.values()) for k in (0, 1))
rest = "." if complete else "; the rest is missing."
print(f"\n{report.collections:,} collections, {count:,} numbers, {wrong} wrong{rest}")
sys.exit(wrong > 0 or not complete)
