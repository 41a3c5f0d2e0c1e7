#!/usr/bin/env python3
"""The operation scanlens:depth-of-field in Debian's `gegl`, against `scanlens dof`."""
import os
import random
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import HANGS, ROOT, SCANLENS, pfm_bytes, read_png, run, write_png

MODULE = Path(SCANLENS).parent / "gegl/scanlens-dof.so"
WIDTH, HEIGHT = 96, 64
LENS = {"focus": 0.6, "blur": 7, "in-focus": 0.1}


def floats(path):
    """The samples of a PFM, rows from the bottom."""
    kind, size, scale, data = path.read_bytes().split(b"\n", 3)
    assert float(scale) < 0, "little-endian"
    return memoryview(data).cast("f").tolist()


def code(light):
    return 255 * (12.92 * light if light <= 0.0031308 else 1.055 * light ** (1 / 2.4) - 0.055)


@unittest.skipUnless(MODULE.is_file(), "the operation is not built: libgegl-dev was not found")
@unittest.skipUnless(shutil.which("gegl"), "gegl is not installed")
class Operation(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        plugins = self.folder / "data/gegl-0.4/plug-ins"
        plugins.mkdir(parents=True)
        (plugins / MODULE.name).symlink_to(MODULE)
        self.environment = {**os.environ, "XDG_DATA_HOME": str(self.folder / "data"), "HOME": str(self.folder), "LC_ALL": "C.UTF-8"}
        source = random.Random(os.environ.get("SCANLENS_SEED", 7))
        self.random = lambda most, count: [source.randrange(most + 1) for _ in range(count)]
        # Steps of depth over noise.
        depth = [255 * ((x // 16 + y // 16) % 5) // 4 for y in range(HEIGHT) for x in range(WIDTH)]
        write_png(self.folder / "depth.png", WIDTH, HEIGHT, 1, 8, depth)

    def gegl(self, *words):
        return subprocess.run(["gegl", *map(str, words)], capture_output=True, errors="replace", cwd=self.folder, timeout=HANGS,
                              env=self.environment)

    def blur(self, picture, out, lens, depth="depth.png"):
        words = [f"{name}={value}" for name, value in lens.items()]
        done = self.gegl(picture, "-o", out, "--", "scanlens:depth-of-field", *words, "aux=[", "gegl:load", f"path={depth}", "]")
        self.assertTrue((self.folder / out).is_file(), done.stderr)
        return done

    def truth(self, picture, out, lens):
        words = [word for name, value in lens.items() for word in (f"--{name}", value)]
        done = run("dof", picture, "--depth", "depth.png", "--depth-kind", "inverse", "--depth-resample", "bilinear", "-o", out,
                   "--device", "cpu", *map(str, words), cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_its_properties_are_the_declared_parameters(self):
        text = self.gegl("--info", "scanlens:depth-of-field").stdout
        found = re.findall(r"^([\w-]+) +\[", text.split("Properties:")[1], re.MULTILINE)
        table = (ROOT / "filters/dof_params.h").read_text().split("kDofParams[] = {")[1].split("};")[0]
        declared = [one for one in table.split("{.name = ")[1:] if "DofNeed::metric" not in one]
        self.assertEqual(found, [one.split('"')[1] for one in declared])
        self.assertRegex(re.sub(r"\s+", " ", text), r"anamorphic \[gdouble\] height of a blurred light[^\[]*\(default: 1\.0+\)")

    def test_codes_have_the_same_bits(self):
        """gegl writes 16 bits, and grey as three channels."""
        for channels, bits, more in ((3, 8, {}), (4, 8, {"quality": "best", "bokeh": "hexagon", "highlights": 3}),
                                     (1, 8, {"quality": "draft"}), (3, 16, {"blades": 5, "rotation": 20, "near": 2, "far": 0.5})):
            with self.subTest(channels=channels, bits=bits):
                samples = self.random((1 << bits) - 1, WIDTH * HEIGHT * channels)
                write_png(self.folder / "in.png", WIDTH, HEIGHT, channels, bits, samples)
                self.blur("in.png", "out.png", LENS | more)
                self.truth("in.png", "truth.png", LENS | more)
                truth = read_png(self.folder / "truth.png").samples
                self.assertNotEqual(list(truth), samples, "something is blurred")
                expected = [value * (257 if bits == 8 else 1) for value in truth for _ in range(3 if channels == 1 else 1)]
                self.assertEqual(list(read_png(self.folder / "out.png").samples), expected)

    def test_light_of_floats_is_the_same_within_half_a_code(self):
        light = [value / 1000 for value in self.random(1200, WIDTH * HEIGHT)]
        (self.folder / "in.pfm").write_bytes(pfm_bytes(WIDTH, HEIGHT, light))
        self.assertEqual(run("filter", "in.pfm", "-o", "in.exr", cwd=self.folder).returncode, 0)
        self.blur("in.exr", "out.exr", LENS)
        self.truth("in.exr", "truth.exr", LENS)
        for name in ("out", "truth"):
            done = run("filter", f"{name}.exr", "-o", f"{name}.pfm", cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
        got, expected = floats(self.folder / "out.pfm"), floats(self.folder / "truth.pfm")
        each = len(got) // len(expected)
        self.assertLessEqual(max(abs(code(got[each * i]) - code(value)) for i, value in enumerate(expected)), 0.5)

    def test_a_part_of_the_result_is_the_same_as_of_the_whole(self):
        write_png(self.folder / "in.png", WIDTH, HEIGHT, 3, 8, self.random(255, WIDTH * HEIGHT * 3))
        words = ["scanlens:depth-of-field", "aux=[", "gegl:load", "path=depth.png", "]"]
        crop = ["gegl:crop", "x=20", "y=10", "width=30", "height=20"]
        self.gegl("in.png", "-o", "part.png", "--", *words, *crop)
        self.gegl("in.png", "-o", "whole.png", "--", *words)
        self.gegl("whole.png", "-o", "cut.png", "--", *crop)
        self.assertEqual(read_png(self.folder / "part.png").samples, read_png(self.folder / "cut.png").samples)

    def test_without_depth_the_picture_stays(self):
        picture = write_png(self.folder / "in.png", WIDTH, HEIGHT, 3, 16, self.random(65535, WIDTH * HEIGHT * 3))
        self.gegl("in.png", "-o", "out.png", "--", "scanlens:depth-of-field")
        self.assertEqual(read_png(self.folder / "out.png").samples, picture.samples)

    def test_a_map_that_is_too_small_is_warned_of(self):
        write_png(self.folder / "in.png", WIDTH, HEIGHT, 3, 8, self.random(255, WIDTH * HEIGHT * 3))
        write_png(self.folder / "small.png", 10, 8, 1, 8, [100] * 80)
        done = self.blur("in.png", "out.png", LENS, "small.png")
        self.assertIn("scanlens:depth-of-field: the depth is 10 x 8 at 0,0 and the picture 96 x 64 at 0,0; scale the depth", done.stderr)
        self.assertNotIn("scanlens:", self.blur("in.png", "out.png", LENS).stderr)


if __name__ == "__main__":
    unittest.main()
