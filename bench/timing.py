"""The one timer of all peers, and the rows that they leave; as bench/timing.R."""

import csv
import os
import statistics
import time
from importlib.metadata import version

COLUMNS = [
    "case", "size", "package", "version", "seconds", "runs", "n", "breakpoints", "rectangles",
    "bytes", "difference", "method", "isa", "expected", "check", "plan", "prepare", "compute",
    "scatter", "beyond",
]


def timed(run):
    """Seconds of one call, and its result."""
    start = time.perf_counter()
    result = run()
    return time.perf_counter() - start, result


def time_calls(run, repeats=5, most=None, first=None):
    """Seconds of calls after a first one, by the rules of time_calls() in bench/timing.R."""
    if first is None:
        first = timed(run)[0]
    slow = first > 15
    seconds = [first] if slow else []
    wanted = min(3, repeats) if slow else max(repeats, min(most or repeats, int(2 / first)))
    while len(seconds) < wanted:
        seconds.append(timed(run)[0])
    return seconds


def record(case, size, seconds, package="stablebear", **columns):
    """Prints the median, and appends a row to the file that BENCH_ROWS names, if it does."""
    median = statistics.median(seconds)
    print(f"  {package}: {case}, {size}: {median:.4f} s", flush=True)
    path = os.environ.get("BENCH_ROWS")
    if not path:
        return
    columns.update(case=case, size=size, package=package, version=version(package),
                   seconds=median, runs=" ".join(f"{s:.6g}" for s in seconds))
    new = not os.path.exists(path)
    with open(path, "a", newline="") as file:
        out = csv.DictWriter(file, COLUMNS, restval="NA")
        if new:
            out.writeheader()
        out.writerow(columns)
