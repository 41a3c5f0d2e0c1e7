#!/usr/bin/env python3
"""`dof` over numbered frames: each as `dof` makes it alone, one normalisation, a lens that is pulled, nothing made twice."""
import json
import os
import random
import shutil
import statistics
import unittest

from support import ROOT, CommandCase, differences, png_bytes, read_png, write_pfm, write_png

WIDTH, HEIGHT, FRAMES = 40, 24, 6
FLOATS, BYTES = "depth_%04d.pfm", "depth_%04d.png"


def noise(seed):
    return random.Random(seed).randbytes(WIDTH * HEIGHT * 3)


class Sequence(CommandCase):
    def setUp(self):
        super().setUp()
        pixels = noise("still")
        for frame in range(FRAMES):
            write_png(self.folder / f"in_{frame:04}.png", WIDTH, HEIGHT, 3, 8, pixels)
            self.put_depth(frame, 1.0, 9.0)

    def put_depth(self, frame, left, right):
        """A map of floats and one of integers: `left` on the left half, `right` on the right."""
        halves = [left if x < WIDTH // 2 else right for _ in range(HEIGHT) for x in range(WIDTH)]
        write_pfm(self.folder / f"depth_{frame:04}.pfm", WIDTH, HEIGHT, halves)
        write_png(self.folder / f"depth_{frame:04}.png", WIDTH, HEIGHT, 1, 8, [int(7 * value) for value in halves])

    def put_metres(self, name="metres_%04d.pfm"):
        for frame in range(FRAMES):
            write_pfm(self.folder / (name % frame), WIDTH, HEIGHT,
                      [1.0 + x / WIDTH for _ in range(HEIGHT) for x in range(WIDTH)])
        return "--depth", name, "--depth-kind", "depth"

    def sequence(self, *options, photo="in_%04d.png", depth=FLOATS, output="out_%04d.png", code=0):
        depths = ("--depth", depth) if depth else ()
        done = self.run_here("dof", photo, *depths, "-o", output, *options)
        self.assertEqual(done.returncode, code, f"{options}: {done.stderr}")
        return done

    def refuse_sequence(self, *options, photo="in_%04d.png", depth=FLOATS, output="out_%04d.png", code=2, says=()):
        return self.refuse("dof", photo, "--depth", depth, "-o", output, *options, code=code, says=says)

    def alone(self, frame, *options, depth=FLOATS):
        """What `dof` makes of one frame."""
        depths = ("--depth", depth % frame) if depth else ()
        self.succeed("dof", f"in_{frame:04}.png", *depths, "-o", "alone.png", *options)
        data = (self.folder / "alone.png").read_bytes()
        (self.folder / "alone.png").unlink()
        return data

    def made(self, prefix="out_"):
        return {int(path.stem.removeprefix(prefix)): path.read_bytes()
                for path in sorted(self.folder.rglob(prefix + "*.png"))}


class EqualsDof(Sequence):
    def test_every_frame_with_a_constant_lens(self):
        for depth, options in ((BYTES, ("--focus", "0.9", "--blur", "5")), (FLOATS, ("--focus-at", "3,5")),
                               (FLOATS, ("--focus", "0", "--quality", "best", "--bokeh", "hexagon"))):
            for jobs in ("1", "3"):
                with self.subTest(depth=depth, options=options, jobs=jobs):
                    self.sequence(*options, "--jobs", jobs, depth=depth)
                    self.assertEqual(self.made(), {f: self.alone(f, *options, depth=depth) for f in range(FRAMES)})
        metres = self.put_metres()
        lens = ("--focus", "1.2", "--focal-length", "85", "--f-number", "1.4")
        self.sequence(*metres[2:], *lens, depth=metres[1])
        self.assertEqual(self.made(), {f: self.alone(f, *metres[2:], *lens, depth=metres[1]) for f in range(FRAMES)})

    def test_the_look_takes_keys(self):
        at = ("--focus", "0", "--blur", "8")
        self.sequence(*at, "--cats-eye", "0:0", "4:1")
        made = self.made()
        for frame, value in ((0, "0"), (2, "0.5"), (5, "1")):
            self.assertEqual(made[frame], self.alone(frame, *at, "--cats-eye", value), frame)

    def test_names(self):
        whole = {f: self.alone(f) for f in range(FRAMES)}
        self.sequence(photo="in_*.png", depth="depth_*.pfm", output="out_*.png")
        self.assertEqual(self.made(), whole)
        self.assertTrue((self.folder / "out_0005.png").exists(), "the star keeps the number's digits")
        self.sequence(photo="in_*.png", output="deep/er/out_%d.png")
        self.assertTrue((self.folder / "deep/er/out_5.png").exists())
        self.assertEqual({f: (self.folder / f"deep/er/out_{f}.png").read_bytes() for f in whole}, whole)
        self.sequence(photo="deep/er/out_%d.png", depth="depth_*.pfm", output="100%%_*.png", code=1)  # *: 5, not 0005
        self.sequence(photo="deep/er/out_%d.png", output="100%%_*.png")
        self.assertTrue((self.folder / "100%_5.png").exists())

    def test_a_pattern_that_is_a_file_is_one_photo(self):
        (self.folder / "in_%04d.png").write_bytes((self.folder / "in_0000.png").read_bytes())
        self.sequence(depth="depth_0000.pfm", output="one.png")
        self.assertEqual((self.folder / "one.png").read_bytes(), self.alone(0))

    def test_photos_that_carry_their_depth(self):
        for frame in range(3):
            shutil.copy(ROOT / "tests/files/depth/disparity.heic", self.folder / f"phone_{frame}.heic")
        self.sequence("--blur", "0:2", "2:9", photo="phone_*.heic", depth=None, output="out_%d.png")
        self.succeed("dof", "phone_2.heic", "-o", "alone.png", "--blur", "9")
        self.assertEqual((self.folder / "out_2.png").read_bytes(), (self.folder / "alone.png").read_bytes())

    def test_one_map_for_all(self):
        done = self.sequence(depth="depth_0003.pfm")
        self.assertEqual(self.made(), {f: self.alone(3) for f in range(FRAMES)})
        self.assertIn("6 written", done.stderr)


class Normalisation(Sequence):
    def test_one_odd_frame_moves_no_other(self):
        """The scene stands still, and so does its blur, though in one frame something comes four times as near."""
        self.put_depth(3, 1.0, 33.0)
        done = self.sequence("--focus", "0", "--blur", "8")
        self.assertIn("one normalisation for all 6 maps, 1 (of depth_0000.pfm) .. 33 (of depth_0003.pfm)", done.stderr)
        made = self.made()
        self.assertEqual({made[f] for f in range(FRAMES) if f != 3}, {made[0]})
        self.assertNotEqual(made[3], made[0])
        for frame in range(FRAMES):
            self.assertEqual(made[frame], self.alone(frame, "--focus", "0", "--blur", "8", "--depth-range", "1,33"))
        self.assertNotEqual(made[0], self.alone(0, "--focus", "0", "--blur", "8"), "alone it has its own range")

    def test_parts_agree(self):
        self.put_depth(5, 0.5, 20.0)
        self.sequence("--focus", "0")
        whole = self.made()
        self.sequence("--focus", "0", "--frames", "1-2", output="part_%d.png")
        self.assertEqual(self.made("part_"), {f: whole[f] for f in (1, 2)})
        done = self.sequence("--focus", "0", "--frames", "1-2", "--depth-range", "0.5,20", output="part_%d.png")
        self.assertNotIn("one normalisation", done.stderr, "the first pass is left out")
        self.assertEqual(self.made("part_"), {f: whole[f] for f in (1, 2)})

    def test_an_odd_pixel_sets_no_range(self):
        odd = [1.0 if x < WIDTH // 2 else 9.0 for _ in range(HEIGHT * 4) for x in range(WIDTH)]
        odd[7] = 1e6
        write_pfm(self.folder / "depth_0002.pfm", WIDTH, HEIGHT * 4, odd)
        self.assertIn("1 (of depth_0000.pfm) .. 9 (of depth_0000.pfm)", self.sequence().stderr)

    def test_maps_that_disagree(self):
        half = [65535 * (x % 2) for _ in range(HEIGHT) for x in range(WIDTH)]
        write_png(self.folder / "depth_0004.png", WIDTH, HEIGHT, 1, 16, half)
        self.refuse_sequence(depth=BYTES, says=("differ in meaning", "depth_0000.png", "depth_0004.png"))

    def test_depth_range_where_it_says_nothing(self):
        metres = self.put_metres()
        for ends in ("3,1", "1,1", "nan,1", "1", "a,b"):
            self.refuse_sequence("--depth-range", ends, says=("--depth-range",))
        done = self.sequence(*metres[2:], "--depth-range", "0,1", depth=metres[1], code=1)
        self.assertIn("--depth-range only applies to maps without a unit", done.stderr)


class Pull(Sequence):
    def sharpest_column(self, picture):
        """Where the blurred noise varies most."""
        deviation = [statistics.pstdev(picture.channel(1, x - 2, 0, x + 3, HEIGHT)) for x in range(2, WIDTH - 2)]
        return 2 + max(range(len(deviation)), key=deviation.__getitem__)

    def test_focus_moves_through_the_scene(self):
        metres = self.put_metres()
        self.sequence(*metres[2:], "--blur", "9", "--focus", "0:1.9", "5:1.05", depth=metres[1])
        made = self.made()
        self.assertEqual(len(set(made.values())), FRAMES, "every frame has a focus of its own")
        self.assertEqual(made[0], self.alone(0, *metres[2:], "--blur", "9", "--focus", "1.9", depth=metres[1]))
        self.assertEqual(made[5], self.alone(5, *metres[2:], "--blur", "9", "--focus", "1.05", depth=metres[1]))
        columns = [self.sharpest_column(read_png(self.folder / f"out_{f:04}.png")) for f in range(FRAMES)]
        self.assertEqual(columns, sorted(columns, reverse=True))
        self.assertGreater(columns[0] - columns[5], WIDTH // 2)
        # The first step of a gentle start is less than the one in the middle.
        def step(frame):
            return statistics.mean(differences(*(read_png(self.folder / f"out_{f:04}.png") for f in (frame, frame + 1))))
        self.assertLess(step(0), step(2))

    def test_values_are_those_of_the_curve(self):
        """Smooth between two keys is 3 t^2 - 2 t^3, in 1/metre and in 1/N, and as it is for relative depth and --blur."""
        t = 2 / 5
        t = 3 * t**2 - 2 * t**3
        def between(a, b):
            return repr(a + t * (b - a))
        metres = self.put_metres()
        self.sequence(*metres[2:], "--focus", "0:inf", "5:1.25", "--f-number", "0:2,5:8", depth=metres[1])
        expected = self.alone(2, *metres[2:], "--focus", repr(1 / (t * 0.8)), "--f-number",
                              repr(1 / (0.5 + t * (0.125 - 0.5))), depth=metres[1])
        self.assertLessEqual(max(self.apart(2, expected)), 1)
        self.sequence("--focus", "0:0.1", "5:0.9", "--blur", "0:4", "5:12")
        expected = self.alone(2, "--focus", between(0.1, 0.9), "--blur", between(4, 12))
        self.assertLessEqual(max(self.apart(2, expected)), 1)

    def apart(self, frame, data):
        (self.folder / "expected.png").write_bytes(data)
        return differences(read_png(self.folder / f"out_{frame:04}.png"), read_png(self.folder / "expected.png"))

    def test_no_value_beyond_its_keys_and_rest_beside_them(self):
        self.sequence("--blur", "1:2", "3:9", "4:9")
        made = self.made()
        self.assertEqual(made[0], made[1])
        self.assertEqual(made[3], made[4])
        self.assertEqual(made[4], made[5])
        self.assertEqual(made[3], self.alone(3, "--blur", "9"))
        self.assertEqual(len({made[1], made[2], made[3]}), 3)

    def test_is_said(self):
        done = self.sequence("--focus=0:0.2", "5:0.7", "--blur", "0:4 5:24")
        self.assertIn("focus: 0.2 at frame 0, 0.7 at frame 5; between them along a smooth curve, in 1/metre", done.stderr)
        self.assertIn("largest blur: 4 pixels at frame 0, 24 pixels at frame 5", done.stderr)

    def test_keys_that_make_no_sense(self):
        for options, says in ((("--focus", "0:1", "0:2"), "two values at frame 0"), (("--focus", "0:x"), "0:x"),
                              (("--focus", "a:1"), "a:1"), (("--f-number", "0:2", "3:0"), "3:0"),
                              (("--blur", "0:-1"), "0:-1"), (("--blur", "0:nan"), "0:nan"),
                              (("--focus", "0:1", "5:0.5", "--focus-at", "3,3"), "--focus-at"),
                              (("--focus", "0:1", "5:0.5", "--autofocus"), "--autofocus"),
                              (("--focus", "99999999999999999999:1"), "99999999999999999999:1")):
            self.refuse_sequence(*options, says=(says,))
        self.refuse_sequence("--focus", "0:1", "5:0.5", photo="in_0000.png", depth="depth_0000.pfm", output="out.png",
                             says=("sequence",))


class Resumed(Sequence):
    def times(self):
        return {p.name: p.stat().st_mtime_ns for p in self.folder.glob("out_*.png")}

    def test_only_what_is_missing_or_has_changed(self):
        self.sequence("--skip-existing", "--blur", "0:4", "5:9")
        before, made = self.times(), self.made()
        (self.folder / "out_0002.png").unlink()
        done = self.sequence("--skip-existing", "--blur", "0:4", "5:9")
        self.assertIn("1 written, 5 skipped, 0 failed", done.stderr)
        after = self.times()
        self.assertEqual({name for name in before if before[name] != after[name]}, {"out_0002.png"})
        self.assertEqual(self.made(), made)
        write_png(self.folder / "in_0001.png", WIDTH, HEIGHT, 3, 8, noise("another"))
        os.utime(self.folder / "depth_0003.pfm", (1, 1))
        done = self.sequence("--skip-existing", "--blur", "0:4", "5:9", "--dry-run")
        self.assertEqual([line.split()[0] for line in done.stdout.splitlines()],
                         ["skip", "write", "skip", "write", "skip", "skip"])
        self.assertEqual(self.times(), after)

    def test_frames_whose_lens_has_changed(self):
        self.sequence("--blur", "0:4", "3:9")
        done = self.sequence("--blur", "0:4", "3:9", "5:12", "--skip-existing")
        self.assertIn("written", done.stderr)
        self.sequence("--blur", "0:4", "1:4", "3:9", output="again_%d.png")
        done = self.sequence("--blur", "0:4", "2:4", "3:9", output="again_%d.png", *["--skip-existing"])
        self.assertIn("1 written, 5 skipped", done.stderr, "only between the keys that moved")
        for option in (("--quality", "best"), ("--strip",), ("--depth-range", "0,10"), ("--near", "2")):
            done = self.sequence("--blur", "0:4", "2:4", "3:9", "--skip-existing", "--dry-run", *option,
                                 output="again_%d.png")
            self.assertNotIn("skip ", done.stdout, option)

    def test_a_new_range_makes_all_anew(self):
        self.sequence()
        self.put_depth(4, 1.0, 30.0)
        self.assertIn("6 written, 0 skipped", self.sequence("--skip-existing").stderr)
        self.assertIn("0 written, 6 skipped", self.sequence("--skip-existing").stderr)

    def test_existing_files(self):
        (self.folder / "out_0002.png").write_bytes(b"precious")
        self.refuse_sequence("--no-clobber", code=1, says=("out_0002.png: exists", "--no-clobber"))
        self.sequence("--no-clobber", "--skip-existing", code=1)
        self.assertEqual((self.folder / "out_0002.png").read_bytes(), b"precious")
        self.assertIn("1 written, 5 skipped", self.sequence("--skip-existing").stderr)
        self.assertEqual((self.folder / "out_0002.png").read_bytes(), self.alone(2))

    def test_report(self):
        self.sequence("--report", "r.jsonl", depth=BYTES)
        (self.folder / "depth_0004.png").unlink()
        self.sequence("--report", "r.jsonl", "--skip-existing", depth=BYTES, code=1)
        lines = [json.loads(line) for line in (self.folder / "r.jsonl").read_text().splitlines()]
        last = {line["path"]: line for line in lines if "path" in line}
        self.assertEqual([last[f"in_{f:04}.png"]["status"] for f in range(FRAMES)], ["skipped"] * 4 + ["failed", "skipped"])
        self.assertIn("depth_0004.png", last["in_0004.png"]["cause"])


class Failures(Sequence):
    def test_missing_frames_are_named(self):
        for frame in (1, 3, 4):
            (self.folder / f"in_{frame:04}.png").unlink()
        done = self.sequence("--quiet")
        self.assertIn("in_%04d.png: missing: 1, 3-4", done.stderr)
        self.assertEqual(set(self.made()), {0, 2, 5})
        self.assertIn("missing: 3-4, 6-7", self.sequence("--frames", "2-7").stderr)
        self.refuse_sequence("--strict", code=1, says=("missing: 1, 3-4", "--strict"))

    def test_a_frame_that_fails_stops_no_other(self):
        (self.folder / "depth_0001.pfm").unlink()
        (self.folder / "depth_0002.pfm").write_bytes(b"Pf\n")
        (self.folder / "in_0004.png").write_bytes(png_bytes(WIDTH, HEIGHT, 3, 8, noise(1))[:500])
        done = self.sequence("--focus", "0", code=1)
        self.assertIn("3 written, 0 skipped, 3 failed", done.stderr)
        for name in ("depth_0001.pfm", "depth_0002.pfm", "in_0004.png"):
            self.assertIn(name, done.stderr)
        self.assertEqual(set(self.made()), {0, 3, 5})
        self.assertEqual(self.made()[3], self.alone(3, "--focus", "0"))

    def test_photos_without_depth(self):
        done = self.sequence(depth=None, code=1)
        self.assertEqual(done.stderr.count("carries no depth map"), FRAMES)
        self.assertFalse(self.made())

    def test_no_frame_at_all(self):
        self.refuse_sequence(photo="no_%04d.png", code=1, says=("no_%04d.png: no such file",))
        self.refuse_sequence(photo="in_%03d.png", code=1, says=("no such file",))
        self.refuse_sequence(photo="nowhere/in_*.png", code=1, says=("nowhere", "cannot be read"))
        self.refuse_sequence("--frames", "7-9", code=1, says=("0 to 5", "7-9"))

    def test_usage(self):
        for options, settings, says in (
                ((), {"output": "out.png"}, "-o 'out_%04d.png'"), ((), {"output": "-"}, "-o 'out_%04d.png'"),
                ((), {"output": "in_%04d.png"}, "in_0000.png"), ((), {"output": "depth_%04d.png", "depth": BYTES}, "is read"),
                ((), {"output": "out_%04d.xyz"}, ".xyz"), ((), {"photo": "in_*%d.png"}, "one number"),
                (("--frames", "5-2"), {}, "--frames"), (("--frames", "x"), {}, "--frames"),
                (("--frames", "2-x"), {}, "--frames"), (("--json",), {}, "--json"),
                (("--renderer", "gl"), {}, "--renderer gl")):
            self.refuse_sequence(*options, **settings, says=(says,))
        for option in (("--frames", "1-2"), ("--skip-existing",), ("--dry-run",), ("--jobs", "2"), ("--report", "r.jsonl")):
            self.refuse_sequence(*option, photo="in_0000.png", depth="depth_0000.pfm", output="out.png",
                                 says=(option[0], "is for a sequence"))

    def test_two_names_of_one_frame(self):
        (self.folder / "in_1.png").write_bytes((self.folder / "in_0001.png").read_bytes())
        self.refuse_sequence(photo="in_*.png", says=("in_0001.png", "in_1.png", "both frame 1"))
        self.sequence()  # %04d tells them apart


if __name__ == "__main__":
    unittest.main()
