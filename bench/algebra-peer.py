"""Adds the functions of bench/algebra.R pair by pair with stablebear.

Usage: python bench/algebra-peer.py FOLDER [THREADS]
"""

import os
import sys

os.environ["SB_FORCE_CPU"] = "1"

import stablebear as sb
from data import read_functions
from timing import record, time_calls


def main():
    folder = sys.argv[1]
    if len(sys.argv) > 2:
        sb.system.limit_cpus(int(sys.argv[2]))
    x, y = (sb.PcfTensor(read_functions(f"{folder}/{name}")) for name in ("left", "right"))
    calls = {
        "x + y": lambda: x + y, "x * y": lambda: x * y, "x + x": lambda: x + x,
        "2 * x": lambda: 2.0 * x,
    }
    for name, call in calls.items():
        record(name, f"{x.shape[0]} functions", time_calls(call, 9))


main()
