"""What the tests of the Python module share."""
import os
import random
import sys


def skip_all(reason):
    """Ends the process in unittest's words, which tests/cases.py counts."""
    print(f"all cases ... skipped {reason!r}")
    raise SystemExit(0)


MISSING = os.environ.get("SCANLENS_PYTHON_MISSING", "")
if MISSING:
    skip_all(f"the Python module was not built: {MISSING}")

import numpy as np  # noqa: E402

SEED = int(os.environ.get("SCANLENS_SEED", random.SystemRandom().randrange(2**31)))
print(f"SCANLENS_SEED={SEED}", file=sys.stderr)

INTEGERS = ["bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64"]
FLOATS = ["float16", "float32", "float64"]


def generator(name):
    """Random numbers of one test, which the seed and the test's name decide."""
    return np.random.default_rng([SEED, *name.encode()])


def random_array(rng, dtype, shape, small=False):
    """Values over the whole range of integers, or few of them; floats around 0."""
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if np.dtype(dtype).kind in "iu":
        facts = np.iinfo(dtype)
        low, high = (max(facts.min, -3), 3) if small else (facts.min, facts.max)
        return rng.integers(low, high, shape, dtype=dtype, endpoint=True)
    return rng.standard_normal(shape).astype(dtype)


def random_strides(rng, x):
    """An array of the same values in other places: steps, flips, transposes, and broadcasts over what was one."""
    kind = rng.integers(0, 5)
    if kind == 0 or x.ndim == 0:
        return x
    if kind == 1:
        return np.asfortranarray(x)
    if kind == 2:
        axis = int(rng.integers(0, x.ndim))
        wide = np.repeat(x, 2, axis=axis)
        return wide[tuple(slice(None, None, 2) if k == axis else slice(None) for k in range(x.ndim))]
    if kind == 3:
        flipped = np.flip(x, int(rng.integers(0, x.ndim))).copy()
        return np.flip(flipped, next(k for k in range(x.ndim) if np.array_equal(np.flip(flipped, k), x, equal_nan=x.dtype.kind == "f")))
    order = rng.permutation(x.ndim)
    return np.ascontiguousarray(x.transpose(order)).transpose(np.argsort(order))
