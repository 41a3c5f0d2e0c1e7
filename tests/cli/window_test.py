#!/usr/bin/env python3
"""`view`: the window shows the picture, as a screenshot of it proves."""
import os
import random
import shutil
import unittest

from support import ROOT, CommandCase, differences, jpeg_shape, read_png, run, write_png

WITHOUT_DISPLAY = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
WIDTH, HEIGHT = 120, 75


class View(CommandCase):
    def setUp(self):
        super().setUp()
        noise = random.Random(5)
        self.photo = write_png(self.folder / "photo.png", WIDTH, HEIGHT, 3, 8,
                               [noise.randrange(256) for _ in range(WIDTH * HEIGHT * 3)])
        write_png(self.folder / "depth.png", WIDTH, HEIGHT, 1, 8, [2 * x for _ in range(HEIGHT) for x in range(WIDTH)])


class Window(View):
    @classmethod
    def setUpClass(cls):
        if not shutil.which("xvfb-run"):
            raise unittest.SkipTest("xvfb-run is not installed")

    def view(self, *args, new="shot.png", code=0):
        """Under a display of its own; whether one is there must not matter."""
        with self.unchanged(*([new] if new else [])):
            done = run("view", *args, launcher=("xvfb-run", "-a"), cwd=self.folder, env=WITHOUT_DISPLAY)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stdout, "")
        return done

    def assert_shows(self, expected, name="shot.png"):
        shot = read_png(self.folder / name)
        self.assertEqual(shot.shape, expected.shape, "the window is as large as the picture")
        self.assertLessEqual(max(differences(shot, expected)), 1)

    def test_picture(self):
        done = self.view("photo.png", "--screenshot", "shot.png")
        self.assertIn("shot.png: written", done.stderr)
        self.assert_shows(self.photo)

    def test_depth_of_field(self):
        options = ("photo.png", "--depth", "depth.png", "--focus", "0.2", "--blur", "8")
        self.view(*options, "--screenshot", "shot.png")
        self.succeed("dof", *options, "-o", "blurred.png")
        blurred = read_png(self.folder / "blurred.png")
        self.assertGreater(max(differences(blurred, self.photo)), 20)
        self.assert_shows(blurred)

    def test_sixteen_bit_grey_and_alpha(self):
        samples = [(x * 500 + y * 77) % 65536 for y in range(HEIGHT) for x in range(WIDTH)]
        write_png(self.folder / "grey.png", WIDTH, HEIGHT, 1, 16, samples)
        grey = write_png(self.folder / "grey8.png", WIDTH, HEIGHT, 3, 8, [s // 257 for s in samples for _ in range(3)])
        self.view("grey.png", "--screenshot", "shot.png")
        self.assert_shows(grey)
        with_alpha = [s for at in range(0, len(self.photo.samples), 3) for s in (*self.photo.samples[at : at + 3], 40)]
        write_png(self.folder / "alpha.png", WIDTH, HEIGHT, 4, 8, with_alpha)
        self.view("alpha.png", "--screenshot", "alpha_shot.png", new="alpha_shot.png")
        self.assert_shows(self.photo, "alpha_shot.png")

    def test_odd_sizes(self):
        """Rows of bytes that are no multiple of four, and windows of a pixel."""
        for width, height in ((1, 1), (3, 5), (61, 1), (1, 47)):
            with self.subTest(width=width, height=height):
                name = f"{width}.png"
                photo = write_png(self.folder / name, width, height, 3, 8, [7 * i % 256 for i in range(width * height * 3)])
                self.view(name, "--screenshot", "shot.png")
                self.assert_shows(photo)
                (self.folder / "shot.png").unlink()

    def test_larger_than_the_screen(self):
        """A screenshot is of the picture, whatever the screen: xvfb's is 640 or 1280 pixels wide."""
        width, height = 1500, 20
        samples = [(i // 3 + i) % 256 for i in range(width * height * 3)]
        photo = write_png(self.folder / "wide.png", width, height, 3, 8, samples)
        self.view("wide.png", "--screenshot", "shot.png")
        self.assert_shows(photo)

    def test_jpeg_screenshot(self):
        self.view("photo.png", "--screenshot", "shot.jpg", new="shot.jpg")
        self.assertEqual(jpeg_shape(self.folder / "shot.jpg"), (WIDTH, HEIGHT, 3))

    def test_quiet(self):
        self.assertEqual(self.view("photo.png", "--screenshot", "shot.png", "--quiet").stderr, "")

    def test_the_depth_map_is_not_overwritten(self):
        done = self.view("photo.png", "--depth", "depth.png", "--screenshot", "depth.png", new=None, code=1)
        self.assertIn("never overwritten", done.stderr)


class NoDisplay(View):
    def test_says_that_there_is_none(self):
        for options in ((), ("--screenshot", "shot.png"), ("--depth", "depth.png")):
            self.refuse("view", "photo.png", *options, says=("no window can be opened", "DISPLAY"), env=WITHOUT_DISPLAY)

    def test_a_display_that_does_not_answer(self):
        self.refuse("view", "photo.png", says=("no window can be opened",), env={**WITHOUT_DISPLAY, "DISPLAY": ":54321"})

    def test_a_lens_without_depth(self):
        self.refuse("view", "photo.png", "--focus", "0.5", code=2, says=("photo.png", "--focus", "--depth FILE"),
                    env=WITHOUT_DISPLAY)

    def test_the_depth_that_the_photo_carries_is_used(self):
        heic = str(ROOT / "tests/files/depth/disparity.heic")
        done = self.refuse("view", heic, "--focus", "0.5", says=("no window can be opened",), env=WITHOUT_DISPLAY)
        self.assertIn("focus at 0.5 m", done.stderr)

    def test_the_picture_comes_first(self):
        self.refuse("view", "missing.png", says=("missing.png", "no such file"), env=WITHOUT_DISPLAY)


if __name__ == "__main__":
    unittest.main()
