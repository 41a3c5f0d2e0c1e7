#!/usr/bin/env python3
"""The cumulative family and reductions against NumPy: random types, shapes, axes, strides and options."""
import threading
import unittest

import support  # noqa: I001
import numpy as np
import scanlens

from support import FLOATS, INTEGERS, generator, random_array, random_strides

CASES = 10000
ACCUMULATE = {"cumsum": np.add, "cumprod": np.multiply, "cummin": np.minimum, "cummax": np.maximum}
IDENTITY = {"cumsum": 0, "cumprod": 1}


def bound(terms, length, dtype):
    """What core/scan.h promises of a sum of so many terms, whose magnitudes' sums these are."""
    epsilon = np.finfo(dtype).eps
    if dtype == np.float16:
        return (24 + np.log2(length + 1)) * np.finfo(np.float32).eps * terms + epsilon * np.maximum(terms, 1e-4)
    return (24 + np.log2(length + 1)) * epsilon * terms


def reference(name, x, axis, dtype, exclusive, reverse, initial):
    """By NumPy, in the type of the result; sums of floats in double."""
    work = x.astype(np.float64 if np.dtype(dtype).kind == "f" else dtype)
    identity = IDENTITY.get(name)
    if identity is None and np.dtype(dtype) == bool:
        identity = name == "cummin"
    elif identity is None:
        facts = np.finfo if np.dtype(dtype).kind == "f" else np.iinfo
        greatest = np.inf if facts is np.finfo else facts(dtype).max
        least = -np.inf if facts is np.finfo else facts(dtype).min
        identity = greatest if name == "cummin" else least
    begin = np.full([1 if k == axis else n for k, n in enumerate(x.shape)], identity if initial is None else initial,
                    work.dtype)
    if reverse:
        work = np.flip(work, axis)
    work = np.concatenate([begin, work], axis=axis)
    with np.errstate(over="ignore"):
        found = ACCUMULATE[name].accumulate(work, axis=axis, dtype=work.dtype)
    part = slice(0, -1) if exclusive else slice(1, None)
    found = found[tuple(part if k == axis else slice(None) for k in range(x.ndim))]
    return np.flip(found, axis) if reverse else found


def random_case(rng):
    name = str(rng.choice(list(ACCUMULATE)))
    types = INTEGERS + FLOATS
    dtype = str(rng.choice(types))
    ndim = int(rng.integers(1, 5))
    shape = tuple(int(n) for n in rng.integers(0, [200, 20, 9, 6][ndim - 1], ndim))
    small = name == "cumprod"
    return name, random_strides(rng, random_array(rng, dtype, shape, small)), {
        "axis": int(rng.integers(-ndim, ndim)), "exclusive": bool(rng.integers(2)), "reverse": bool(rng.integers(2)),
        "initial": None if rng.integers(2) else (int(rng.integers(0, 5)) if dtype != "bool" else 1)}


class Cumulative(unittest.TestCase):
    def check(self, name, x, found, axis, exclusive, reverse, initial):
        axis %= x.ndim
        expected = reference(name, x, axis, found.dtype, exclusive, reverse, initial)
        self.assertEqual(found.shape, x.shape)
        if found.dtype.kind != "f":
            np.testing.assert_array_equal(found, expected)
        elif name in ("cummin", "cummax"):
            np.testing.assert_array_equal(found, expected.astype(found.dtype))
        elif name == "cumsum":
            terms = reference(name, np.abs(x), axis, np.float64, exclusive, reverse, initial)
            self.assertTrue(np.all(np.abs(found.astype(np.float64) - expected)
                                   <= bound(terms, x.shape[axis], found.dtype.type)), f"{x.dtype} {x.shape}")
        else:
            length = x.shape[axis] + 2
            np.testing.assert_allclose(found.astype(np.float64), expected, rtol=length * float(np.finfo(found.dtype).eps),
                                       atol=float(np.finfo(found.dtype).tiny) * length * 8)

    def test_random_cases(self):
        rng = generator(self.id())
        for case in range(CASES):
            name, x, options = random_case(rng)
            with np.errstate(all="ignore"):
                found = getattr(scanlens, name)(x, **options)
                try:
                    self.check(name, x, found, **options)
                except AssertionError as error:
                    raise AssertionError(f"case {case}: {name} {x.dtype} {x.shape} {x.strides} {options}") from error

    def test_types_of_results_are_numpys(self):
        for dtype in INTEGERS + FLOATS:
            x = np.ones(3, dtype)
            self.assertEqual(scanlens.cumsum(x).dtype, np.cumsum(x).dtype)
            self.assertEqual(scanlens.cumprod(x).dtype, np.cumprod(x).dtype)
            self.assertEqual(scanlens.cummax(x).dtype, dtype)

    def test_dtype(self):
        rng = generator(self.id())
        for from_type in INTEGERS + FLOATS:
            x = random_array(rng, from_type, (7, 5), small=True)
            for to_type in ("uint32", "int32", "uint64", "int64", "float32", "float64"):
                if np.dtype(from_type).kind == "f" and np.dtype(to_type).kind != "f":
                    continue
                found = scanlens.cumsum(x, axis=0, dtype=to_type)
                self.assertEqual(found.dtype, to_type)
                np.testing.assert_allclose(found, np.cumsum(x, axis=0, dtype=to_type), rtol=1e-5, atol=1e-5)

    def test_out(self):
        x = np.arange(12, dtype=np.float32).reshape(3, 4)
        out = np.empty_like(x)
        self.assertIs(scanlens.cumsum(x, 1, out=out), out)
        np.testing.assert_array_equal(out, np.cumsum(x, 1))
        self.assertIs(scanlens.cumsum(x, 0, out=x), x)  # in place
        np.testing.assert_array_equal(x[-1], [12, 15, 18, 21])
        wide = np.zeros((3, 8), np.float32)
        scanlens.cumsum(np.ones((3, 4), np.float32), 1, out=wide[:, ::2])
        np.testing.assert_array_equal(wide, [[1, 0, 2, 0, 3, 0, 4, 0]] * 3)
        half = np.zeros(3, np.float16)
        scanlens.cumprod(np.full(3, 2, np.float16), out=half)
        np.testing.assert_array_equal(half, [2, 4, 8])

    def test_dense_arrays_are_not_copied(self):
        x = np.asfortranarray(np.ones((50, 60), np.float32))
        self.assertTrue(scanlens.cumsum(x, 0).flags.f_contiguous)

    def test_sequences_and_buffers(self):
        self.assertEqual(scanlens.cumsum([1, 2, 3]).tolist(), [1, 3, 6])
        self.assertEqual(scanlens.cumsum(memoryview(b"\1\2")).tolist(), [1, 3])
        self.assertEqual(scanlens.cumsum(np.ones((2, 2), np.int32)).tolist(), [1, 2, 3, 4])
        read_only = np.ones(3)
        read_only.flags.writeable = False
        self.assertEqual(scanlens.cumsum(read_only).tolist(), [1, 2, 3])

    def test_errors(self):
        x = np.ones((2, 3), np.float32)
        for call, error, text in (
                (lambda: scanlens.cumsum(x, 2), IndexError, "axis 2"),
                (lambda: scanlens.cumsum(x.astype(complex)), TypeError, "complex128"),
                (lambda: scanlens.cumsum(np.array(["a"])), TypeError, "str"),
                (lambda: scanlens.cumsum(np.array(["2020-01-01"], "M8[D]")), TypeError, "datetime64"),
                (lambda: scanlens.cumsum(x.astype(">f4")), TypeError, "byte order"),
                (lambda: scanlens.cumsum(x, 0, out=np.empty((3, 2), np.float32)), ValueError, "out is float32"),
                (lambda: scanlens.cumsum(x, 0, out=np.empty((2, 3), np.float64), dtype="float32"), ValueError, "out is"),
                (lambda: scanlens.cumsum(x, 0, stream=1), ValueError, "CUDA"),
                (lambda: scanlens.cumsum(x, 0, initial="a"), TypeError, "initial is 'a'; give a number"),
                (lambda: scanlens.cumsum(np.ones(3, np.int32), dtype="int32", initial=2**40), ValueError, "int32"),
                (lambda: scanlens.cumsum(np.ones(3, np.uint8), initial=-1), ValueError, "initial is -1; give 0 to"),
                (lambda: scanlens.cumsum(np.ones(3, int), initial=1.5), ValueError, "initial is 1.5; give a whole number"),
                (lambda: scanlens.cummax(np.ones(3, np.int8), initial=300), ValueError, "give -128 to 127"),
                (lambda: scanlens.cumsum(np.ma.array([1, 2], mask=[0, 1])), TypeError, "masks would be lost"),
                (lambda: scanlens.cumsum(x, (0, 1)), TypeError, "give one number"),
                (lambda: scanlens.cumsum(x, "a"), TypeError, "axis is 'a'; give a whole number"),
                (lambda: scanlens.min(np.ones(0)), ValueError, "min: the array is empty"),
                (lambda: scanlens.segmented_cumsum(np.arange(4), offsets=[0, 10**8, 4, 4]), ValueError, r"`offsets`\[2\] is"),
                (lambda: scanlens.segment_reduce(np.arange(4), [0, 10**8, 4, 4]), ValueError, r"`offsets`\[2\] is"),
                (lambda: scanlens.segmented_cumsum(np.ones(3), np.ones(2, bool)), ValueError, "size")):
            with self.assertRaisesRegex(error, text) as caught:
                call()
            self.assertRegex(str(caught.exception), r"^(cum|min|segment)\w*: ")  # the function that the caller named
        locked = np.empty((2, 3), np.float32)
        locked.flags.writeable = False
        with self.assertRaisesRegex(ValueError, "read-only"):
            scanlens.cumsum(x, 0, out=locked)
        with self.assertRaisesRegex(TypeError, "cumsum: out is a list; give an array"):
            scanlens.cumsum(x, 0, out=[1, 2])

    def test_threads_side_by_side(self):
        x = np.arange(100000, dtype=np.uint64)
        expected, failures = np.cumsum(x), []

        def work():
            for _ in range(30):
                if not np.array_equal(scanlens.cumsum(x), expected):
                    failures.append("differs")

        workers = [threading.Thread(target=work) for _ in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertEqual(failures, [])

    def test_trim_beside_calls(self):
        x, done = np.arange(100000), threading.Event()
        expected, failures = np.cumsum(x), []

        def work():
            while not done.is_set():
                if not np.array_equal(scanlens.cumsum(x), expected):
                    failures.append("differs")

        workers = [threading.Thread(target=work, daemon=True) for _ in range(3)]
        for worker in workers:
            worker.start()
        for _ in range(50):
            scanlens.trim()
            scanlens.threads(0)
        done.set()
        for worker in workers:
            worker.join(60)
        self.assertEqual((failures, [worker.is_alive() for worker in workers]), ([], [False] * 3))

    def test_the_same_bits_on_every_run(self):
        x = generator(self.id()).standard_normal(300001).astype(np.float32)
        for count in (1, 2, 0):
            scanlens.threads(count)
            np.testing.assert_array_equal(scanlens.cumsum(x), scanlens.cumsum(x))

    def test_short_sums_do_not_depend_on_where_they_go(self):
        """Results of 32 KiB at most, which are not put at multiples of 64 bytes."""
        for dtype in ("float32", "float64"):
            x = random_array(generator(self.id()), dtype, (32768 // np.dtype(dtype).itemsize,))
            room = np.empty(x.size + 16, dtype)
            expected = scanlens.cumsum(x)
            for skipped in range(16):
                found = scanlens.cumsum(x, out=room[skipped : skipped + x.size])
                self.assertEqual(found.tobytes(), expected.tobytes(), (dtype, skipped))

    def test_segmented(self):
        rng = generator(self.id())
        for _ in range(200):
            x = random_array(rng, str(rng.choice(["int32", "uint32", "int64", "uint64"])), int(rng.integers(1, 99)), True)
            heads = rng.integers(0, 4, x.size) == 0
            for exclusive in (False, True):
                starts = [0, *np.flatnonzero(heads[1:]) + 1, x.size]
                parts = [np.cumsum(x[a:b], dtype=x.dtype) - (x[a:b] if exclusive else 0)
                         for a, b in zip(starts, starts[1:]) if b > a]
                np.testing.assert_array_equal(scanlens.segmented_cumsum(x, heads, exclusive=exclusive),
                                              np.concatenate(parts).astype(x.dtype))


class Reductions(unittest.TestCase):
    def test_random_cases(self):
        rng = generator(self.id())
        for _ in range(1500):
            dtype = str(rng.choice(INTEGERS[1:] + FLOATS))
            shape = tuple(int(n) for n in rng.integers(1, 30, int(rng.integers(1, 4))))
            x = random_strides(rng, random_array(rng, dtype, shape))
            self.assertEqual(scanlens.min(x), x.min())
            self.assertEqual(scanlens.max(x), x.max())
            self.assertEqual(scanlens.argmin(x), x.argmin())
            self.assertEqual(scanlens.argmax(x), x.argmax())
            total = scanlens.sum(x)
            self.assertEqual(total.dtype, np.sum(x).dtype)
            if dtype in FLOATS:
                self.assertLessEqual(abs(float(total) - np.sum(x, dtype=np.float64)),
                                     bound(np.abs(x).sum(dtype=np.float64), x.size, x.dtype.type))
            else:
                self.assertEqual(total, np.sum(x))

    def test_moments(self):
        x = generator(self.id()).standard_normal((40, 50)) + 1000
        found = scanlens.moments(x[:, ::2])
        self.assertEqual(found.count, 1000)
        self.assertAlmostEqual(found.variance, x[:, ::2].var(), 9)
        self.assertEqual((scanlens.var(np.array(5.0)), scanlens.std(5.0)), (0, 0))
        self.assertEqual((found.least, found.greatest), (x[:, ::2].min(), x[:, ::2].max()))

    def test_nan_stays(self):
        """In all lengths and axes, as in NumPy."""
        rng = generator(self.id())
        for length in (1, 2, 5, 100, 5000):
            for dtype in FLOATS:
                x = rng.standard_normal((length, 3)).astype(dtype)
                x[rng.integers(length), 1] = np.nan
                for name, same in (("min", np.min), ("max", np.max), ("argmin", np.argmin), ("argmax", np.argmax)):
                    for axis in (None, 0, 1):
                        np.testing.assert_array_equal(getattr(scanlens, name)(x, axis), same(x, axis), f"{name} {axis}")
                for axis in (0, 1):
                    np.testing.assert_array_equal(scanlens.cummax(x, axis), np.maximum.accumulate(x, axis))
                    np.testing.assert_array_equal(scanlens.cummin(x, axis), np.minimum.accumulate(x, axis))
        self.assertEqual(scanlens.argmax(np.array([np.nan, np.nan])), 0)
        self.assertTrue(np.isnan(scanlens.cummax(np.array([np.nan, 1, 2]))).all())
        self.assertTrue(np.isnan(scanlens.cummax(np.array([1., 2]), initial=np.nan)).all())


if __name__ == "__main__":
    unittest.main()
