#!/usr/bin/env python3
"""Depth maps as people bring them: renderers' channels, photos held upright, holes, and what is said of them."""
import json
import struct
import unittest

import numpy

from support import CommandCase, png_bytes, png_chunk, png_size, read_png, write_exr, write_pfm, write_png

WIDTH, HEIGHT = 80, 60
RAMP = numpy.tile(numpy.arange(WIDTH) / (WIDTH - 1), (HEIGHT, 1))
METRES = (1 + 4 * RAMP).astype("f4")
LIGHT = {c: numpy.random.default_rng(1).random((HEIGHT, WIDTH)) for c in "RGB"}


def exif(orientation):
    return (b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0" + bytes([orientation]) + bytes(6))


class Cases(CommandCase):
    def setUp(self):
        super().setUp()
        write_png(self.folder / "photo.png", WIDTH, HEIGHT, 3, 8, [i % 251 for i in range(WIDTH * HEIGHT * 3)])

    def exr(self, name, channels):
        write_exr(self.folder / name, channels)

    def understood(self, name, *options):
        """The account of `depth`, and what it says."""
        done = self.succeed("depth", name, *options, "--json")
        account = json.loads(done.stdout)
        account["range"] = [round(account[end], 4) for end in ("min", "max")]
        return account, done.stderr


class Channels(Cases):
    def test_a_photos_own_depth(self):
        self.exr("bl.exr", {**{"ViewLayer.Combined." + c: v for c, v in LIGHT.items()}, "ViewLayer.Depth.Z": METRES})
        done = self.succeed("dof", "bl.exr", "-o", "own.png", "--focus", "2")
        self.assertIn("EXR channel ViewLayer.Depth.Z read as distance in metres", done.stderr)
        self.exr("z.exr", {"Z": METRES})
        self.succeed("dof", "bl.exr", "--depth", "z.exr", "-o", "named.png", "--focus", "2")
        self.assertEqual(read_png(self.folder / "own.png"), read_png(self.folder / "named.png"))
        self.exr("plain.exr", LIGHT)
        self.refuse("dof", "plain.exr", "-o", "o.png", code=2, says=("carries no depth map",))

    def test_several_and_the_option(self):
        self.exr("two.exr", {"Fg.Depth.Z": METRES, "Bg.Depth.Z": METRES + 10})
        account, said = self.understood("two.exr")
        self.assertIn("warning: two.exr: 2 of its channels may be the depth: Bg.Depth.Z, Fg.Depth.Z", said)
        account, said = self.understood("two.exr", "--depth-channel", "Fg.Depth.Z", "--strict")
        self.assertEqual((account["range"], account["warnings"]), ([1, 5], []))
        self.succeed("dof", "photo.png", "--depth", "two.exr", "--depth-channel", "Bg.Depth", "-o", "o.png", "--blur", "2",
                     "--strict")
        self.succeed("stats", "photo.png", "--depth", "two.exr", "--depth-channel", "Bg.Depth.Z", "--strict")
        self.refuse("depth", "two.exr", "--depth-channel", "Z", code=2, says=("no channel 'Z'", "Bg.Depth.Z, Fg.Depth.Z"))
        self.refuse("depth", "photo.png", "--depth-channel", "Z", code=2, says=("unknown channel 'Z'", "R, G, B"))

    def test_no_vector_is_depth(self):
        normal = numpy.random.default_rng(2).normal(size=(3, HEIGHT, WIDTH))
        self.exr("normals.exr", {**LIGHT, **{f"{layer}.{c}": v for layer in "NP" for c, v in zip("XYZ", normal)}})
        self.refuse("depth", "normals.exr", says=("no channel is depth", "N.Z", "--depth-channel"))

    def test_a_mist_pass_is_no_metres(self):
        self.exr("mist.exr", {**LIGHT, "ViewLayer.Mist.Z": RAMP})
        account, said = self.understood("mist.exr")
        self.assertEqual((account["unit"], account["kind"]), (None, "inverse"))
        self.assertIn("warning: mist.exr: a mist pass holds no distances", said)

    def test_equal_channels(self):
        self.exr("rgb.exr", {c: METRES for c in "RGB"})
        self.exr("vray.exr", {**LIGHT, **{"VRayZDepth." + c: METRES for c in "RGB"}})
        self.exr("pz.exr", {**LIGHT, "Pz": METRES})
        self.assertEqual(self.understood("rgb.exr", "--depth-kind", "depth")[0]["range"], [1, 5])
        for name in ("vray.exr", "pz.exr"):
            account, _ = self.understood(name, "--strict")
            self.assertEqual((account["unit"], account["range"]), ("m", [1, 5]), name)

    def test_depth_in_the_alpha(self):
        samples = [value for x in range(WIDTH * HEIGHT) for value in (0, x % 256)]
        write_png(self.folder / "alpha.png", WIDTH, HEIGHT, 2, 8, samples)
        self.assertIn("the alpha is taken for the depth", self.understood("alpha.png")[1])


class Orientation(Cases):
    """A photo that was held upright, and a map that lies as the sensor does."""

    def setUp(self):
        super().setUp()
        pixels = png_bytes(WIDTH, HEIGHT, 3, 8, [i % 251 for i in range(WIDTH * HEIGHT * 3)])
        for orientation in (6, 8):
            (self.folder / f"held{orientation}.png").write_bytes(
                pixels[:33] + png_chunk(b"eXIf", exif(orientation)) + pixels[33:])
        write_pfm(self.folder / "side.pfm", WIDTH // 2, HEIGHT // 2,
                  [1.0 + x for _ in range(HEIGHT // 2) for x in range(WIDTH // 2)])

    def metres(self, *options):
        self.succeed("depth", "side.pfm", "--depth-kind", "depth", *options, "-o", "out.png")
        return read_png(self.folder / "out.png")

    def test_a_map_on_its_side_turns_with_its_photo(self):
        for orientation, degrees, top in ((6, "90", True), (8, "270", False)):
            photo = f"held{orientation}.png"
            done = self.succeed("depth", "side.pfm", "--depth-kind", "depth", "--of", photo, "-o", "out.png", "--strict")
            self.assertIn(f"turned by {degrees} degrees clockwise, as the photo's EXIF says", done.stderr)
            auto = read_png(self.folder / "out.png")
            self.assertEqual((auto.width, auto.height), (HEIGHT, WIDTH))
            self.assertEqual(auto.pixel(30, 0) < auto.pixel(30, WIDTH - 1), top, "the left side becomes the top, or the bottom")
            self.assertEqual(auto, self.metres("--of", photo, "--depth-orientation", degrees))
            self.assertEqual(auto, self.metres("--of", photo, "--depth-orientation", "auto"))

    def test_the_option(self):
        self.assertEqual(self.metres("--depth-orientation", "90").pixel(0, 0), (1000,))
        self.assertEqual(self.metres("--depth-orientation", "180").pixel(0, 0), (40000,))
        self.assertEqual(self.metres("--depth-orientation", "270").pixel(0, 0), (40000,))
        none = self.succeed("depth", "side.pfm", "--of", "held6.png", "--depth-orientation", "none", "-o", "out.png")
        self.assertIn("warning: side.pfm: the map seems to lie on its side", none.stderr)
        self.refuse("depth", "side.pfm", "--depth-orientation", "45", code=2, says=("auto, none, 90, 180 or 270, not '45'",))

    def test_dof_and_filters_turn_it(self):
        done = self.succeed("dof", "held6.png", "--depth", "side.pfm", "-o", "out.png", "--focus", "0.5")
        self.assertIn("turned by 90 degrees", done.stderr)
        self.assertEqual(png_size(self.folder / "out.png"), (HEIGHT, WIDTH))
        done = self.succeed("filter", "held6.png", "-o", "filtered.png", "--filter", "dof:focus=0.5:depth=side.pfm")
        self.assertIn("turned by 90 degrees", done.stderr)

    def test_without_a_word_from_the_photo(self):
        write_png(self.folder / "tall.png", HEIGHT, WIDTH, 3, 8, bytes(WIDTH * HEIGHT * 3))
        done = self.succeed("dof", "tall.png", "--depth", "side.pfm", "-o", "out.png", "--focus", "0.5")
        self.assertIn("seems to lie on its side, and is stretched; turn it by --depth-orientation 90 or 270", done.stderr)


class Unknown(Cases):
    def setUp(self):
        super().setUp()
        holes = numpy.where(numpy.arange(HEIGHT)[:, None] < 10, 0, 1000 * METRES).astype(int)
        write_png(self.folder / "holes.png", WIDTH, HEIGHT, 1, 16, holes.ravel().tolist())

    def count(self, expression, *options):
        done = self.succeed("stats", "photo.png", "--depth", "holes.png", "--where", expression, *options, "--json")
        account = json.loads(done.stdout)
        self.assertEqual(account["unknown_depth"], 800)
        return account["channels"][0]["count"]

    def test_no_comparison_chooses_what_is_unknown(self):
        for expression, count in (("depth > 0", 4000), ("not depth > 0", 0), ("depth != 3", 4000), ("not depth == 3", 4000),
                                  ("depth < inf", 4000), ("depth > 0 or y < 5", 4000 + 400), ("coc >= 0", 4000),
                                  ("not coc < 0", 4000)):
            self.assertEqual(self.count(expression), count, expression)

    def test_it_is_counted_apart(self):
        account = json.loads(self.succeed("stats", "photo.png", "--depth", "holes.png", "--json").stdout)
        depth = account["channels"][-1]
        self.assertEqual((depth["name"], depth["count"], depth["unknown"], depth["nan"]), ("depth", 4800, 800, 800))
        self.assertAlmostEqual(depth["min"], 1, 3)
        self.assertEqual(json.loads(self.succeed("depth", "holes.png", "--json").stdout)["unknown"], 800)

    def test_of_a_smaller_map_too(self):
        write_png(self.folder / "holes.png", 8, 6, 1, 16, [0] * 8 + [2000] * 40)
        self.assertEqual(self.count("depth > 0"), 4000)

    def test_of_many_pictures(self):
        (self.folder / "maps").mkdir()
        (self.folder / "holes.png").rename(self.folder / "maps/photo.png")
        (self.folder / "in").mkdir()
        (self.folder / "photo.png").rename(self.folder / "in/photo.png")
        done = self.succeed("batch", "in", "--stats", "--depth-pattern", "../maps/{stem}.png", "--where", "depth > 0", "--json")
        self.assertEqual(json.loads(done.stdout)["channels"][0]["count"], 4000)


class Verbose(Cases):
    def test_what_is_usual_is_said_when_asked(self):
        usual = "photo.png: no colour profile, taken for sRGB"
        command = ("filter", "photo.png", "-o", "out.png", "--filter", "box:radius=1")
        self.assertNotIn(usual, self.succeed(*command).stderr)
        self.assertIn(usual, self.succeed(*command, "--verbose").stderr)
        self.assertIn(usual, self.succeed("--verbose", *command).stderr)
        self.assertIn(usual, json.loads(self.succeed(*command, "--json").stdout)["assumed"])
        self.refuse(*command, "--verbose", "--quiet", code=2, says=("--verbose", "--quiet"))


class Frames(Cases):
    def test_hashes_stand_for_digits(self):
        for frame in (1, 2):
            self.exr(f"bl_{frame:04}.exr", {**LIGHT, "Z": METRES + frame})
        for pattern, output in (("bl_####.exr", "out_##.png"), ("bl_%04d.exr", "o_%04d.png")):
            done = self.run_here("dof", pattern, "-o", output, "--focus", "2")
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.folder / "out_02.png").exists())
        self.succeed("dof", "bl_0001.exr", "-o", "alone.png", "--focus", "2")
        alone = (self.folder / "alone.png").read_bytes()
        for name in ("out_01.png", "o_0001.png"):
            self.assertEqual((self.folder / name).read_bytes(), alone, name)

    def test_padded_otherwise(self):
        write_png(self.folder / "map.png", WIDTH, HEIGHT, 1, 8, bytes(WIDTH * HEIGHT))
        for frame in (1, 2):
            (self.folder / f"in_{frame:04}.png").write_bytes((self.folder / "photo.png").read_bytes())
        hint = "2 files such as in_0001.png are numbered otherwise; 'in_%04d.png' takes them"
        self.refuse("dof", "in_%d.png", "--depth", "map.png", "-o", "o_%d.png", says=("in_%d.png: no such file; " + hint,))
        (self.folder / "in_7.png").write_bytes((self.folder / "photo.png").read_bytes())
        done = self.run_here("dof", "in_%d.png", "--depth", "map.png", "-o", "o_%d.png")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("warning: in_%d.png: " + hint, done.stderr)


if __name__ == "__main__":
    unittest.main()
