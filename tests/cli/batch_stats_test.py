#!/usr/bin/env python3
"""`batch --stats` against numpy over the samples of all pictures at once."""
import json
import signal
import subprocess
import time
import unittest
import xml.etree.ElementTree as xml
import zlib

import numpy

from batch_test import CLEAN, lines_of, outcomes
from stats_test import PERCENTS, StatsCase, luma_of
from support import HANGS, ROOT, SCANLENS, png_bytes, png_chunk, write_pfm

ALL = ",".join(map(str, PERCENTS))


class BatchStatsCase(StatsCase):
    def setUp(self):
        super().setUp()
        (self.folder / "in/sub").mkdir(parents=True)

    def noise(self, name, width, height, channels=3, bits=8):
        shape = (height, width) if channels == 1 else (height, width, channels)
        return self.write("in/" + name, self.random.integers(0, 1 << bits, shape).astype(f"u{bits // 8}"))

    def three(self):
        return [self.noise("a.png", 31, 33), self.noise("sub/b.png", 1, 1), self.noise("c.png", 127, 64)]

    def batch(self, *args, code=0):
        done = self.run_here("batch", *args, env=CLEAN)
        self.assertEqual(done.returncode, code, f"{args}: {done.stderr}")
        return done

    def told(self, *args, code=0):
        """What is told of all pictures, and of each channel by its name and unit."""
        found = json.loads(self.batch(*args, "--stats", "--json", "--percentiles", ALL, code=code).stdout)
        channels = {(channel["name"], channel["unit"]): channel for channel in found["channels"]}
        self.assertEqual(len(channels), len(found["channels"]), "each name and unit once")
        return found, channels

    def refuse_batch(self, *args, code=2, says=()):
        return self.refuse("batch", *args, code=code, says=says, env=CLEAN)


class AgainstNumpy(BatchStatsCase):
    def expect_rgb(self, channels, pictures, chosen=lambda picture: luma_of(picture) >= 0):
        self.assertEqual(list(channels), [(name, "code") for name in ("red", "green", "blue", "luma")])
        pixels = sum(picture.shape[0] * picture.shape[1] for picture in pictures)
        for c, name in enumerate(("red", "green", "blue")):
            self.expect(channels[name, "code"], numpy.concatenate([p[..., c][chosen(p)] for p in pictures]), pixels)
        self.expect(channels["luma", "code"], numpy.concatenate([luma_of(p)[chosen(p)] for p in pictures]), pixels)

    def test_pictures_of_many_sizes(self):
        pictures = self.three()
        for jobs in ("1", "4"):
            with self.unchanged():
                found, channels = self.told("in", "--jobs", jobs)
            self.assertEqual((found["pictures"], found["failed"], found["where"]), (3, 0, None))
            self.expect_rgb(channels, pictures)

    def test_a_bad_file_stops_no_other(self):
        pictures = self.three()
        (self.folder / "in/bad.png").write_bytes((self.folder / "in/c.png").read_bytes()[:200])
        found, channels = self.told("in", code=1)
        self.assertEqual((found["pictures"], found["failed"]), (3, 1))
        self.expect_rgb(channels, pictures)
        done = self.batch("in", "--stats", code=1)
        self.assertIn("4 pictures: 3 measured, 1 failed", done.stderr)
        self.assertIn("  in/bad.png: the PNG data is truncated", done.stderr)
        (self.folder / "only").mkdir()
        (self.folder / "only/bad.png").write_bytes(b"")
        done = self.batch("only", "--stats", code=1)
        self.assertEqual(done.stdout, "")

    def test_pixels_that_an_expression_chooses(self):
        pictures = self.three()
        found, channels = self.told("in", "--where", "red > 0.75 and x < 20")
        self.assertEqual(found["where"], "red > 0.75 and x < 20")
        self.expect_rgb(channels, pictures, lambda p: (p[..., 0] / numpy.float32(255) > numpy.float32(0.75)) &
                        (numpy.arange(p.shape[1]) < 20)[None, :])
        found, channels = self.told("in", "--where", "x < 0")
        self.expect_rgb(channels, pictures, lambda p: numpy.zeros(p.shape[:2], bool))
        self.noise("grey.png", 9, 9, 1)
        done = self.batch("in", "--stats", "--where", "red > 0.75", code=1)
        self.assertIn("  in/grey.png: --where uses a colour, but this picture is grey", done.stderr)

    def test_lists_and_shards(self):
        pictures = [self.noise(f"{i}.png", 5 + i, 7) for i in range(8)]
        (self.folder / "list").write_text("in/1.png\nin/6.png\n")
        _, channels = self.told("--files-from", "list")
        self.expect_rgb(channels, [pictures[1], pictures[6]])
        parts = [self.told("in", "--shard", f"{i}/2")[0] for i in (1, 2)]
        self.assertEqual(sum(part["pictures"] for part in parts), 8)
        self.assertEqual(sum(part["channels"][0]["count"] for part in parts), sum(p[..., 0].size for p in pictures))

    def test_pictures_of_all_kinds(self):
        colour, grey = self.noise("a.png", 20, 10), self.noise("b.png", 13, 7, 1)
        deep, clear = self.noise("c.png", 9, 9, 3, 16), self.noise("d.png", 5, 6, 4)
        light = [self.random.random((8, 11)).astype("f4"), 7 + self.random.random((30, 3)).astype("f4")]
        for name, values in zip("ef", light):
            write_pfm(self.folder / f"in/{name}.pfm", values.shape[1], values.shape[0], values.ravel().tolist())
        _, channels = self.told("in")
        wide = lambda samples: samples.astype("i8") * (257 if samples.dtype == "u1" else 1)
        pixels = 200 + 81 + 30
        for c, name in enumerate(("red", "green", "blue")):
            samples = [wide(picture[..., c]).ravel() for picture in (colour, deep, clear)]
            self.expect(channels[name, "code"], numpy.concatenate(samples), pixels)
        self.expect(channels["alpha", "code"], wide(clear[..., 3]), 30)
        lumas = [luma_of(picture) * factor for picture, factor in ((colour, 257), (deep, 1), (clear, 257))]
        self.expect(channels["luma", "code"], numpy.concatenate([wide(grey).ravel(), *(l.ravel() for l in lumas)]), pixels + 91)
        told = channels["luma", "light"]
        self.expect_floats(told, numpy.concatenate([values.ravel() for values in light]))
        self.assertEqual((told["nan"], told["inf"], told["negative_inf"], told["share"]), (0, 0, 0, 1))

    def test_floats_count_as_they_are(self):
        bell = self.random.normal(size=(9, 11)).astype("f4")
        for name, odd in (("e", [numpy.nan, numpy.inf]), ("f", [-numpy.inf, -numpy.inf])):
            values = bell.copy()
            values[0, :2] = odd
            write_pfm(self.folder / f"in/{name}.pfm", 11, 9, values.ravel().tolist())
        told = self.told("in")[1]["luma", "light"]
        self.assertEqual((told["nan"], told["inf"], told["negative_inf"]), (1, 1, 2))
        finite = bell.ravel()[2:].astype("f8")
        self.assertEqual((told["min"], told["max"]), (finite.min(), finite.max()))
        self.assertAlmostEqual(told["mean"], finite.mean(), delta=1e-12)

    def expect_floats(self, told, samples):
        self.assertEqual(told["count"], samples.size)
        samples = samples.astype("f8")
        self.assertEqual((told["min"], told["max"]), (samples.min(), samples.max()))
        self.assertAlmostEqual(told["mean"], samples.mean(), delta=1e-12)
        self.assertAlmostEqual(told["stddev"], samples.std(), delta=1e-12)
        self.assertEqual((told["median"], told["histogram"], set(told["percentiles"].values())), (None, None, {None}))

    def test_depth(self):
        pictures = [self.noise("a.png", 20, 10), self.noise("b.png", 13, 7)]
        metres = []
        for name, picture in zip("ab", pictures):
            millimetres = self.random.integers(500, 5000, picture.shape[:2]).astype("u2")
            self.write(f"in/{name}_z.png", millimetres)
            metres.append(millimetres / 1000)
        options = ("in", "--depth-pattern", "{stem}_z.png", "--depth-kind", "depth")
        _, channels = self.told(*options, "--where", "depth < 2.4999")
        self.assertEqual(channels["red", "code"]["count"], sum((m < 2.4999).sum() for m in metres))
        self.expect(channels["red", "code"], numpy.concatenate([p[..., 0][m < 2.4999] for p, m in zip(pictures, metres)]), 291)
        chosen = numpy.concatenate([m[m < 2.4999] for m in metres])
        depth = channels["depth", "m"]
        self.assertEqual(depth["count"], chosen.size)
        for key, value in (("min", chosen.min()), ("max", chosen.max()), ("mean", chosen.mean()), ("stddev", chosen.std())):
            self.assertAlmostEqual(depth[key], value, delta=1e-5)
        each = [json.loads(self.succeed("stats", f"in/{name}.png", "--depth", f"in/{name}_z.png", "--depth-kind", "depth", "--focus",
                                        "2", "--where", "coc < 0.1", "--json").stdout)["channels"][0]["count"] for name in "ab"]
        _, channels = self.told(*options, "--focus", "2", "--where", "coc < 0.1")
        self.assertEqual(channels["red", "code"]["count"], sum(each))
        (self.folder / "in/b_z.png").unlink()
        done = self.batch(*options, "--stats", code=1)
        self.assertIn("b_z.png: no such file", done.stderr)
        self.assertIn("--depth-pattern", self.batch("in/a.png", "--stats", "--where", "depth < 2", code=1).stderr)


class Manners(BatchStatsCase):
    def test_the_report_has_each_picture(self):
        self.three()
        self.batch("in", "--stats", "--where", "luma < 0.5", "--report", "r.jsonl")
        told = outcomes(self.folder / "r.jsonl")
        self.assertEqual(set(told), {"a.png", "sub/b.png", "c.png"})
        for name, line in told.items():
            self.assertEqual((line["status"], line["output"], line["bytes_out"]), ("measured", None, 0))
            alone = json.loads(self.succeed("stats", "in/" + name, "--where", "luma < 0.5", "--json").stdout)
            self.assertEqual(line["stats"], alone["channels"])
        self.refuse_batch("in", "--stats", "--report", "r.jsonl", code=1, says=["r.jsonl: exists; --overwrite begins it anew"])
        self.batch("in", "--stats", "--report", "r.jsonl", "--overwrite")
        summary = json.loads(self.run_here("report", "r.jsonl", "--json").stdout)
        self.assertEqual((summary["total"], summary["measured"], summary["written"], summary["missing"]), (3, 3, 0, []))
        self.assertIn("3 pictures: 3 measured", self.run_here("report", "r.jsonl").stdout)

    def test_table_plot_and_plan(self):
        self.three()
        done = self.batch("in", "--stats", "--where", "x < 10 and y < 10", "--plot", "p.svg")
        self.assertTrue(done.stdout.startswith("3 pictures, x < 10 and y < 10: 201 of 9152 pixels, 2.196 %\n"), done.stdout)
        texts = [text.text for text in xml.parse(self.folder / "p.svg").getroot().iter("{http://www.w3.org/2000/svg}text")]
        self.assertIn("3 pictures, x < 10 and y < 10", texts)
        self.refuse_batch("in", "--stats", "--plot", "p.svg", code=1, says=["p.svg: exists", "--overwrite"])
        self.batch("in", "--stats", "--plot", "p.svg", "--overwrite")
        with self.unchanged("plan.jsonl"):
            done = self.batch("in", "--stats", "--dry-run", "--report", "plan.jsonl")
        self.assertEqual(done.stdout, "measure in/a.png\nmeasure in/c.png\nmeasure in/sub/b.png\n")
        self.assertEqual(lines_of(self.folder / "plan.jsonl")[0]["batch"]["total"], 3)

    def test_memory(self):
        self.noise("a.png", 400, 300)
        done = self.batch("in", "--stats", "--max-memory", "1MB", code=75)
        self.assertIn("in/a.png: ", done.stderr)
        self.assertIn("--max-memory", done.stderr)
        for i in range(5):
            self.noise(f"{i}.png", 400, 300)
        found, _ = self.told("in", "--jobs", "6", "--max-memory", "40MB")
        self.assertEqual(found["pictures"], 6)

    def test_warnings_of_many_at_once(self):
        """Each is told once, whoever writes them while others begin. Memory that is freed is overwritten, so that it shows."""
        picture = png_bytes(8, 8, 3, 8, range(192))
        behind_header = 8 + 25
        nonsense = png_chunk(b"iCCP", b"icc\0\0" + zlib.compress(b"nonsense" * 40))
        names = {f"in/{i}.png" for i in range(2000)}
        for name in names:
            (self.folder / name).write_bytes(picture[:behind_header] + nonsense + picture[behind_header:])
        for _ in range(5):
            done = self.run_here("batch", "in", "--stats", "--json", "--jobs", "16", env={**CLEAN, "MALLOC_PERTURB_": "165"})
            self.assertEqual(done.returncode, 0, done.stderr[-300:])
            told = json.loads(done.stdout)
            self.assertEqual((told["pictures"], len(told["warnings"])), (2000, 2000))
            self.assertEqual({line.split(":")[0] for line in told["warnings"]}, names)

    def test_a_signal(self):
        """What is known of some of the pictures is not printed as if it were that of all."""
        for i in range(3000):
            (self.folder / f"in/{i}.jpg").symlink_to(ROOT / "data/teapot.jpg")
        command = subprocess.Popen([SCANLENS, "batch", "in", "--stats", "--report", "r.jsonl"], cwd=self.folder, env=CLEAN,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        report = self.folder / "r.jsonl"
        while command.poll() is None and not (report.exists() and '"measured"' in report.read_text()):
            time.sleep(0.01)
        command.send_signal(signal.SIGINT)
        told, said = command.communicate(timeout=HANGS)
        self.assertEqual((told, command.returncode), ("", -signal.SIGINT), said)
        self.assertIn("interrupted", said)

    def test_what_does_not_go_together(self):
        self.noise("a.png", 3, 3)
        for args, says in (
                (("in",), ("--filter", "--stats")),
                (("in", "--stats", "--filter", "box"), ("--filter", "--stats")),
                (("in", "--stats", "--name", "{stem}"), ("--name", "writes no pictures")),
                (("in", "--stats", "--skip-existing"), ("--skip-existing", "writes no pictures")),
                (("in", "--stats", "--progress", "json"), ("--progress json", "standard output")),
                (("in", "--stats", "--where", "mask"), ("mask", "`scanlens stats`")),
                (("in", "--stats", "--focus", "1"), ("--focus", "coc")),
                (("in", "--stats", "--invert"), ("--invert", "--depth-pattern")),
                (("in", "--stats", "--where", "luma >"), ("--where", "expected a number")),
                (("in", "--stats", "--plot", "p.png"), (".svg",)),
                (("--stats",), ("no inputs",)),
                (("in", "out", "--filter", "box", "--json"), ("--json", "--stats")),
                (("in", "out", "--filter", "box", "--where", "x < 1"), ("--where", "--stats")),
                (("in", "out", "--filter", "box", "--invert"), ("--invert", "--stats"))):
            with self.subTest(args=args):
                self.refuse_batch(*args, says=says)


if __name__ == "__main__":
    unittest.main()
