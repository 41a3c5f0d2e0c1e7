#!/usr/bin/env python3
"""Holds depth of field against exact truth on a scene that it was not made for: leaves and a fence before textured
cards, posts, a chequered ground, a city with lamps of 10 to 50 times white. Cards lie parallel to the picture, so that
the view from any place of the lens is the cards moved, and the truth is the mean of such views.
  tests/bench/cards.py [--scanlens PROGRAM] [--views N] [--seed N] [--folder FOLDER]
Needs numpy. Prints a table of PSNR, of all pixels and of those around jumps of the circle of confusion, and leaves the
pictures in FOLDER. Takes ten minutes and 4 GB."""
import argparse
import pathlib
import subprocess

import numpy as np

WIDTH, HEIGHT = 1280, 720
FOCUSES, RADII = (0.9, 2.0, 3.0, 18.0), (4, 12, 30)  # metres, pixels
QUALITIES = ("draft", "good", "best")
HORIZON, NEAREST_GROUND = 300.0, 1.1  # row, metres
# Samples per pixel of a card, odd so that one lies in its middle, and pixels around it.
SAMPLES, MARGIN = 5, 80
MIDDLE = SAMPLES // 2


class Scene:
    """Cards (metres, colour, mask) from the back to the front, and the ground, which lies behind the third."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        rows, columns = (HEIGHT + 2 * MARGIN) * SAMPLES, (WIDTH + 2 * MARGIN) * SAMPLES
        self.row, self.column = np.mgrid[0:rows, 0:columns].astype(np.float32)
        x, y = (self.column + 0.5) / SAMPLES - MARGIN, (self.row + 0.5) / SAMPLES - MARGIN
        cells = lambda width, height: (np.floor(x / width) + np.floor(y / height)) % 2
        self.ground = self.paint(0.4 * cells(24, 16) + 0.6 * self.grain(16), (0.1, 0.16, 0.06), (0.35, 0.4, 0.2))
        weave = (0.5 + 0.5 * np.sin(0.7 * x) * np.cos(0.45 * y + x * x / 3000)).astype(np.float32)
        fence = ((np.abs((x + 0.9 * y) % 90 - 4) < 3.2) | (np.abs((x - 0.9 * y) % 90 - 4) < 3.2)) & (x > 640)
        self.cards = [
            (20.0, self.city(x, y), None),
            (6.0, self.paint(self.grain(20), (0.3, 0.28, 0.25), (0.5, 0.45, 0.4)), (x % 170 < 16) & (y > 150)),
            (3.0, self.paint(0.5 * cells(6, 6) + 0.5 * self.grain(9), (0.1, 0.1, 0.5), (0.9, 0.6, 0.2)),
             (np.abs(x - 820) < 150) & (np.abs(y - 330) < 160)),
            (2.0, self.paint(0.6 * weave + 0.4 * self.grain(6), (0.05, 0.2, 0.1), (0.95, 0.9, 0.8)),
             ((x - 400) / 170) ** 2 + ((y - 370) / 200) ** 2 < 1),
            (1.0, self.paint(self.grain(8), (0.15, 0.14, 0.13), (0.4, 0.4, 0.42)), fence),
            (0.8, self.paint(self.grain(14), (0.05, 0.2, 0.03), (0.3, 0.6, 0.1)), self.leaves(x, y))]
        del self.row, self.column

    def grain(self, size):
        """Noise of five octaves, 0 .. 1, the coarsest of `size` samples."""
        total = 0
        for octave in range(5):
            step = size / 2 ** octave
            values = self.random.random((int(self.row.shape[0] / step) + 3, int(self.row.shape[1] / step) + 3))
            values = values.astype(np.float32)
            y, x = self.row / step, self.column / step
            j, i = y.astype(int), x.astype(int)
            y, x = y - j, x - i
            total = total + 0.5 ** octave * ((values[j, i] * (1 - x) + values[j, i + 1] * x) * (1 - y) +
                                             (values[j + 1, i] * (1 - x) + values[j + 1, i + 1] * x) * y)
        return total / 1.94

    @staticmethod
    def paint(share, dark, light):
        share = share[..., None]
        return (np.float32(dark) * (1 - share) + np.float32(light) * share).astype(np.float16)

    def city(self, x, y):
        colour = self.paint(np.clip(y / HEIGHT, 0, 1) * 0.6 + 0.4 * self.grain(200), (0.06, 0.08, 0.2),
                            (0.25, 0.16, 0.12))
        windows = (np.floor(x / 14) + 7 * np.floor(y / 11)) % 5 < 2
        colour[windows & (x % 14 > 5) & (y % 11 > 4) & (y > 200) & (y < 430)] *= 3
        for _ in range(140):
            at_x, at_y, radius = self.random.random(3) * (WIDTH, 0.65 * HEIGHT, 2.5) + (0, 0, 1)
            lamp = (x - at_x) ** 2 + (y - at_y) ** 2 < radius ** 2
            colour[lamp] = np.float16([1, 0.8 + 0.2 * self.random.random(), 0.4 + 0.6 * self.random.random()]) * \
                np.float16(10 + 40 * self.random.random())
        return colour

    def leaves(self, x, y):
        mask = np.zeros(x.shape, bool)
        for _ in range(70):
            at_x, at_y, turn = self.random.random(3) * (560, 260, 3.14) - (40, 40, 0)
            along = (x - at_x) * np.cos(turn) + (y - at_y) * np.sin(turn)
            across = (y - at_y) * np.cos(turn) - (x - at_x) * np.sin(turn)
            mask |= (along / 30) ** 2 + (across / 9) ** 2 < 1
        return mask

    def view(self, u, v, focus, scale):
        """Returns light and disparity from (u, v) on the lens, a disc of radius 1; circles have a radius of `scale`
        pixels per unit of disparity."""
        light, disparity = np.empty((HEIGHT, WIDTH, 3), np.float32), np.empty((HEIGHT, WIDTH), np.float32)
        for number, (metres, colour, mask) in enumerate(self.cards):
            moved = scale * (1 / metres - 1 / focus)
            top, left = (int(round((MARGIN + part * moved) * SAMPLES)) + MIDDLE for part in (v, u))
            seen = np.s_[top:top + HEIGHT * SAMPLES:SAMPLES, left:left + WIDTH * SAMPLES:SAMPLES]
            where = np.True_ if mask is None else mask[seen]
            np.copyto(light, colour[seen], where=where[..., None])
            np.copyto(disparity, 1 / metres, where=where)
            if number == 1:
                self.lay_ground(light, disparity, u, v, focus, scale)
        return light, disparity

    def lay_ground(self, light, disparity, u, v, focus, scale):
        """Its disparity grows with the row, so that the row which is seen follows from a line."""
        slope = 1 / NEAREST_GROUND / (HEIGHT - HORIZON)
        seen = (np.arange(HEIGHT) + 0.5 - v * scale * (HORIZON * slope + 1 / focus)) / (1 - v * scale * slope)
        near = (seen - HORIZON) * slope
        rows = np.clip(np.floor((seen + MARGIN) * SAMPLES).astype(int), 0, len(self.ground) - 1)
        lefts = np.round((MARGIN + u * scale * (near - 1 / focus)) * SAMPLES).astype(int) + MIDDLE
        for y in np.nonzero(near > 1 / 19)[0]:
            before = disparity[y] < near[y]
            colours = self.ground[rows[y], lefts[y]:lefts[y] + WIDTH * SAMPLES:SAMPLES]
            light[y][before] = colours[before]
            disparity[y][before] = near[y]


def write_pfm(path, light):
    path.write_bytes(b"PF\n%d %d\n-1.0\n" % (WIDTH, HEIGHT) + light[::-1].astype("<f4").tobytes())


def read_pfm(path):
    return np.frombuffer(path.read_bytes()[-WIDTH * HEIGHT * 12:], "<f4").reshape(HEIGHT, WIDTH, 3)[::-1]


def srgb(light):
    light = np.clip(light, 0, 1).astype(np.float64)
    return np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)


def around_jumps(circle, reach):
    """Returns the pixels at most `reach` from where the circle of confusion jumps by more than 1.5 pixels."""
    jump = np.zeros(circle.shape, bool)
    jump[:, 1:] |= np.abs(np.diff(circle, axis=1)) > 1.5
    jump[1:] |= np.abs(np.diff(circle, axis=0)) > 1.5
    for axis in (0, 1):
        pad = [(reach + 1, reach) if a == axis else (0, 0) for a in (0, 1)]
        sums = np.moveaxis(np.cumsum(np.pad(jump.astype(int), pad), axis=axis), axis, 0)
        jump = np.moveaxis(sums[2 * reach + 1:] > sums[:-2 * reach - 1], 0, axis)
    return jump


def psnr(error):
    return -10 * np.log10(error.mean())


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scanlens", default=root / "build/release/scanlens")
    parser.add_argument("--views", type=int, default=200)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--folder", type=pathlib.Path, default=root / "build/cards")
    options = parser.parse_args()
    folder = options.folder
    folder.mkdir(parents=True, exist_ok=True)
    scene = Scene(options.seed)
    light, disparity = scene.view(0, 0, 2, 0)
    write_pfm(folder / "sharp.pfm", light)
    np.savez(folder / "depth.npz", depth=1 / disparity)
    numbers = np.arange(options.views)
    distances, turns = np.sqrt((numbers + 0.5) / options.views), numbers * np.pi * (3 - np.sqrt(5))
    print("| focus | radius | " + " | ".join(f"{name} | around jumps" for name in QUALITIES) + " |")
    print("| --- " * (2 + 2 * len(QUALITIES)) + "|")
    rows = []
    for focus in FOCUSES:
        for radius in RADII:
            scale = radius / np.abs(disparity - 1 / focus).max()
            truth = sum(scene.view(r * np.cos(t), r * np.sin(t), focus, scale)[0].astype(np.float64)
                        for r, t in zip(distances, turns)) / options.views
            write_pfm(folder / f"truth_{focus:g}_{radius}.pfm", truth)
            band = around_jumps(scale * (disparity - 1 / focus), radius)
            row = []
            for quality in QUALITIES:
                made = folder / f"{quality}_{focus:g}_{radius}.pfm"
                subprocess.run([options.scanlens, "dof", folder / "sharp.pfm", "--depth", folder / "depth.npz",
                                "--depth-resample", "nearest",  # this depth is exact: its jumps stay
                                "--focus", str(focus), "--blur", str(radius), "--quality", quality, "--quiet",
                                "--output", made], check=True)
                error = ((srgb(read_pfm(made)) - srgb(truth)) ** 2).mean(axis=2)
                row += [psnr(error), psnr(error[band])]
            rows.append(row)
            print(f"| {focus:g} m | {radius} px | " + " | ".join(f"{value:.2f}" for value in row) + " |", flush=True)
    print("| mean | | " + " | ".join(f"{value:.2f}" for value in np.mean(rows, axis=0)) + " |")


if __name__ == "__main__":
    main()
