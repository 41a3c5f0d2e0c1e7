#!/usr/bin/env python3
"""`render`: the picture, the one before the blur, its depth, and that they belong together."""
import json
import os
import shutil
import statistics
import struct
import subprocess
import unittest

from support import HANGS, ROOT, CommandCase, differences, jpeg_shape, read_png, require_opengl

WIDTH, HEIGHT = 160, 100
SIZE = ("--size", f"{WIDTH}x{HEIGHT}")
LENS = ("--focal-length", "50", "--f-number", "1.4", "--sensor-width", "36", "--focus", "1.5")  # as --help states


class Rendering(CommandCase):
    @classmethod
    def setUpClass(cls):
        require_opengl()

    def render(self, *options, size=SIZE):
        done = self.succeed("render", "teapot", *size, *options)
        self.assertEqual(done.stdout, "", "standard output is for data")
        return done

    def picture(self, *options, name="out.png"):
        self.render("-o", name, *options)
        return read_png(self.folder / name)


class Shaders(Rendering):
    """SCANLENS_SHADERS names a folder that is read in place of what the program carries."""

    def render_with(self, folder):
        return dict(env={**os.environ, "SCANLENS_SHADERS": str(folder)})

    def test_a_folder_without_shaders(self):
        (self.folder / "empty").mkdir()
        for name in ("empty", "emtpy", ""):
            self.refuse("render", "teapot", *SIZE, "-o", "out.png", code=2, says=("SCANLENS_SHADERS", name),
                        **self.render_with(name))
            self.refuse("dof", "absent.png", "-o", "out.png", "--renderer", "gl", code=2, says=("SCANLENS_SHADERS",),
                        **self.render_with(name))
            facts = json.loads(self.succeed("info", "--json", **self.render_with(name)).stdout)["shaders"]
            self.assertEqual(facts["folder"], name)
            self.assertIn("SCANLENS_SHADERS", facts["cause"])
            self.assertIn("shaders none: SCANLENS_SHADERS", self.succeed("info", **self.render_with(name)).stdout)
        self.assertIsNone(json.loads(self.succeed("info", "--json").stdout)["shaders"]["folder"])

    def test_the_folder_of_the_sources(self):
        self.succeed("render", "teapot", *SIZE, "-o", "out.png", **self.render_with(ROOT / "shaders"))
        self.assertIn(f"shaders from {ROOT / 'shaders'}", self.succeed("info", **self.render_with(ROOT / "shaders")).stdout)


class Outputs(Rendering):
    def test_picture_sharp_picture_and_depth(self):
        with self.unchanged("a.png", "b.png", "c.png"):
            done = self.render("-o", "a.png", "--sharp-out", "b.png", "--depth-out", "c.png")
        for name in ("a.png", "b.png", "c.png"):
            self.assertIn(f"{name}: written", done.stderr)
        blurred, sharp, depth = (read_png(self.folder / name) for name in ("a.png", "b.png", "c.png"))
        self.assertEqual(blurred.shape, (WIDTH, HEIGHT, 3, 8))
        self.assertEqual(sharp.shape, (WIDTH, HEIGHT, 3, 8))
        self.assertEqual(depth.shape, (WIDTH, HEIGHT, 1, 16))
        self.assertGreater(len(set(sharp.samples)), 100, "a picture of something")
        self.assertGreater(statistics.mean(differences(blurred, sharp)), 1)

        near = [value for value in depth.samples if value < 65535]  # the most that 16 bits hold: 65.535 m and beyond
        self.assertGreater(len(near), WIDTH * HEIGHT / 2)
        self.assertGreater(min(near), 300)
        middle = depth.pixel(WIDTH // 2, HEIGHT // 2)[0]
        self.assertTrue(1300 < middle < 1700, f"the teapot in the middle stands at 1.5 m, not at {middle} mm")
        bottom, top = depth.channel(0, 0, HEIGHT - 5, WIDTH, HEIGHT), depth.channel(0, 0, 0, WIDTH, 5)
        self.assertLess(statistics.mean(bottom), 1500, "the floor before the camera is near")
        self.assertEqual(set(top), {65535}, "the sky is infinitely far")

    def test_the_plane_in_focus_is_sharp(self):
        self.render("-o", "a.png", "--sharp-out", "b.png", "--depth-out", "c.png")
        blurred, sharp, depth = (read_png(self.folder / name) for name in ("a.png", "b.png", "c.png"))

        def nearest_around(at):
            """Something nearer blurs over what is in focus beside it."""
            x, y = at % WIDTH, at // WIDTH
            return min(depth.channel(0, max(0, x - 2), max(0, y - 2), min(WIDTH, x + 3), min(HEIGHT, y + 3)))

        in_focus = [at for at, value in enumerate(depth.samples) if 1450 < value < 1550 and nearest_around(at) > 1300]
        self.assertGreater(len(in_focus), 100)
        for at in in_focus:
            self.assertEqual(blurred.samples[3 * at : 3 * at + 3], sharp.samples[3 * at : 3 * at + 3])

    def test_other_formats(self):
        self.render("-o", "a.jpg", "--sharp-out", "b.JPG", "--depth-out", "c.pfm")
        self.assertEqual(jpeg_shape(self.folder / "a.jpg"), (WIDTH, HEIGHT, 3))
        self.assertEqual(jpeg_shape(self.folder / "b.JPG"), (WIDTH, HEIGHT, 3))
        self.render("-o", "a.png", "--depth-out", "c.png")
        header = f"Pf\n{WIDTH} {HEIGHT}\n-1.00e0\n".encode()  # -1 to all readers, and metres to this program's own
        data = (self.folder / "c.pfm").read_bytes()
        self.assertTrue(data.startswith(header))
        values = struct.unpack(f"<{WIDTH * HEIGHT}f", data[len(header) :])
        rows = [values[y * WIDTH : (y + 1) * WIDTH] for y in reversed(range(HEIGHT))]
        millimetres = read_png(self.folder / "c.png")
        for y, row in enumerate(rows):
            for x, metres in enumerate(row):
                value = millimetres.pixel(x, y)[0]
                self.assertAlmostEqual(min(metres * 1000, 65535), value, delta=0.502, msg=(x, y))
        self.assertEqual(max(values), 1e10, "the sky")

    def test_sizes(self):
        for size in ("1x1", "1x9", "31x17", "200x3"):
            width, height = map(int, size.split("x"))
            self.render("-o", "a.png", "--sharp-out", "b.png", "--depth-out", "c.png", size=("--size", size))
            for name in ("a.png", "b.png", "c.png"):
                self.assertEqual(read_png(self.folder / name)[:2], (width, height))

    def test_quiet(self):
        self.assertEqual(self.render("-o", "a.png", "--quiet").stderr, "")

    def test_the_same_bytes_every_time(self):
        names = ("a.png", "b.png", "c.png")
        files = []
        for _ in range(2):
            self.render("-o", names[0], "--sharp-out", names[1], "--depth-out", names[2])
            files.append([(self.folder / name).read_bytes() for name in names])
        self.assertTrue(files[0] == files[1])


class RoundTrip(Rendering):
    """The sharp picture and its depth through `dof`, with the lens of the rendering."""

    def through_dof(self, depth, *options):
        quality = ("--quality", "draft")
        self.render("-o", "a.png", "--sharp-out", "b.png", "--depth-out", depth, *quality)
        self.succeed("dof", "b.png", "--depth", depth, "-o", "d.png", *LENS, *quality, *options)
        return differences(read_png(self.folder / "d.png"), read_png(self.folder / "a.png"))

    def test_exact_depth(self):
        """A reciprocal of a reciprocal is off by 1e-7, which moves a sample by a rounding at most."""
        for renderer in ("compute", "gl"):
            off = self.through_dof("c.pfm", "--depth-kind", "depth", "--renderer", renderer)
            self.assertLessEqual(max(off), 1, renderer)

    def test_depth_in_millimetres(self):
        """Half a millimetre at 0.6 m, the nearest, is 0.0013 / m; with 4.1 pixels of radius per 1 / m that is 0.005 pixels.
        The sky, written as 65.535 m, is 0.0153 / m off: 0.06 pixels. Either is a code or two."""
        off = self.through_dof("c.png")
        self.assertLessEqual(sorted(off)[len(off) * 99 // 100], 1)
        self.assertLessEqual(max(off), 2)


class Options(Rendering):
    def test_lens_defaults_are_those_of_the_help(self):
        self.assertEqual(self.picture(), self.picture(*LENS, name="b.png"))

    def test_a_pinhole_is_sharp(self):
        self.render("-o", "a.png", "--sharp-out", "b.png", "--f-number", "inf")
        self.assertEqual(read_png(self.folder / "a.png"), read_png(self.folder / "b.png"))
        self.render("-o", "a.png", "--sharp-out", "b.png", "--blur", "0")
        self.assertEqual(read_png(self.folder / "a.png"), read_png(self.folder / "b.png"))

    def test_each_option_matters(self):
        usual = self.picture()
        for options in (("--focus", "0.8"), ("--focus-at", "10,90"), ("--f-number", "4"), ("--focal-length", "70"),
                        ("--sensor-width", "24"), ("--blur", "12"), ("--azimuth", "40"), ("--elevation", "30"),
                        ("--distance", "2"), ("--target", "-0.2,0.1,0.3"), ("--time", "2.5")):
            with self.subTest(options=options):
                self.assertGreater(statistics.mean(differences(self.picture(*options, name="other.png"), usual)), 0.1)

    def test_target_and_time_of_the_scene_itself(self):
        usual = self.picture()
        for options in (("--target", "0.02,0.085,0"), ("--time", "0"), ("--time", "60")):
            self.assertEqual(self.picture(*options, name="same.png"), usual, options)

    def test_a_reference_is_of_the_same_moment(self):
        self.render("-o", "a.png", "--depth-out", "a.pfm", "--time", "2.5")
        self.render("-o", "b.png", "--depth-out", "b.pfm", "--time", "2.5", "--reference", "2", "--f-number", "inf")
        self.assertEqual((self.folder / "a.pfm").read_bytes(), (self.folder / "b.pfm").read_bytes())
        self.render("-o", "sharp.png", "--time", "2.5", "--f-number", "inf")
        off = differences(read_png(self.folder / "b.png"), read_png(self.folder / "sharp.png"))
        self.assertLess(statistics.mean(off), 0.2)

    def test_a_wider_aperture_blurs_more(self):
        self.render("-o", "a.png", "--sharp-out", "sharp.png")
        sharp = read_png(self.folder / "sharp.png")
        off = [statistics.mean(differences(self.picture("--f-number", n), sharp)) for n in ("16", "4", "1.4", "0.7")]
        self.assertEqual(off, sorted(set(off)))

    def test_reference_is_what_the_blur_approximates(self):
        self.render("-o", "a.png", "--sharp-out", "b.png")
        blurred, sharp = read_png(self.folder / "a.png"), read_png(self.folder / "b.png")
        reference = self.picture("--reference", "32", name="r.png")
        self.assertEqual(reference.shape, blurred.shape)
        self.assertLess(statistics.mean(differences(blurred, reference)),
                        statistics.mean(differences(sharp, reference)) / 1.5)


class Lights(Rendering):
    """`render lights`: pictures are light, so that lamps are brighter than white."""

    def light(self, *options, name="out.pfm"):
        self.succeed("render", "lights", *SIZE, "-o", name, *options)
        return self.read_light(name)

    def read_light(self, name):
        data = (self.folder / name).read_bytes()
        header = f"PF\n{WIDTH} {HEIGHT}\n-1.0\n".encode()
        self.assertTrue(data.startswith(header), data[:40])
        values = struct.unpack(f"<{3 * WIDTH * HEIGHT}f", data[len(header) :])
        return [value for y in reversed(range(HEIGHT)) for value in values[3 * WIDTH * y : 3 * WIDTH * (y + 1)]]

    def greatest(self, name):
        channels = json.loads(self.succeed("stats", name, "--json", "--quiet").stdout)["channels"]
        return max(channel["max"] for channel in channels)

    def test_lamps_are_above_white_where_the_format_holds_that(self):
        names = ("a.exr", "b.exr", "c.exr")
        self.succeed("render", "lights", *SIZE, "-o", names[0], "--sharp-out", names[1], "--depth-out", names[2])
        self.assertGreater(self.greatest("b.exr"), 10)
        self.assertGreater(self.greatest("a.exr"), 1)
        self.succeed("render", "lights", *SIZE, "-o", "a.hdr")
        self.assertGreater(self.greatest("a.hdr"), 1)
        self.succeed("render", "lights", *SIZE, "-o", "a.png", "--sharp-out", "b.png")
        sharp = read_png(self.folder / "b.png")
        self.assertEqual((max(sharp.samples), sharp.bits), (65535, 16))
        self.assertGreater(len(set(sharp.samples)), 100)

    def test_the_same_bytes_every_time(self):
        names = ("a.pfm", "b.pfm", "c.pfm")
        files = []
        for _ in range(2):
            self.succeed("render", "lights", *SIZE, "-o", names[0], "--sharp-out", names[1], "--depth-out", names[2])
            files.append([(self.folder / name).read_bytes() for name in names])
        self.assertTrue(files[0] == files[1])

    def test_a_reference_of_one_view_without_aperture_is_the_pinhole(self):
        reference = self.light("--sharp-out", "sharp.pfm", "--f-number", "inf", "--reference", "1")
        self.assertEqual(reference, self.read_light("sharp.pfm"))
        self.assertEqual(self.light("--f-number", "inf", name="plain.pfm"), reference)

    def test_reference_is_what_the_blur_approximates(self):
        blurred, reference = self.light("--sharp-out", "sharp.pfm"), self.light("--reference", "64", name="r.pfm")
        off = [statistics.mean(abs(min(p, 1) - min(q, 1)) for p, q in zip(picture, reference))
               for picture in (blurred, self.read_light("sharp.pfm"))]
        self.assertLess(off[0], off[1] / 1.1)

    def test_picture_and_depth_belong_together(self):
        """Through `dof`, with the lens of the rendering, they give the picture that `render` gives."""
        blurred = self.light("--sharp-out", "b.pfm", "--depth-out", "c.pfm")
        self.succeed("dof", "b.pfm", "--depth", "c.pfm", "--depth-kind", "depth", "-o", "d.pfm", *LENS)
        for ours, through_dof in zip(blurred, self.read_light("d.pfm")):
            self.assertAlmostEqual(ours, through_dof, delta=1e-3 * max(1, ours))

    def test_its_camera_is_its_own(self):
        usual = self.light("--f-number", "inf")
        self.assertEqual(self.light("--f-number", "inf", "--elevation", "4", name="same.pfm"), usual)
        self.assertEqual(self.light("--f-number", "inf", "--target", "0,0.11,0", name="same.pfm"), usual)
        self.assertNotEqual(self.light("--f-number", "inf", "--elevation", "10", name="other.pfm"), usual)
        self.assertNotEqual(self.light("--f-number", "inf", "--time", "5", name="later.pfm"), usual)

    def test_no_such_scene(self):
        self.refuse("render", "light", *SIZE, "-o", "a.png", code=2, says=("light", "teapot", "lights"))


class Frames(CommandCase):
    SIZE = ("--size", "64x40")

    @classmethod
    def setUpClass(cls):
        require_opengl()

    def frames(self, *options):
        done = self.run_here("render", "teapot", *self.SIZE, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_each_frame_is_the_picture_of_its_time(self):
        self.frames("-o", "f_%d.png", "--frames", "3", "--fps", "10", "--time", "2", "--focus", "1:0.8", "3:1.5")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["f_1.png", "f_2.png", "f_3.png"])
        for frame, options in ((1, ("--time", "2", "--focus", "0.8")), (3, ("--time", "2.2", "--focus", "1.5"))):
            self.succeed("render", "teapot", *self.SIZE, "-o", "one.png", *options)
            self.assertEqual((self.folder / "one.png").read_bytes(), (self.folder / f"f_{frame}.png").read_bytes())

    @unittest.skipUnless(shutil.which("ffmpeg") and shutil.which("ffprobe"), "ffmpeg is not installed")
    def test_a_clip(self):
        self.assertIn("f.mp4: written, 3 frames", self.frames("-o", "f.mp4", "--frames", "3", "--fps", "12.5").stderr)
        told = subprocess.run(["ffprobe", "-v", "error", "-show_entries", "stream=width,height,r_frame_rate,nb_frames", "-of", "csv=p=0",
                               self.folder / "f.mp4"], check=True, capture_output=True, text=True, timeout=HANGS).stdout
        self.assertEqual(told.strip(), "64,40,25/2,3")

    def test_an_animation(self):
        self.assertIn("f.webp: written, 3 frames", self.frames("-o", "f.webp", "--frames", "3", "--focus-at", "30,20").stderr)
        self.assertIn(b"ANIM", (self.folder / "f.webp").read_bytes()[:64])
        facts = json.loads(self.frames("-o", "f.png", "--frames", "2", "--json").stdout)
        self.assertEqual(facts["frames"], 2)
        self.assertIn(b"acTL", (self.folder / "f.png").read_bytes())

    def test_refusals(self):
        for options, says in ((("-o", "f.jpg", "--frames", "2"), "animations are written as"),
                              (("-o", "-", "--frames", "2"), "standard output"),
                              (("-o", "f.png", "--focus", "1:2"), "keys FRAME:VALUE are for --frames"),
                              (("-o", "f.png", "--fps", "2"), "--fps is for --frames"),
                              (("-o", "f.png", "--frames", "0"), "--frames"),
                              (("-o", "f.png", "--frames", "2", "--depth-out", "d.png"), "--depth-out is for one picture")):
            self.refuse("render", "teapot", *self.SIZE, *options, code=2, says=(says,))


if __name__ == "__main__":
    unittest.main()
