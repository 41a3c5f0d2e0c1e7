#!/usr/bin/env python3
"""Reductions along axes, orders, unique elements, counts and segments against NumPy: random types, shapes and strides."""
import inspect
import unittest

import support  # noqa: F401, I001
import numpy as np
import scanlens

from support import FLOATS, INTEGERS, generator, random_array, random_strides

CASES = 400


class Arrays(unittest.TestCase):
    def setUp(self):
        self.rng = generator(self.id())

    def arrays(self, types, least=0, most=(300, 30, 9), small=True):
        """Random arrays of few different values, with an axis of each."""
        for _ in range(CASES):
            ndim = int(self.rng.integers(1, len(most) + 1))
            shape = tuple(int(n) for n in self.rng.integers(least, most[ndim - 1], ndim))
            dtype = str(self.rng.choice(types))
            x = random_strides(self.rng, random_array(self.rng, dtype, shape, small))
            yield x, int(self.rng.integers(-ndim, ndim))


class Reductions(Arrays):
    def test_axes_and_keepdims(self):
        for x, axis in self.arrays(INTEGERS + FLOATS, least=1):
            keepdims = bool(self.rng.integers(2))
            axis = None if self.rng.integers(4) == 0 else axis
            for name in ("sum", "prod", "min", "max", "argmin", "argmax"):
                found = np.asarray(getattr(scanlens, name)(x, axis, keepdims=keepdims))
                with np.errstate(all="ignore"):
                    expected = np.asarray(getattr(np, name)(x, axis=axis, keepdims=keepdims))
                what = f"{name} {x.dtype} {x.shape} {axis} {keepdims}"
                self.assertEqual((found.dtype, found.shape), (expected.dtype, expected.shape), what)
                if x.dtype.kind == "f" and name in ("sum", "prod"):
                    eps = float(np.finfo(x.dtype).eps) * 64
                    scale = float(np.abs(x.astype(float)).sum()) if name == "sum" else 1 + float(np.abs(expected.astype(float)).max())
                    np.testing.assert_allclose(found.astype(float), expected.astype(float), rtol=eps * x.size, atol=eps * scale, err_msg=what)
                else:
                    np.testing.assert_array_equal(found, expected, what)

    def test_long_axes(self):
        """Of which several threads take parts: NaN and equal extremes stand in any of them."""
        for dtype in INTEGERS + FLOATS[1:]:
            for shape in ((200003,), (70001, 3), (3, 70001), (2, 300, 700), (200, 2500)):
                x = random_array(self.rng, dtype, shape, True)
                if x.dtype.kind == "f" and self.rng.integers(2):
                    x[self.rng.random(shape) < 1e-5] = np.nan
                for axis in (None, *range(x.ndim)):
                    for name in ("max", "min", "argmax", "argmin", "sum"):
                        found, expected = (np.asarray(getattr(module, name)(x, axis=axis)) for module in (scanlens, np))
                        what = f"{name} {dtype} {shape} {axis}"
                        self.assertEqual((found.dtype, found.shape), (expected.dtype, expected.shape), what)
                        if name == "sum" and x.dtype.kind == "f":
                            np.testing.assert_allclose(found, x.sum(axis, np.float64), rtol=1e-5, atol=0.05 * x.itemsize, err_msg=what)
                        else:
                            np.testing.assert_array_equal(found, expected, what)

    def test_sums_do_not_depend_on_threads(self):
        for shape in ((200003,), (70001, 3), (3, 70001), (200, 2500)):
            x = self.rng.standard_normal(shape)
            for axis in (None, *range(x.ndim)):
                scanlens.threads(1)
                alone = scanlens.sum(x, axis)
                scanlens.threads(0)
                self.assertEqual(np.asarray(alone).tobytes(), np.asarray(scanlens.sum(x, axis)).tobytes())

    def test_means_and_variances(self):
        for x, axis in self.arrays(["int8", "uint16", "int64", "float32", "float64"], least=2):
            axis = None if self.rng.integers(4) == 0 else axis
            for name, options in (("mean", {}), ("var", {}), ("var", {"correction": 1}), ("std", {"keepdims": True})):
                ddof = {"ddof": options["correction"]} if "correction" in options else {}
                expected = getattr(np, name)(x, axis=axis, **ddof, keepdims=options.get("keepdims", False))
                found = getattr(scanlens, name)(x, axis, **options)
                self.assertEqual((found.dtype, found.shape), (expected.dtype, expected.shape))
                tolerance = 1e-4 if x.dtype == np.float32 else 1e-9
                np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)

    def test_nothing_to_reduce(self):
        for name, expected in (("sum", 0), ("prod", 1)):
            self.assertEqual(getattr(scanlens, name)(np.ones((0, 3)), 0).tolist(), [expected] * 3)
            self.assertEqual(getattr(scanlens, name)(np.ones((0, 3))), expected)
        for name in ("min", "max", "argmin", "argmax"):
            with self.assertRaisesRegex(ValueError, f"{name}: the array is empty"):
                getattr(scanlens, name)(np.ones((0, 3)), 0)

    def test_cumulative_sum(self):
        for x, axis in self.arrays(INTEGERS + ["float64"]):
            for name, same, first in (("cumulative_sum", np.cumsum, 0), ("cumulative_prod", np.cumprod, 1)):
                with np.errstate(all="ignore"):
                    expected = same(x, axis=axis)
                shape = [1 if k == axis % x.ndim else n for k, n in enumerate(x.shape)]
                longer = np.concatenate([np.full(shape, first, expected.dtype), expected], axis=axis)
                for include in (False, True):
                    found = getattr(scanlens, name)(x, axis=axis, include_initial=include)
                    self.assertEqual(found.dtype, expected.dtype)
                    np.testing.assert_allclose(found, longer if include else expected, rtol=1e-9, atol=1e-12)
        with self.assertRaisesRegex(ValueError, "axis is missing"):
            scanlens.cumulative_sum(np.ones((2, 2)))

    def test_segments(self):
        for x, _ in self.arrays(["uint8", "int16", "int32", "uint32", "float32", "float64"], most=(300,)):
            begins = np.sort(self.rng.integers(0, x.size + 1, int(self.rng.integers(0, 20))))
            parts = np.split(x, begins)
            for op, same in (("sum", np.sum), ("min", np.min), ("max", np.max)):
                found = scanlens.segment_reduce(x, [0, *begins, x.size], op)
                self.assertEqual(found.dtype, np.sum(x).dtype if op == "sum" else x.dtype)
                for one, part in zip(found, parts):
                    if part.size or op == "sum":
                        np.testing.assert_allclose(one, same(part), rtol=1e-5, atol=1e-5)
            keys = self.rng.integers(0, 3, x.size)
            heads = np.flatnonzero(np.diff(keys, prepend=-1))
            runs, totals = scanlens.reduce_by_key(keys, x)
            np.testing.assert_array_equal(runs, keys[heads])
            if x.size:
                np.testing.assert_allclose(totals, np.add.reduceat(x, heads, dtype=totals.dtype), rtol=1e-5, atol=1e-5)
            values, lengths = scanlens.run_lengths(keys)
            np.testing.assert_array_equal(np.repeat(values, lengths), keys)
            self.assertTrue((values[1:] != values[:-1]).all())


class Orders(Arrays):
    def test_sorts(self):
        for x, axis in self.arrays(INTEGERS + FLOATS):
            if x.dtype.kind == "f":
                x = np.where(self.rng.random(x.shape) < 0.1, np.nan, x).astype(x.dtype)
            axis = None if self.rng.integers(5) == 0 else axis
            np.testing.assert_array_equal(scanlens.sort(x, axis), np.sort(x, axis))
            places = scanlens.argsort(x, axis)
            np.testing.assert_array_equal(places, np.argsort(x, axis, kind="stable"))
            line = x.reshape(-1) if axis is None else x
            descending = scanlens.sort(x, axis, descending=True)
            np.testing.assert_array_equal(descending, np.flip(np.sort(x, axis), -1 if axis is None else axis))
            first = scanlens.argsort(x, axis, descending=True)
            np.testing.assert_array_equal(np.take_along_axis(line, first, -1 if axis is None else axis), descending)

    def test_topk(self):
        for x, axis in self.arrays(INTEGERS[1:] + FLOATS):
            k = int(self.rng.integers(0, x.shape[axis] + 1))
            for largest in (True, False):
                values, indices = scanlens.topk(x, k, axis, largest=largest)
                ordered = np.sort(x, axis)
                ordered = np.flip(ordered, axis) if largest else ordered
                np.testing.assert_array_equal(values, np.take(ordered, range(k), axis))
                np.testing.assert_array_equal(np.take_along_axis(x, indices, axis), values)
        with self.assertRaisesRegex(ValueError, "k is 4; give 0 to 3"):
            scanlens.topk(np.ones(3), 4)

    def test_unique(self):
        for x, _ in self.arrays(INTEGERS + FLOATS):
            expected = np.unique(x, return_index=True, return_inverse=True, return_counts=True)
            found = scanlens.unique_all(x)
            for one, other in zip(found, expected):
                np.testing.assert_array_equal(one.reshape(-1), other.reshape(-1))
            np.testing.assert_array_equal(found.values[found.inverse_indices], x)
            np.testing.assert_array_equal(scanlens.unique_counts(x).counts, expected[3])
            np.testing.assert_array_equal(scanlens.unique_inverse(x).inverse_indices, found.inverse_indices)
            np.testing.assert_array_equal(scanlens.unique_values(x), expected[0])
        nan = np.array([np.nan, 1, np.nan])
        self.assertEqual((scanlens.unique_values(nan).size, scanlens.unique(nan, sorted=True).size), (3, 2))

    def test_percentiles(self):
        for x, axis in self.arrays(["int16", "float32", "float64"], least=1):
            if x.dtype.kind == "f" and self.rng.integers(3) == 0:
                x = np.where(self.rng.random(x.shape) < 0.02, self.rng.choice([np.nan, np.inf]), x).astype(x.dtype)
            q = [float(self.rng.integers(0, 101)), self.rng.random((2, 2)) * 100][self.rng.integers(2)]
            axis, keepdims = None if self.rng.integers(4) == 0 else axis, bool(self.rng.integers(2))
            found = np.asarray(scanlens.percentile(x, q, axis, keepdims=keepdims))
            with np.errstate(invalid="ignore"):
                expected = np.asarray(np.percentile(x.astype(np.float64), q, axis, keepdims=keepdims))
            self.assertEqual(found.shape, expected.shape)
            known = np.isfinite(expected)
            np.testing.assert_allclose(found[known], expected[known], rtol=1e-5, atol=1e-6)
            np.testing.assert_array_equal(np.isnan(found[np.isnan(x).any()]), np.isnan(expected[np.isnan(x).any()]))

    def test_searchsorted_and_diff(self):
        for x, axis in self.arrays(INTEGERS[1:] + FLOATS):
            line = np.sort(x, axis=None)
            for side in ("left", "right"):
                np.testing.assert_array_equal(scanlens.searchsorted(line, x, side=side), np.searchsorted(line, x, side=side))
                other = random_array(self.rng, str(self.rng.choice(INTEGERS[1:] + FLOATS)), x.shape, True)
                with np.errstate(invalid="ignore"):
                    expected = np.searchsorted(line, other, side=side)
                np.testing.assert_array_equal(scanlens.searchsorted(line, other, side=side), expected, f"{x.dtype} {other.dtype}")
            n = int(self.rng.integers(0, 3))
            np.testing.assert_array_equal(scanlens.diff(x, axis, n=n), np.diff(x, n, axis))
            np.testing.assert_array_equal(scanlens.diff(x, axis, prepend=x, append=x), np.diff(x, 1, axis, x, x))


class Counts(Arrays):
    def test_bincount(self):
        for x, _ in self.arrays(INTEGERS[1:], most=(300,)):
            x = np.abs(x.astype(np.int64)).astype(x.dtype)
            least = int(self.rng.integers(0, 20))
            np.testing.assert_array_equal(scanlens.bincount(x, minlength=least), np.bincount(x.astype(np.int64), minlength=least))
            weights = self.rng.standard_normal(x.size)
            np.testing.assert_allclose(scanlens.bincount(x, weights), np.bincount(x.astype(np.int64), weights), atol=1e-9)
        many = np.array([10**6, 3, 3])
        self.assertEqual((scanlens.bincount(many).size, scanlens.bincount(many)[3]), (10**6 + 1, 2))
        for bad, error in ((np.array([-1]), ValueError), (np.ones(2), TypeError)):
            with self.assertRaises(error):
                scanlens.bincount(bad)

    def test_histograms(self):
        for x, _ in self.arrays(["uint8", "int16", "float64"], most=(300,)):
            edges = np.unique(self.rng.integers(-4, 5, 6) + self.rng.integers(0, 2) / 2)
            if edges.size < 2:
                continue
            weights = self.rng.integers(0, 5, x.size)
            for given in (edges, (int(edges.size), (-3, 3))):
                bins, range_ = (given, None) if given is edges else given
                for options in ({}, {"weights": weights}, {"density": True}):
                    expected = np.histogram(x, bins, range_, **options)
                    if not np.isfinite(expected[0]).all():
                        continue
                    found = scanlens.histogram(x, bins, range_, **options)
                    np.testing.assert_allclose(found[0], expected[0], rtol=1e-12)
                    np.testing.assert_allclose(found[1], expected[1])
        with self.assertRaisesRegex(ValueError, "edges in bins have to ascend"):
            scanlens.histogram(np.ones(3), [2, 1])


class Jax(Arrays):
    """JAX's arrays, where it is installed: results are JAX's, too."""

    def setUp(self):
        super().setUp()
        try:
            import jax
        except ImportError:
            self.skipTest("jax was not found")
        self.jax = jax

    def test_results(self):
        for x, axis in self.arrays(["uint8", "int32", "float32"], least=1):
            x = np.ascontiguousarray(x)
            given = self.jax.numpy.asarray(x)
            for name in ("cumsum", "max", "argmax", "sort", "unique_counts", "diff", "topk"):
                arguments = (1,) if name == "topk" else () if name.startswith("unique") else (axis,)
                found = getattr(scanlens, name)(given, *arguments)
                expected = getattr(scanlens, name)(x, *arguments)
                for one, other in zip(found, expected) if isinstance(found, tuple) else [(found, expected)]:
                    self.assertIsInstance(one, self.jax.Array, name)
                    np.testing.assert_array_equal(one, other.astype(one.dtype), name)
        self.assertIsInstance(scanlens.unique_all(given), scanlens.unique_all(x).__class__)
        with self.assertRaisesRegex(TypeError, "cumsum: out is a ArrayImpl"):
            scanlens.cumsum(given, out=given)


class ArrayApi(Arrays):
    """Beside array-api-strict, where it is installed: signatures, types and values of the functions that are in both."""

    NAMES = ("argmax", "argmin", "argsort", "cumulative_prod", "cumulative_sum", "diff", "max", "mean", "min", "prod",
             "searchsorted", "sort", "std", "sum", "unique_all", "unique_counts", "unique_inverse", "unique_values", "var")

    def setUp(self):
        super().setUp()
        try:
            import array_api_strict
        except ImportError:
            self.skipTest("array_api_strict was not found")
        self.strict = array_api_strict

    def test_signatures(self):
        """What the standard lets a caller write can be written here, with the same defaults."""
        for name in self.NAMES:
            ours = inspect.signature(getattr(scanlens, name)).parameters
            for parameter in inspect.signature(getattr(self.strict, name)).parameters.values():
                if parameter.kind == parameter.KEYWORD_ONLY:
                    with self.subTest(name, parameter=parameter.name):
                        self.assertIn(parameter.name, ours)
                        self.assertEqual(ours[parameter.name].default, parameter.default)

    def test_results(self):
        types = [name for name in INTEGERS[1:] + FLOATS if name != "float16"]
        for x, axis in self.arrays(types, least=1):
            strict = self.strict.asarray(x.copy())
            for name in self.NAMES:
                options = {} if name.startswith(("unique", "search")) else {"axis": axis}
                if name in ("mean", "std", "var") and x.dtype.kind != "f":
                    continue
                arguments = (np.sort(x.reshape(-1)), x) if name == "searchsorted" else (x,)
                expected = getattr(self.strict, name)(*(self.strict.asarray(one.copy()) for one in arguments), **options)
                found = getattr(scanlens, name)(*arguments, **options)
                pairs = zip(found, expected) if isinstance(expected, tuple) else [(found, expected)]
                for ours, theirs in pairs:
                    theirs = np.asarray(theirs._array)
                    ours = np.asarray(ours)
                    self.assertEqual((ours.dtype, ours.shape), (theirs.dtype, theirs.shape), name)
                    np.testing.assert_allclose(ours, theirs, rtol=2e-4, atol=2e-4, err_msg=name)
            self.assertEqual(strict.shape, x.shape)


if __name__ == "__main__":
    unittest.main()
