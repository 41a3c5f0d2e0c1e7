#!/usr/bin/env python3
"""The program on 8 cores and the Python module under ThreadSanitizer, by the preset tsan, which the test builds: what runs many
threads ends well and without a report."""
import json
import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
import support  # noqa: E402
from batch_test import CLEAN, noise_png  # noqa: E402
from support import HANGS, ROOT, CommandCase, png_chunk, require_opengl, write_pfm  # noqa: E402
from video_test import LENS, NO_FFMPEG, ffmpeg  # noqa: E402
from viewer_clip_test import make_clips  # noqa: E402
from window_test import WITHOUT_DISPLAY  # noqa: E402

BUILD = ROOT / "build/tsan"
CORES = (str(ROOT / "tests/many_cores/run"), "8")
WIDTH, HEIGHT = 96, 64


def options():
    """TSAN_OPTIONS of the preset's tests."""
    presets = json.loads((ROOT / "CMakePresets.json").read_text())["testPresets"]
    environment = next(preset["environment"] for preset in presets if preset["name"] == "tsan")
    return environment["TSAN_OPTIONS"].replace("${sourceDir}", str(ROOT))


def build(target):
    subprocess.run(["cmake", "--build", "--preset", "tsan", "--target", target], cwd=ROOT, check=True)


def setUpModule():
    subprocess.run(["cmake", "--preset", "tsan"], cwd=ROOT, check=True)
    build("scanlens")
    unittest.enterModuleContext(mock.patch.object(support, "SCANLENS", str(BUILD / "scanlens")))
    unittest.enterModuleContext(mock.patch.dict(os.environ, TSAN_OPTIONS=options()))


class UnderThreadSanitizer(CommandCase):
    def works(self, *words, env=CLEAN):
        """A report gives the process a status of its own; a child's report stands in a file."""
        found = self.folder / "report"
        done = self.run_here(*words, launcher=CORES, env={**env, "TSAN_OPTIONS": f"{options()}:log_path={found}"})
        self.assert_clean(done, words)
        return done

    def assert_clean(self, done, words):
        reports = "\n".join(path.read_text(errors="replace") for path in self.folder.glob("report.*"))
        self.assertFalse(reports, f"{words}: {reports}")
        self.assertEqual(done.returncode, 0, f"{words}: {done.stderr[-2000:]}")

    def pictures(self, folder, count, chunk=b""):
        """Pictures of noise, each with a chunk behind its header."""
        (self.folder / folder).mkdir()
        for number in range(count):
            png = noise_png(number, WIDTH, HEIGHT)
            (self.folder / f"{folder}/{number}.png").write_bytes(png[:33] + chunk + png[33:])

    def depth(self, folder, count):
        for number in range(count):
            write_pfm(self.folder / f"{folder}/{number}_depth.pfm", WIDTH, HEIGHT,
                      [1 + (x + number) / WIDTH for _ in range(HEIGHT) for x in range(WIDTH)])

    def test_a_report_is_seen(self):
        """A race that is made on purpose."""
        (self.folder / "race.cpp").write_text("#include <thread>\nint n;\nint main() {\n  std::thread other([] { ++n; });\n  ++n;\n"
                                              "  other.join();\n}\n")
        subprocess.run([os.environ.get("CXX", "c++"), "-fsanitize=thread", "-g1", "race.cpp", "-o", "race"], cwd=self.folder,
                       check=True, timeout=HANGS)
        with mock.patch.object(support, "SCANLENS", str(self.folder / "race")), self.assertRaisesRegex(AssertionError, "data race"):
            self.works()

    def test_statistics_of_2000_pictures_that_warn(self):
        self.pictures("in", 2000, png_chunk(b"iCCP", b"icc\0\0nonsense"))
        done = self.works("batch", "in", "--stats", "--json", "--jobs", "16")
        self.assertEqual(len(json.loads(done.stdout)["warnings"]), 2000)

    def test_a_batch_of_depth_of_field(self):
        self.pictures("in", 24)
        self.depth("in", 24)
        for words in ((), ("--max-memory", "300MB"), ("--name", "{stem}.exr", "--filter", "unsharp")):
            shutil.rmtree(self.folder / "out", ignore_errors=True)
            self.works("batch", "in", "out", "--filter", "dof:blur=3%", "--jobs", "12", *words)

    def test_a_batch_of_filters_at_places(self):
        """Looks of a lens, passes, filters of depth and of places, moves, and the sheet of contacts."""
        self.pictures("in", 16)
        self.depth("in", 16)
        for filters in (("dof:blur=4%:cats-eye=.8:swirl=.5:spherical=.5:fringe=2:grain=1",), ("fog:density=.5", "rotate:angle=7"),
                        ("gaussian:sigma=3:where=depth>.5:feather=2", "crop:aspect=1", "levels", "vignette")):
            self.works("batch", "in", "out", *(word for each in filters for word in ("--filter", each)), "--jobs", "12",
                       "--contact-sheet", "sheet.html", "--overwrite", "--force")

    @unittest.skipIf(NO_FFMPEG, NO_FFMPEG)
    def test_clips(self):
        make_clips(self.folder)
        ffmpeg("-i", self.folder / "clip.mp4", "-c:v", "ffv1", "-pix_fmt", "yuv420p10le", self.folder / "deep.mkv")
        for clip, *more in (("clip.mp4", "--steady"), ("deep.mkv", "--quality", "best")):
            self.works("dof", clip, "--depth", "depth.mkv", "-o", "blurred.mkv", "--force", *LENS, *more)

    @unittest.skipIf(NO_FFMPEG, NO_FFMPEG)
    def test_a_viewer_of_a_clip(self):
        require_opengl()
        make_clips(self.folder)
        self.play("frame 3\nwait rest\nkey right\nwait rest\nkey left\nwait rest\nplay\nwait frame 8\npause\nwait rest\nkey s\n"
                  "wait rest\nshot seen.png\nquit\n", "clip.mp4", "--depth", "depth.mkv")

    def test_a_viewer_of_photos(self):
        """It steps through a folder, draws strokes, and saves."""
        require_opengl()
        self.pictures("in", 5)
        step = "key right\nwait 1\n"
        self.play(f"wait rest\n{step}{step}wait rest\nstroke 0.9 30,20 30,50\nstroke 0.1 80,20 85,50\nundo\nkey ctrl+shift+z\n"
                  f"set strokes no\nwait rest\nset blur 4\nwait rest\nkey s\nwait rest\nshot seen.png\n{step}wait rest\nquit\n",
                  "in/0.png")

    def play(self, script, *words):
        (self.folder / "script.txt").write_text(script)
        self.works("view", *words, "--headless", "--size", "480x300", "--script", "script.txt", env=WITHOUT_DISPLAY)

    def test_python(self):
        """Eight threads, and what they keep is freed while they work."""
        missing = re.search("^SCANLENS_PYTHON_MISSING:INTERNAL=(.+)$", (BUILD / "CMakeCache.txt").read_text(), re.MULTILINE)
        if missing:
            self.skipTest(missing.group(1))
        build("_core")
        found = self.folder / "report"
        (self.folder / "calls.py").write_text(CALLS)
        library = subprocess.run([os.environ.get("CXX", "c++"), "-print-file-name=libtsan.so"], capture_output=True, text=True,
                                 check=True, timeout=HANGS).stdout.strip()
        environment = {**os.environ, "LD_PRELOAD": library, "PYTHONPATH": f"{BUILD}/python:{BUILD}/wheels",
                       "TSAN_OPTIONS": f"{options()}:log_path={found}"}
        done = subprocess.run([sys.executable, "calls.py"], cwd=self.folder, env=environment, capture_output=True, text=True,
                              timeout=HANGS)
        self.assert_clean(done, "calls.py")


CALLS = """
import threading

import numpy as np
import scanlens

picture = np.random.default_rng(1).integers(0, 256, (64, 96, 3)).astype(np.uint8)
nearness = np.linspace(0, 1, 64 * 96, dtype=np.float32).reshape(64, 96)
expected = [scanlens.depth_of_field(picture, disparity=nearness, focus=0.5, blur=4), scanlens.filter(picture, "box", radius=3),
            scanlens.cumsum(nearness, axis=1), scanlens.sort(nearness.ravel())]
failed = []


def calls():
    for _ in range(10):
        made = [scanlens.depth_of_field(picture, disparity=nearness, focus=0.5, blur=4), scanlens.filter(picture, "box", radius=3),
                scanlens.cumsum(nearness, axis=1), scanlens.sort(nearness.ravel())]
        scanlens.trim()
        if not all(map(np.array_equal, made, expected)):
            failed.append(threading.current_thread().name)


threads = [threading.Thread(target=calls) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not failed, failed
"""


if __name__ == "__main__":
    unittest.main()
