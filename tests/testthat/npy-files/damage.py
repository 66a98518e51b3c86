# Writes files of NumPy with damaged headers, and beside each what NumPy reads: the numbers as doubles, in R's order,
# after the number of dimensions and these; or nothing, where NumPy refuses.
import io, random, sys, warnings
import numpy as np

folder, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
pick = random.Random(seed)
warnings.simplefilter("ignore")
marks = list(" \t\n\r\f\v'\"{}(),:L0123456789<>|=fiubU_xX\\#+-.j")
marks += ["  ", "True", "False", "descr", "L ", "'shape': (2,), "]


def mostly(good, others):
    return pick.choice(good if pick.random() < 0.85 else others)


def some_header():
    shape = mostly(
        ["()", "(0,)", "(1,)", "(3,)", "(2, 3)", "(3, 2,)", "(1L,)", "(2 L, 3L)", "(1, 2, 3)", "( 2 , )", "(2,\n1)"],
        ["(2LL,)", "(1 2,)", "(4)", "(03,)", "(3,,)", "(,)", "(0x2,)", "(2.,)", "(True,)", "(-1,)", "(2,\v)"],
    )
    descr = mostly(["<f8", ">f8", "|f8", "=f8", "f8", "<f4", "<i4", ">i2", "|u1", "|b1", "<u4", "<i8"],
                   ["<c8", "<f2", "float64", "'shape': (9,)", "<f8 ", "<f08", ""])
    quote = mostly("'", "\"")
    order = mostly(["True", "False"], ["1", "true"])
    fields = ["'descr': %s%s%s" % (quote, descr, quote), "'fortran_order': " + order, "'shape': " + shape]
    if pick.random() < 0.3:
        pick.shuffle(fields)
    if pick.random() < 0.1:
        fields.insert(pick.randrange(4), pick.choice(fields + ["'descr2': '<f8'", "'x': 1"]))
    if pick.random() < 0.05:
        fields.pop(pick.randrange(3))
    text = pick.choice(["", "", "", " ", "\n"]) + "{" + pick.choice([", ", ",", " ,\n "]).join(fields)
    text += pick.choice([", }", "}", ",}", " }"])
    text += mostly(["", " ", " " * 30], [" " * 9000, " " * 9925, " " * 10100, "\n"]) + pick.choice(["\n", ""])
    for _ in range(pick.choice([0, 0, 0, 1, 1, 2])):
        at = pick.randrange(len(text[:100]))
        text = text[:at] + pick.choice(marks) + text[at + pick.choice([0, 1]):]
    return text.encode("latin1")


def read(content):
    try:
        return np.load(io.BytesIO(content), allow_pickle=False)
    except Exception:
        return None


for k in range(count):
    header, version = some_header(), pick.choice([1, 1, 2, 3])
    start = b"\x93NUMPY" + bytes([version, pick.choice([0] * 20 + [1])])
    start += len(header).to_bytes(2 if version == 1 else 4, "little") + header
    # As many bytes as NumPy takes from the header; if it refuses them all, any number of them.
    for data in pick.sample([0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 48], 11):
        content = start + bytes(40 + k if k % 8 < 2 else 0 for k in range(data))
        array = read(content)
        if array is not None and array.nbytes == data:
            break
    with open("%s/%d.npy" % (folder, k), "wb") as file:
        file.write(content)
    if array is None or array.dtype.kind not in "fiub":
        continue
    with open("%s/%d.due" % (folder, k), "wb") as file:
        numbers = array.astype("<f8").ravel(order="F")
        file.write(np.array([array.ndim, *array.shape], "<f8").tobytes() + numbers.tobytes())
