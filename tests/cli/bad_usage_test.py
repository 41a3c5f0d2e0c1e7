#!/usr/bin/env python3
"""Command lines that make no sense: exit code 2, a message that names the culprit, and nothing done."""
import random
import unittest

from support import CommandCase, has_cuda, require_opengl, write_png

WIDTH, HEIGHT = 40, 30
DOF = ("dof", "photo.png", "--depth", "relative.png", "-o", "out.png")
RENDER = ("render", "teapot", "-o", "out.png", "--size", "16x16")
COMPARE = ("compare", "photo.png")
COMMANDS = (DOF, RENDER, COMPARE, ("view", "photo.png"), ("info",))  # each would work


class BadUsage(CommandCase):
    def test_unknown_option_before_its_value_is_taken_for_something_else(self):
        self.refuse("render", "--renderer", "opengl", "teapot", "-o", "t.png", code=2,
                    says=("render has no option --renderer",))

    def setUp(self):
        super().setUp()
        noise = random.Random(3)
        write_png(self.folder / "photo.png", WIDTH, HEIGHT, 3, 8, [noise.randrange(256) for _ in range(WIDTH * HEIGHT * 3)])
        row = range(WIDTH)
        write_png(self.folder / "relative.png", WIDTH, HEIGHT, 1, 8, [6 * x for _ in range(HEIGHT) for x in row])
        write_png(self.folder / "metric.png", WIDTH, HEIGHT, 1, 16, [1000 + 100 * x for _ in range(HEIGHT) for x in row])

    def refuse_dof(self, depth, options, *says, code=2):
        with self.subTest(depth=depth, options=options):
            self.refuse_twice("dof", "photo.png", "--depth", depth, "-o", "out.png", *options.split(), output="out.png",
                              code=code, says=says)

    def refuse_render(self, options, *says, code=2):
        with self.subTest(options=options):
            self.refuse("render", "teapot", "-o", "out.png", "--size", "64x40", *options.split(), code=code, says=says)
        (self.folder / "out.png").unlink(missing_ok=True)


class Words(BadUsage):
    def test_unknown_command(self):
        self.refuse("xyzzy", code=2, says=("'xyzzy'", "--help"))
        self.refuse("--quiet", code=2, says=("--quiet", "required"))

    def test_unknown_option(self):
        for command in COMMANDS:
            self.refuse(*command, "--sharpen", code=2, says=("--sharpen",))
            self.refuse(*command, "--sharpen=3", code=2, says=("--sharpen",))

    def test_superfluous_argument(self):
        for command in COMMANDS:
            if command[0] != "view":  # which takes many
                self.refuse(*command, "second.png", code=2, says=("second.png",))

    def test_missing_arguments(self):
        for command, missing in ((("dof",), "IMAGE"), (("dof", "photo.png", "--depth", "relative.png"), "--output"),
                                 (("depth",), "DEPTH"), (("render",), "SCENE"),
                                 (("render", "teapot"), "--output"), (("compare",), "IMAGE")):
            self.refuse(*command, code=2, says=(missing, "required"))
        self.refuse("dof", "photo.png", "-o", "out.png", code=2, says=("photo.png", "no depth map", "--depth FILE"))

    def test_unknown_words(self):
        self.refuse("render", "cow", "-o", "out.png", code=2, says=("cow", "teapot"))
        self.refuse_dof("metric.png", "--renderer paint", "--renderer", "paint", "compute", "gl")
        self.refuse_dof("metric.png", "--depth-kind far", "--depth-kind", "far", "depth", "disparity", "inverse")

    def test_option_without_its_value(self):
        for option in ("--focus", "--blur", "--quality", "--device", "--focus-at", "--depth-kind", "--max-memory"):
            self.refuse_dof("metric.png", option, f"{option} needs a value")
            self.refuse_dof("metric.png", f"{option} --quiet", f"{option} needs a value")
        self.refuse("dof", "photo.png", "--depth", "relative.png", "-o", "--quiet", code=2, says=("--output needs a value",))


    def test_each_complaint_is_one_sentence(self):
        for words in ("blur", "--bogus", "dof", "dof photo.png", "dof --focus", "render cow -o out.png", "info --jsn"):
            with self.subTest(words=words):
                lines = self.refuse(*words.split(), code=2).stderr.splitlines()
                self.assertEqual(len(lines), 1)

    def test_mistyped_words(self):
        for words, meant in (("dpf photo.png", "dof"), ("DOF photo.png", "dof"), ("rendr teapot", "render"),
                             ("dof photo.png --fcous 0.5", "--focus"), ("dof photo.png --dpeth relative.png", "--depth"),
                             ("dof --ouput=out.png", "--output"), ("info --jsno", "--json"),
                             ("--devcie cpu info", "--device"), ("render teapto -o out.png", "teapot"),
                             ("dof photo.png --renderer compte", "compute"), ("bench sacn", "scan"),
                             ("dof photo.png --depth-kind disparty", "disparity")):
            with self.subTest(words=words):
                self.refuse(*words.split(), code=2, says=(f"did you mean {meant}?",))
        for words in ("xyzzy", "dof --bogus", "--bogus", "bench qqq", "dof photo.png --renderer opengl"):
            with self.subTest(words=words):
                self.assertNotIn("did you mean", self.refuse(*words.split(), code=2).stderr)

    def test_values_are_named_and_nothing_internal_is(self):
        for renderer in ("opengl", "1", "0", "GL", ""):
            done = self.refuse(*DOF, "--renderer", renderer, code=2, says=(f"compute or gl, not '{renderer}'",))
            self.assertNotIn("->", done.stderr)
        self.refuse_dof("metric.png", "--depth-kind 1", "depth, disparity or inverse, not '1'")


    def test_flags_take_no_value(self):
        for words in ((*DOF, "--quiet=3"), (*DOF, "--json=true"), ("--quiet=3", *DOF), ("--help=dof",), ("info", "--json=1"),
                      ("--version=2",), (*DOF, "--invert="), (*DOF, "--help=3")):
            with self.subTest(words=words):
                self.refuse(*words, code=2, says=("takes no value",))


class BeforeTheCommand(BadUsage):
    """Options that commands share are honoured there; the others are refused by name."""

    def test_device(self):
        done = self.succeed("--device", "cpu", *DOF)
        self.assertIn("device: cpu", done.stderr)
        self.refuse("--device", "nonsense", *DOF, code=2, says=("'nonsense'",))
        self.refuse("--device=nonsense", *DOF, code=2, says=("'nonsense'",))
        self.refuse("--device", "cpu", *DOF, "--device", "cpu", code=2, says=("--device", "more than once"))

    def test_quiet(self):
        self.assertEqual(self.succeed("--quiet", *DOF).stderr, "")
        self.assertEqual(self.succeed("--device", "cpu", "--quiet", *DOF).stderr, "")

    def test_limits(self):
        self.refuse("--max-pixels", "100", *DOF, "--quiet", says=("photo.png", "--max-pixels"))
        self.refuse("--max-memory=1000", "--quiet", *DOF, code=75, says=("photo.png", "--max-memory"))

    def test_others_are_refused(self):
        self.refuse("--bogus", *DOF, code=2, says=("--bogus",))
        self.refuse("--focus", "0.5", *DOF, code=2, says=("--focus", "must follow the command", "dof"))
        self.refuse("--json", *COMPARE, code=2, says=("--json", "must follow the command"))
        self.refuse("-o", "out.png", *DOF[:-2], code=2, says=("-o", "must follow the command"))
        self.refuse("--device", code=2, says=("--device", "value"))
        self.refuse("--max-pixels", "100", "info", code=2, says=("info", "--max-pixels"))

    def test_any_order_behind_it(self):
        self.succeed("dof", "--quiet", "-o", "out.png", "--depth", "relative.png", "--focus", "0.5", "photo.png")
        self.assertIn("Example:", self.succeed("--quiet", "dof", "--help").stdout)
        self.assertIn("--depth", self.succeed("--help", "dof").stdout)


class Device(BadUsage):
    def test_unknown_device(self):
        for device in ("nonsense", "CPU", "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:0x", "cpu:0"):
            for command in (DOF, COMPARE, RENDER):
                with self.subTest(command=command[0], device=device):
                    self.refuse(*command, "--device", device, code=2, says=(f"'{device}'",))

    def test_absent_cuda_is_no_silent_fallback(self):
        if has_cuda():
            self.skipTest("this machine has a CUDA device")
        for device in ("cuda", "cuda:0", "cuda:7"):
            for command in (DOF, COMPARE, RENDER):
                self.refuse(*command, "--device", device, code=1, says=(f"'{device}'", "not available"))


class Numbers(BadUsage):
    def test_not_a_number(self):
        for option in ("--focus", "--f-number", "--focal-length", "--sensor-width", "--depth-scale"):
            for value in ("nan", "-1", "0", "-inf", "-nan"):
                self.refuse_dof("metric.png", f"{option} {value}", "positive")
            for value in ("abc", "1x", "1,5", "0x"):
                self.refuse_dof("metric.png", f"{option} {value}", option, value)

    def test_infinite(self):
        """An infinite f-number is a pinhole and an infinite focus the horizon; the others mean nothing."""
        for option in ("--focal-length", "--sensor-width", "--depth-scale", "--blur"):
            self.refuse_dof("metric.png", f"{option} inf")
        self.refuse_dof("metric.png", "--depth-kind disparity --depth-scale 1 --depth-offset inf", "--depth-offset")
        self.refuse_dof("metric.png", "--depth-kind disparity --depth-scale 1 --depth-offset nan", "--depth-offset")

    def test_focus_nearer_than_the_focal_length(self):
        self.refuse_dof("metric.png", "--focus 0.05", "50 mm", "0.05 m")
        self.refuse_dof("metric.png", "--focal-length 2000 --focus 1.5", "2000 mm", "1.5 m")

    def test_relative_focus_and_blur(self):
        for value in ("-0.1", "nan", "-inf"):
            self.refuse_dof("relative.png", f"--focus {value}", "or 0 to 1 where depth has no unit", f"not '{value}'")
        for value in ("1.5", "inf"):
            self.refuse_dof("relative.png", f"--focus {value}", "--focus lies between 0 (farthest) and 1", value,
                            "--depth-scale")
        for value in ("wide", "3m", "%", "5%%", "-1%", "101%", "100.001%", "nan%", "inf%", "3px%", "5%5"):
            for depth in ("metric.png", "relative.png"):
                self.refuse("dof", "photo.png", "--depth", depth, "-o", "out.png", "--blur", value, code=2,
                            says=("--blur takes a number of pixels from 0 to 30000, or percent of the width from 0% to 100%", f"not '{value}'"))
        self.refuse_dof("metric.png", "--focus near", "--focus takes a positive number of metres", "not 'near'")
        for value in ("-1", "nan", "inf", "30001", "1e30"):
            self.refuse_dof("relative.png", f"--blur {value}", "blur")
            self.refuse_dof("metric.png", f"--blur {value}", "blur")

    def test_focus_at_outside_the_picture(self):
        for point in ("40,0", "0,30", "-1,3", "3,-0.5", "1e30,0"):
            self.refuse_dof("metric.png", f"--focus-at {point}", "--focus-at", "outside", "40 x 30")
        for point in ("3", "3,4,5", "a,b", "3,", ",3", "nan,3", "3,inf"):
            self.refuse_dof("metric.png", f"--focus-at {point}",
                            f"--focus-at takes two numbers, as in 420,310 or 50%,50%, not '{point.strip(',')}'")

    def test_quality(self):
        for quality in ("0", "101", "-5", "9.5", "nan", "high", "99999999999999999999"):
            self.refuse_dof("metric.png", f"--quality {quality}", "--quality", quality)
            self.refuse_render(f"--quality {quality}", "--quality", quality)

    def test_limits(self):
        for command in (DOF, COMPARE, RENDER):
            for option in ("--max-pixels", "--max-memory"):
                for value in ("-1", "-1MB", "nan", "lots", "1.5.5"):
                    with self.subTest(command=command[0], option=option, value=value):
                        self.refuse(*command, option, value, code=2, says=(option,))
                    (self.folder / "out.png").unlink(missing_ok=True)
            for option in ("--max-pixels", "--max-memory"):
                done = self.refuse(*command, option, "0", code=2, says=(option, "1.5G", "not '0'"))
                self.assertLess(len(done.stderr), 200)

    def test_counts_with_units(self):
        for value in ("1e6", "1.5GB", "1.5gb", "1500000", "8GiB", "8gi", "500M", "2 MB", "1MIB", "1e18", "99999999999999999999"):
            with self.subTest(memory=value):
                self.succeed(*DOF, "--max-memory", value)
        for value in ("1200", "1.2k", "1.2e3", "1M", "1Mpx", "1MP", "1.5 Gpx", "9223372036854775807"):
            with self.subTest(pixels=value):
                self.succeed("compare", "photo.png", "--device", "cpu", "--max-pixels", value)
        for value in ("1199", "1.1k", "0.1kpx"):
            with self.subTest(pixels=value):
                self.refuse("compare", "photo.png", "--max-pixels", value, says=("photo.png", "--max-pixels"))
        for value in ("1000", "1k", "1KB", "0.9KiB"):
            with self.subTest(memory=value):
                self.refuse("compare", "photo.png", "--max-memory", value, code=75, says=("--max-memory",))
        for value in ("1.5XB", "GB", "1e", "1G B", "5%", "inf", "1e400", "0.4", "1kk", "1px"):
            with self.subTest(memory=value):
                self.refuse("compare", "photo.png", "--max-memory", value, code=2, says=("--max-memory", f"not '{value}'", "GiB"))


class Combinations(BadUsage):
    def test_lens_without_units(self):
        for option in ("--focal-length 85", "--f-number 2", "--sensor-width 24"):
            self.refuse_dof("relative.png", option, "no unit", "--blur", "--depth-scale")

    def test_blur_and_lens(self):
        for depth in ("relative.png", "metric.png"):
            for option in ("--focal-length 85", "--f-number 2", "--sensor-width 24"):
                self.refuse_dof(depth, f"--blur 5 {option}", "--blur", "cannot be used with")
        self.refuse_render("--blur 5 --f-number 2", "--blur", "cannot be used with")

    def test_two_focuses(self):
        self.refuse_dof("relative.png", "--focus 0.5 --focus-at 3,4", "--focus", "--focus-at")

    def test_depth_conventions(self):
        self.refuse_dof("relative.png", "--depth-kind depth", "relative.png", "--depth-scale")
        self.refuse_dof("relative.png", "--depth-offset 3", "--depth-offset", "disparity")
        self.refuse_dof("metric.png", "--depth-offset 3", "--depth-offset", "disparity")
        self.refuse_dof("metric.png", "--invert", "--invert", "relative")

    def test_an_option_twice(self):
        self.refuse_dof("metric.png", "--focus 1 --focus 2", "--focus")
        self.refuse_dof("metric.png", "-o other.png", "--output")


class Rendering(BadUsage):
    @classmethod
    def setUpClass(cls):
        require_opengl()  # the scene is drawn before its depth meets the lens

    def test_size(self):
        for size in ("0x5", "5x0", "-3x5", "5x-3", "5", "5x", "x5", "5x5x", "5x5x5", "abc", "1e2x5", "5.5x5", "5*5", ""):
            with self.subTest(size=size):
                self.refuse("render", "teapot", "-o", "out.png", "--size", size, code=2, says=("--size", "1280x800"))

    def test_huge_size(self):
        for size in ("99999x99999", "2147483647x2147483647", "2147483648x2", "4294967297x4", "4x4294967297", "100000x1",
                     "1x100000", "99999999999999999999x1"):
            with self.subTest(size=size):
                self.refuse("render", "teapot", "-o", "out.png", "--size", size, code=2)
            (self.folder / "out.png").unlink(missing_ok=True)

    def test_more_than_max_pixels(self):
        self.refuse_render("--max-pixels 2559", "64x40", "--max-pixels")

    def test_lens(self):
        for option in ("--focus", "--f-number", "--focal-length", "--sensor-width"):
            for value in ("nan", "-1"):
                self.refuse_render(f"{option} {value}", value)
        for option in ("--focal-length", "--sensor-width"):
            self.refuse_render(f"{option} inf", "inf")
        self.refuse_render("--focal-length 2000", "2000 mm", "1.5 m")
        self.refuse_render("--focus-at 64,0", "--focus-at", "64 x 40")
        for value in ("nan", "-1", "inf"):
            self.refuse_render(f"--blur {value}", "blur", value)

    def test_camera(self):
        for option in ("--azimuth", "--elevation", "--distance"):
            for value in ("nan", "inf", "-inf", "abc"):
                self.refuse_render(f"{option} {value}", option)
        for wrong in ("--elevation 0", "--elevation 90", "--elevation -10", "--distance 0", "--distance -1",
                      "--distance 1000"):
            self.refuse_render(wrong, wrong.split()[0])
        for wrong in ("1,2", "1,2,3,4", "1,2,3,", ",1,2", "1;2;3", "a,b,c", "nan,0,0", "0,inf,0", "0,-0.1,0", "0,20.1,0",
                      "-21,0,0", "0,0,21"):
            self.refuse_render(f"--target {wrong}", "--target", "X,Y,Z", wrong)

    def test_time(self):
        for wrong in ("-1", "86401", "nan", "inf", "soon"):
            self.refuse_render(f"--time {wrong}", "--time", wrong)

    def test_reference(self):
        for samples in ("0", "-1", "1.5", "100001", "many"):
            self.refuse_render(f"--reference {samples}", "--reference", samples)


if __name__ == "__main__":
    unittest.main()
