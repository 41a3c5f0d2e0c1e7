#!/usr/bin/env python3
"""Means and deviations over boxes of any size, four reads each, and a page of text made black and white by them."""
import numpy as np

import scanlens


def main() -> None:
    rng = np.random.default_rng(1)
    page = (np.linspace(90, 220, 600)[None, :] + rng.normal(0, 4, (400, 600))).astype(np.uint8)
    page[100:300:8, 50:550] //= 3  # lines of ink under uneven light

    sums, squares = scanlens.integral(page, squares=True)
    y, x = np.mgrid[0:400, 0:600]
    top, left, bottom, right = (y - 15).clip(0), (x - 15).clip(0), (y + 16).clip(max=400), (x + 16).clip(max=600)
    mean = scanlens.box_mean(sums, top, left, bottom, right)
    deviation = np.sqrt(scanlens.box_mean(squares, top, left, bottom, right) - mean**2)
    ink = page < mean * (1 + 0.2 * (deviation / 128 - 1))  # Sauvola
    print(f"ink: {ink.sum()} pixels by tables, "
          f"{(scanlens.filters.adaptive_threshold(page, method='sauvola', radius=15) == 0).sum()} by the filter")


if __name__ == "__main__":
    main()
