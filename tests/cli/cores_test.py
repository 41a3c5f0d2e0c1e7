#!/usr/bin/env python3
"""Commands on pictures of every format with a colour profile, on 64 cores of which a machine may have two: none hangs, and
none begins a parallel loop under a lock (tests/many_cores). SCANLENS_NIGHTLY repeats them."""
import os
import shutil
import subprocess
import unittest
import zlib

import numpy

from support import HANGS, ROOT, CommandCase, facts, icc_profile, png_bytes, png_chunk, write_pfm

CORES = (str(ROOT / "tests/many_cores/run"), "64")
ADOBE_RGB = ((0.6097, 0.3111, 0.0195), (0.2053, 0.6257, 0.0609), (0.1492, 0.0632, 0.7446))
WIDTH, HEIGHT = 60, 40
ROUNDS = 200 if "SCANLENS_NIGHTLY" in os.environ else 1
LENS = ("--focus", "1", "--blur", "8")


@unittest.skipIf("SCANLENS_SANITIZED" in os.environ, "sanitizers have locks of their own")
class OnManyCores(CommandCase):
    def setUp(self):
        super().setUp()
        random = numpy.random.default_rng(1)
        (self.folder / "in").mkdir()
        for channels, bits in ((3, 8), (3, 16), (4, 8), (1, 8)):
            samples = random.integers(0, 1 << bits, WIDTH * HEIGHT * channels)
            png = png_bytes(WIDTH, HEIGHT, channels, bits, samples.tolist())
            profile = icc_profile(2.2, ADOBE_RGB if channels > 1 else ())
            at = 8 + 25  # behind the header
            chunk = png_chunk(b"iCCP", b"icc\0\0" + zlib.compress(profile))
            (self.folder / f"in/{channels}x{bits}.png").write_bytes(png[:at] + chunk + png[at:])
        for kind in ("jpg", "tif", "webp", "jxl", "exr"):
            self.succeed("filter", "in/3x8.png", "-o", f"in/a.{kind}", "--filter", "box:radius=1")
        shutil.copy(ROOT / "tests/files/heif/lossy.heic", self.folder / "in/a.heic")
        write_pfm(self.folder / "far.pfm", WIDTH, HEIGHT, [1 + x / WIDTH for _ in range(HEIGHT) for x in range(WIDTH)])

    def works(self, *words):
        done = self.run_here(*words, launcher=CORES)
        self.assertEqual(done.returncode, 0, f"{words}: {done.stderr}")

    def test_one_picture(self):
        kinds = ("exr", "png", "jpg", "tif", "webp", "jxl")
        pictures = sorted(os.listdir(self.folder / "in"))
        for at in range(ROUNDS):
            for number, name in enumerate(pictures):
                to = kinds[(at + number) % len(kinds)]
                source = f"in/{name}"
                if name == "4x8.png":
                    to = "png"  # JPEG has no alpha
                with self.subTest(source, to=to):
                    self.works("filter", source, "-o", f"filtered.{to}", "--filter", "unsharp", "--filter", "resize:percent=50")
                    self.works("dof", source, "--depth", "far.pfm", "-o", f"blurred.{to}", *LENS)
                    self.works("stats", source)
                    self.works("depth", "far.pfm", "--of", source, "-o", "fitted.png")

    def test_batches(self):
        for at in range(ROUNDS):
            for kind in ("exr", "png", "tif", "jxl"):
                shutil.rmtree(self.folder / "out", ignore_errors=True)
                self.works("batch", "in", "out", "--name", f"{{stem}}_{{ext}}.{kind}", "--jobs", "64", "--filter", "tilt_shift")
            self.works("batch", "in", "--stats", "--jobs", "64")

    def test_a_viewer(self):
        if not facts()["opengl"]["available"]:
            self.skipTest("OpenGL is not available")
        for _ in range(ROUNDS):
            self.works("view", "in/3x8.png", "--depth", "far.pfm", *LENS, "--screenshot", "seen.png")

    @unittest.skipUnless(shutil.which("ffmpeg"), "ffmpeg is missing")
    def test_clips(self):
        bt709 = ("-color_primaries", "bt709", "-color_trc", "bt709", "-colorspace", "bt709")
        for name, pixels in (("clip.mkv", "yuv420p"), ("depth.mkv", "gray")):
            subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"testsrc2=size={WIDTH}x{HEIGHT}:rate=25:duration=1",
                            *bt709, "-pix_fmt", pixels, "-c:v", "ffv1", name], cwd=self.folder, check=True, timeout=HANGS)
        for _ in range(ROUNDS):
            self.works("filter", "clip.mkv", "-o", "filtered.mkv", "--filter", "tilt_shift")
            self.works("dof", "clip.mkv", "--depth", "depth.mkv", "-o", "blurred.mkv", "--steady", *LENS)


if __name__ == "__main__":
    unittest.main()
