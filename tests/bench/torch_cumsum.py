#!/usr/bin/env python3
"""PyTorch beside `scanlens bench`, on a GPU host: cumsum along rows and columns, transposes, one-dimensional cumsum, and
the copy of the same bytes. Medians of CUDA-graph replays with least and most, like the ratios in bench's table; GB/s counts
the bytes that must move. Caveat: torch.cumsum of 32-bit integers writes 64-bit sums (and of uint32 does not exist), so the
integer line moves 12 bytes an element where ours moves 8; the float line moves the same 8.

Usage: torch_cumsum.py [--json] [--quick]"""
import argparse
import json
import statistics
import sys

import torch

ROUNDS, SECONDS = 20, 0.3


def timed(work):
    """Milliseconds of one call: median, least, most of up to ROUNDS replays or SECONDS."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        work()  # allocates what it needs, outside of the recording
        stream.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            work()
        graph.replay()
        stream.synchronize()
        times = []
        while len(times) < ROUNDS and (len(times) < 3 or sum(times) < SECONDS * 1000):
            start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record(stream)
            graph.replay()
            stop.record(stream)
            stop.synchronize()
            times.append(start.elapsed_time(stop))
    return statistics.median(times), min(times), max(times)


def cases(quick):
    """(work name, type, size, bytes that must move, function that makes the work)"""
    cut = (lambda side: min(side, 512)) if quick else (lambda side: side)
    for width, height in ((16384, 16384), (256, 1048576), (1048576, 64)):
        width, height = cut(width), cut(height)

        def cumsum(dim, shape=(height, width)):
            source = torch.rand(shape, device="cuda")
            target = torch.empty_like(source)
            return lambda: torch.cumsum(source, dim, out=target)

        size = f"{width}x{height}"
        yield "rows: torch.cumsum dim 1", "f32", size, 8 * width * height, lambda: cumsum(1)
        if height > 64:
            yield "columns: torch.cumsum dim 0", "f32", size, 8 * width * height, lambda: cumsum(0)
    for width, height in ((16384, 16384), (16383, 16381)):
        width, height = cut(width), cut(height)
        for kind, name, size in ((torch.uint8, "u8", 1), (torch.float32, "f32", 4), (torch.complex128, "u128", 16)):

            def transpose(kind=kind, shape=(height, width)):
                source = torch.ones(shape, dtype=kind, device="cuda")
                target = torch.empty(shape[::-1], dtype=kind, device="cuda")
                return lambda: target.copy_(source.t())

            yield "transpose: copy of .t()", name, f"{width}x{height}", 2 * size * width * height, transpose
    for log in (20, 24, 26, 28):
        count = 1 << (min(log, 18) if quick else log)

        def floats(count=count):
            source = torch.rand(count, device="cuda")
            target = torch.empty_like(source)
            return lambda: torch.cumsum(source, 0, out=target)

        def integers(count=count):
            source = torch.randint(0, 1 << 20, (count,), dtype=torch.int32, device="cuda")
            target = torch.empty(count, dtype=torch.int64, device="cuda")
            return lambda: torch.cumsum(source, 0, out=target)

        def copy(count=count):
            source = torch.rand(count, device="cuda")
            target = torch.empty_like(source)
            return lambda: target.copy_(source)

        yield "scan: torch.cumsum", "f32", f"{count}", 8 * count, floats
        yield "scan: torch.cumsum", "i32 -> i64", f"{count}", 12 * count, integers
        yield "copy", "f32", f"{count}", 8 * count, copy


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--json", action="store_true", help="one JSON object")
    options.add_argument("--quick", action="store_true", help="small sizes, to see that all works")
    options = options.parse_args()
    if not torch.cuda.is_available():
        sys.exit("torch_cumsum.py: PyTorch sees no CUDA device")

    results = []
    if not options.json:
        print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}")
    for work, kind, size, moved, make in cases(options.quick):
        ms, least, most = timed(make())
        torch.cuda.empty_cache()
        results.append({"work": work, "type": kind, "size": size, "ms": ms, "ms_min": least, "ms_max": most, "bytes": moved,
                        "gb_per_s": moved / ms * 1e-6})
        if not options.json:
            print(f"{work:<28} {kind:<10} {size:<14} {ms:10.4f} ms ({least:.4f} .. {most:.4f}) {moved / ms * 1e-6:8.1f} GB/s")
    if options.json:
        print(json.dumps({"gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "results": results}, indent=2))


if __name__ == "__main__":
    main()
