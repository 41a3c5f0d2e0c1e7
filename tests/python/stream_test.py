#!/usr/bin/env python3
"""Calls with stream=, without a GPU: stand-ins for CuPy and torch on the host's memory remember on which stream they were
asked to work. device_test.py has the real ones."""
import inspect
import sys
import types
import unittest
from contextlib import contextmanager
from unittest import mock

import support  # noqa: F401, I001
import numpy as np
import scanlens
from scanlens import _dispatch, _libraries
from support import generator, random_array

CURRENT, OTHER = 0x1000, 0x2000


class Log:
    """The current stream, what was done on which, and what torch's allocator was told: (address, stream)."""

    def __init__(self):
        self.current, self.work, self.recorded = CURRENT, [], []

    def add(self, what):
        self.work.append((what, self.current))


LOG = Log()


class Stream:
    """CuPy's and torch's at once, to be entered."""
    __module__ = "cupy"

    def __init__(self, number):
        self.ptr = self.cuda_stream = number

    def __enter__(self):
        self.before, LOG.current = LOG.current, self.ptr

    def __exit__(self, *error):
        LOG.current = self.before

    def is_capturing(self):
        return False


class OnDevice(np.ndarray):
    def __dlpack__(self, **_):
        return self.view(np.ndarray)

    def __getitem__(self, key):
        LOG.add("read")
        return super().__getitem__(key)


class CupyArray(OnDevice):
    __module__ = "cupy"

    @property
    def device(self):
        return Stream(LOG.current)

    def astype(self, *arguments, **keywords):
        LOG.add("convert")
        return super().astype(*arguments, **keywords)


class Tensor(OnDevice):
    is_cuda, requires_grad, device = True, False, types.SimpleNamespace(type="cuda", index=0)

    def to(self, dtype):
        LOG.add("convert")
        return self.astype(dtype)

    def get_device(self):
        return 0

    def detach(self):
        return self

    def record_stream(self, stream):
        LOG.recorded.append((self.ctypes.data, stream.cuda_stream))


def external(number, device=None):
    """torch makes a new stream of 0."""
    assert number > 1
    return Stream(number)


def stand_in(name, kind):
    """A module whose functions are NumPy's."""
    def maker(function):
        def make(*arguments, device=None, **keywords):
            LOG.add(function.__name__)
            return function(*arguments, **keywords).view(kind)
        return make

    made = types.ModuleType(name)
    for function in (np.empty, np.empty_like, np.arange, np.where, np.isnan, np.asarray):
        setattr(made, function.__name__, maker(function))
    made.cuda = types.SimpleNamespace(
        ExternalStream=external, Stream=types.SimpleNamespace(null=Stream(0)), default_stream=lambda device: Stream(0),
        get_current_stream=lambda: Stream(LOG.current), current_stream=lambda device: Stream(LOG.current),
        stream=lambda stream: stream, is_current_stream_capturing=lambda: False)
    made.Tensor, made._C, made.is_grad_enabled, made.as_tensor = Tensor, None, lambda: False, made.asarray
    made.utils = types.SimpleNamespace(dlpack=types.SimpleNamespace(to_dlpack=Tensor.__dlpack__))
    for dtype in _libraries.DTYPES:
        if dtype != "bfloat16":
            setattr(made, dtype, np.dtype(dtype))
    return made


def also(x, dtype):
    """Another array of x's library, made on no stream."""
    return np.asarray(x).astype(dtype).view(type(x))


# Calls that convert, make or read something on the way: an array's type and shape, and what is done with it.
CALLS = [
    ("int8", 50, lambda x, **on: scanlens.cumsum(x, **on)),
    ("bool", 50, lambda x, **on: scanlens.cumsum(x, dtype="float64", **on)),
    ("float16", 50, lambda x, **on: scanlens.cummin(x, **on)),
    ("uint8", 50, lambda x, **on: scanlens.cummax(x, **on)),
    ("int16", 50, lambda x, **on: scanlens.cumargmax(x, **on)),
    ("int8", 50, lambda x, **on: scanlens.segmented_cumsum(also(x, "int32"), keys=x, **on)),
    ("uint16", 50, lambda x, **on: scanlens.max(x, **on)),
    ("int8", 50, lambda x, **on: scanlens.argmin(x, **on)),
    ("int16", 50, lambda x, **on: scanlens.moments(x, **on)),
    ("int16", 50, lambda x, **on: scanlens.sort(x, **on)),
    ("float32", 50, lambda x, **on: scanlens.argsort(x, **on)),
    ("uint8", 50, lambda x, **on: scanlens.unique(x, sorted=True, **on)),
    ("bool", 50, lambda x, **on: scanlens.partition(also(x, "float32"), x, **on)),
    ("int8", 50, lambda x, **on: scanlens.histogram(x, 8, **on)),
    ("uint8", (9, 8), lambda x, **on: scanlens.integral(x, **on)),
    ("uint8", (9, 8), lambda x, **on: scanlens.filters.variable_box(x, mask=x, **on)),
    ("uint8", (9, 8), lambda x, **on: scanlens.depth_of_field(x, disparity=also(x, "float64") / 255, blur=2, **on)),
]


@contextmanager
def in_place(name, kind):
    LOG.__init__()
    with mock.patch.dict(sys.modules, {name: stand_in(name, kind)}), \
            mock.patch.object(_dispatch, "_TORCH", _dispatch.TorchLibrary()):
        yield


class OnStream(unittest.TestCase):
    def test_what_a_call_does_on_the_way_is_done_on_its_stream(self):
        rng = generator(self.id())
        for dtype, shape, call in CALLS:
            x = random_array(rng, dtype, shape)
            expected = call(x)
            for name, kind in (("cupy", CupyArray), ("torch", Tensor)):
                for stream in (Stream(OTHER), OTHER, 0):
                    with self.subTest(inspect.getsource(call).strip(), library=name), in_place(name, kind):
                        found = call(x.view(kind), stream=stream)
                        number = OTHER if stream else 0
                        self.assertEqual({where for _, where in LOG.work}, {number}, LOG.work)
                        self.assertEqual(LOG.current, CURRENT)
                        if name == "torch":
                            self.assertIn((x.ctypes.data, number), LOG.recorded)
                        several = isinstance(expected, tuple)
                        for mine, theirs in zip(found if several else (found,), expected if several else (expected,)):
                            if isinstance(mine, Tensor):
                                self.assertIn((mine.ctypes.data, CURRENT), LOG.recorded)
                            np.testing.assert_array_equal(np.asarray(mine), np.asarray(theirs))

    def test_maps_within_lists_are_told_of(self):
        image, mask = np.zeros((4, 4), np.uint8).view(Tensor), np.ones((4, 4), np.float32).view(Tensor)
        with in_place("torch", Tensor):
            scanlens.filter_chain(image, ["box", ("variable_box", {"mask": mask})], stream=OTHER)
            self.assertIn((mask.ctypes.data, OTHER), LOG.recorded)

    def test_the_current_stream_comes_back_after_an_error(self):
        for name, kind in (("cupy", CupyArray), ("torch", Tensor)):
            with in_place(name, kind):
                with self.assertRaises(TypeError):
                    scanlens.cumsum(np.ones(4).view(kind), dtype="complex64", stream=OTHER)
                self.assertEqual(LOG.current, CURRENT)

    def test_every_function_with_a_stream_does_so(self):
        for name in scanlens.__all__:
            function = getattr(scanlens, name)
            if inspect.isfunction(function) and "stream" in inspect.signature(function).parameters:
                self.assertTrue(hasattr(function, "__wrapped__"), name)

    def test_numpy_has_none(self):
        with self.assertRaisesRegex(ValueError, "CUDA device"):
            scanlens.cumsum(np.ones(4), stream=OTHER)


if __name__ == "__main__":
    unittest.main()
