#!/usr/bin/env python3
"""Makes data/strokes.jpg, the picture of README.md: the sample photo, its four strokes, depth of field from these.

    SCANLENS=build/release/scanlens tests/bench/strokes_picture.py OUT.jpg"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/cli"))
from support import SCANLENS, read_png, write_png

WIDTH, GAP = 600, 6
RADIUS = 5  # of a stroke as it is drawn, in pixels of the photo


def scanlens(*words):
    subprocess.run([SCANLENS, *map(str, words), "--quiet"], check=True)


def pixels_of(path):
    picture = read_png(path)
    return numpy.array(picture.samples).reshape(picture.height, picture.width, picture.channels)[..., :3]


def drawn(photo, strokes):
    """The photo with every stroke in a colour of its depth, from blue (far) to red (near)."""
    y, x = numpy.mgrid[: photo.shape[0], : photo.shape[1]]
    for stroke in strokes:
        points = numpy.array(stroke["points"], float)
        first, last = points[0], points[-1]
        for a, b in zip(points[:-1], points[1:]):
            t = numpy.clip(((x - a[0]) * (b - a)[0] + (y - a[1]) * (b - a)[1]) / ((b - a) @ (b - a)), 0, 1)
            distance = numpy.hypot(x - a[0] - t * (b - a)[0], y - a[1] - t * (b - a)[1])
            along = ((x - first[0]) * (last - first)[0] + (y - first[1]) * (last - first)[1]) / ((last - first) @ (last - first))
            near = stroke["from"] + along * (stroke["to"] - stroke["from"]) if "from" in stroke else stroke["nearness"] + 0 * x
            near = numpy.clip(near, 0, 1)[..., None]
            colour = (1 - near) * (40, 110, 255) + near * (255, 40, 30)
            for radius, paint in ((RADIUS + 2, numpy.full(photo.shape, 255.0)), (RADIUS, colour)):
                photo = numpy.where((distance <= radius)[..., None], paint, photo)
    return photo


def main():
    strokes = ROOT / "data/strokes.json"
    with tempfile.TemporaryDirectory() as folder:
        at = Path(folder)
        scanlens("filter", ROOT / "data/sample.jpg", "-o", at / "photo.png")
        scanlens("dof", ROOT / "data/sample.jpg", "--depth", strokes, "--focus", 0.53, "--blur", "1.6%", "-o", at / "blurred.png")
        photo = drawn(pixels_of(at / "photo.png").astype(float), json.loads(strokes.read_text())["strokes"])
        gap = numpy.full((photo.shape[0], 2 * GAP, 3), 255.0)
        both = numpy.concatenate([photo, gap, pixels_of(at / "blurred.png")], 1).round().astype(int)
        write_png(at / "both.png", both.shape[1], both.shape[0], 3, 8, both.ravel().tolist())
        scanlens("filter", at / "both.png", "-o", sys.argv[1], "--filter", f"resize:width={2 * WIDTH + GAP}", "--quality", 88)


if __name__ == "__main__":
    main()
