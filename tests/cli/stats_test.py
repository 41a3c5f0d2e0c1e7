#!/usr/bin/env python3
"""`stats` against numpy, and `dof --autofocus`."""
import json
import re
import unittest
import xml.etree.ElementTree as xml

import numpy

from support import CommandCase, exr_bytes, tiff_bytes, tiff_page, write_exr, write_pfm, write_png

PERCENTS = [0, 1, 5, 12.5, 50, 75, 99, 99.9, 100]
WIDTH, HEIGHT = 67, 41


class StatsCase(CommandCase):
    def setUp(self):
        super().setUp()
        self.random = numpy.random.default_rng(15)

    def write(self, name, samples):
        """A PNG of an array of height x width (x channels)."""
        channels = samples.shape[2] if samples.ndim == 3 else 1
        bits = 8 * samples.dtype.itemsize
        write_png(self.folder / name, samples.shape[1], samples.shape[0], channels, bits, samples.ravel().tolist())
        return samples

    def picture(self, name, channels=3, bits=8):
        shape = (HEIGHT, WIDTH) if channels == 1 else (HEIGHT, WIDTH, channels)
        return self.write(name, self.random.integers(0, 1 << bits, shape).astype(f"u{bits // 8}"))

    def stats(self, *args):
        done = self.succeed("stats", *args, "--json", "--percentiles", ",".join(map(str, PERCENTS)))
        found = json.loads(done.stdout)
        return found, {channel["name"]: channel for channel in found["channels"]}

    def expect(self, channel, samples, pixels=WIDTH * HEIGHT, exact=True):
        """Numpy's numbers: what is counted equals them, what is summed up comes as near as doubles allow."""
        samples = numpy.asarray(samples, dtype="f8").ravel()
        self.assertEqual(channel["count"], len(samples))
        self.assertEqual(channel["share"], len(samples) / pixels)
        samples = samples[numpy.isfinite(samples)]
        if len(samples) == 0:
            self.assertEqual([channel[key] for key in ("min", "max", "mean", "stddev", "median")], [None] * 5)
            self.assertEqual(set(channel["percentiles"].values()), {None})
            return
        same = self.assertEqual if exact else lambda a, b: self.assertAlmostEqual(a, b, delta=2e-6 * abs(b))
        same(channel["min"], samples.min())
        same(channel["max"], samples.max())
        same(channel["median"], numpy.percentile(samples, 50))
        for percent in PERCENTS:
            same(channel["percentiles"][f"{percent:g}"], numpy.percentile(samples, percent))
        near = 1e-12 if exact else 2e-6
        self.assertAlmostEqual(channel["mean"], samples.mean(), delta=near * numpy.abs(samples).max())
        self.assertAlmostEqual(channel["stddev"], samples.std(), delta=near * numpy.abs(samples).max())
        self.assertEqual(sum(channel["histogram"]["counts"]), len(samples))


def luma_of(samples):
    """The nearest code to Rec. 709's luma."""
    if samples.ndim == 2:
        return samples
    red, green, blue = (samples[..., c].astype("i8") for c in range(3))
    return (2126 * red + 7152 * green + 722 * blue + 5000) // 10000


class AgainstNumpy(StatsCase):
    def expect_all(self, channels, picture, chosen):
        names = ["red", "green", "blue", "alpha"][: picture.shape[2]] if picture.ndim == 3 else []
        self.assertEqual(list(channels), [*names, "luma"])
        for c, name in enumerate(names):
            self.expect(channels[name], picture[..., c][chosen])
        self.expect(channels["luma"], luma_of(picture)[chosen])

    def test_every_pixel(self):
        for channels in (1, 3, 4):
            for bits in (8, 16):
                with self.subTest(channels=channels, bits=bits):
                    picture = self.picture("in.png", channels, bits)
                    self.expect_all(self.stats("in.png")[1], picture, numpy.full((HEIGHT, WIDTH), True))

    def test_random_masks_none_and_all(self):
        picture, deep = self.picture("in.png"), self.picture("deep.png", 4, 16)
        for share in (0, 0.001, 0.1, 0.5, 0.99, 1):
            with self.subTest(share=share):
                chosen = self.random.random((HEIGHT, WIDTH)) < share
                self.write("mask.png", chosen.astype("u1") * 255)
                self.expect_all(self.stats("in.png", "--mask", "mask.png", "--where", "mask")[1], picture, chosen)
                self.expect_all(self.stats("deep.png", "--mask", "mask.png", "--where", "not mask")[1], deep, ~chosen)

    def test_expressions(self):
        picture = self.picture("in.png", 4)
        red, green, blue, alpha = (picture[..., c].astype("f4") / numpy.float32(255) for c in range(4))
        luma = luma_of(picture).astype("f4") / numpy.float32(255)
        y, x = numpy.mgrid[:HEIGHT, :WIDTH]
        number = numpy.float32
        for expression, chosen in (
                ("luma>0.9", luma > number(0.9)),
                ("red < green and green < blue", (red < green) & (green < blue)),
                ("not red < green or alpha == 128/255", ~(red < green) | (picture[..., 3] == 128)),
                ("x >= 10 and x < 20 and y != 3", (x >= 10) & (x < 20) & (y != 3)),
                ("not (red > .5 or not (0.25 <= blue and luma < alpha))",
                 ~((red > number(.5)) | ~((blue >= number(0.25)) & (luma < alpha)))),
                ("x < 0", x < 0)):
            with self.subTest(expression=expression):
                found, channels = self.stats("in.png", "--where", expression)
                self.assertEqual(found["where"], expression)
                self.expect_all(channels, picture, chosen)

    def test_floats(self):
        light = self.random.normal(0.5, 1, (HEIGHT, WIDTH)).astype("f4").clip(0)
        (self.folder / "in.exr").write_bytes(exr_bytes(Y=light))
        _, channels = self.stats("in.exr")
        self.assertEqual([channels["luma"][key] for key in ("unit", "nan", "inf", "negative_inf")], ["light", 0, 0, 0])
        self.expect(channels["luma"], light)
        chosen = light > 1
        self.expect(self.stats("in.exr", "--where", "luma > 1")[1]["luma"], light[chosen])
        self.expect(self.stats("in.exr", "--where", "not luma > 1")[1]["luma"], light[~chosen])

    def test_floats_count_as_they_are(self):
        bell = self.random.normal(size=(HEIGHT, WIDTH)).astype("f4")
        bell[0, :6] = numpy.nan, numpy.nan, numpy.nan, numpy.inf, numpy.inf, -numpy.inf
        write_pfm(self.folder / "in.pfm", WIDTH, HEIGHT, bell.ravel().tolist())
        (self.folder / "in.tif").write_bytes(tiff_bytes(tiff_page(bell)))
        (self.folder / "in.exr").write_bytes(exr_bytes(Y=bell))
        for name in ("in.pfm", "in.tif", "in.exr"):
            with self.subTest(name=name):
                luma = self.stats(name)[1]["luma"]
                self.assertEqual([luma[key] for key in ("nan", "inf", "negative_inf")], [3, 2, 1])
                self.expect(luma, bell)
                self.expect(self.stats(name, "--where", "luma < 0")[1]["luma"], bell[bell < 0])
                said = self.succeed("stats", name)
                self.assertIn(f"6 of {bell.size} samples are not finite (3 NaN, 2 inf, 1 -inf)", said.stdout)
                self.assertNotIn("taken for", said.stderr.replace("taken for sRGB", ""))

    def test_infinite_depth_is_counted_apart(self):
        self.picture("in.png")
        metres = self.random.uniform(1, 9, (HEIGHT, WIDTH))
        metres[:7] = 1e10  # as renderers mark infinity
        write_pfm(self.folder / "depth.pfm", WIDTH, HEIGHT, metres.ravel().tolist())
        metres[:7] = numpy.inf
        depth = ("--depth", "depth.pfm", "--depth-kind", "depth")
        _, channels = self.stats("in.png", *depth)
        self.assertEqual([channels["depth"][key] for key in ("nan", "inf", "negative_inf")], [0, 7 * WIDTH, 0])
        self.expect(channels["depth"], metres, exact=False)
        self.expect(self.stats("in.png", *depth, "--where", "depth == inf")[1]["depth"], metres[:7])
        self.assertIn(f"{7 * WIDTH} of {HEIGHT * WIDTH} samples are not finite", self.succeed("stats", "in.png", *depth).stdout)

    def test_depth(self):
        picture = self.picture("in.png")
        millimetres = self.write("depth.png", self.random.integers(500, 5000, (HEIGHT, WIDTH)).astype("u2"))
        metres = millimetres.astype("f8") / 1000
        chosen = millimetres < 2500
        found, channels = self.stats("in.png", "--depth", "depth.png", "--depth-kind", "depth", "--where", "depth < 2.4999")
        self.assertEqual(channels["depth"]["unit"], "m")
        self.expect(channels["depth"], metres[chosen], exact=False)
        self.expect(channels["red"], picture[..., 0][chosen])
        # A 50 mm lens at f/2 on 36 mm, focused at 2 m: pixels whose circle is smaller than one.
        scale = 0.05**2 * 2 / (2 * 2 * (2 - 0.05)) * WIDTH / 0.036
        sharp = scale * abs(1 / metres - 0.5) < 0.1
        _, channels = self.stats("in.png", "--depth", "depth.png", "--depth-kind", "depth", "--focus", "2", "--where", "coc<0.1")
        self.expect(channels["depth"], metres[sharp], exact=False)

    def test_depth_without_a_unit(self):
        self.picture("in.png")
        values = self.random.permutation(WIDTH * HEIGHT).reshape(HEIGHT, WIDTH) / (WIDTH * HEIGHT - 1)
        write_pfm(self.folder / "depth.pfm", WIDTH, HEIGHT, values.ravel().tolist())
        found, channels = self.stats("in.png", "--depth", "depth.pfm", "--where", "depth > 0.75")
        self.assertEqual(channels["depth"]["unit"], "relative")
        self.expect(channels["depth"], values[values > 0.75], exact=False)
        self.assertTrue(any("0 (farthest)" in line for line in found["assumed"]))


class Words(StatsCase):
    def test_table(self):
        self.write("in.png", numpy.arange(256, dtype="u1").reshape(16, 16))
        for locale, full in (("C.UTF-8", "█"), ("C", "@")):
            done = self.succeed("stats", "in.png", env={"LC_ALL": locale})
            self.assertRegex(done.stdout, r"\A256 of 256 pixels, 100 %\n\nchannel +least +greatest +mean +stddev +median +1 %")
            self.assertRegex(done.stdout, r"\nluma +0 +255 +127\.5 +73\.9003 +127\.5 ")
            self.assertIn("|" + full * 64 + "|", done.stdout)
            self.assertRegex(done.stdout, r"\nexposure: 0\.391 % of the pixels are at white, 0\.391 % at black; -0\.2 stops")
        self.assertTrue(self.succeed("stats", "in.png", "--where", "x<4").stdout.startswith("x<4: 64 of 256 pixels, 25 %"))
        done = self.succeed("stats", "in.png", "--where", "x<0")
        self.assertRegex(done.stdout, r"\nluma +- +- +- +- +- ")

    def test_plot(self):
        self.picture("in.png")
        name = "a <b> & c.png"
        (self.folder / "in.png").rename(self.folder / name)
        for where in ("luma < 0.7", "x < 0"):
            self.succeed("stats", name, "--where", where, "--plot", "plot.svg")
            root = xml.parse(self.folder / "plot.svg").getroot()
            self.assertTrue(root.tag.endswith("svg"))
            texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
            self.assertIn(f"{name}: {where}", texts)
            self.assertEqual(sum(text.startswith(("red", "green", "blue", "luma")) for text in texts), 4)
        self.refuse("stats", name, "--plot", "plot.png", code=2, says=(".svg",))
        self.refuse("stats", name, "--plot", "plot.svg", "--no-clobber", says=("plot.svg",))

    def test_errors_point_at_the_place(self):
        self.picture("in.png")
        for expression, at, what in (("luma > 0.9 or blu < 1", 14, "did you mean blue?"), ("red >", 5, "expected a number"),
                                     ("luma ≥ 1", 5, "expected < <= >"), ("", 0, "expected a comparison")):
            done = self.refuse("stats", "in.png", "--where", expression, code=2, says=("--where", what))
            lines = done.stderr.splitlines()
            self.assertEqual(lines[0], expression)
            self.assertEqual(lines[1].index("^"), at)
            self.assertIn(what, lines[1])

    def test_what_there_is_not(self):
        self.picture("grey.png", 1)
        self.picture("in.png")
        self.write("small.png", numpy.zeros((3, 5), "u1"))
        for args, code, says in (
                (("grey.png", "--where", "red > 0"), 2, ("grey.png", "grey")),
                (("in.png", "--where", "alpha > 0"), 2, ("in.png", "alpha")),
                (("in.png", "--where", "mask"), 2, ("--mask FILE",)),
                (("in.png", "--mask", "grey.png"), 2, ("--mask", "--where")),
                (("in.png", "--mask", "small.png", "--where", "mask"), 1, ("small.png", "5 x 3", f"{WIDTH} x {HEIGHT}")),
                (("in.png", "--mask", "missing.png", "--where", "mask"), 1, ("missing.png", "no such file")),
                (("in.png", "--where", "depth < 1"), 2, ("in.png", "--depth FILE")),
                (("in.png", "--focus", "1"), 2, ("--focus", "coc")),
                (("in.png", "--invert"), 2, ("--invert", "--depth")),
                (("in.png", "--percentiles", "50,101"), 2, ("--percentiles", "0 to 100")),
                (("in.png", "--percentiles", "fifty"), 2, ("--percentiles",)),
                (("in.png", "--max-memory", "30kB"), 75, ("in.png", "--max-memory"))):
            with self.subTest(args=args):
                self.refuse("stats", *args, code=code, says=says)


class Autofocus(StatsCase):
    def test_finds_the_depth_of_what_is_sharp(self):
        """Three strips of noise: sharp ones at 2 m, smooth ones at 1 m and 4 m."""
        noise = self.random.integers(0, 256, (90, 180)).astype("f8")
        kernel = numpy.ones(15) / 15
        for start in (0, 120):
            strip = noise[:, start : start + 60]
            strip = numpy.apply_along_axis(numpy.convolve, 0, strip, kernel, "same")
            noise[:, start : start + 60] = numpy.apply_along_axis(numpy.convolve, 1, strip, kernel, "same") / 2 + 60
        self.write("in.png", noise.astype("u1"))
        self.write("depth.png", numpy.repeat(numpy.array([1000, 2000, 4000], "u2"), 60)[None, :].repeat(90, 0))
        options = ("--depth", "depth.png", "--depth-kind", "depth")
        done = self.succeed("dof", "in.png", *options, "--autofocus", "-o", "auto.png")
        self.assertIn("focus at 2 m, depth of the sharpest region", done.stderr)
        self.succeed("dof", "in.png", *options, "--focus", "2", "-o", "by_hand.png")
        self.assertEqual((self.folder / "auto.png").read_bytes(), (self.folder / "by_hand.png").read_bytes())
        for other in ("--focus", "1"), ("--focus-at", "3,3"):
            self.refuse("dof", "in.png", *options, "--autofocus", *other, "-o", "auto.png", code=2,
                        says=("--autofocus", "cannot be used with", other[0]))

    def test_of_one_tone(self):
        self.write("in.png", numpy.full((20, 20), 7, "u1"))
        self.write("depth.png", numpy.full((20, 20), 700, "u2"))
        self.refuse("dof", "in.png", "--depth", "depth.png", "--depth-kind", "depth", "--autofocus", "-o", "out.png",
                    says=("in.png", "--autofocus", "one tone"))


if __name__ == "__main__":
    unittest.main()
