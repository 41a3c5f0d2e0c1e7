#!/usr/bin/env python3
"""The copy bound: how long this GPU takes to move the bytes that a table of an RGB picture must move (3 read, 12 written
a pixel), as a device-to-device copy by PyTorch. Median of replays over buffers larger than the L2 cache."""
import statistics

import torch

BYTES_PER_PIXEL = 15


def median_ms(pixels):
    count = max(1, pixels * BYTES_PER_PIXEL // 2)  # a copy reads and writes each byte
    pairs = max(2, (256 << 20) // count)
    buffers = [torch.randint(0, 256, (2, count), dtype=torch.uint8, device="cuda") for _ in range(min(pairs, 64))]
    times = []
    for run in range(60):
        source, target = buffers[run % len(buffers)]
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        target.copy_(source)
        stop.record()
        stop.synchronize()
        if run >= 10:
            times.append(start.elapsed_time(stop))
    return statistics.median(times)


for width, height in ((512, 512), (1024, 1024), (1920, 1080), (3840, 2160), (4096, 4096), (8192, 8192)):
    ms = median_ms(width * height)
    print(f"copy bound {width} x {height}: {ms:.4f} ms, {width * height * BYTES_PER_PIXEL / ms / 1e9:.2f} TB/s")
