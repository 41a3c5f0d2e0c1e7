#!/usr/bin/env python3
"""The mixer of frei0r in Debian's `melt`, against `scanlens dof`."""
import os
import random
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import HANGS, ROOT, SCANLENS, read_png, run, write_png

MIXER = Path(SCANLENS).parent / "frei0r/scanlens_dof.so"
WIDTH, HEIGHT = 96, 64
PROFILE = f"""description=small\nframe_rate_num=25\nframe_rate_den=1\nwidth={WIDTH}\nheight={HEIGHT}\nprogressive=1\nsample_aspect_num=1
sample_aspect_den=1\ndisplay_aspect_num=3\ndisplay_aspect_den=2\ncolorspace=709\n"""


@unittest.skipUnless(MIXER.is_file(), "the mixer is not built: frei0r-plugins-dev was not found")
@unittest.skipIf("SCANLENS_SANITIZED" in os.environ, "melt is built without sanitizers")
@unittest.skipUnless(shutil.which("melt"), "melt is not installed")
class Mixer(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "profile").write_text(PROFILE)
        source = random.Random(os.environ.get("SCANLENS_SEED", 7))
        write_png(self.folder / "in.png", WIDTH, HEIGHT, 3, 8, [source.randrange(256) for _ in range(WIDTH * HEIGHT * 3)])
        depth = [255 * ((x // 16 + y // 16) % 5) // 4 for y in range(HEIGHT) for x in range(WIDTH)]
        write_png(self.folder / "depth.png", WIDTH, HEIGHT, 1, 8, depth)
        write_png(self.folder / "far.png", WIDTH, HEIGHT, 1, 8, [255 - value for value in depth])

    def melt(self, *words):
        # Melt takes what it can read for keys, which end it.
        return subprocess.run(["melt", *map(str, words)], capture_output=True, stdin=subprocess.DEVNULL, errors="replace", cwd=self.folder,
                              timeout=HANGS, env={**os.environ, "FREI0R_PATH": str(MIXER.parent), "LC_ALL": "C.UTF-8"})

    def parameters(self):
        """{name: number} as melt knows them."""
        text = self.melt("-query", "transition=frei0r.scanlens_dof").stdout
        return {name: number for number, name in re.findall(r"identifier: (\d+)\s+title: ([\w-]+)", text)}

    def mixed(self, values, depth="depth.png", frames=2):
        """The samples of each frame."""
        numbers = self.parameters()
        done = self.melt("-silent", "-profile", "./profile", "avformat:in.png", f"out={frames - 1}", "-track", f"avformat:{depth}",
                         f"out={frames - 1}", "-transition", "frei0r.scanlens_dof", *(f"{numbers[name]}={value}" for name, value in values.items()),
                         "a_track=0", "b_track=1", "in=0", f"out={frames - 1}", "-consumer", "avformat:out_%03d.png", "vcodec=png", "pix_fmt=rgb24",
                         "mlt_image_format=rgb")
        files = [self.folder / f"out_{frame + 1:03}.png" for frame in range(frames)]
        self.assertTrue(all(file.is_file() for file in files), done.stderr)
        return [list(read_png(file).samples) for file in files]

    def truth(self, *options):
        done = run("dof", "in.png", "--depth", "depth.png", "--depth-kind", "inverse", "--depth-resample", "bilinear", "--device", "cpu",
                   *options, "-o", "truth.png", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return list(read_png(self.folder / "truth.png").samples)

    def test_its_parameters_are_the_declared_ones(self):
        table = (ROOT / "filters/dof_params.h").read_text().split("kDofParams[] = {")[1].split("};")[0]
        declared = [one.split('"')[1] for one in table.split("{.name = ")[1:] if "DofNeed::metric" not in one]
        self.assertEqual(list(self.parameters()), [*declared, "near-is-black"])

    def test_its_frames_have_the_bits_of_the_program(self):
        for values, options in (({"focus": 0.6, "in-focus": 0.1, "blur": 0.35}, ["--focus", "0.6", "--in-focus", "0.1", "--blur", "7%"]),
                                ({"focus": 1, "blur": 0.2, "quality": 1, "bokeh": 2 / 3, "anamorphic": 0.75, "blades": 5 / 16, "cats-eye": 1},
                                 ["--focus", "1", "--blur", "4%", "--quality", "best", "--bokeh", "hexagon", "--anamorphic", "2", "--blades", "5",
                                  "--cats-eye", "1"])):
            with self.subTest(values=values):
                truth = self.truth(*options)
                self.assertNotEqual(truth, list(read_png(self.folder / "in.png").samples), "something is blurred")
                self.assertEqual(self.mixed(values)[0], truth)
                self.assertEqual(self.mixed({**values, "near-is-black": 1}, "far.png")[0], truth)

    def test_a_parameter_moves_over_frames(self):
        first, last = self.mixed({"focus": 0.6, "in-focus": 0.1, "blur": "0=0;4=0.35"}, frames=5)[::4]
        self.assertEqual(first, list(read_png(self.folder / "in.png").samples))
        self.assertEqual(last, self.truth("--focus", "0.6", "--in-focus", "0.1", "--blur", "7%"))


if __name__ == "__main__":
    unittest.main()
