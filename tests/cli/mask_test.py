#!/usr/bin/env python3
"""`mask`, and `where` of filters: the same pixels as `stats --where`, in files that other programs read."""
import json
import shutil
import subprocess
import unittest

import numpy

from support import CommandCase, read_png, write_pfm, write_png

WIDTH, HEIGHT = 90, 60


def samples_of(path):
    """A PNG as an array of height x width, or height x width x channels."""
    picture = read_png(path)
    shape = (picture.height, picture.width) + ((picture.channels,) if picture.channels > 1 else ())
    return numpy.array(picture.samples).reshape(shape)


class MaskCase(CommandCase):
    def setUp(self):
        super().setUp()
        random = numpy.random.default_rng(63)
        self.photo = random.integers(0, 256, (HEIGHT, WIDTH, 3)).astype("u1")
        write_png(self.folder / "photo.png", WIDTH, HEIGHT, 3, 8, self.photo.ravel().tolist())
        # Metres, from 1 at the left to 10 at the right.
        self.metres = numpy.tile(numpy.linspace(1, 10, WIDTH), (HEIGHT, 1))
        write_pfm(self.folder / "photo_depth.pfm", WIDTH, HEIGHT, self.metres.ravel().tolist())
        self.depth = ("--depth-kind", "depth")

    def mask(self, where, *args, name="mask.png"):
        self.succeed("mask", "photo.png", "-o", name, "--where", where, *args)
        return samples_of(self.folder / name) if name.endswith(".png") else None


class Masks(MaskCase):
    def test_choose_the_pixels_of_stats(self):
        for where, *args in (["luma > 0.5 and x < 50"], ["depth > 3m or r < 0.1", *self.depth],
                             ["coc > 2", *self.depth, "--focus", "2", "--focal-length", "85", "--f-number", "1.4"]):
            with self.subTest(where):
                mask = self.mask(where, *args)
                self.assertEqual(set(mask.ravel().tolist()), {0, 65535})
                found = json.loads(self.succeed("stats", "photo.png", "--where", where, *args, "--json").stdout)
                self.assertEqual((mask == 65535).sum(), found["channels"][0]["count"])

    def test_feathers_by_depth(self):
        mask = self.mask("depth > 4m", "--feather", "2m", *self.depth) / 65535
        expected = numpy.clip((self.metres - 4) / 2 + 0.5, 0, 1)
        self.assertLess(numpy.abs(mask - expected).max(), 1e-4)

    def test_feathers_by_pixels(self):
        """A ramp on a plane, half of it to each side; an edge of the photo stays."""
        row = (self.mask("depth > 5.5m", "--feather", "16px", *self.depth) / 65535)[HEIGHT // 2]
        edge = WIDTH // 2
        self.assertTrue((numpy.diff(row) >= -0.001).all())
        self.assertLess(row[edge - 10], 0.01)
        self.assertGreater(row[edge + 10], 0.99)
        self.assertTrue(0.3 < row[edge] < 0.7)
        self.photo[:] = 40
        self.photo[:, 30:] = 220
        write_png(self.folder / "photo.png", WIDTH, HEIGHT, 3, 8, self.photo.ravel().tolist())
        row = (self.mask("luma > 0.5", "--feather", "16px") / 65535)[HEIGHT // 2]
        self.assertLess(row[29], 0.05)
        self.assertGreater(row[30], 0.95)

    def test_other_programs_read_them(self):
        mask = self.mask("depth > 4m", "--feather", "2m", *self.depth)
        for name in ("mask.pfm", "mask.exr", "mask.tif"):
            self.mask("depth > 4m", "--feather", "2m", *self.depth, name=name)
            self.succeed("filter", name, "-o", "back.pfm")
        if not shutil.which("convert"):
            self.skipTest("ImageMagick's convert is missing")
        for name in ("mask.png", "mask.pfm", "mask.tif"):
            done = subprocess.run(["convert", name, "-depth", "16", "gray:-"], cwd=self.folder, capture_output=True,
                                  timeout=60, check=True)
            self.assertLessEqual(numpy.abs(numpy.frombuffer(done.stdout, "u2").reshape(mask.shape).astype(int)
                                           - mask).max(), 1, name)


class Parts(MaskCase):
    def filtered(self, *filters, name="out.png", args=()):
        words = [word for one in filters for word in ("--filter", one)]
        self.succeed("filter", "photo.png", "-o", name, *words, *args)
        return samples_of(self.folder / name).astype(int)

    def test_are_blended_by_the_mask(self):
        mask = self.mask("depth > 4m", "--feather", "2m", *self.depth)[..., None].astype(int)
        whole = self.filtered("box:radius=3")
        part = self.filtered("box:radius=3:where=depth>4m:feather=2m", args=self.depth)
        numpy.testing.assert_array_equal(part, (self.photo * (65535 - mask) + whole * mask + 32767) // 65535)

    def test_are_chosen_by_the_picture_as_it_is_read(self):
        """A filter before changes no choice; one that resizes scales it."""
        bright = self.mask("luma > 0.5")[..., None] == 65535
        boxed = self.filtered("box:radius=30")
        both = self.filtered("box:radius=30", "unsharp:amount=0:where=luma>0.5")
        numpy.testing.assert_array_equal(both, boxed)
        back = self.filtered("box:radius=30:where=luma>0.5", "box:radius=0:where=luma>0.5")
        numpy.testing.assert_array_equal(back, numpy.where(bright, boxed, self.photo))
        small = self.filtered("resize:width=45", "flatten:where=x>=40")
        numpy.testing.assert_array_equal(small[:, :40], self.filtered("resize:width=45")[:, :40])

    def test_are_the_same_in_bands_batches_and_clips(self):
        one = "gaussian:sigma=2:where=depth>4m and luma<0.7:feather=9px"
        expected = self.filtered(one, args=self.depth)
        numpy.testing.assert_array_equal(self.filtered(one, args=(*self.depth, "--band", "7")), expected)
        self.assertEqual(self.run_here("batch", "photo.png", "out", "--filter", one, *self.depth).returncode, 0)
        numpy.testing.assert_array_equal(samples_of(self.folder / "out" / "photo.png"), expected)
        shutil.copy(self.folder / "photo.png", self.folder / "in_1.png")
        shutil.copy(self.folder / "photo_depth.pfm", self.folder / "map.pfm")
        if not shutil.which("ffmpeg"):
            self.skipTest("ffmpeg is missing")
        self.succeed("filter", "in_%d.png", "-o", "out.mkv", "--video-codec", "ffv1", "--filter", one, *self.depth,
                     "--depth", "map.pfm")
        self.succeed("filter", "out.mkv", "-o", "frame.png", "--frame", "0")
        numpy.testing.assert_array_equal(samples_of(self.folder / "frame.png"), expected)

    def test_take_depth_from_where_dof_takes_it(self):
        self.refuse("filter", "photo.png", "-o", "out.png", "--filter", "box", *self.depth, code=2,
                    says=["--depth-kind has no effect"])
        (self.folder / "photo_depth.pfm").unlink()
        self.refuse("filter", "photo.png", "-o", "out.png", "--filter", "box:where=depth>0.5", code=2,
                    says=["box needs depth", "--depth FILE"])
        guessed = self.filtered("box:radius=3:where=depth>0.5", args=("--depth", "guess"))
        self.assertTrue((guessed != self.photo).any() and (guessed == self.photo).any())
        drawn = self.filtered("box:radius=3:where=depth>0.5", args=("--stroke", "0.9:10,10", "--stroke", "0.1:80,50"))
        self.assertTrue((drawn != self.photo).any() and (drawn == self.photo).any())


class ByDepth(MaskCase):
    def test_fog_fades_with_metres(self):
        """An exponential in linear light; what lies near stays."""
        self.photo[:] = 0
        write_png(self.folder / "photo.png", WIDTH, HEIGHT, 3, 8, self.photo.ravel().tolist())
        self.succeed("filter", "photo.png", "-o", "fog.png", "--filter", "fog:density=0.3:colour=white", *self.depth)
        light = 1 - numpy.exp(-0.3 * self.metres)
        codes = numpy.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055) * 255
        self.assertLess(numpy.abs(samples_of(self.folder / "fog.png")[..., 1] - codes).max(), 0.6)

    def test_tones_are_of_light(self):
        self.succeed("filter", "photo.png", "-o", "half.png", "--filter", "tones:exposure=-1")
        share = self.photo / 255
        light = numpy.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4) / 2
        codes = numpy.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055) * 255
        self.assertLess(numpy.abs(samples_of(self.folder / "half.png") - codes).max(), 0.51)


if __name__ == "__main__":
    unittest.main()
