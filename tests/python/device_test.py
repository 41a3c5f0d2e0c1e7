#!/usr/bin/env python3
"""On a CUDA device: torch's and CuPy's streams, graphs, devices, threads, sizes beyond 2^31, and results against NumPy's."""
import importlib.util
import os
import sys
import threading
import unittest
import warnings

import support  # noqa: F401, I001
import numpy as np
import scanlens

if importlib.util.find_spec("torch") is None:
    support.skip_all("torch was not found")

import torch  # noqa: E402

if not torch.cuda.is_available():
    support.skip_all("torch has no CUDA device")
if not scanlens.cuda_info()["built_with_cuda"]:
    support.skip_all("the module was built without CUDA")

from scan_test import random_case  # noqa: E402
from support import generator, random_array  # noqa: E402

try:
    import cupy
except ImportError:
    cupy = None

LONG = 200_000_000  # cycles: a tenth of a second


def needs_cupy(test):
    return unittest.skipIf(cupy is None, "cupy was not found")(test)


class Streams(unittest.TestCase):
    def test_work_follows_what_is_on_torchs_current_stream(self):
        x = torch.zeros(10**6, dtype=torch.int32, device="cuda")
        torch.cuda.synchronize()
        for stream in (torch.cuda.Stream(), torch.cuda.default_stream()):
            with torch.cuda.stream(stream):
                torch.cuda._sleep(LONG)
                x.fill_(1)
                found = scanlens.cumsum(x, 0, dtype="int32")
                self.assertFalse(stream.query(), "the call waited for the device")
                x.zero_()
                stream.synchronize()
            self.assertEqual(found[-1].item(), 10**6)

    def test_a_wrong_stream_is_found(self):
        """The same on another stream than the producer's reads what is not there yet: this test can fail."""
        x = torch.zeros(10**6, dtype=torch.int32, device="cuda")
        other = torch.cuda.Stream()
        scanlens.cumsum(x, 0, dtype="int32", stream=other)  # the first call on a stream takes memory, which waits
        torch.cuda.synchronize()
        torch.cuda._sleep(LONG)
        x.fill_(1)
        found = scanlens.cumsum(x, 0, dtype="int32", stream=other)
        torch.cuda.synchronize()
        self.assertEqual(found[-1].item(), 0)

    @needs_cupy
    def test_cupys_current_stream(self):
        for stream in (cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream.null):
            x = cupy.zeros(10**6, cupy.int32)
            cupy.cuda.Device().synchronize()
            with stream:
                x += 1
                found = scanlens.cumsum(x)
                x -= 1
                stream.synchronize()
            self.assertIsInstance(found, cupy.ndarray)
            self.assertEqual(int(found[-1]), 10**6)

    # Calls that convert their arrays or their results, each exactly.
    CONVERTED = {
        "int8": lambda x, **on: scanlens.cumsum(x, 0, **on), "bool": lambda x, **on: scanlens.cumsum(x, 0, dtype="int32", **on),
        "uint8": lambda x, **on: scanlens.cummax(x, 0, **on), "int16": lambda x, **on: scanlens.cumargmax(x, 0, **on)[0],
        "int32": lambda x, **on: scanlens.cumsum(x, 0, dtype="float64", **on),
        "float16": lambda x, **on: scanlens.sort(x, **on), "float32": lambda x, **on: scanlens.argsort(x, **on)}

    def test_conversions_run_on_the_calls_stream(self):
        """Neither waits for the current stream, nor overtakes what is on the call's."""
        other = torch.cuda.Stream()

        def called(call, x, block, change):
            torch.cuda.synchronize()
            with torch.cuda.stream(block):
                torch.cuda._sleep(LONG)
            if change:
                with torch.cuda.stream(other):
                    x.fill_(1)
            found = call(x, stream=other)
            with torch.cuda.stream(other):
                host = found.cpu()
            return host, torch.cuda.current_stream().query()

        for dtype, call in self.CONVERTED.items():
            with self.subTest(dtype):
                values = torch.from_numpy(random_array(generator(dtype), dtype, 10**6, small=True))
                ones = call(torch.ones_like(values))
                x = values.cuda()
                for _ in range(2):  # the first calls take memory, which may wait
                    call(x, stream=other)
                    torch.cuda.synchronize()
                found, waited = called(call, x, torch.cuda.current_stream(), False)
                self.assertFalse(waited, "the call waited for the current stream")
                self.assertTrue(torch.equal(found, call(values)))
                found, _ = called(call, x, other, True)
                self.assertTrue(torch.equal(found, ones))

    @needs_cupy
    def test_conversions_of_cupy_run_on_the_calls_stream(self):
        stream = cupy.cuda.Stream(non_blocking=True)
        for given in (stream, stream.ptr):
            for dtype, call in self.CONVERTED.items():
                with self.subTest(dtype, given=type(given).__name__):
                    values = random_array(generator(dtype), dtype, 10**6, small=True)
                    x = cupy.asarray(values)
                    for _ in range(2):
                        call(x, stream=given)
                        cupy.cuda.Device().synchronize()
                    torch.cuda._sleep(LONG)  # on the null stream, which is CuPy's current one
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore", DeprecationWarning)  # of cupy.cuda.ExternalStream
                        found = call(x, stream=given)
                    with stream:
                        host = found.get()
                    self.assertFalse(cupy.cuda.Stream.null.done, "the call waited for the current stream")
                    np.testing.assert_array_equal(host, call(values))
                    cupy.cuda.Device().synchronize()

    def test_two_threads(self):
        x = torch.ones(10**6, dtype=torch.int64, device="cuda")
        torch.cuda.synchronize()
        failures = []

        def work(own):
            stream = torch.cuda.Stream() if own else torch.cuda.default_stream()
            with torch.cuda.stream(stream):
                for _ in range(50):
                    if scanlens.cumsum(x, 0)[-1].item() != 10**6:
                        failures.append("differs")

        workers = [threading.Thread(target=work, args=(k % 2,)) for k in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertEqual(failures, [])


class Graphs(unittest.TestCase):
    CALLS = {
        "cumsum": lambda x: scanlens.cumsum(x, 0), "columns": lambda x: scanlens.cumsum(x.view(-1, 8), 0),
        "strided": lambda x: scanlens.cumsum(x[::2], 0), "sort": scanlens.sort,
        "argmax": scanlens.argmax, "sum": scanlens.sum, "logcumsumexp": scanlens.logcumsumexp,
        "cumargmax": lambda x: scanlens.cumargmax(x.view(-1, 4), 0)[1],
        "linear_recurrence": lambda x: scanlens.linear_recurrence(x, x),
        "segmented_cumsum": lambda x: scanlens.segmented_cumsum(x, keys=(x * 3).int()),
        "integral": lambda x: scanlens.integral(x.view(-1, 64)),
        "box": lambda x: scanlens.filters.box(x.view(-1, 64), radius=3)}

    def test_cold_captures(self):
        for name, call in self.CALLS.items():
            with self.subTest(name):
                x = torch.rand(2**14, device="cuda")
                torch.cuda.synchronize()
                graph = torch.cuda.CUDAGraph()
                with torch.cuda.graph(graph):
                    found = call(x)
                for _ in range(20):
                    x.copy_(torch.rand(2**14, device="cuda"))
                    graph.replay()
                    live = call(x)
                    self.assertTrue(torch.equal(found, live))

    def test_what_waits_says_so(self):
        x = torch.rand(1000, device="cuda")
        torch.cuda.synchronize()
        with self.assertRaises(Exception):
            with torch.cuda.graph(torch.cuda.CUDAGraph()):
                scanlens.autofocus(torch.zeros(8, 8, dtype=torch.uint8, device="cuda"), x[:64].view(8, 8))


class Results(unittest.TestCase):
    def test_random_cases_of_scans(self):
        """Integers have the CPU's bits; floats are as near as the CPU is to NumPy (scan_test.py), twice."""
        rng = generator(self.id())
        for case in range(3000):
            name, x, options = random_case(rng)
            with np.errstate(all="ignore"):
                expected = getattr(scanlens, name)(x, **options)
            if x.dtype.name in ("uint16", "uint32", "uint64"):
                continue
            contiguous = np.ascontiguousarray(x).reshape(x.shape)
            found = getattr(scanlens, name)(torch.from_numpy(contiguous.copy()).cuda(), **options).cpu().numpy()
            message = f"case {case}: {name} {x.dtype} {x.shape} {options}"
            if x.dtype == np.uint8 and name in ("cumsum", "cumprod"):
                expected = expected.astype(np.int64)
            if found.dtype.kind == "f":
                scale = np.abs(expected[np.isfinite(expected)]).max(initial=1).astype(np.float64)
                np.testing.assert_allclose(found.astype(np.float64), expected.astype(np.float64), rtol=2e-2 if x.dtype == np.float16 else 1e-4,
                                           atol=scale * (2e-3 if x.dtype == np.float16 else 1e-5), err_msg=message)
            else:
                np.testing.assert_array_equal(found, expected, err_msg=message)

    def test_filters_are_the_cpus(self):
        rng = generator(self.id())
        image = random_array(rng, "uint8", (70, 90, 3))
        for name in scanlens.filter_names():
            more = {"variable_box": {"mask": np.full((70, 90), 0.5, np.float32)}, "resize": {"width": 40},
                    "crop": {"width": 40}, "pad": {"width": 200},
                    "dof": {"depth": np.tile(np.linspace(0, 1, 90, dtype=np.float32), (70, 1))}}.get(name, {})
            cuda = {key: torch.from_numpy(of).cuda() if isinstance(of, np.ndarray) else of for key, of in more.items()}
            expected = getattr(scanlens.filters, name)(image, **more)
            found = getattr(scanlens.filters, name)(torch.from_numpy(image).cuda(), **cuda).cpu().numpy()
            self.assertLessEqual(np.abs(found.astype(int) - expected).max(), 1, name)

    def test_selections(self):
        rng = generator(self.id())
        for dtype in ("int32", "int64", "float32", "float64", "int16", "uint8"):
            x = random_array(rng, dtype, 100_001)
            on_device = torch.from_numpy(x).cuda()
            mask = x > np.median(x)
            np.testing.assert_array_equal(scanlens.sort(on_device).cpu(), np.sort(x))
            np.testing.assert_array_equal(scanlens.argsort(on_device).cpu(), np.argsort(x, kind="stable"))
            np.testing.assert_array_equal(scanlens.compact(on_device, torch.from_numpy(mask).cuda()).cpu(), x[mask])
            np.testing.assert_array_equal(scanlens.unique(on_device, sorted=True).cpu(), np.unique(x))
            self.assertEqual(scanlens.argmax(on_device).item(), x.argmax())
            self.assertEqual(scanlens.max(on_device).item(), x.max())

    def test_random_cases_of_lines(self):
        """The CPU's results, which lines_test.py compares with NumPy's: alike, or off by roundings."""
        rng = generator(self.id())
        for _ in range(300):
            ndim = int(rng.integers(1, 4))
            shape = tuple(int(n) for n in rng.integers(0, [200000, 400, 60][ndim - 1], ndim))
            axis, reverse = int(rng.integers(-ndim, ndim)), bool(rng.integers(2))
            a, b = (rng.uniform(-1, 1, shape).astype(np.float32) for _ in range(2))
            here, there = (a, b), (torch.from_numpy(a).cuda(), torch.from_numpy(b).cuda())
            for function in (scanlens.logcumsumexp, scanlens.linear_recurrence):
                arrays = slice(0, 1 if function is scanlens.logcumsumexp else 2)
                expected = function(*here[arrays], axis=axis, reverse=reverse, initial=0.5)
                found = function(*there[arrays], axis=axis, reverse=reverse, initial=0.5).cpu().numpy()
                np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
            few = (a * 9).round()
            for function in (scanlens.cumargmax, scanlens.cumargmin):
                for x in (few, few.astype(np.int64), few.astype(np.float16)):
                    ties = "first" if rng.integers(2) else "last"
                    expected = function(x, axis, ties=ties, reverse=reverse)
                    found = function(torch.from_numpy(x).cuda(), axis, ties=ties, reverse=reverse)
                    for mine, theirs in zip(found, expected):
                        np.testing.assert_array_equal(mine.cpu().numpy(), theirs)
            x, keys = few.reshape(-1).astype(np.int64), np.sort(few.reshape(-1)).astype(np.int32)
            offsets = np.array([0, *np.sort(rng.integers(0, x.size + 1, 20)), x.size])
            for name, marks in (("keys", keys), ("offsets", offsets)):
                found = scanlens.segmented_cumsum(torch.from_numpy(x).cuda(), **{name: torch.from_numpy(marks).cuda()})
                np.testing.assert_array_equal(found.cpu().numpy(), scanlens.segmented_cumsum(x, **{name: marks}))

    def test_beyond_2_to_31(self):
        count = 2**31 + 12345
        x = torch.ones(count, dtype=torch.uint8, device="cuda")
        self.assertEqual(scanlens.sum(x).item(), count)
        found = scanlens.cumsum(x, 0)
        self.assertEqual((found[-1].item(), found[2**31].item(), found[0].item()), (count, 2**31 + 1, 1))
        del found
        self.assertEqual(scanlens.flatnonzero(x[:count])[-1].item(), count - 1)

    def test_the_same_bits_on_every_run(self):
        x = torch.randn(10**7, device="cuda")
        first = scanlens.cumsum(x, 0)
        for _ in range(20):
            self.assertTrue(torch.equal(scanlens.cumsum(x, 0), first))


class Foreigners(unittest.TestCase):
    def test_cuda_array_interface(self):
        class Only:
            def __init__(self, tensor, stream):
                self.tensor, self.dtype, self.shape = tensor, np.dtype("int32"), tuple(tensor.shape)
                self.__cuda_array_interface__ = {**tensor.__cuda_array_interface__, "version": 3, "stream": stream}

        x = torch.ones(1000, dtype=torch.int32, device="cuda")
        torch.cuda.synchronize()
        found = scanlens.cumsum(Only(x, 1), 0)
        self.assertIsInstance(found, scanlens.Array)
        self.assertEqual(found.numpy()[-1], 1000)
        self.assertEqual(torch.from_dlpack(found)[-1].item(), 1000)
        self.assertEqual(torch.as_tensor(found, device="cuda")[-1].item(), 1000)
        strided = scanlens.cumsum(Only(x[::2], 1), 0)
        self.assertEqual(strided.numpy()[-1], 500)
        with self.assertRaisesRegex(ValueError, "ambiguous"):
            scanlens.cumsum(Only(x, 0), 0)
        other = torch.cuda.Stream()
        found = scanlens.cumsum(Only(x, 1), 0, stream=other)
        self.assertEqual((found.stream, found.numpy()[-1]), (other.cuda_stream, 1000))

    def test_jax(self):
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        try:
            import jax
        except ImportError:
            self.skipTest("jax was not found")
        if jax.default_backend() != "gpu":
            self.skipTest("jax has no CUDA device")
        x = jax.numpy.ones(1000, dtype="int32")
        found = scanlens.cumsum(x, 0)
        self.assertIsInstance(found, jax.Array)
        self.assertEqual(int(found[-1]), 1000)

    def test_devices_do_not_mix(self):
        x = torch.ones(4, device="cuda")
        with self.assertRaises((ValueError, TypeError)):
            scanlens.compact(x, torch.ones(4, dtype=torch.bool))


class Memory(unittest.TestCase):
    def test_nothing_leaks(self):
        x = torch.rand(10**5, device="cuda")
        for count in (10, 1000):
            for _ in range(count):
                scanlens.cumsum(x, 0)
                scanlens.sort(x)
            torch.cuda.synchronize()
            if count == 10:
                before = torch.cuda.mem_get_info()[0], torch.cuda.memory_allocated()
        after = torch.cuda.mem_get_info()[0], torch.cuda.memory_allocated()
        self.assertLessEqual(abs(before[0] - after[0]), 2**22)
        self.assertEqual(before[1], after[1])

    def test_allocators(self):
        x = torch.rand(10**6, device="cuda")
        expected = scanlens.sort(x)
        for name in ("torch", "pool", "own"):
            scanlens.use_allocator(name)
            self.assertTrue(torch.equal(scanlens.sort(x), expected), name)

    def test_a_forked_child_is_refused(self):
        import subprocess

        script = ("import os, torch, scanlens\nx = torch.ones(9, device='cuda')\nscanlens.cumsum(x, 0)\npid = os.fork()\n"
                  "if pid == 0:\n    try:\n        scanlens.cumsum(x, 0)\n    except RuntimeError as error:\n"
                  "        os._exit(0 if 'spawn' in str(error) else 2)\n    os._exit(1)\n"
                  "raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))")
        self.assertEqual(subprocess.run([sys.executable, "-c", script], timeout=100).returncode, 0)


if __name__ == "__main__":
    unittest.main()
