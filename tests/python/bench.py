#!/usr/bin/env python3
"""Times beside torch's and cupy's cumulative functions and torch.sort on a CUDA device, and cv2 and scipy on the CPU, as one table: those
that are installed. Each result is compared before it is timed."""
import importlib.util
import time

import numpy as np
import scanlens


def found(name):
    return importlib.util.find_spec(name) is not None


def host_ms(work, times=5):
    work()
    best = float("inf")
    for _ in range(times):
        begin = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - begin)
    return best * 1e3


def row(what, ours, peers):
    cells = [f"{name} {ms:.4g} ms ({ms / ours:.2f}x)" for name, ms in peers.items()]
    print(f"| {what} | {ours:.4g} ms | {' | '.join(cells)} |", flush=True)


def on_cpu():
    rng = np.random.default_rng(1)
    image = rng.integers(0, 256, (2160, 3840, 3), dtype=np.uint8)
    grey = np.ascontiguousarray(image[..., 0])
    x = rng.standard_normal(2**24).astype(np.float32)
    columns = x.reshape(-1, 32)
    row("CPU cumsum 2^24 float32", host_ms(lambda: scanlens.cumsum(x)), {"numpy": host_ms(lambda: np.cumsum(x))})
    row("CPU cumsum 2^19 x 32, axis 0", host_ms(lambda: scanlens.cumsum(columns, 0)),
        {"numpy": host_ms(lambda: np.cumsum(columns, 0))})
    row("CPU logcumsumexp 2^22 float32", host_ms(lambda: scanlens.logcumsumexp(x[: 2**22])),
        {"numpy logaddexp": host_ms(lambda: np.logaddexp.accumulate(x[: 2**22]))})
    row("CPU cumargmax 2^24 float32", host_ms(lambda: scanlens.cumargmax(x)),
        {"numpy maximum, without indices": host_ms(lambda: np.maximum.accumulate(x))})
    row("CPU linear_recurrence 2^24 float32", host_ms(lambda: scanlens.linear_recurrence(np.abs(x) / 8, x)), {})
    row("CPU sort 2^22 float32", host_ms(lambda: scanlens.sort(x[: 2**22])), {"numpy": host_ms(lambda: np.sort(x[: 2**22]))})
    if found("cv2"):
        import cv2

        assert np.array_equal(scanlens.integral(image, border=True), cv2.integral(image).astype(np.uint32))
        row("CPU integral 4K RGB", host_ms(lambda: scanlens.integral(image, border=True)),
            {"cv2": host_ms(lambda: cv2.integral(image))})
        for radius in (2, 30):
            row(f"CPU box 4K RGB, radius {radius}", host_ms(lambda: scanlens.filters.box(image, radius=radius)),
                {"cv2.blur": host_ms(lambda: cv2.blur(image, (2 * radius + 1,) * 2))})
    if found("scipy"):
        from scipy import ndimage

        row("CPU box 4K grey, radius 30", host_ms(lambda: scanlens.filters.box(grey, radius=30)),
            {"scipy.ndimage.uniform_filter": host_ms(lambda: ndimage.uniform_filter(grey, 61), 1)})


def lines_on_cuda(torch, ms):
    """Scans of other operators, beside torch's own, and beside what its users write where it has none."""
    def logarithms(shape, axis, times=10):
        x = torch.randn(shape, device="cuda")
        if x.numel() < 2**20:
            torch.testing.assert_close(scanlens.logcumsumexp(x, axis), torch.logcumsumexp(x, axis))
        row(f"logcumsumexp {shape}, axis {axis}", ms(lambda: scanlens.logcumsumexp(x, axis), times),
            {"torch": ms(lambda: torch.logcumsumexp(x, axis), 1 if times < 1000 else times)})

    def extremes(shape, axis, times=10):
        x = torch.randn(shape, device="cuda")
        found, expected = scanlens.cumargmax(x, axis), torch.cummax(x, axis)
        assert torch.equal(found[0], expected[0]) and torch.equal(found[1], expected[1])
        del found, expected
        row(f"cummax with indices {shape}, axis {axis}", ms(lambda: scanlens.cumargmax(x, axis), times),
            {"torch": ms(lambda: torch.cummax(x, axis), 1 if times < 1000 else times)})

    def recurrence(shape, axis, times=10):
        a, b = torch.rand(shape, device="cuda") * 0.5 + 0.5, torch.randn(shape, device="cuda")

        def by_hand():  # right only while the products of a stay far from 0
            product = torch.cumprod(a, axis)
            return product * torch.cumsum(b / product, axis)

        row(f"linear_recurrence {shape}, axis {axis}", ms(lambda: scanlens.linear_recurrence(a, b, axis), times),
            {"torch cumprod and cumsum": ms(by_hand, times)})

    for shape, axis in (((2**26,), 0), ((2**15, 2**12), 1), ((2**12, 2**15), 0), ((2**20, 8), 0)):
        logarithms(shape, axis)
        extremes(shape, axis)
        recurrence(shape, axis)
    for function in (logarithms, extremes, recurrence):
        function((2**10,), 0, 1000)
    x = torch.rand(2**10, device="cuda")
    row("a call of 2^10 float32 of cumsum, with a new result", ms(lambda: scanlens.cumsum(x, 0), 1000),
        {"torch": ms(lambda: torch.cumsum(x, 0), 1000)})

    x = torch.randint(0, 9, (2**26,), device="cuda")
    for length in (10, 1000):
        keys = torch.repeat_interleave(torch.arange(2**26 // length + 1, device="cuda"), length)[: 2**26]
        heads = torch.diff(keys, prepend=keys[:1] - 1) != 0

        def by_hand():  # of positive elements only: sums at heads ascend
            sums = torch.cumsum(x, 0)
            return sums - torch.cummax(torch.where(heads, sums - x, 0), 0)[0]

        assert torch.equal(scanlens.segmented_cumsum(x[: 2**16], keys=keys[: 2**16]),
                           scanlens.segmented_cumsum(x[: 2**16], heads[: 2**16]))
        peers = {"torch cumsum and cummax": ms(by_hand, 1), "by heads": ms(lambda: scanlens.segmented_cumsum(x, heads))}
        row(f"segmented_cumsum by key 2^26 int64, runs of {length}", ms(lambda: scanlens.segmented_cumsum(x, keys=keys)), peers)
        offsets = torch.cat([torch.nonzero(heads)[:, 0], torch.tensor([2**26], device="cuda")])
        row(f"segmented_cumsum by offsets 2^26 int64, segments of {length}",
            ms(lambda: scanlens.segmented_cumsum(x, offsets=offsets)), peers)


def on_cuda():
    import torch

    def ms(work, times=20):
        for _ in range(3):
            work()
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(times):
            work()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) / times

    cupy = None
    if found("cupy"):
        import cupy
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}"
          + (f", cupy {cupy.__version__}" if cupy is not None else ""))

    def cumsum(what, shape, axis, dtype=torch.float32, times=20):
        x = torch.rand(shape, device="cuda").to(dtype) if dtype.is_floating_point else torch.randint(
            0, 9, shape, device="cuda", dtype=dtype)
        torch.testing.assert_close(scanlens.cumsum(x, axis).double(), torch.cumsum(x.double(), axis), rtol=1e-3, atol=1e-3)
        peers = {"torch": ms(lambda: torch.cumsum(x, axis), min(times, 5))}
        if cupy is not None and dtype != torch.bfloat16:
            theirs = cupy.from_dlpack(x)
            with cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream or 1):
                peers["cupy"] = ms(lambda: cupy.cumsum(theirs, axis), min(times, 5))
        row(f"cumsum {what}, axis {axis}", ms(lambda: scanlens.cumsum(x, axis), times), peers)

    cumsum("2^28 float32", (2**28,), 0)
    cumsum("2^28 int32 to int64", (2**28,), 0, torch.int32)
    cumsum("2^16 x 2^12 float32", (2**16, 2**12), 1)
    cumsum("2^12 x 2^16 float32", (2**12, 2**16), 0)
    for width in (2, 4, 8, 16, 32):
        cumsum(f"2^20 x {width} float32", (2**20, width), 0)
    for power in (10, 16, 20):
        x = torch.rand(2**power, device="cuda")
        out = torch.empty_like(x)
        peers = {"torch": ms(lambda: torch.cumsum(x, 0, out=out), 1000)}
        if cupy is not None:
            theirs = cupy.from_dlpack(x)
            peers["cupy"] = ms(lambda: cupy.cumsum(theirs), 1000)
        row(f"a call of 2^{power} float32, in a row", ms(lambda: scanlens.cumsum(x, 0, out=out), 1000), peers)
    lines_on_cuda(torch, ms)
    for dtype in (torch.float32, torch.int64):
        x = torch.randint(-2**31, 2**31 - 1, (2**26,), device="cuda").to(dtype)
        assert torch.equal(scanlens.sort(x), torch.sort(x)[0])
        row(f"sort 2^26 {dtype}", ms(lambda: scanlens.sort(x), 5), {"torch.sort": ms(lambda: torch.sort(x), 5)})
        row(f"argsort 2^26 {dtype}", ms(lambda: scanlens.argsort(x), 5),
            {"torch.argsort": ms(lambda: torch.argsort(x, stable=True), 5)})
    image = torch.randint(0, 256, (2160, 3840, 3), device="cuda", dtype=torch.uint8)
    row("integral 4K RGB", ms(lambda: scanlens.integral(image)),
        {"torch.cumsum twice": ms(lambda: torch.cumsum(torch.cumsum(image, 0, dtype=torch.int32), 1, dtype=torch.int32), 3)})
    pictures = image.permute(2, 0, 1)[None].float()
    row("box 4K RGB, radius 30", ms(lambda: scanlens.filters.box(image, radius=30)),
        {"torch avg_pool2d": ms(lambda: torch.nn.functional.avg_pool2d(pictures, 61, 1, 30), 2)})


if __name__ == "__main__":
    print("| what | scanlens | peers (how many times as long) |\n| --- | --- | --- |")
    if scanlens.cuda_info()["devices"] and found("torch"):
        on_cuda()
    on_cpu()
