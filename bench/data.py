"""Reads the functions that write_functions() of bench/data.R wrote."""

import numpy as np
import stablebear as sb


def read_functions(stem, dtype=np.float64, n=None):
    """The first n functions, or all, as a list."""
    lengths = np.fromfile(f"{stem}.lengths", dtype=np.int32)[:n]
    total = int(lengths.sum())
    times = np.fromfile(f"{stem}.times", dtype=np.float64, count=total)
    values = np.fromfile(f"{stem}.values", dtype=np.float64, count=total)
    both = np.column_stack([times, values]).astype(dtype)
    return [sb.Pcf(f) for f in np.split(both, np.cumsum(lengths)[:-1])]
