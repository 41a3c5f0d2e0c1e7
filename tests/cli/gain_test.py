#!/usr/bin/env python3
"""Gain maps: the light above white that photos carry beside their codes."""
import shutil
import struct
import subprocess
import sys
import unittest
from importlib.util import find_spec

import numpy as np
from carried import (XMP, apple_note, box, exif, full, heif, iso_words, jxl_with, packet, picture, read_pfm, segment, segments_of,
                     with_segments)
from support import CommandCase, jpeg_bytes, read_png, require_opengl, write_exr, write_png


class Gain(CommandCase):
    """Light above white in a JPEG: the base is what an old viewer shows, and a map behind it tells the rest."""
    HEIGHT, WIDTH = 40, 48

    def setUp(self):
        super().setUp()
        y, x = np.mgrid[:self.HEIGHT, :self.WIDTH]
        ground = np.stack([0.1 + 0.01 * x, 0.2 + 0.005 * y, np.full(x.shape, 0.3)], -1).astype(np.float32)
        for row, column, light in ((10, 12, (8, 8, 8)), (28, 34, (6, 2, 0.5))):
            ground[(x - column) ** 2 + (y - row) ** 2 < 30] = light
        self.light = ground
        write_exr(self.folder / "in.exr", {c: ground[..., i] for i, c in enumerate("RGB")})
        self.jpeg = self.write("in.exr", "in.jpg", "--quality", "100")

    def write(self, source, target, *options):
        self.succeed("filter", source, "-o", target, "--quiet", "--strict", *options)
        return (self.folder / target).read_bytes()

    def light_in(self, name):
        self.succeed("filter", name, "-o", "light.pfm", "--quiet")
        light = read_pfm(self.folder / "light.pfm")
        (self.folder / "light.pfm").unlink()
        return light

    def expect_near(self, light, expected, codes):
        """Up to white in codes of 8 bits; beyond it a code is 0.75 %."""
        def code(of):
            return 255 * (1.055 * np.clip(of, 0.01, 1) ** (1 / 2.4) - 0.055)
        self.assertLess(np.abs(code(light) - code(expected)).max(), codes)
        self.assertLess(np.abs(light / expected - 1)[expected > 1].max(), 0.0075 * codes)

    def test_light_comes_back(self):
        """To within a code, and where a step of the map is .8 % of the light, as beside lamps of 8, to within two steps."""
        self.expect_near(self.light_in("in.jpg"), self.light, 1.7)
        self.write("in.jpg", "again.jpg", "--quality", "100")
        self.expect_near(self.light_in("again.jpg"), self.light, 2.5)
        random = np.random.default_rng(59)
        light = (random.random((self.HEIGHT, self.WIDTH, 3)) * 0.2 + np.linspace(0.02, 2.3, self.WIDTH)[None, :, None]).astype(np.float32)
        write_exr(self.folder / "noise.exr", {c: light[..., i] for i, c in enumerate("RGB")})
        self.write("noise.exr", "noise.jpg", "--quality", "100")
        self.expect_near(self.light_in("noise.jpg"), light, 1)

    def test_the_file_is_as_others_read_it(self):
        segments = list(segments_of(self.jpeg))
        index = next(data for marker, data in segments if marker == 0xE2 and data.startswith(b"MPF\0"))[4:]
        begin = self.jpeg.index(index)
        entries = struct.unpack_from(">8I", index, struct.unpack_from(">I", index, 8 + 2 + 24 + 8)[0])
        first, second, at = entries[1], entries[5], entries[6]
        self.assertEqual((first, first + second), (begin + at, len(self.jpeg)))
        gain = self.jpeg[begin + at:]
        self.assertEqual(gain[:2] + gain[-2:], b"\xff\xd8\xff\xd9")
        xmp = next(data for marker, data in segments if data.startswith(XMP))
        self.assertIn(b'Item:Semantic="GainMap"', xmp)
        self.assertIn(f'Item:Length="{second}"'.encode(), xmp)
        for part in (self.jpeg[:first], gain):
            self.assertIn(b"urn:iso:std:iso:ts:21496:-1\0", part)
        self.assertIn(b'hdrgm:GainMapMax="', gain)

    def test_each_kind_of_words_is_read(self):
        expected = self.light_in("in.jpg")
        for name, word, other in (("iso", b"hdr-gain-map", b"hdr-gone-map"), ("xmp", b"iso:ts:21496", b"iso:ts:00000")):
            (self.folder / f"{name}.jpg").write_bytes(self.jpeg.replace(word, other))
            self.expect_near(self.light_in(f"{name}.jpg"), expected, 0.01)

    def test_the_base_is_what_an_old_viewer_shows(self):
        plain = self.write("in.jpg", "plain.jpg", "--no-gain-map", "--filter", "resize:width=24")
        self.assertNotIn(b"MPF", plain)
        self.write("in.jpg", "both.jpg", "--filter", "resize:width=24")
        for name in ("plain", "both"):
            self.write(f"{name}.jpg", f"{name}.ppm", "--no-gain-map")
        self.assertEqual((self.folder / "plain.ppm").read_bytes(), (self.folder / "both.ppm").read_bytes())
        light = self.light_in("both.jpg")
        self.assertAlmostEqual(float(light.mean() / self.light.mean()), 1, delta=0.02)
        self.assertGreater(light.max(), 7)

    def test_formats_that_hold_none(self):
        says = "left out: the gain map (light above white)"
        for target in ("out.png", "out.webp", "out.ppm"):
            self.refuse("filter", "in.jpg", "-o", target, "--strict", says=(says,))
            self.write("in.jpg", target, "--no-gain-map")

    def test_lights_are_blurred_as_light(self):
        np.save(self.folder / "depth.npy", np.repeat(np.linspace(1, 0, self.WIDTH, dtype=np.float32)[None], self.HEIGHT, 0))
        self.succeed("dof", "in.jpg", "--depth", "depth.npy", "-o", "out.jpg", "--focus", "1", "--blur", "4", "--quiet")
        light = self.light_in("out.jpg")
        self.assertAlmostEqual(float(light.sum() / self.light.sum()), 1, delta=0.03)
        self.assertGreater(light[28, 34, 0], 2, "the lamp keeps its light")

    def test_the_viewer_says_hdr_and_maps_tones(self):
        require_opengl()
        def shown(light, most=8):
            above, span = max(light - 0.75, 0) * 4, (most - 0.75) * 4
            mapped = light if light < 0.75 else 0.75 + 0.25 * above * (1 + above / span ** 2) / (1 + above)
            return 255 * (1.055 * mapped ** (1 / 2.4) - 0.055)
        for name in ("in.jpg", "in.exr"):
            done = self.succeed("view", name, "--screenshot", "seen.png", "--set", "zoom=1")
            self.assertIn(", HDR\n", done.stderr)
            seen = read_png(self.folder / "seen.png")
            for x, y in ((12, 10), (34, 28), (20, 20)):
                for got, light in zip(seen.pixel(x, y), self.light[y, x]):
                    self.assertAlmostEqual(got, shown(float(light)), delta=3, msg=(name, x, y))
        self.write("in.jpg", "plain.jpg", "--no-gain-map")
        self.assertNotIn("HDR", self.succeed("view", "plain.jpg", "--screenshot", "plain.png").stderr)

    def test_batch(self):
        (self.folder / "in").mkdir()
        (self.folder / "in/a.jpg").write_bytes(self.jpeg)
        done = self.run_here("batch", "in", "out", "--filter", "resize:width=24", "--quiet", "--strict")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(self.light_in("out/a.jpg").max(), 7)

    def test_it_lies_as_the_picture_does(self):
        turned = segment(0xE1, b"Exif\0\0" + exif((0x0112, 3, 1, struct.pack("<H", 6))))
        (self.folder / "side.jpg").write_bytes(self.jpeg[:2] + turned + self.jpeg[2:])
        upright = np.rot90(self.light_in("in.jpg"), -1)
        self.expect_near(self.light_in("side.jpg"), upright, 0.01)

    def test_a_broken_map_is_named(self):
        at = self.jpeg.rindex(b"\xff\xda")
        (self.folder / "broken.jpg").write_bytes(self.jpeg[:at + 20])
        self.refuse("filter", "broken.jpg", "-o", "out.jpg", "--strict", says=("the gain map, which is broken",))

    @unittest.skipUnless(find_spec("gainmap_audit"), "needs gainmap-audit, which pip has")
    def test_an_independent_judge(self):
        for folder in ("before", "after"):
            (self.folder / folder).mkdir()
        (self.folder / "before/a.jpg").write_bytes(self.jpeg)
        self.write("in.jpg", "after/a.jpg")
        judge = [sys.executable, "-c", "import sys; from gainmap_audit.cli import main; sys.exit(main())", "diff", "before", "after"]
        done = subprocess.run(judge, cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertIn("1 ok", done.stdout)
        self.assertNotIn("STRIPPED", done.stdout)


def light_of(codes):
    share = codes.astype(float) / 255
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def by_bt709(code):
    share = code / 255
    return share / 4.5 if share < 0.081 else ((share + 0.099) / 1.099) ** (1 / 0.45)


class OtherFormats(CommandCase):
    """A map of four fields over a picture of flat colours, so that nothing is stretched."""
    HEIGHT, WIDTH = 64, 96
    FIELDS = (0, 128, 200, 255)
    AUXILIARY = b"urn:com:apple:photo:2020:aux:hdrgainmap"

    @classmethod
    def setUpClass(cls):
        cls.base = np.broadcast_to(np.array([200, 90, 30], np.uint8), (cls.HEIGHT, cls.WIDTH, 3)).copy()
        cls.map = np.repeat(np.array(cls.FIELDS, np.uint8), cls.WIDTH // 8)[None].repeat(cls.HEIGHT // 2, 0)

    def light_in(self, name, *options):
        self.succeed("filter", name, "-o", "light.pfm", "--strip", "--strict", "--quiet", *options)
        light = read_pfm(self.folder / "light.pfm")
        (self.folder / "light.pfm").unlink()
        return light

    def expect_gains(self, name, light_of_gain, stops):
        """`stops` of a field's code, in each channel."""
        light, width = self.light_in(name), self.WIDTH // 4
        for i, code in enumerate(self.FIELDS):
            expected = light_of_gain(light_of(self.base[0, 0]), np.asarray(stops(code)))
            np.testing.assert_allclose(light[10:-10, i * width + 4:(i + 1) * width - 4], np.broadcast_to(expected, (44, 16, 3)),
                                       rtol=1e-4, err_msg=f"{name} {code}")
        np.testing.assert_allclose(self.light_in(name, "--no-gain-map"), np.broadcast_to(light_of(self.base), light.shape), rtol=1e-4)
        self.refuse("filter", name, "-o", "out.ppm", "--strip", "--strict", says=("left out: the gain map (light above white)",))
        self.succeed("filter", name, "-o", "out.jpg", "--quality", "100", "--strict", "--quiet")
        np.testing.assert_allclose(self.light_in("out.jpg")[10:-10, -20:-4], light[10:-10, -20:-4], rtol=0.02)
        (self.folder / "out.jpg").unlink()

    @staticmethod
    def with_offset(light, stops):
        return np.maximum((light + 1 / 64) * 2 ** stops - 1 / 64, 0)

    def iso_file(self, codec, map_samples, words):
        item = (b"tmap", b"\0" + words, [full(b"ispe", struct.pack(">II", self.WIDTH, self.HEIGHT))], False)
        return heif([picture(self.base, codec), picture(map_samples, codec, hidden=codec == "hvc1"), item], [(b"dimg", 3, [1, 2])],
                    b"heic" if codec == "hvc1" else b"avif")

    @unittest.skipUnless(shutil.which("ffmpeg"), "ffmpeg is not installed")
    def test_iso_in_heic_and_avif(self):
        colours = np.stack([self.map, 255 - self.map, np.full_like(self.map, 51)], -1)
        for name, codec in (("in.heic", "hvc1"), ("in.avif", "av01")):
            (self.folder / name).write_bytes(self.iso_file(codec, self.map, iso_words(-1, 3, 0.5)))
            self.expect_gains(name, self.with_offset, lambda code: -1 + 4 * (code / 255) ** 2)
            (self.folder / "narrow").write_bytes(self.iso_file(codec, self.map[:, :16], iso_words(0, 3)))
            self.refuse("filter", "narrow", "-o", "out.jpg", "--strict", says=("its gain map of 16 x 32 has not the proportions of 96 x 64",))
            (self.folder / name).write_bytes(self.iso_file(codec, colours, iso_words(0, 3)))
            self.expect_gains(name, self.with_offset, lambda code: 3 / 255 * np.array([code, 255 - code, 51]))

    @unittest.skipUnless(shutil.which("ffmpeg"), "ffmpeg is not installed")
    def test_apple_in_heic(self):
        auxiliary = picture(self.map, "hvc1", full(b"auxC", self.AUXILIARY + b"\0"))
        photo = [picture(self.base, "hvc1"), auxiliary]
        told = (b"mime", packet(HDRGainMap_HDRGainMapVersion=131072, HDRGainMap_HDRGainMapHeadroom=6), [], False)
        (self.folder / "told.heic").write_bytes(heif([*photo, told], [(b"auxl", 2, [1]), (b"cdsc", 3, [2])]))
        self.expect_gains("told.heic", lambda light, gain: light * gain, lambda code: 1 + 5 * by_bt709(code))
        for headroom, gain, stops in ((1.01, 0.005, 3 - 0.35), (1.5, 0.5, 2.303 - 0.1515), (0.8, 0.01, 1.6), (0.8, 1, 1.5)):
            note = apple_note(headroom, gain)
            noted = exif((0x8769, 4, 1, struct.pack("<I", 26))) + exif((0x927C, 7, len(note), note), begin=26)[8:]
            (self.folder / "noted.heic").write_bytes(heif([*photo, (b"Exif", bytes(4) + noted, [], False)],
                                                          [(b"auxl", 2, [1]), (b"cdsc", 3, [1])]))
            self.expect_gains("noted.heic", lambda light, gain: light * gain,
                              lambda code: 1 + (2 ** stops - 1) * by_bt709(code))
        (self.folder / "mute.heic").write_bytes(heif(photo, [(b"auxl", 2, [1])]))
        self.refuse("filter", "mute.heic", "-o", "out.png", "--strict", says=("left out: the gain map, of a kind that is not read",))

    def test_apple_in_jpeg(self):
        words = packet(apdi_AuxiliaryImageType=self.AUXILIARY.decode(), HDRGainMap_HDRGainMapHeadroom=4)
        behind = jpeg_bytes(16, 8, 180)
        (self.folder / "in.jpg").write_bytes(with_segments() + behind[:2] + segment(0xE1, XMP + words) + behind[2:])
        np.testing.assert_allclose(self.light_in("in.jpg"), light_of(np.full((8, 16, 1), 99)) * (1 + 3 * by_bt709(180)), rtol=1e-4)

    def jxl_file(self, words, map_name="map.jxl"):
        write_png(self.folder / "base.png", self.WIDTH, self.HEIGHT, 3, 8, self.base.ravel())
        write_png(self.folder / "map.png", self.WIDTH // 2, self.HEIGHT // 2, 1, 8, self.map.ravel())
        for name in ("base", "map"):
            if not (self.folder / f"{name}.jxl").exists():
                self.succeed("filter", f"{name}.png", "-o", f"{name}.jxl", "--quality", "100", "--quiet")
        gain = b"\0" + struct.pack(">H", len(words)) + words + b"\0" + bytes(4) + (self.folder / map_name).read_bytes()
        return jxl_with((self.folder / "base.jxl").read_bytes(), box(b"jhgm", gain))

    def test_iso_in_jpeg_xl(self):
        (self.folder / "in.jxl").write_bytes(self.jxl_file(iso_words(0, 2)))
        self.expect_gains("in.jxl", self.with_offset, lambda code: 2 * code / 255)
        for words, source in ((b"", "map.jxl"), (iso_words(0, 2, base_headroom=3), "map.jxl"), (iso_words(0, 2), "map.png")):
            (self.folder / "bad.jxl").write_bytes(self.jxl_file(words, source))
            self.refuse("filter", "bad.jxl", "-o", "out.png", "--strict", says=("left out: the gain map, ",))


if __name__ == "__main__":
    unittest.main()
