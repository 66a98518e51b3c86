# The bars of dimension 1 of each pattern of a table of points, by stablebear's Ripser.
# Usage: python point-patterns.py POINTS.csv BARS.csv
import csv
import sys

import numpy as np
from stablebear.persistence import compute_persistent_homology

with open(sys.argv[1]) as file:
    rows = list(csv.DictReader(file))
patterns = {}
for row in rows:
    patterns.setdefault(row["pattern"], []).append((float(row["x"]), float(row["y"])))

with open(sys.argv[2], "w") as file:
    file.write("pattern,birth,death\n")
    for name, points in patterns.items():
        bars = np.asarray(compute_persistent_homology(np.array(points), max_dim=1)[1])
        for birth, death in sorted(map(tuple, bars.tolist())):
            file.write(f"{name},{birth:.6g},{death:.6g}\n")
