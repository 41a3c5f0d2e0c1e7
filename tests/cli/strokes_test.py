#!/usr/bin/env python3
"""Strokes in place of a depth map, wherever a map is taken."""
import json
import unittest

import numpy

from support import CommandCase, read_png, write_png

WIDTH, HEIGHT, EDGE = 80, 60, 41
WORDS = ("--stroke", "0.9:10,20:30,25", "--stroke", "0.1,0.3:60,40:60,10")
FILE = {"scanlens": "depth strokes", "version": 1, "size": [WIDTH, HEIGHT], "unit": "nearness",
        "strokes": [{"points": [[10, 20], [30, 25]], "nearness": 0.9}, {"points": [[60, 40], [60, 10]], "from": 0.1, "to": 0.3}]}


class Strokes(CommandCase):
    def setUp(self):
        super().setUp()
        noise = numpy.random.default_rng(1).integers(0, 9, (HEIGHT, WIDTH, 3))
        photo = noise + numpy.where(numpy.arange(WIDTH) < EDGE, 40, 190)[None, :, None]
        write_png(self.folder / "photo.png", WIDTH, HEIGHT, 3, 8, photo.ravel().tolist())
        self.write("strokes.json", FILE)

    def write(self, name, content):
        (self.folder / name).write_text(content if isinstance(content, str) else json.dumps(content))

    def bytes_of(self, name):
        return (self.folder / name).read_bytes()

    def test_the_command_line_and_a_file_are_the_same(self):
        self.succeed("dof", "photo.png", *WORDS, "--strokes-out", "written.json", "-o", "words.png", "--focus", "0.9")
        self.succeed("dof", "photo.png", "--depth", "strokes.json", "-o", "file.png", "--focus", "0.9")
        self.succeed("dof", "photo.png", "--depth", "written.json", "-o", "again.png", "--focus", "0.9")
        self.assertEqual(self.bytes_of("words.png"), self.bytes_of("file.png"))
        self.assertEqual(self.bytes_of("words.png"), self.bytes_of("again.png"))
        self.assertEqual(json.loads((self.folder / "written.json").read_text()), FILE)

    def test_both_are_held_against_the_limit_of_memory(self):
        for depth, name in ((WORDS, "--stroke"), (("--depth", "strokes.json"), "strokes.json")):
            command = ("dof", "photo.png", *depth, "-o", "out.png", "--quiet", "--max-memory")
            self.refuse(*command, "500kB", code=75, says=(name, "--max-memory"))
        self.succeed(*command, "20MB")

    def test_depth_makes_a_map_of_them(self):
        done = self.succeed("depth", "strokes.json", "--of", "photo.png", "-o", "map.png", "--json")
        self.assertIn("2 strokes of nearness, spread over the photo at 80 x 60", done.stderr)
        picture = read_png(self.folder / "map.png")
        rows = numpy.array(picture.samples).reshape(HEIGHT, WIDTH) / 65535
        self.assertLess(abs(rows[:, : EDGE - 2] - 0.9).max(), 0.03)
        slope = 0.1 + (40 - numpy.arange(HEIGHT)) / 30 * 0.2
        self.assertLess(abs(rows[:, EDGE + 2 :] - numpy.clip(slope, 0, 1)[:, None]).max(), 0.03)
        self.succeed("dof", "photo.png", "--depth", "map.png", "-o", "by_map.png", "--focus", "0.9")
        self.succeed("dof", "photo.png", "--depth", "strokes.json", "-o", "by_strokes.png", "--focus", "0.9")
        self.assertEqual(self.bytes_of("by_map.png"), self.bytes_of("by_strokes.png"))

    def test_metres_make_a_map_with_a_unit(self):
        self.write("metres.json", {**FILE, "unit": "metre", "strokes": [
            {"points": [[10, 20]], "radius": 2, "distance": 2}, {"points": [[60, 20]], "radius": 2, "distance": "inf"}]})
        account = json.loads(self.succeed("depth", "metres.json", "--of", "photo.png", "--json").stdout)
        self.assertEqual(account["unit"], "m")
        self.assertAlmostEqual(account["nearest_m"] if "nearest_m" in account else account["min"], 2, 2)

    def test_stats_and_batches_take_them(self):
        account = json.loads(self.succeed("stats", "photo.png", "--depth", "strokes.json", "--where", "depth > 0.6", "--json").stdout)
        self.assertAlmostEqual(account["channels"][0]["share"], EDGE / WIDTH, 1)
        (self.folder / "in").mkdir()
        for name in ("photo.png", "strokes.json"):
            (self.folder / "in" / ("photo_strokes.json" if name.endswith("json") else name)).write_bytes(self.bytes_of(name))
        with self.unchanged("out", "out/photo.png"):
            self.run_here("batch", "in", "out", "--filter", "dof:focus=0.9:blur=4", "--depth-pattern", "{stem}_strokes.json")
        self.succeed("filter", "photo.png", "-o", "one.png", "--filter", "dof:focus=0.9:blur=4:depth=strokes.json")
        self.assertEqual(read_png(self.folder / "out/photo.png"), read_png(self.folder / "one.png"))

    def test_strokes_scale_to_a_photo_of_another_size(self):
        self.write("large.json", {**FILE, "size": [2 * WIDTH, 2 * HEIGHT], "strokes": [
            {"points": [[20.5, 40.5], [60.5, 50.5]], "nearness": 0.9}, {"points": [[120.5, 80.5], [120.5, 20.5]], "from": 0.1, "to": 0.3}]})
        for name in ("strokes", "large"): self.succeed("depth", name + ".json", "--of", "photo.png", "-o", name + ".png")
        one, other = (numpy.array(read_png(self.folder / (name + ".png")).samples).astype(int) for name in ("strokes", "large"))
        self.assertLess(abs(one - other).mean(), 200)
        self.write("wide.json", {**FILE, "size": [2 * WIDTH, HEIGHT]})
        done = self.succeed("depth", "wide.json", "--of", "photo.png", "--quiet")
        self.assertIn("drawn on a photo of 160 x 60, this one is 80 x 60", done.stderr)

    def test_a_file_beside_the_photo_is_its_depth(self):
        self.succeed("dof", "photo.png", "--depth", "strokes.json", "-o", "named.png", "--blur", "4")
        self.succeed("filter", "photo.png", "--filter", "dof:focus=0.9:blur=4:depth=strokes.json", "-o", "filtered.png")
        (self.folder / "strokes.json").rename(self.folder / "photo_strokes.json")
        write_png(self.folder / "photo_depth.png", WIDTH, HEIGHT, 1, 8, [128] * (WIDTH * HEIGHT))
        done = self.succeed("dof", "photo.png", "-o", "beside.png", "--blur", "4")
        self.assertIn("photo.png: its depth map is photo_strokes.json, which lies beside it", done.stderr)
        self.assertIn("focus at 0.9 of 0 (far) .. 1 (near), the nearest stroke", done.stderr)
        self.assertEqual(self.bytes_of("named.png"), self.bytes_of("beside.png"))
        (self.folder / "in").mkdir()
        for name in ("photo.png", "photo_strokes.json", "photo_depth.png"):
            (self.folder / name).rename(self.folder / "in" / name)
        with self.unchanged("out", "out/photo.png"):
            self.run_here("batch", "in", "out", "--filter", "dof:focus=0.9:blur=4")
        self.assertEqual(read_png(self.folder / "out/photo.png"), read_png(self.folder / "filtered.png"))

    def test_one_stroke_is_a_beginning(self):
        self.write("one.json", {**FILE, "strokes": FILE["strokes"][:1]})
        done = self.succeed("depth", "one.json", "--of", "photo.png", "-o", "map.png")
        self.assertIn("what they leave out is taken for far", done.stderr)
        rows = numpy.array(read_png(self.folder / "map.png").samples).reshape(HEIGHT, WIDTH) / 65535
        self.assertGreater(rows[15:45, 8 : EDGE - 4].min(), 0.5)
        self.assertLess(rows[:, EDGE + 2 :].max(), 0.2)

    def test_what_blurs_nothing_is_warned_of(self):
        for words, says in (((*WORDS, "--blur", "0"), "--blur 0 blurs nothing"),
                            (("--stroke", "0:1,1:70,50"), "the depth map has one depth everywhere"),
                            ((*WORDS, "--stroke", "0.5:10,50:10,90"), "stroke 3 goes to 10,90, outside of the photo (80 x 60)")):
            with self.subTest(says):
                done = self.succeed("dof", "photo.png", *words, "-o", "out.png", "--force")
                self.assertIn("warning", done.stderr)
                self.assertIn(says, done.stderr)

    def test_a_guess_is_said_to_be_one(self):
        done = self.succeed("dof", "photo.png", "--depth", "guess", "-o", "guess.png", "--strokes-out", "guess.json")
        self.assertIn("--depth guess: a guess from the photo alone, often wrong; strokes correct it", done.stderr)
        self.succeed("dof", "photo.png", "--depth", "guess.json", "-o", "again.png")
        self.assertEqual(self.bytes_of("guess.png"), self.bytes_of("again.png"))
        self.assertEqual(json.loads((self.folder / "guess.json").read_text())["strokes"][0]["from"], 0.8)
        self.refuse("dof", "photo.png", "-o", "a.png", code=2, says=["photo.png"])
        self.refuse("dof", "photo_%02d.png", "--depth", "guess", "-o", "b_%02d.png", code=2, says=["--depth guess takes one photo"])

    def test_a_mask_keeps_what_it_covers_sharp(self):
        """By its alpha, its brightness, or strokes; the rest is blurred as without it."""
        dof = ("dof", "photo.png", *WORDS, "--focus", "0.9", "--blur", "5", "--force", "-o")
        self.succeed(*dof, "blurred.png")
        covered = [x >= 64 for _ in range(HEIGHT) for x in range(WIDTH)]
        write_png(self.folder / "grey.png", WIDTH, HEIGHT, 1, 8, [255 * part for part in covered])
        write_png(self.folder / "alpha.png", WIDTH, HEIGHT, 4, 8, [v for part in covered for v in (9, 9, 9, 255 * part)])
        photo, blurred = read_png(self.folder / "photo.png"), read_png(self.folder / "blurred.png")
        for mask in ("grey", "alpha"):
            self.succeed(*dof, mask + "_kept.png", "--keep-sharp", mask + ".png")
            kept = read_png(self.folder / (mask + "_kept.png"))
            self.assertEqual(kept.channel(0, 72, 8, 78, 52), photo.channel(0, 72, 8, 78, 52))
            self.assertEqual(kept.channel(0, 2, 8, 40, 52), blurred.channel(0, 2, 8, 40, 52))
        self.write("mask.json", {**FILE, "strokes": [{"points": [[60, 10], [70, 50]], "nearness": 1}, {"points": [[10, 20]], "nearness": 0}]})
        self.succeed(*dof, "kept.png", "--keep-sharp", "mask.json")
        self.assertNotEqual(self.bytes_of("kept.png"), self.bytes_of("blurred.png"))
        self.refuse(*dof, "kept.png", "--keep-sharp", "none.png", code=1, says=["none.png"])

    def test_what_does_not_fit_is_refused(self):
        for words, complaint in (
                (("depth", "strokes.json"), "strokes.json: strokes cannot be read without their photo; name it"),
                (("dof", "photo.png", "--depth", "strokes.json", "--invert", "-o", "a.png"), "strokes.json: --invert cannot be used with strokes"),
                (("dof", "photo.png", "--stroke", "2:1,1", "-o", "a.png"), "--stroke takes nearness, 0 to 1"),
                (("dof", "photo.png", "--stroke", "0.5:900,900", "-o", "a.png"), "--stroke: stroke 1 covers no pixel of the photo (80 x 60)"),
                (("dof", "photo.png", "--depth", "strokes.json", *WORDS, "-o", "a.png"), "--stroke"),
                (("dof", "photo.png", "--strokes-out", "a.json", "-o", "a.png"), "--strokes-out"),
        ):
            with self.subTest(complaint):
                self.refuse(*words, code=1 if "covers" in complaint else 2, says=[complaint])
        self.refuse("dof", "photo.png", *WORDS, "--strokes-out", "photo.png", "-o", "a.png", says=["photo.png"])
        self.write("bad.json", {**FILE, "strokes": [*FILE["strokes"], {"points": [[1, 2]], "nearness": 7}]})
        self.refuse("dof", "photo.png", "--depth", "bad.json", "-o", "a.png",
                    says=["bad.json: stroke 3: 'nearness' must be 0 (infinitely far) to 1 (nearest)"])
        self.assertFalse((self.folder / "a.png").exists())


if __name__ == "__main__":
    unittest.main()
