#!/usr/bin/env python3
"""Values as people write them: units, what is refused for a wrong one, and doubts about what they most likely mean."""
import json
import random
import unittest

from support import CommandCase, require_opengl, write_png

WIDTH, HEIGHT = 400, 30
DOF = ("dof", "photo.png", "--depth", "metric.png", "-o", "out.png")
RELATIVE = ("dof", "photo.png", "--depth", "relative.png", "-o", "out.png")
STATS = ("stats", "photo.png")


class Values(CommandCase):
    def setUp(self):
        super().setUp()
        noise = random.Random(3)
        samples = [noise.randrange(256) for _ in range(WIDTH * HEIGHT * 3)]
        row = range(WIDTH)
        write_png(self.folder / "photo.png", WIDTH, HEIGHT, 3, 8, samples)
        write_png(self.folder / "relative.png", WIDTH, HEIGHT, 1, 8, [x * 255 // WIDTH for _ in range(HEIGHT) for x in row])
        write_png(self.folder / "metric.png", WIDTH, HEIGHT, 1, 16,
                  [2100 + x * 2900 // WIDTH for _ in range(HEIGHT) for x in row])

    def made(self, *words):
        """The bytes of the picture that a command writes, and what it says."""
        done = self.succeed(*words)
        picture = (self.folder / "out.png").read_bytes()
        (self.folder / "out.png").unlink()
        return picture, done.stderr


class Units(Values):
    def test_lens(self):
        plain, said = self.made(*DOF, "--focal-length", "85", "--f-number", "1.4", "--sensor-width", "36", "--focus", "2.5")
        self.assertIn("focus at 2.5 m", said)
        for length, number, sensor, focus in (("85mm", "f/1.4", "36mm", "2.5m"), ("8.5cm", "f1.4", "3.6 cm", "250cm"),
                                              ("0.085m", "F/1.4", "36", "2500 mm"), ("85", "1.4", "36", "+2.5")):
            with self.subTest(length=length, number=number, sensor=sensor, focus=focus):
                self.assertEqual(plain, self.made(*DOF, "--focal-length", length, "--f-number", number, "--sensor-width",
                                                  sensor, "--focus", focus)[0])
        self.assertEqual(self.made(*DOF, "--f-number", "inf")[0], self.made(*DOF, "--f-number", "f/inf")[0])

    def test_blur(self):
        for blurs in (("8", "8px", "8 px", "2%", "2 %"),):
            plain = self.made(*DOF, "--blur", blurs[0])[0]
            for blur in blurs[1:]:
                self.assertEqual(plain, self.made(*DOF, "--blur", blur)[0], blur)

    def test_shares(self):
        self.assertEqual(self.made(*RELATIVE, "--focus", "0.8")[0], self.made(*RELATIVE, "--focus", "80%")[0])
        self.refuse(*RELATIVE, "--focus", "0.8m", code=2, says=("this depth has no unit", "0.8 m"))
        self.refuse(*DOF, "--focus", "80%", code=2, says=("--focus is a distance in metres here, not 80 %",))

    def test_places(self):
        for place, same in (("50%,50%", "200,15"), ("25%,0%", "100px,0px"), ("100%,100%", "399,29")):
            self.assertEqual(self.made(*DOF, "--focus-at", place)[0], self.made(*DOF, "--focus-at", same)[0], place)

    def test_filters(self):
        filtered = ("filter", "photo.png", "-o", "out.png", "--filter")
        for call, same in (("box:radius=2%", "box:radius=8"), ("gaussian:sigma=2 px", "gaussian:sigma=2"),
                           ("dof:focus=80%:blur=2%:depth=relative.png", "dof:focus=0.8:blur=8:depth=relative.png"),
                           ("tilt_shift:position=25%:angle=5deg", "tilt_shift:position=0.25:angle=5"),
                           ("denoise:noise=5%", "denoise:noise=0.05"), ("resize:percent=50%", "resize:percent=50"),
                           ("resize:width=100px", "resize:width=100")):
            self.assertEqual(self.made(*filtered, call)[0], self.made(*filtered, same)[0], call)
        self.assertEqual(self.made(*filtered, "resize:percent=50", "--filter", "box:radius=2%")[0],
                         self.made(*filtered, "resize:percent=50", "--filter", "box:radius=4")[0], "of what comes to it")
        self.refuse(*filtered, "box:radius=8m", code=2, says=("radius is '8m'", "whole number of pixels", "2%"))
        self.refuse(*filtered, "tilt_shift:angle=5%", code=2, says=("angle is '5%'", "number of degrees"))

    def test_percent_in_filters_is_of_each_picture(self):
        (self.folder / "in").mkdir()
        for width, same in ((100, 2), (400, 8)):
            write_png(self.folder / f"in/{width}.png", width, 20, 1, 8, [(x * x) % 251 for x in range(width * 20)])
            self.succeed("filter", f"in/{width}.png", "-o", f"same{width}.png", "--filter", f"box:radius={same}")
        done = self.run_here("batch", "in", "out", "--filter", "box:radius=2%")
        self.assertEqual(done.returncode, 0, done.stderr)
        for width in (100, 400):
            self.assertEqual((self.folder / f"out/{width}.png").read_bytes(), (self.folder / f"same{width}.png").read_bytes())

    def test_expressions(self):
        def chosen(where, *words):
            return json.loads(self.succeed(*STATS, "--where", where, "--json", *words).stdout)["channels"][0]["count"]

        metric, relative = ("--depth", "metric.png"), ("--depth", "relative.png")
        for where, same, words in (("luma > 90%", "luma > 0.9", ()), ("x < 100px", "x < 100", ()),
                                   ("depth < 250cm", "depth < 2.5", metric), ("depth < 2500 mm", "depth < 2.5", metric),
                                   ("depth < 50%", "depth < 0.5", relative)):
            self.assertEqual(chosen(where, *words), chosen(same, *words), where)
        self.refuse(*STATS, "--where", "luma > 90px", code=2, says=("luma has no such unit; it takes %",))
        self.refuse(*STATS, *relative, "--where", "depth < 50cm", code=2, says=("this depth has no unit",))
        self.refuse(*STATS, *metric, "--where", "depth < 50%", code=2, says=("this depth is in metres",))

    def test_percentiles(self):
        self.assertEqual(self.succeed(*STATS, "--percentiles", "5%,50%").stdout,
                         self.succeed(*STATS, "--percentiles", "5,50").stdout)

    def test_scenes(self):
        require_opengl()
        render = ("render", "teapot", "-o", "out.png", "--size")
        plain = self.made(*render, "64x48", "--azimuth", "30", "--distance", "1.2", "--target", "0,0.1,0", "--time", "1")[0]
        self.assertEqual(plain, self.made(*render, "64 x 48", "--azimuth", "30deg", "--distance", "120cm", "--target",
                                          "0m,10cm,0", "--time", "1 s")[0])


class WrongUnits(Values):
    def test_what_is_allowed_is_named(self):
        for option, value, says in (("--focal-length", "50px", "50mm or 5cm"), ("--focal-length", "f/2", "millimetres"),
                                    ("--f-number", "2m", "f/1.4"), ("--f-number", "2%", "f/1.4"), ("--focus", "5px", "2.5m"),
                                    ("--blur", "2m", "24px or 2%"), ("--focus-at", "2m,3m", "50%,50%"),
                                    ("--sensor-width", "36%", "millimetres"), ("--depth-scale", "1mm", "positive number")):
            with self.subTest(option=option, value=value):
                self.refuse(*DOF, option, value, code=2, says=(f"{option} takes", says, f"not '{value}'"))

    def test_every_value_is_read_to_its_last_character(self):
        for option, value in (("--focus", "2.5mx"), ("--focus", "2.5 m m"), ("--f-number", "f/1.4x"), ("--blur", "2%%"),
                              ("--focus-at", "3,4x"), ("--depth-range", "0,1x"), ("--jobs", "2x"),
                              ("--quality", "90x"), ("--compression", "3x"), ("--depth-offset", "1x")):
            with self.subTest(option=option, value=value):
                self.refuse(*DOF, option, value, code=2, says=(option, value))
        for option, value in (("--size", "64x48x"), ("--azimuth", "3x"), ("--target", "0,0,0x"), ("--reference", "4x")):
            with self.subTest(option=option, value=value):
                self.refuse("render", "teapot", "-o", "out.png", option, value, code=2, says=(option, value))
        self.refuse(*STATS, "--percentiles", "5,50x", code=2, says=("--percentiles", "50x"))
        self.refuse("batch", ".", "out", "--shard", "1/2x", "--filter", "box", code=2, says=("--shard", "1/2x"))

    def test_a_decimal_comma(self):
        self.refuse(*DOF, "--f-number", "1,4", code=2, says=("not '1,4'; write 1.4",))
        self.refuse(*DOF, "--focus", "2,5m", code=2, says=("not '2,5m'; write 2.5m",))

    def test_values_are_judged_before_files(self):
        for option, value in (("--focus", "-1"), ("--f-number", "0"), ("--blur", "30001"), ("--focus-at", "0.5,0.5")):
            self.refuse("dof", "missing.png", "--depth", "missing.png", "-o", "out.png", option, value, code=2,
                        says=(option, value))
        self.refuse("dof", "missing.png", "-o", "out.png", "--blur", "2%", "--f-number", "2", code=2, says=("cannot be used with",))
        self.refuse("stats", "missing.png", "--where", "mask", code=2, says=("--mask FILE",))


class Keys(Values):
    def sequence(self, *words, code=0, says=()):
        for number in range(3):
            (self.folder / f"in_{number}.png").write_bytes((self.folder / "photo.png").read_bytes())
        words = ("dof", "in_%d.png", "--depth", "metric.png", "-o", "soft_%d.png", *words)
        if code != 0:
            return self.refuse(*words, code=code, says=says).stderr
        done = self.run_here(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def frames(self, *words):
        said = self.sequence(*words)
        return [(self.folder / f"soft_{n}.png").read_bytes() for n in range(3)], said

    def test_units(self):
        plain = self.frames("--focus", "0:3.5", "2:2.5")[0]
        for keys in (("0:350cm", "2:2.5m"), ("0:3500mm", "2:2.5")):
            frames, said = self.frames("--focus", *keys)
            self.assertEqual(frames, plain)
            self.assertIn("focus: 3.5 m at frame 0, 2.5 m at frame 2", said)
        plain = self.frames("--f-number", "0:2", "2:8")[0]
        frames, said = self.frames("--f-number", "0:f/2", "2:f/8")
        self.assertEqual(frames, plain)
        self.assertIn("f-number: f/2 at frame 0, f/8 at frame 2", said)
        self.assertIn("largest blur: 0 % at frame 0, 1 % at frame 2", self.frames("--blur", "0:0%", "2:1%")[1])
        self.assertNotIn("warning", self.frames("--f-number", "0:2", "2:64")[1])
        self.assertIn("largest blur: 4 pixels at frame 0, 24 pixels at frame 2", self.frames("--blur", "0:4", "2:24px")[1])

    def test_each_is_read_to_its_end(self):
        for keys in (("0:2.5x", "2:3"), ("0:2.5", "2:3x"), ("0:2.5px", "2:3"), ("0:nan", "2:3"), ("0:2.5 m", "2:3")):
            self.sequence("--focus", *keys, code=2, says=("--focus takes keys FRAME:VALUE",))
        self.sequence("--frames", "0-4x", code=2, says=("--frames", "0-4x"))
        self.sequence("--focus", "0:2.5m", "2:80%", code=2, says=("keys of one unit", "2:80%"))


class Doubts(Values):
    """Warnings, which --quiet does not silence, and which JSON holds."""

    def warned(self, *words):
        warnings = json.loads(self.succeed(*words, "--quiet", "--json").stdout)["warnings"]
        stderr = self.succeed(*words, "--quiet").stderr
        self.assertEqual(stderr, "".join(f"scanlens: warning: {line}\n" for line in warnings))
        return stderr

    def test_focus_far_outside_of_the_map(self):
        for focus, says in (("1200", "2.1 to 4.99"), ("1200", "is 1200 in millimetres? write 1200mm"),
                            ("250", "is 250 in centimetres? write 250cm"), ("16", "--focus 16 m lies far outside"),
                            ("0.1", "--focus 0.1 m lies far outside")):
            self.assertIn(says, self.warned(*DOF, "--focus", focus))
        self.assertNotIn("millimetres?", self.warned(*DOF, "--focus", "1200m"))
        for focus in ("1", "2.5", "14", "inf", "1200mm"):
            self.assertEqual(self.warned(*DOF, "--focus", focus), "")
        self.refuse(*DOF, "--focus", "1200", "--strict", says=("--strict", "1200mm"))

    def test_blur_that_nobody_sees(self):
        for words in (("--focal-length", "0.05"), ("--f-number", "1400"), ("--focal-length", "6.8", "--sensor-width", "9.8")):
            said = self.warned(*DOF, *words)
            self.assertIn("the blur is hardly visible", said)
            self.assertIn("--blur 2%", said)
        self.assertIn("is 0.05 in metres? write 0.05m", self.warned(*DOF, "--focal-length", "0.05"))
        self.assertIn("f/1400", self.warned(*DOF, "--f-number", "1400"))
        self.assertIn("--blur 0 blurs nothing", self.warned(*DOF, "--blur", "0"))
        for words in ((), ("--f-number", "inf"), ("--blur", "1")):
            self.assertEqual(self.warned(*DOF, *words), "")
        self.assertIn("for that share of the width write 2%", self.warned(*RELATIVE, "--blur", "0.02"))

    def test_percent_of_relative_depth(self):
        self.refuse(*RELATIVE, "--focus", "80", code=2, says=("--focus lies between 0", "for percent write 80%"))

    def test_the_viewer_warns_too(self):
        require_opengl()
        said = self.succeed("view", "photo.png", "--depth", "metric.png", "--focus", "1200", "--screenshot", "out.png").stderr
        self.assertIn("write 1200mm", said)

    def test_shares_where_pixels_are_meant(self):
        for place, meant in (("0.5,0.5", "50%,50%"), ("0.25,1", "25%,100%"), ("0,0.5", "0%,50%")):
            self.refuse(*DOF, "--focus-at", place, code=2, says=("--focus-at takes pixels", f"write {meant}"))
        for place in ("0,0", "1,1", "0,1", "1.5,0.5"):
            self.made(*DOF, "--focus-at", place)

    def test_codes_where_shares_are_meant(self):
        for where in ("luma > 230", "not luma <= 230", "230 < luma", "x > 3 and luma > 230"):
            self.refuse(*STATS, "--where", where, code=2, says=("photo.png", "luma goes from 0 to 1; write 230/255"))
        self.refuse(*STATS, "--where", "red == 128", code=2, says=("red goes from 0 to 1; write 128/255",))
        self.refuse(*STATS, "--where", "mask > 128", "--mask", "relative.png", code=2, says=("mask goes from 0 to 1",))
        write_png(self.folder / "deep.png", 20, 20, 1, 16, range(400))
        self.refuse("stats", "deep.png", "--where", "luma > 300", code=2, says=("write 300/65535",))
        for where in ("luma > 230/255", "luma <= 1", "luma < inf", "x > 230"):
            self.succeed(*STATS, "--where", where)

    def test_depth_of_another_unit(self):
        self.refuse(*STATS, "--depth", "relative.png", "--where", "depth < 2.5", code=2,
                    says=("depth with 2.5", "no unit", "--depth-scale"))
        self.assertIn("write 2500mm", self.warned(*STATS, "--depth", "metric.png", "--where", "depth < 2500"))
        self.assertEqual(self.warned(*STATS, "--depth", "metric.png", "--where", "depth < 2.5 and depth > 0"), "")


if __name__ == "__main__":
    unittest.main()
