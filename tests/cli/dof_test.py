#!/usr/bin/env python3
"""`dof`: what becomes of the picture, and of the file that it is written to."""
import math
import os
import random
import statistics
import struct
import unittest

from support import (CommandCase, differences, facts, jpeg_bytes, jpeg_shape, png_size, read_png, require_opengl, write_pfm,
                     write_png)

WIDTH, HEIGHT = 48, 32
LEFT, RIGHT = (0, 0, 24, 32), (30, 0, 48, 32)  # the halves of `halves`, away from their border


def noise(seed, count, bits=8):
    source = random.Random(seed)
    return [source.randrange(1 << bits) for _ in range(count)]


def halves(left, right):
    return [left if x < WIDTH // 2 else right for _ in range(HEIGHT) for x in range(WIDTH)]


class Dof(CommandCase):
    def setUp(self):
        super().setUp()
        self.photo = write_png(self.folder / "photo.png", WIDTH, HEIGHT, 3, 8, noise(1, WIDTH * HEIGHT * 3))
        write_png(self.folder / "relative.png", WIDTH, HEIGHT, 1, 8, halves(255, 0))  # near, far
        write_png(self.folder / "metric.png", WIDTH, HEIGHT, 1, 16, halves(1000, 4000))  # millimetres

    def dof(self, *options, photo="photo.png", depth="relative.png", output="out.png", **settings):
        done = self.succeed("dof", photo, "--depth", depth, "-o", output, *options, **settings)
        self.assertEqual(done.stdout, "", "standard output is for data")
        return done

    def blurred(self, *options, **settings):
        self.dof(*options, **settings)
        return read_png(self.folder / settings.get("output", "out.png"))

    def assert_sharp(self, picture, area, original=None):
        for c in range(picture.channels):
            self.assertEqual(picture.channel(c, *area), (original or self.photo).channel(c, *area), f"channel {c} is copied")

    def assert_blurred(self, picture, area, original=None):
        for c in range(picture.channels):
            before = statistics.pstdev((original or self.photo).channel(c, *area))
            self.assertLess(statistics.pstdev(picture.channel(c, *area)), before * 0.4, f"channel {c} is smooth")


class Pictures(Dof):
    def test_every_kind_of_png(self):
        for bits in (8, 16):
            for channels in (1, 3, 4):
                photo = write_png(self.folder / "in.png", WIDTH, HEIGHT, channels, bits,
                                  noise(bits + channels, WIDTH * HEIGHT * channels, bits))
                for depth, options in (("relative.png", ("--focus", "1", "--blur", "6")),
                                       ("metric.png", ("--focus", "1", "--focal-length", "200"))):
                    with self.subTest(bits=bits, channels=channels, depth=depth):
                        result = self.blurred(*options, photo="in.png", depth=depth)
                        self.assertEqual(result.shape, photo.shape)
                        self.assert_sharp(result, LEFT, photo)
                        self.assert_blurred(result, RIGHT, photo)

    def test_looks_of_lenses(self):
        write_png(self.folder / "in.png", WIDTH, HEIGHT, 3, 8, noise(3, WIDTH * HEIGHT * 3, 8))
        of = [self.blurred("--focus", "1", "--blur", "9", *words, photo="in.png", depth="relative.png").samples.tobytes()
              for words in ((), ("--lens-look", "helios-44"), ("--cats-eye", "0.7", "--swirl", "0.8"),
                            ("--swirl", "0", "--lens-look", "helios-44"), ("--cats-eye", "0.7"))]
        self.assertEqual(of[1], of[2])
        self.assertEqual(of[3], of[4], "what is given counts, wherever it stands")
        self.assertEqual(len(set(of)), 3)
        for words, complaint in ((("--lens-look", "leica"), "helios-44"), (("--roundness", "0.5"), "--blades"),
                                 (("--cats-eye", "1", "--quality", "draft"), "has no effect"),
                                 (("--lens-look", "petzval", "--quality", "draft"), "has no effect")):
            self.refuse("dof", "in.png", "--depth", "relative.png", "--focus", "1", "--blur", "9", "-o", "out.png", *words, code=2, says=(complaint,))

    def test_looks_before_and_after_the_blur(self):
        lamp = [value for y in range(HEIGHT) for x in range(WIDTH) for value in
                {0: (255, 255, 255), 1: (255, 255, 255), 2: (210, 180, 150)}.get(max(abs(x - 38), abs(y - 16)), (30, 30, 30))]
        write_png(self.folder / "in.png", WIDTH, HEIGHT, 3, 8, lamp)
        write_png(self.folder / "heart.png", 8, 8, 1, 8, bytes(255 * (2 < i % 8 < 6) for i in range(64)))
        at = ("--focus", "1", "--blur", "12")
        plain = self.blurred(*at, photo="in.png", depth="relative.png").samples.tobytes()
        for words in (("--recover", "1"), ("--fringe", "2"), ("--fringe", "-4%"), ("--edge-fringe", "3px"),
                      ("--bokeh-picture", "heart.png"), ("--highlights", "3", "--highlights-from", "0.5"), ("--tilt", "0.5"),
                      ("--swing", "-0.5")):
            made = self.blurred(*at, *words, photo="in.png", depth="relative.png").samples.tobytes()
            self.assertTrue(made != plain, words)
        write_png(self.folder / "in.png", WIDTH, HEIGHT, 3, 8, noise(3, WIDTH * HEIGHT * 3, 8))
        self.assertIn("too little is sharp", self.dof(*at, "--grain", "1", photo="in.png", depth="relative.png").stderr)
        made = self.blurred("--focus-plane", "10%,10%,40%,90%,20%,50%", "--blur", "12", photo="in.png", depth="relative.png")
        self.assertNotEqual(made.samples.tobytes(), plain)
        for words, complaint in ((("--focus-plane", "1,2,3,4"), "takes six numbers"),
                                 (("--focus-plane", "1,1,2,2,3,3"), "lie on a line"),
                                 (("--focus-plane", "1,1,9,1,5,9", "--tilt", "1"), "--tilt"),
                                 (("--bokeh-picture", "heart.png", "--blades", "6"), "leave out --blades"),
                                 (("--fringe", "9"), "-8 to 8")):
            self.refuse("dof", "in.png", "--depth", "relative.png", "--blur", "9", "-o", "out.png", *words, code=2, says=(complaint,))

    def test_jpeg_in_and_out(self):
        (self.folder / "grey.jpg").write_bytes(jpeg_bytes(WIDTH, HEIGHT, 77))
        result = self.blurred(photo="grey.jpg")
        self.assertEqual(result.shape, (WIDTH, HEIGHT, 1, 8))
        self.assertEqual(set(result.samples), {77})
        for photo, channels in (("grey.jpg", 1), ("photo.png", 3)):
            for output in ("out.jpg", "out.jpeg"):
                self.dof(photo=photo, output=output)
                self.assertEqual(jpeg_shape(self.folder / output), (WIDTH, HEIGHT, channels))
        # Back through the program, whose reader the grey picture has vouched for.
        self.dof("--blur", "5", "--focus", "1", output="soft.png")
        self.dof("--blur", "5", "--focus", "1", "--quality", "100", output="soft.jpg")
        back = self.blurred("--blur", "0", photo="soft.jpg", output="back.png")
        self.assertLess(statistics.mean(differences(back, read_png(self.folder / "soft.png"))), 1.5)

    def test_quality(self):
        sizes = []
        for quality in ("1", "30", "95", "100"):
            self.dof("--quality", quality, output="out.jpg")
            sizes.append((self.folder / "out.jpg").stat().st_size)
        self.assertEqual(sizes, sorted(set(sizes)))

    def test_without_aperture_nothing_changes(self):
        for bits in (8, 16):
            for channels in (1, 3, 4):
                photo = write_png(self.folder / "in.png", WIDTH, HEIGHT, channels, bits,
                                  noise(bits + channels, WIDTH * HEIGHT * channels, bits))
                self.assertEqual(self.blurred("--f-number", "inf", photo="in.png", depth="metric.png"), photo)
                self.assertEqual(self.blurred("--blur", "0", photo="in.png", depth="relative.png"), photo)

    def test_constant_stays_constant(self):
        for bits, color in ((8, (17, 130, 250)), (16, (1700, 33000, 64999)), (8, (200,)), (8, (17, 130, 250, 99))):
            with self.subTest(bits=bits, color=color):
                photo = write_png(self.folder / "in.png", WIDTH, HEIGHT, len(color), bits, list(color) * (WIDTH * HEIGHT))
                self.assertEqual(self.blurred("--focus", "1", "--blur", "9", photo="in.png"), photo)

    def test_impulse_becomes_a_centred_box(self):
        """Of the area of the disc: radius 5 / sqrt(pi) makes a box of 5 x 5, in linear light."""
        side, middle, reach = 21, (9, 12), 2
        write_png(self.folder / "far.png", 8, 8, 1, 8, bytes(64))
        blur = str((2 * reach + 1) / math.sqrt(math.pi))
        for bits in (8, 16):
            full = (1 << bits) - 1
            dot = [full if (x, y) == middle else 0 for y in range(side) for x in range(side)]
            write_png(self.folder / "dot.png", side, side, 1, bits, dot)
            for renderer in ("compute", "gl"):
                with self.subTest(bits=bits, renderer=renderer):
                    if renderer == "gl":
                        require_opengl()
                    result = self.blurred("--focus", "1", "--blur", blur, "--renderer", renderer, "--quality", "draft",
                                          photo="dot.png", depth="far.png")
                    expected = full * (1.055 * (1 / 25) ** (1 / 2.4) - 0.055)
                    for y in range(side):
                        for x in range(side):
                            inside = max(abs(x - middle[0]), abs(y - middle[1])) <= reach
                            if inside:
                                self.assertAlmostEqual(result.pixel(x, y)[0], expected, delta=full / 255, msg=(x, y))
                            else:
                                self.assertEqual(result.pixel(x, y)[0], 0, (x, y))


class FloatMaps(Dof):
    """A PFM is light as a picture and depth as a map: its role decides."""

    def write_color(self, name, pixels, order="<"):
        rows = [pixels[y * WIDTH * 3 : (y + 1) * WIDTH * 3] for y in reversed(range(HEIGHT))]
        header = f"PF\n{WIDTH} {HEIGHT}\n{'-1.0' if order == '<' else '1.0'}\n".encode()
        (self.folder / name).write_bytes(header + b"".join(struct.pack(f"{order}{WIDTH * 3}f", *row) for row in rows))

    def test_pictures(self):
        light = [i / 100 for i in range(WIDTH * HEIGHT * 3)]  # highlights, too
        self.write_color("color.pfm", light)
        self.write_color("big.pfm", light, ">")
        self.dof("--blur", "0", photo="color.pfm", output="out.pfm")
        self.assertEqual((self.folder / "out.pfm").read_bytes(), (self.folder / "color.pfm").read_bytes())
        self.dof("--blur", "0", photo="big.pfm", output="out.pfm")
        self.assertEqual((self.folder / "out.pfm").read_bytes(), (self.folder / "color.pfm").read_bytes())
        write_pfm(self.folder / "grey.pfm", WIDTH, HEIGHT, halves(0.25, 4.0))
        self.dof("--blur", "0", photo="grey.pfm", output="out.pfm")
        self.assertEqual((self.folder / "out.pfm").read_bytes(), (self.folder / "grey.pfm").read_bytes())
        done = self.dof("--blur", "3", photo="color.pfm", depth="grey.pfm")
        self.assertIn(f"color.pfm: {WIDTH} x {HEIGHT} RGB, 32-bit float", done.stderr)
        self.refuse("dof", "photo.png", "--depth", "color.pfm", "-o", "out2.png", says=("color.pfm", "not a depth map"))

    def test_what_is_no_light(self):
        write_pfm(self.folder / "grey.pfm", WIDTH, HEIGHT, [math.nan, -1.0, math.inf] + [0.5] * (WIDTH * HEIGHT - 3))
        done = self.dof("--blur", "0", photo="grey.pfm", output="out.pfm")
        self.assertIn("grey.pfm: 1 samples are not numbers", done.stderr)


class DepthMaps(Dof):
    def test_focus_at(self):
        near = self.blurred("--focus-at", "3,5", "--blur", "6")
        self.assert_sharp(near, LEFT)
        self.assert_blurred(near, RIGHT)
        far = self.blurred("--focus-at", "44,5", "--blur", "6")
        self.assert_blurred(far, (0, 0, 18, 32))
        self.assert_sharp(far, (32, 0, 48, 32))  # what is near and blurred reaches over 24 .. 31
        self.assertNotEqual(far.channel(0, 24, 0, 27, 32), self.photo.channel(0, 24, 0, 27, 32))

    def test_blur_in_percent_of_the_width(self):
        for depth in ("relative.png", "metric.png"):
            expected = self.blurred("--focus", "1", "--blur", "6", depth=depth, output="a.png")
            self.assertEqual(self.blurred("--focus", "1", "--blur", "12.5%", depth=depth), expected)

    def test_invert(self):
        result = self.blurred("--focus", "1", "--blur", "6", "--invert")
        self.assert_blurred(result, (0, 0, 18, 32))
        self.assert_sharp(result, (32, 0, 48, 32))

    def test_a_zone_in_focus(self):
        """What lies in it stays as it is; beyond it blur grows from nothing; --blur stays the largest."""
        usual = self.blurred("--focus", "1", "--blur", "6")
        self.assertEqual(self.blurred("--focus", "1", "--blur", "6", "--in-focus", "0"), usual)
        self.assertEqual(self.blurred("--focus", "0.9", "--blur", "6", "--in-focus", "20%"), usual, "the far half reaches the same blur")
        self.assertEqual(self.blurred("--focus", "0.5", "--blur", "6", "--in-focus", "1"), self.photo, "all is in it")
        whole = self.blurred("--focus", "1m", "--f-number", "1.2", depth="metric.png")
        wide = self.blurred("--focus", "1m", "--f-number", "1.2", "--in-focus", "3m", depth="metric.png")
        self.assertNotEqual(wide, whole)
        self.assert_sharp(wide, LEFT)
        self.assertEqual(self.blurred("--focus", "1m", "--f-number", "1.2", "--in-focus", "600cm", depth="metric.png"), self.photo)
        for width, says in (("2m", "this depth has no unit"), ("1.5", "--in-focus lies between 0 and 1"), ("-1", "--in-focus takes")):
            self.refuse("dof", "photo.png", "--depth", "relative.png", "-o", "no.png", "--in-focus", width, code=2, says=(says,))
        self.assertIn("sharp from 0.75 to 0.25;", self.dof("--focus", "0.5", "--in-focus", "0.5").stderr)
        self.assertIn("sharp from 1 to 3 m;", self.dof("--focus", "2", "--in-focus", "2m", depth="metric.png").stderr)
        self.assertIn("nothing is blurred", self.dof("--focus", "0.5", "--in-focus", "1", "--quiet").stderr)
        self.refuse("render", "teapot", "-o", "no.png", "--reference", "4", "--in-focus", "1", code=2, says=("--in-focus", "--reference"))
        self.refuse("dof", "photo.png", "--depth", "metric.png", "-o", "no.png", "--in-focus", "20%", code=2, says=("--in-focus is a distance in metres",))

    def test_every_look(self):
        """Each option changes the picture, says nothing with drafts, and leaves what is in focus alone."""
        usual = self.blurred("--focus", "1", "--blur", "6")
        self.assertEqual(self.blurred("--focus", "1", "--blur", "6", "--quality", "good"), usual)
        for look in (("--quality", "best"), ("--bokeh", "hexagon"), ("--bokeh", "box"), ("--anamorphic", "2"), ("--far", "0.5"),
                     ("--highlights", "3")):
            with self.subTest(look=look):
                picture = self.blurred("--focus", "1", "--blur", "6", *look)
                self.assertNotEqual(picture, usual)
                self.assert_sharp(picture, LEFT)
                if look[0] != "--quality":
                    self.refuse("dof", "photo.png", "--depth", "relative.png", "-o", "no.png", "--quality", "draft", *look,
                                code=2, says=(look[0], "draft"))
        self.assertEqual(self.blurred("--focus", "1", "--blur", "6", "--near", "3"), usual)
        self.refuse("dof", "photo.png", "--depth", "relative.png", "-o", "no.png", "--quality", "finest", code=2,
                    says=("--quality", "draft, good or best", "finest"))

    def test_quality_is_of_the_blur_and_of_the_file(self):
        sizes = []
        for quality in ("20", "90"):
            self.dof("--quality", quality, "--quality", "draft", output="out.jpg")
            sizes.append((self.folder / "out.jpg").stat().st_size)
        self.assertLess(sizes[0] * 2, sizes[1])

    def test_the_same_lens_from_depth_and_disparity(self):
        lens = ("--focus", "1", "--focal-length", "200", "--f-number", "4")
        expected = self.blurred(*lens, depth="metric.png", output="a.png")
        write_png(self.folder / "disparity.png", WIDTH, HEIGHT, 1, 8, halves(200, 50))  # 200 steps are 1 / metre
        result = self.blurred(*lens, "--depth-kind", "disparity", "--depth-scale", "0.005", depth="disparity.png")
        self.assertEqual(result, expected)
        write_pfm(self.folder / "metres.pfm", WIDTH, HEIGHT, halves(1.0, 4.0))
        self.assertEqual(self.blurred(*lens, "--depth-kind", "depth", depth="metres.pfm"), expected)

    def test_rows_of_a_pfm_begin_at_the_bottom(self):
        write_pfm(self.folder / "depth.pfm", WIDTH, HEIGHT, [1.0] * (WIDTH * 16) + [0.0] * (WIDTH * 16))
        result = self.blurred("--focus", "1", "--blur", "6", depth="depth.pfm")
        self.assert_sharp(result, (0, 0, 48, 16))
        self.assert_blurred(result, (0, 20, 48, 32))

    def test_another_size(self):
        write_png(self.folder / "small.png", 12, 8, 1, 8, [255 if x < 6 else 0 for _ in range(8) for x in range(12)])
        write_png(self.folder / "large.png", 96, 64, 1, 8, [255 if x < 48 else 0 for _ in range(64) for x in range(96)])
        for depth, size in (("small.png", "12 x 8"), ("large.png", "96 x 64")):
            done = self.dof("--focus", "1", "--blur", "6", depth=depth)
            self.assertIn(f"{depth}: resampled from {size} to the picture's 48 x 32", done.stderr)
            result = read_png(self.folder / "out.png")
            self.assert_sharp(result, (0, 0, 21, 32))
            self.assert_blurred(result, RIGHT)
        self.assertNotIn("resampled", self.dof().stderr)

    def test_unknown_depth_is_filled(self):
        values = halves(1000, 4000)
        values[5::7] = [0] * len(values[5::7])
        write_png(self.folder / "holes.png", WIDTH, HEIGHT, 1, 16, values)
        done = self.dof("--focus", "1", "--focal-length", "200", depth="holes.png")
        self.assertIn(f"{len(values[5::7])} unknown pixels filled", done.stderr)
        self.assert_sharp(read_png(self.folder / "out.png"), (0, 0, 22, 32))

    def test_the_convention_is_said(self):
        write_pfm(self.folder / "range.pfm", WIDTH, HEIGHT, halves(3.0, 7.0))
        for depth, options, said in (
                ("relative.png", (), ("8-bit PNG", "relative inverse depth", "255")),
                ("relative.png", ("--invert",), ("inverted", "farther")),
                ("relative.png", ("--depth-kind", "depth", "--depth-scale", "0.1"), ("distance", "steps of 0.1 m")),
                ("metric.png", (), ("16-bit PNG", "distance in millimetres")),
                ("metric.png", ("--depth-scale", "1"), ("distance in metres",)),
                ("metric.png", ("--depth-kind", "inverse"), ("relative inverse depth", "65535")),
                ("range.pfm", (), ("PFM", "relative inverse depth", "3 .. 7")),
                ("range.pfm", ("--depth-kind", "depth"), ("PFM", "distance in metres"))):
            with self.subTest(depth=depth, options=options):
                lines = self.dof(*options, depth=depth).stderr.splitlines()
                line = next(line for line in lines if line.startswith(depth + ": "))
                for words in said:
                    self.assertIn(words, line)


class Renderers(Dof):
    def test_gl_agrees_with_compute(self):
        require_opengl()
        ramp = [(5 * x + y) % 256 for y in range(HEIGHT) for x in range(WIDTH)]
        write_png(self.folder / "ramp.png", WIDTH, HEIGHT, 1, 8, ramp)
        for bits in (8, 16):
            for channels in (1, 3, 4):
                with self.subTest(bits=bits, channels=channels):
                    write_png(self.folder / "in.png", WIDTH, HEIGHT, channels, bits,
                              noise(bits + channels, WIDTH * HEIGHT * channels, bits))
                    for quality in ("draft", "good", "best"):
                        results = [self.blurred("--focus", "0.4", "--blur", "8", "--renderer", renderer, "--quality", quality,
                                                photo="in.png", depth="ramp.png", output=renderer + ".png")
                                   for renderer in ("compute", "gl")]
                        self.assertLessEqual(max(differences(*results)), 1, quality)

    def test_gl_leaves_to_compute_what_it_cannot_hold(self):
        require_opengl()
        width = facts()["opengl"]["max_texture_size"] + 1
        write_png(self.folder / "wide.png", width, 2, 1, 8, noise(3, 2 * width))
        write_png(self.folder / "ramp.png", width, 2, 1, 8, [x % 256 for x in range(2 * width)])
        pictures = []
        for renderer in ("compute", "gl"):
            done = self.dof("--focus", "0.4", "--blur", "5", "--renderer", renderer, "--quality", "draft",
                            photo="wide.png", depth="ramp.png")
            self.assertEqual("wide.png: too large for this OpenGL" in done.stderr, renderer == "gl", done.stderr)
            pictures.append((self.folder / "out.png").read_bytes())
        self.assertEqual(*pictures)

    def test_gl_agrees_with_compute_on_light(self):
        """Lamps of 1000 beside what has a thousandth: within 1e-5 of each pixel's light, and copied where it is in focus."""
        require_opengl()
        ramp = [(5 * x + y) % 256 for y in range(HEIGHT) for x in range(WIDTH)]
        write_png(self.folder / "ramp.png", WIDTH, HEIGHT, 1, 8, ramp)
        source = random.Random(5)
        light = [10 ** source.uniform(-3, 3) for _ in range(WIDTH * HEIGHT)]
        write_pfm(self.folder / "light.pfm", WIDTH, HEIGHT, light)
        for quality in ("good", "best"):
            made = {}
            for renderer in ("compute", "gl"):
                self.dof("--focus", "0.4", "--blur", "8", "--quality", quality, "--renderer", renderer, photo="light.pfm",
                         depth="ramp.png", output="out.pfm")
                made[renderer] = self.light_in("out.pfm")
            off = max(abs(a - b) / a for a, b in zip(made["compute"], made["gl"]))
            self.assertLess(off, 1e-5, quality)
            self.assertNotEqual(made["gl"], self.light_in("light.pfm"))
            self.dof("--blur", "0", "--quality", quality, "--renderer", "gl", photo="light.pfm", depth="ramp.png",
                     output="sharp.pfm")
            self.assertEqual(self.light_in("sharp.pfm"), self.light_in("light.pfm"))

    def light_in(self, name):
        """The samples of a grey PFM in the file's order."""
        return struct.unpack(f"<{WIDTH * HEIGHT}f", (self.folder / name).read_bytes()[-4 * WIDTH * HEIGHT :])

    def test_gl_makes_no_drafts_of_light(self):
        header = f"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y {HEIGHT} +X {WIDTH}\n".encode()
        (self.folder / "light.hdr").write_bytes(header + b"\x80\x40\x20\x81" * (WIDTH * HEIGHT))
        result = self.blurred(photo="light.hdr")
        self.assertEqual(result.shape, (WIDTH, HEIGHT, 3, 16))
        self.assertEqual(len(set(result.samples)), 3, "light of one colour stays one colour")
        require_opengl()
        self.refuse("dof", "light.hdr", "--depth", "relative.png", "-o", "gl.png", "--renderer", "gl", "--quality", "draft",
                    code=2, says=("light.hdr: ", "cannot make drafts of float pictures", "--quality good", "--renderer compute"))


class Output(Dof):
    def test_quiet(self):
        self.assertEqual(self.dof("--quiet").stderr, "")
        self.assertIn("out.png: written", self.dof().stderr)

    def test_the_same_bytes_every_time(self):
        files = []
        for _ in range(3):
            self.dof("--blur", "5")
            files.append((self.folder / "out.png").read_bytes())
        self.assertEqual(files, files[:1] * 3)

    def test_names(self):
        names = ["with spaces.png", "Düsseldorf 猫.png", "two\nlines.png", "quote'\".png", os.fsdecode(b"caf\xe9.png")]
        for name in names:
            with self.subTest(name=name):
                photo, depth, output = "photo " + name, "depth " + name, "out " + name
                (self.folder / photo).write_bytes((self.folder / "photo.png").read_bytes())
                (self.folder / depth).write_bytes((self.folder / "relative.png").read_bytes())
                with self.unchanged(output):
                    self.dof(photo=photo, depth=depth, output=output)
                self.assertEqual(png_size(self.folder / output), (WIDTH, HEIGHT))

    def test_extension_in_upper_case(self):
        self.dof(output="OUT.PNG")
        self.assertEqual(read_png(self.folder / "OUT.PNG").shape, self.photo.shape)
        for name in ("OUT.JPG", "Out.Jpeg"):
            self.dof(output=name)
            self.assertEqual(jpeg_shape(self.folder / name), (WIDTH, HEIGHT, 3))

    def test_the_content_says_what_an_input_is(self):
        (self.folder / "photo.png").rename(self.folder / "photo.jpg")
        self.assertEqual(self.blurred("--blur", "0", photo="photo.jpg"), self.photo)

    def test_paths_relative_to_the_working_directory(self):
        (self.folder / "work").mkdir()
        (self.folder / "results").mkdir()
        with self.unchanged("results/out.png"):
            self.dof(photo="../photo.png", depth="../relative.png", output="../results/out.png", cwd=self.folder / "work")

    def test_an_existing_file_keeps_its_permissions(self):
        output = self.folder / "out.png"
        for mode in (0o640, 0o600, 0o666, 0o444):
            output.write_bytes(b"old")
            output.chmod(mode)
            with self.unchanged("out.png"):
                self.dof("--force")
            self.assertEqual(output.stat().st_mode & 0o777, mode)
            self.assertEqual(png_size(output), (WIDTH, HEIGHT))
            output.unlink()

    def test_a_new_file_respects_the_umask(self):
        for umask in (0o022, 0o077, 0o002):
            self.dof(umask=umask)
            self.assertEqual((self.folder / "out.png").stat().st_mode & 0o777, 0o666 & ~umask)
            (self.folder / "out.png").unlink()

    def test_a_link_is_followed_and_stays(self):
        (self.folder / "real.png").write_bytes(b"old")
        os.symlink("real.png", self.folder / "link.png")
        with self.unchanged("real.png"):
            self.dof(output="link.png")
        self.assertEqual(png_size(self.folder / "real.png"), (WIDTH, HEIGHT))


if __name__ == "__main__":
    unittest.main()
