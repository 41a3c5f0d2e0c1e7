#!/usr/bin/env python3
"""Clips in `batch`: made as `filter` makes them, in the same bounds and with the same promises as pictures."""
import json
import shutil
import signal
import subprocess
import time
import unittest

from batch_test import CLEAN, BatchCase, claim_on, noise_png, outcomes
from support import HANGS, SCANLENS, write_png
from video_test import NO_FFMPEG, ffmpeg, packets

BOX = ("--filter", "box:radius=2", "--device", "cpu")


@unittest.skipIf(NO_FFMPEG, NO_FFMPEG)
class ClipsCase(BatchCase):
    def setUp(self):
        super().setUp()
        (self.folder / "in").mkdir()

    def clip(self, name, *words, seconds=1):
        ffmpeg("-f", "lavfi", "-i", f"testsrc2=size=64x48:rate=10:duration={seconds}", *words, self.folder / "in" / name)

    def expect_as_filter(self, name, *filters, folder="out"):
        self.succeed("filter", f"in/{name}", "-o", f"one_{name}", *filters)
        self.assertEqual(packets(self.folder / folder / name, 0), packets(self.folder / f"one_{name}", 0))


class EqualsFilter(ClipsCase):
    def test_clips_and_pictures_of_a_folder(self):
        self.clip("a.mp4")
        self.clip("b.mkv", "-c:v", "ffv1")
        self.clip("c.avi")
        self.clip("d.gif")
        self.put({"e.png": noise_png(1), "broken.mov": b"\0\0\0\x14ftypqt  "})
        done = self.batch("in", "out", *BOX, "--name", "{stem}_soft.{ext}", "--keep-times", "--report", "r.jsonl", code=1)
        self.assertEqual(set(self.outputs()), {"a_soft.mp4", "b_soft.mkv", "c_soft.mp4", "d_soft.gif", "e_soft.png"})
        self.assertIn(".avi cannot be written and becomes .mp4\n", done.stderr)
        self.assertIn("1 picture and 5 clips: 5 written, 0 skipped, 1 failed", done.stderr)
        self.assertIn("  in/broken.mov: ", done.stderr)
        self.assertEqual(outcomes(self.folder / "r.jsonl")["a.mp4"]["status"], "written")
        self.assertEqual((self.folder / "out/c_soft.mp4").stat().st_mtime_ns, (self.folder / "in/c.avi").stat().st_mtime_ns)
        planned = self.batch("in", "dry", "--filter", "resize:width=32", "--name", "{width}{stem}.{ext}", "--dry-run", code=1)
        self.assertIn("write  in/a.mp4 -> dry/32a.mp4\n", planned.stdout)
        self.assertIn("fail   in/broken.mov: ", planned.stdout)
        self.assertIn("5 skipped", self.batch("in", "out", *BOX, "--name", "{stem}_soft.{ext}", "--keep-times", "--skip-existing", code=1).stderr)

        self.batch("in", "lossless", *BOX, "--video-codec", "ffv1", "--name", "{stem}.mkv", "--include", "?.[!p]*", "--jobs", "3")
        self.assertEqual(set(self.outputs("lossless")), {"a.mkv", "b.mkv", "c.mkv", "d.mkv"})
        self.expect_as_filter("b.mkv", *BOX, "--video-codec", "ffv1", folder="lossless")

    def test_statistics(self):
        """Of a lossless clip's frames as of the same pictures; one that breaks off adds none of its frames."""
        self.clip("a.mkv", "-c:v", "ffv1", "-pix_fmt", "gbrp")
        self.put({"e.png": noise_png(1)})
        (self.folder / "frames").mkdir()
        ffmpeg("-i", self.folder / "in/a.mkv", self.folder / "frames/%d.png")
        shutil.copy(self.folder / "in/e.png", self.folder / "frames/e.png")
        self.put({"broken.mov": b"\0\0\0\x14ftypqt  "})
        of_clip = self.batch("in", "--stats", "--json", "--report", "r.jsonl", "--where", "r > .25", code=1)
        self.assertIn("1 picture and 2 clips: 2 measured, 1 failed", of_clip.stderr)
        found = json.loads(of_clip.stdout)
        of_frames = json.loads(self.batch("frames", "--stats", "--json", "--where", "r > .25").stdout)
        self.assertEqual((found["pictures"], found["clips"], of_frames["pictures"], of_frames["clips"]), (1, 1, 11, 0))
        self.assertEqual(found["channels"], of_frames["channels"])
        alone = json.loads(self.succeed("stats", "in/a.mkv", "--json", "--where", "r > .25").stdout)
        self.assertEqual(outcomes(self.folder / "r.jsonl")["a.mkv"]["stats"], alone["channels"])
        self.assertRegex(self.batch("in", "--stats", code=1).stdout, r"^1 picture and 1 clip: ")
        write_png(self.folder / "in/e_depth.png", 24, 17, 1, 16, [97 * (i % 24) for i in range(24 * 17)])
        said = self.batch("in", "--stats", "--where", "depth < .5", "--depth-pattern", "{stem}_depth.png").stderr
        self.assertIn("2 clips are left out, because frames are measured without depth", said)

    def test_conversion_leaves_clips(self):
        self.clip("a.mp4")
        self.put({"e.png": noise_png(1)})
        done = self.batch("in", "out", "--format", "jpg")
        self.assertEqual(set(self.outputs()), {"e.jpg"})
        self.assertIn("1 clip is left out, because no option changes clips", done.stderr)
        self.batch("in", "converted", "--crf", "30", "--exclude", "*.png")
        self.expect_as_filter("a.mp4", "--crf", "30", folder="converted")

    def test_one_clip_into_one_file(self):
        self.clip("a.mp4", seconds=0.3)
        self.put({"e.png": noise_png(1)})
        self.batch("in/a.mp4", "web/b.mkv")
        self.assertEqual(set(self.outputs("web")), {"b.mkv"})
        self.refuse_batch("in/a.mp4", "web/b.jpg", *BOX, says=["web/b.jpg: cannot be made of in/a.mp4", "clip"])
        self.refuse_batch("in/e.png", "web/b.mp4", *BOX, says=["web/b.mp4: cannot be made of in/e.png", "picture"])
        self.refuse_batch("in", "web/b.mp4", *BOX, says=["not of a folder"])

    def test_depth_of_field(self):
        """By a clip of depth that lies beside, or by the pattern; frames are those of pictures."""
        self.clip("a.mkv", "-c:v", "ffv1", "-pix_fmt", "bgr0", seconds=0.3)
        self.clip("a_depth.mkv", "-vf", "format=gray", "-c:v", "ffv1", seconds=0.3)
        dof = ("--filter", "dof:blur=3%:focus=0.8", "--video-codec", "ffv1", "--device", "cpu")
        self.batch("in", "out", *dof)
        self.batch("in/a.mkv", "named", *dof, "--depth-pattern", "{stem}_depth.mkv")
        for folder, pattern in (("in", "a"), ("in", "a_depth"), ("out", "a"), ("named", "a")):
            ffmpeg("-i", self.folder / folder / f"{pattern}.mkv", "-start_number", "0", self.folder / f"{folder}_{pattern}_%d.png")
        for frame in range(3):
            self.succeed("filter", f"in_a_{frame}.png", "-o", "one.ppm", "--filter",
                         f"dof:blur=3%:focus=0.8:depth=in_a_depth_{frame}.png", "--device", "cpu")
            for folder in ("out", "named"):
                self.succeed("filter", f"{folder}_a_{frame}.png", "-o", "frame.ppm")
                self.assertEqual((self.folder / "frame.ppm").read_bytes(), (self.folder / "one.ppm").read_bytes())
        (self.folder / "in/a_depth.mkv").unlink()
        self.assertIn("needs depth, and none lies beside", self.batch("in", "none", *dof, code=1).stderr)


class Promises(ClipsCase):
    SLOW = ("--filter", "denoise:radius=12", "--video-codec", "ffv1", "--name", "{stem}.mkv", "--skip-existing", "--device", "cpu")

    def test_memory(self):
        self.clip("a.mp4")
        self.assertIn("--max-memory", self.batch("in", "out", *BOX, "--max-memory", "100kB", code=75).stderr)
        self.batch("in", "out", *BOX, "--max-memory", "3MB")

    def test_interrupted_and_killed_runs_go_on(self):
        for name in ("a", "b", "c"):
            self.clip(f"{name}.mp4", seconds=3)
        self.batch("in", "whole", *self.SLOW)
        for number in (signal.SIGINT, signal.SIGKILL):
            worker = subprocess.Popen([SCANLENS, "batch", "in", "out", *self.SLOW, "--jobs", "1"], cwd=self.folder, env=CLEAN,
                                      stderr=subprocess.PIPE, text=True)
            next_one = self.folder / "out" / claim_on("b.mkv" if number == signal.SIGINT else "c.mkv")
            while worker.poll() is None and not next_one.exists():
                time.sleep(0.01)
            time.sleep(0.1)  # the clip is at work
            worker.send_signal(number)
            said = worker.communicate(timeout=HANGS)[1]
            self.assertEqual(worker.returncode, -number, said)
            if number == signal.SIGINT:
                self.assertIn("interrupted; --skip-existing goes on from here", said)
                self.assertTrue(all(name[0] != "." for name in self.outputs()), "nothing is left of the clip in hand")
                self.assertIn(f": {len(self.outputs())} written", said)
        done = self.batch("in", "out", *self.SLOW)
        self.assertRegex(done.stderr, "[12] written, [12] skipped")
        self.assertEqual(set(self.outputs()), {"a.mkv", "b.mkv", "c.mkv"})
        for name in self.outputs():
            self.assertEqual(packets(self.folder / "out" / name, 0), packets(self.folder / "whole" / name, 0))

    def test_workers_share_clips(self):
        for name in ("a", "b", "c", "d"):
            self.clip(f"{name}.mp4", seconds=0.5)
        workers = [subprocess.Popen([SCANLENS, "batch", "in", "out", *BOX, "--report", f"{i}.jsonl", "--skip-existing"],
                                    cwd=self.folder, env=CLEAN, stderr=subprocess.PIPE) for i in range(2)]
        self.assertEqual([(w.communicate(timeout=HANGS), w.returncode)[1] for w in workers], [0, 0])
        ends = [outcomes(self.folder / f"{i}.jsonl") for i in range(2)]
        for name in ends[0]:
            self.assertEqual(sorted(end[name]["status"] for end in ends), ["skipped", "written"])
        for part in ("1/2", "2/2"):
            self.batch("in", "shards", *BOX, "--shard", part)
        self.assertEqual(set(self.outputs("shards")), {"a.mp4", "b.mp4", "c.mp4", "d.mp4"})


if __name__ == "__main__":
    unittest.main()
