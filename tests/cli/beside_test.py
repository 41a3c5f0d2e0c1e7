#!/usr/bin/env python3
"""Photos and depth maps that lie together belong together."""
import unittest

from support import CommandCase, exr_bytes, read_png, require_opengl, write_png

WIDTH, HEIGHT = 24, 16
PHOTO = [(x * 37 + y * 91 + c * 53) % 251 for y in range(HEIGHT) for x in range(WIDTH) for c in range(3)]
RAMP = [10 * x for _ in range(HEIGHT) for x in range(WIDTH)]
NAMES = ("photo_depth.png", "photo-depth.png", "photo_disp.png", "depth/photo.png", "photo_depth.PNG")


class Beside(CommandCase):
    def setUp(self):
        super().setUp()
        self.photo("photo.png")

    def photo(self, name):
        write_png(self.folder / name, WIDTH, HEIGHT, 3, 8, PHOTO)

    def map(self, name, values=RAMP):
        (self.folder / name).parent.mkdir(exist_ok=True)
        write_png(self.folder / name, WIDTH, HEIGHT, 1, 8, values)

    def dof(self, *args):
        done = self.succeed("dof", *args, "-o", "out.png", "--blur", "4", "--focus", "1")
        return done.stderr, read_png(self.folder / "out.png").samples


class Dof(Beside):
    def test_a_map_is_found_by_its_name(self):
        self.map("elsewhere.png")
        named = self.dof("photo.png", "--depth", "elsewhere.png")[1]
        for name in NAMES:
            with self.subTest(name):
                self.map(name)
                said, samples = self.dof("photo.png")
                self.assertEqual(samples, named)
                self.assertEqual(said.count(f"photo.png: its depth map is {name}, which lies beside it\n"), 1)
                (self.folder / name).unlink()

    def test_a_named_map_goes_first(self):
        self.map("photo_depth.png", RAMP[::-1])
        self.map("elsewhere.png")
        said, samples = self.dof("photo.png", "--depth", "elsewhere.png")
        self.assertNotIn("beside", said)
        self.assertNotEqual(samples, self.dof("photo.png")[1])

    def test_the_photos_own_depth_goes_first(self):
        (self.folder / "render.pfm").write_bytes(b"")  # no map, and not looked at
        try:
            import numpy
        except ImportError:
            self.skipTest("numpy is not installed")
        plane = numpy.ones((HEIGHT, WIDTH), "float32")
        ramp = numpy.arange(1, WIDTH + 1, dtype="float32") + 0 * plane
        (self.folder / "render.exr").write_bytes(exr_bytes(R=plane, G=plane, B=plane, Z=ramp))
        self.map("render_depth.png")
        done = self.succeed("dof", "render.exr", "-o", "out.png")
        self.assertNotIn("beside", done.stderr)

    def test_its_channel_can_be_named(self):
        self.map("photo_depth.png")
        said, samples = self.dof("photo.png")
        write_png(self.folder / "photo_depth.png", WIDTH, HEIGHT, 3, 8, [value for x in RAMP for value in (0, x, 255 - x)])
        self.assertEqual(self.dof("photo.png", "--depth-channel", "G")[1], samples)

    def test_exact_values_go_before_pictures_of_them(self):
        self.map("photo_depth.png")
        (self.folder / "photo_depth.pfm").write_bytes(b"Pf\n2 1\n-1.0\n" + b"\0\0\x80\x3f\0\0\0\x40")
        self.assertIn("its depth map is photo_depth.pfm,", self.dof("photo.png")[0])

    def test_what_is_no_map_says_why_it_was_read(self):
        self.photo("photo_depth.png")
        self.refuse("dof", "photo.png", "-o", "out.png",
                    says=("photo_depth.png: ", "not a depth map", "taken for the depth map of photo.png by its name"))

    def test_a_filter_takes_it_too(self):
        self.map("photo_depth.png")
        self.succeed("filter", "photo.png", "-o", "named.png", "--filter", "dof:blur=4:depth=photo_depth.png")
        done = self.succeed("filter", "photo.png", "-o", "out.png", "--filter", "dof:blur=4")
        self.assertIn("its depth map is photo_depth.png,", done.stderr)
        self.assertEqual(read_png(self.folder / "out.png"), read_png(self.folder / "named.png"))
        (self.folder / "photo_depth.png").unlink()
        self.refuse("filter", "photo.png", "-o", "out2.png", "--filter", "dof:blur=4", code=2,
                    says=("photo.png: dof needs depth", "{stem}_depth.*", "--depth FILE"))

    def test_frames_have_theirs(self):
        for number in "12":
            self.photo(f"in_{number}.png")
            self.map(f"in_{number}_depth.png")
        done = self.run_here("dof", "in_%d.png", "-o", "out_%d.png", "--blur", "4", "--focus", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the depth maps lie beside the frames, the first is ", done.stderr)
        self.assertEqual(read_png(self.folder / "out_2.png").samples, self.dof("in_2.png")[1])


class Batch(Beside):
    def test_maps_are_taken_and_are_no_photos(self):
        for name in ("a", "b"):
            self.photo(f"{name}.png")
        (self.folder / "in/depth").mkdir(parents=True)
        for name in ("a.png", "b.png"):
            (self.folder / name).rename(self.folder / "in" / name)
        self.map("in/a_depth.png")
        self.map("in/depth/b.png")
        done = self.run_here("batch", "in", "out", "--filter", "dof:blur=4")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2 depth maps beside their photos are passed over", done.stderr)
        self.assertEqual(sorted(path.name for path in (self.folder / "out").rglob("*")), ["a.png", "b.png"])
        self.succeed("filter", "in/b.png", "-o", "named.png", "--filter", "dof:blur=4:depth=in/depth/b.png")
        self.assertEqual(read_png(self.folder / "out/b.png"), read_png(self.folder / "named.png"))

    def test_maps_without_photos_and_named_ones_are_pictures(self):
        self.map("in/x_depth.png")
        for inputs in (("in",), ("photo.png", "in/x_depth.png")):
            done = self.run_here("batch", *inputs, "--stats")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"{len(inputs)} picture", done.stdout)

    def test_a_map_that_has_changed_is_noticed(self):
        (self.folder / "in").mkdir()
        (self.folder / "photo.png").rename(self.folder / "in/a.png")
        self.map("in/a_depth.png")
        batch = ("batch", "in", "out", "--filter", "dof:blur=4", "--skip-existing")
        for values, expected in ((RAMP, "1 written"), (RAMP, "1 skipped"), (RAMP[::-1], "1 written")):
            if values != RAMP:
                self.map("in/a_depth.png", values)
            self.assertIn(expected, self.run_here(*batch).stderr)


class View(Beside):
    @classmethod
    def setUpClass(cls):
        require_opengl()

    def play(self, script, *args):
        (self.folder / "script.txt").write_text(script)
        done = self.run_here("view", *args, "--headless", "--size", "64x48", "--script", "script.txt")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def test_the_map_is_shown_and_said(self):
        self.map("photo_depth.png")
        said = self.play("wait rest\nset blur 5\nset focus 0.5\nkey s\nwait rest\n", "photo.png")
        self.assertIn("photo.png: its depth map is photo_depth.png, which lies beside it", said)
        self.assertIn("dof photo.png --depth photo_depth.png ", said)

    def test_maps_are_stepped_over(self):
        self.map("photo_depth.png")
        self.photo("z.png")
        said = self.play("wait rest\nkey right\nset view input\nset wipe 0.5\nwait rest\nkey s\nwait rest\n", "photo.png")
        self.assertIn("z.png ", said.split("command: ")[1])

    def test_what_is_no_map_is_warned_of(self):
        self.photo("photo_depth.png")
        said = self.play("wait rest\n", "photo.png")
        self.assertIn("warning: photo_depth.png: ", said)


if __name__ == "__main__":
    unittest.main()
