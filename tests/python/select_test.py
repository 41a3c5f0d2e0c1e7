#!/usr/bin/env python3
"""Compaction, sorts, histograms, transposition and CSR against NumPy."""
import unittest

import support  # noqa: I001
import numpy as np
import scanlens

from support import FLOATS, INTEGERS, generator, random_array, random_strides


class Selections(unittest.TestCase):
    def setUp(self):
        self.rng = generator(self.id())

    def arrays(self, count, types, most=300):
        for _ in range(count):
            dtype = str(self.rng.choice(types))
            yield random_strides(self.rng, random_array(self.rng, dtype, int(self.rng.integers(0, most)), True))

    def test_compact_and_partition(self):
        for x in self.arrays(500, INTEGERS + FLOATS):
            mask = self.rng.integers(0, 2, x.shape).astype(str(self.rng.choice(["bool", "uint8"])))
            np.testing.assert_array_equal(scanlens.compact(x, mask), x[mask != 0])
            kept, rejected = scanlens.partition(x, mask)
            np.testing.assert_array_equal(kept, x[mask != 0])
            np.testing.assert_array_equal(rejected, x[mask == 0])
            np.testing.assert_array_equal(scanlens.flatnonzero(mask), np.flatnonzero(mask))
        buffer, count = scanlens.compact(np.arange(4), np.array([1, 0, 0, 1], bool), count=True)
        self.assertEqual((buffer.size, count.tolist()), (4, [2]))

    def test_unique(self):
        for x in self.arrays(500, INTEGERS + ["float32", "float64"]):
            runs = x[np.concatenate([[True], x[1:] != x[:-1]])[: x.size]]
            np.testing.assert_array_equal(scanlens.unique(x), runs)
            np.testing.assert_array_equal(scanlens.unique(x, sorted=True), np.unique(x))

    def test_sorts(self):
        for x in self.arrays(500, INTEGERS[1:] + FLOATS):
            np.testing.assert_array_equal(scanlens.sort(x), np.sort(x))
            np.testing.assert_array_equal(scanlens.argsort(x), np.argsort(x, kind="stable"))
            np.testing.assert_array_equal(scanlens.sort(x, descending=True), np.sort(x)[::-1])
            keys, values = scanlens.sort_pairs(x, np.arange(x.size, dtype=np.int32))
            np.testing.assert_array_equal(x[values], keys)

    def test_nan_sorts_last_whatever_its_sign(self):
        for dtype in ("float32", "float64"):
            x = np.array([np.nan, 1, -np.nan, -np.inf, 0], dtype)
            np.testing.assert_array_equal(scanlens.sort(x), np.sort(x))
            self.assertEqual(scanlens.argsort(x).tolist()[:3], [3, 4, 1])

    def test_histogram(self):
        for x in self.arrays(300, ["uint8", "uint16", "uint32", "int32"], 999):
            counts, edges = scanlens.histogram(x, 8, (0, 8))
            expected = np.histogram(x, 8, (0, 8))
            np.testing.assert_array_equal(counts, expected[0])
            np.testing.assert_array_equal(edges, expected[1])
        x = self.rng.standard_normal(10000)
        np.testing.assert_array_equal(scanlens.histogram(x, 10)[0], np.histogram(x, 10)[0])
        self.assertEqual(scanlens.histogram(np.array([0, 4], np.uint8), 4, (0, 4))[0].tolist(), [1, 0, 0, 1])

    def test_transpose(self):
        for dtype in INTEGERS + FLOATS:
            x = random_array(self.rng, dtype, (37, 51))
            np.testing.assert_array_equal(scanlens.transpose(x), x.T)
            np.testing.assert_array_equal(scanlens.transpose(x[3:, 5:20]), x[3:, 5:20].T)
            np.testing.assert_array_equal(scanlens.transpose(x[::-1, ::2]), x[::-1, ::2].T)

    def test_spmv(self):
        dense = self.rng.standard_normal((30, 40)) * (self.rng.random((30, 40)) < 0.2)
        rows, columns = np.nonzero(dense)
        begin = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=30))]).astype(np.int32)
        x = self.rng.standard_normal(40)
        found = scanlens.spmv(dense[rows, columns], columns.astype(np.int32), begin, x)
        np.testing.assert_allclose(found, dense @ x, rtol=1e-12, atol=1e-12)
        with self.assertRaisesRegex(ValueError, "column"):
            scanlens.spmv(np.ones(1), np.array([99], np.int32), np.array([0, 1], np.int32), np.ones(2))

    def test_errors(self):
        for call, error, text in (
                (lambda: scanlens.sort_pairs(np.ones(2), np.ones(3)), ValueError, "differ in size"),
                (lambda: scanlens.compact(np.ones(2), np.ones(2)), TypeError, "mask"),
                (lambda: scanlens.histogram(np.ones(2), 0), ValueError, ""),
                (lambda: scanlens.transpose(np.ones(2)), ValueError, "1 axes")):
            with self.assertRaisesRegex(error, text):
                call()


if __name__ == "__main__":
    unittest.main()
