#!/usr/bin/env python3
"""Running logarithms of sums, extremes with places, linear recurrences and sums of segments against NumPy: random types,
shapes, axes, strides and options."""
import unittest

import support  # noqa: F401, I001
import numpy as np
import scanlens

from support import FLOATS, INTEGERS, generator, random_array, random_strides

CASES = 600


def random_shape(rng):
    ndim = int(rng.integers(1, 5))
    return tuple(int(n) for n in rng.integers(0, [300, 40, 12, 6][ndim - 1], ndim))


def steps(x, axis, reverse):
    """The indices along an axis in the order of a scan."""
    return range(x.shape[axis])[::-1] if reverse else range(x.shape[axis])


def at(x, axis, i):
    return x[(slice(None),) * axis + (i,)]


def epsilon(dtype):
    """Of the type that elements are combined in, and of the type itself where that has fewer digits."""
    own = float(np.finfo(dtype).eps)
    return (float(np.finfo(np.float32).eps), own) if np.dtype(dtype).itemsize == 2 else (own, 0)


class Lines(unittest.TestCase):
    def test_logcumsumexp(self):
        rng = generator(self.id())
        for _ in range(CASES):
            x = random_array(rng, str(rng.choice(FLOATS)), random_shape(rng)) * (10 if rng.integers(2) else 1)
            x[rng.random(x.shape) < 0.1] = -np.inf
            x = random_strides(rng, x)
            axis = int(rng.integers(x.ndim))
            exclusive, reverse = bool(rng.integers(2)), bool(rng.integers(2))
            initial = None if rng.integers(2) else 1.5
            found = scanlens.logcumsumexp(x, axis - x.ndim, exclusive=exclusive, reverse=reverse, initial=initial)
            self.assertEqual((found.dtype, found.shape), (x.dtype, x.shape))
            expected = np.empty(x.shape, np.longdouble)
            running = np.full(at(expected, axis, 0).shape if x.shape[axis] else (), -np.inf if initial is None else initial,
                              np.longdouble)
            for i in steps(x, axis, reverse):
                before, running = running, np.logaddexp(running, at(x, axis, i).astype(np.longdouble))
                expected[(slice(None),) * axis + (i,)] = before if exclusive else running
            n = x.shape[axis]
            most = max(np.abs(x[np.isfinite(x)].astype(np.float64)).max(initial=0), 1.5)
            combined, own = epsilon(x.dtype)
            finite = np.isfinite(expected)
            bound = (64 + n / 64) * combined * (1 + np.log(n + 1) + most) + own * np.abs(expected[finite])
            np.testing.assert_array_equal(found[~finite], expected[~finite].astype(x.dtype))
            self.assertTrue(np.all(np.abs(found[finite] - expected[finite]) <= bound), f"{x.dtype} {x.shape}")
        with self.assertRaisesRegex(TypeError, "int64"):
            scanlens.logcumsumexp(np.arange(3))

    def test_cumargmax_and_cumargmin(self):
        rng = generator(self.id())
        for _ in range(CASES):
            dtype = str(rng.choice(INTEGERS + FLOATS))
            x = random_array(rng, dtype, random_shape(rng), small=True).round()
            if dtype in FLOATS:
                x[rng.random(x.shape) < 0.02] = np.nan
            x = random_strides(rng, x)
            axis = int(rng.integers(x.ndim))
            greatest, first, reverse = (bool(rng.integers(2)) for _ in range(3))
            function = scanlens.cumargmax if greatest else scanlens.cumargmin
            values, indices = function(x, axis, ties="first" if first else "last", reverse=reverse)
            self.assertEqual((values.dtype, indices.dtype, indices.shape), (x.dtype, np.int64, x.shape))
            best = place = None
            for i in steps(x, axis, reverse):
                new = at(x, axis, i)
                if best is None:
                    best, place = new.copy(), np.full(new.shape, i)
                else:
                    better = (new > best) if greatest else (new < best)
                    new_nan, old_nan = new != new, best != best
                    takes = ~old_nan & (new_nan | better)
                    if not first:
                        takes |= (new == best) | (new_nan & old_nan)
                    best, place = np.where(takes, new, best), np.where(takes, i, place)
                np.testing.assert_array_equal(at(values, axis, i), best)
                np.testing.assert_array_equal(at(indices, axis, i), place)
        values, indices = scanlens.cumargmax(np.array([[1, 4], [3, 5]]))
        self.assertEqual((values.tolist(), indices.tolist()), ([1, 4, 4, 5], [0, 1, 1, 3]))
        with self.assertRaisesRegex(ValueError, "ties"):
            scanlens.cumargmax(np.arange(3), ties="any")

    def test_linear_recurrence(self):
        rng = generator(self.id())
        for _ in range(CASES):
            dtype, shape = str(rng.choice(FLOATS)), random_shape(rng)
            a, b = (random_strides(rng, rng.uniform(-1, 1, shape).astype(dtype)) for _ in range(2))
            axis = int(rng.integers(a.ndim))
            reverse, initial = bool(rng.integers(2)), None if rng.integers(2) else -2.5
            found = scanlens.linear_recurrence(a, b, axis, reverse=reverse, initial=initial)
            combined, own = epsilon(dtype)
            h, size = initial or 0.0, abs(initial or 0.0)
            for i in steps(a, axis, reverse):
                factor, term = at(a, axis, i).astype(np.longdouble), at(b, axis, i).astype(np.longdouble)
                h, size = factor * h + term, np.abs(factor) * size + np.abs(term)
                bound = (2 * a.shape[axis] + 64) * combined * size
                self.assertTrue(np.all(np.abs(at(found, axis, i) - h) <= bound + own * np.maximum(np.abs(h), 1e-4)), f"{dtype} {shape}")
        a, b = np.full(5, 0.5), np.ones(5)
        self.assertIs(scanlens.linear_recurrence(a, b, out=b), b)
        self.assertEqual(b.tolist(), [1, 1.5, 1.75, 1.875, 1.9375])
        for bad, error in (((np.ones(3), np.ones(4)), ValueError), ((np.ones(3), np.ones(3, np.float32)), TypeError),
                           ((np.ones(3, int), np.ones(3, int)), TypeError)):
            with self.assertRaises(error):
                scanlens.linear_recurrence(*bad)

    def test_segments(self):
        rng = generator(self.id())
        for _ in range(CASES):
            n = int(rng.integers(0, 400))
            x = random_array(rng, str(rng.choice(["uint32", "int32", "uint64", "int64"])), (n,))
            exclusive = bool(rng.integers(2))
            if rng.integers(2):
                given = {"keys": np.repeat(rng.integers(-2, 3, n), 3)[:n].astype(str(rng.choice(["int8", "int32", "uint64", "int64"])))}
                begins = np.flatnonzero(np.diff(given["keys"].astype(np.int64))) + 1
            else:
                begins = np.sort(rng.integers(0, n + 1, int(rng.integers(0, 20))))
                given = {"offsets": np.array([0, *begins, n], str(rng.choice(["int32", "int64"])))}
            expected = [np.cumsum(part, dtype=x.dtype) - (part if exclusive else 0) for part in np.split(x, begins)]
            found = scanlens.segmented_cumsum(x, exclusive=exclusive, **given)
            self.assertEqual(found.dtype, x.dtype)
            np.testing.assert_array_equal(found, np.concatenate(expected))
        x = np.arange(4.0)
        self.assertIs(scanlens.segmented_cumsum(x, keys=np.array([1, 1, 2, 2]), out=x), x)
        self.assertEqual(x.tolist(), [0, 1, 2, 5])
        for given, error in (({}, ValueError), ({"keys": np.arange(3), "offsets": [0, 4]}, ValueError),
                             ({"keys": np.arange(3)}, ValueError), ({"keys": np.ones(4)}, TypeError)):
            with self.assertRaises(error):
                scanlens.segmented_cumsum(x, **given)


if __name__ == "__main__":
    unittest.main()
