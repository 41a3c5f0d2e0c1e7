#!/usr/bin/env python3
"""Sums down the columns of narrow arrays, which is what time series are: NumPy, torch where it is installed, scanlens."""
import importlib.util
import time

import numpy as np

import scanlens


def milliseconds(work: object) -> float:
    assert callable(work)
    work()
    begin = time.perf_counter()
    for _ in range(5):
        work()
    return (time.perf_counter() - begin) / 5 * 1e3


def main() -> None:
    for width in (1, 4, 32):
        x = np.random.default_rng(1).standard_normal((2**18, width))
        times = {"numpy": milliseconds(lambda: np.cumsum(x, 0)), "scanlens": milliseconds(lambda: scanlens.cumsum(x, 0))}
        if importlib.util.find_spec("torch"):
            import torch

            tensor = torch.from_numpy(x)
            times["torch"] = milliseconds(lambda: torch.cumsum(tensor, 0))
        print(f"2^18 x {width:<3}", ", ".join(f"{name} {ms:.2f} ms" for name, ms in times.items()))
    returns = np.diff(np.log(np.cumprod(1 + np.random.default_rng(2).normal(0, 0.01, (1000, 3)), axis=0)), axis=0)
    print("drawdown:", (scanlens.cummax(scanlens.cumsum(returns, 0), 0) - scanlens.cumsum(returns, 0)).max(axis=0).round(3))


if __name__ == "__main__":
    main()
