# Makes the files beside it, by numpy. Usage: python3 make.py, in this folder
import numpy as np

numbers = [[0, 1, 2], [3, 4, 250]]
for kind in ["<f8", ">f8", "<f4", ">f4", "<i8", ">i8", "<u8", "<i4", ">i4", "<u4", ">u2", "<i2", "|u1"]:
    name = kind.replace("<", "little-").replace(">", "big-").replace("|", "")
    np.save(f"{name}.npy", np.array(numbers, dtype=kind))
np.save("fortran.npy", np.asfortranarray(np.array(numbers, dtype="<f8")))
np.save("cube.npy", np.arange(24, dtype="<f8").reshape(2, 3, 4))
np.save("vector.npy", np.array([1.5, np.nan, -np.inf]))
np.save("integers.npy", np.array([1, -2, 2**31 - 1], dtype="<i4"))
np.save("truth.npy", np.array([True, False]))
np.save("scalar.npy", np.float64(7))
np.save("extremes.npy", np.array([-(2**53), 2**53, -(2**31), 2**31, -1], dtype="<i8"))
np.save("least.npy", np.array([-(2**31), 5], dtype="<i4"))
np.save("unsigned.npy", np.array([2**31, 2**32 - 1, 1], dtype="<u4"))
np.save("huge.npy", np.array([1, 2**53 + 2], dtype="<i8"))
np.save("strings.npy", np.array(["a", "", "żółw", "𝛽"]))
np.save("complex.npy", np.array([1j]))
np.save("records.npy", np.array([(1, 2.0)], dtype=[("a", "<i4"), ("b", "<f8")]))

import os

os.makedirs("functions", exist_ok=True)
np.save("functions/lengths.npy", np.array([[3, 1], [2, 1]], dtype="<i4"))
np.save("functions/times.npy", np.array([0, 2, 5, 1, 0, 4, -np.inf], dtype="<f8"))
np.save("functions/values.npy", np.array([1, np.nan, 0, 7, 2, 0, 3], dtype="<f4"))
