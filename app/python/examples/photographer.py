#!/usr/bin/env python3
"""A photo with its depth map, focused on what is sharpest, and on what is near: photographer.py [PHOTO DEPTH [OUT]]"""
import sys
from pathlib import Path

import scanlens
from scanlens import filters, io

DATA = Path(__file__).resolve().parents[3] / "data"


def main(photo_file: str, depth_file: str, out: str) -> None:
    photo, info = io.read_image(photo_file)
    depth = io.read_depth(depth_file, photo=photo)
    print(f"{photo_file}: {photo.shape[1]} x {photo.shape[0]}; {depth.convention}")

    focus = scanlens.autofocus(photo, depth)
    if focus is None:
        focus = float(depth.disparity.max())
    if depth.metric:
        print(f"in focus: {1 / focus:.2f} m")
        blurred = scanlens.depth_of_field(photo, depth, f_number=1.4, focus=1 / focus)
    else:
        print(f"in focus: {focus:.2f} of 0 (farthest) to 1 (nearest)")
        blurred = scanlens.depth_of_field(photo, depth, focus=focus, blur=24)
    io.write_image(out, filters.unsharp(blurred, amount=0.4), info=info)
    print(f"{out} is written")


if __name__ == "__main__":
    given = sys.argv[1:] + [str(DATA / "sample.jpg"), str(DATA / "sample_depth.png"), "blurred.jpg"][len(sys.argv) - 1:]
    main(*given)
