#!/usr/bin/env python3
"""Crop, rotate, flip and pad from file to file: JPEG without loss, maps that move along, sizes in bytes, sheets."""
import re
import struct
import unittest
import zlib

from support import CommandCase, icc_profile, jpeg_shape, png_chunk, png_size, read_png, write_png


def picture(width, height, channels=3):
    return [(x * 3 + y * 5 + c * 50 + x * y % 13) % 256 for y in range(height) for x in range(width) for c in range(channels)]


class MovesCase(CommandCase):
    def made(self, source, target, *filters, options=()):
        words = [word for text in filters for word in ("--filter", text)]
        return self.succeed("filter", source, "-o", target, *words, *options)

    def pixels(self, name):
        self.made(name, "pixels.png", options=("--no-gain-map",))
        return read_png(self.folder / "pixels.png")


class Jpegs(MovesCase):
    def setUp(self):
        super().setUp()
        write_png(self.folder / "in.png", 64, 48, 3, 8, picture(64, 48))
        self.made("in.png", "in.jpg", options=("--quality", "85"))  # blocks of 16 x 16

    def test_four_quarters_and_two_mirrors_change_nothing(self):
        before = self.pixels("in.jpg")
        done = self.made("in.jpg", "a.jpg", "rotate")
        self.assertIn("a.jpg: turned without loss", done.stderr)
        self.assertEqual(jpeg_shape(self.folder / "a.jpg")[:2], (48, 64))
        self.made("a.jpg", "b.jpg", "rotate:angle=-180", "flip")
        self.made("b.jpg", "c.jpg", "flip", "rotate:angle=90")
        self.assertEqual(self.pixels("c.jpg"), before)

    def test_it_shows_what_the_pixels_show(self):
        for turn in ("rotate:angle=90", "rotate:angle=180", "rotate:angle=270", "flip", "flip:axis=vertical"):
            self.made("in.jpg", "blocks.jpg", turn)
            self.made("in.jpg", "pixels.png", turn)
            blocks, pixels = self.pixels("blocks.jpg"), read_png(self.folder / "pixels.png")
            # The chroma of 2 x 2 pixels is interpolated from the turned side.
            apart = [abs(a - b) for a, b in zip(blocks.samples, pixels.samples)]
            self.assertLess(sum(apart) / len(apart), 2, turn)

    def test_a_pipe_is_turned_without_loss(self):
        with open(self.folder / "in.jpg", "rb") as file:
            done = self.succeed("filter", "-", "-o", "piped.jpg", "--filter", "rotate", stdin=file)
        self.assertIn("piped.jpg: turned without loss", done.stderr)
        self.made("in.jpg", "named.jpg", "rotate")
        self.assertEqual((self.folder / "piped.jpg").read_bytes(), (self.folder / "named.jpg").read_bytes())

    def test_exif_is_applied_and_turned_along(self):
        jpeg = (self.folder / "in.jpg").read_bytes()
        exif = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"
        (self.folder / "turned.jpg").write_bytes(jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + jpeg[2:])
        self.made("turned.jpg", "back.jpg", "rotate:angle=-90")
        self.assertEqual(self.pixels("back.jpg"), self.pixels("in.jpg"))
        self.assertNotIn(b"\x01\x12\0\x03\0\0\0\x01\0\x06", (self.folder / "back.jpg").read_bytes())

    def test_other_sizes_and_qualities_are_encoded(self):
        self.made("in.png", "odd.jpg", "crop:height=45")
        done = self.made("odd.jpg", "out.jpg", "rotate", options=("--verbose",))
        self.assertNotIn("without loss", done.stderr)
        self.assertIn("blocks do not end at the picture's edge", done.stderr)
        self.assertNotIn("without loss", self.made("in.jpg", "out.jpg", "rotate", options=("--quality", "60")).stderr)
        self.assertNotIn("without loss", self.made("in.jpg", "out.jpg", "rotate", "grey").stderr)


class Maps(MovesCase):
    def test_a_mask_moves_with_the_picture(self):
        """The half of a picture that a mask covers is blurred, whatever was cropped or turned before."""
        write_png(self.folder / "in.png", 40, 20, 1, 8, [255 * (x + y & 1) for y in range(20) for x in range(40)])
        write_png(self.folder / "mask.png", 40, 20, 1, 8, [255 * (x >= 30) for y in range(20) for x in range(40)])
        blur = "variable_box:radius=3:mask=mask.png"
        self.made("in.png", "first.png", blur, "crop:width=20:place=right", "rotate", "flip")
        self.made("in.png", "last.png", "crop:width=20:place=right", "rotate", "flip", blur)
        first, last = (read_png(self.folder / name) for name in ("first.png", "last.png"))
        self.assertEqual((last.width, last.height), (20, 20))
        blurred = [[value not in (0, 255) for value in one.samples[row * 20:row * 20 + 20]] for one in (first, last) for row in range(20)]
        # Turned clockwise the right half lies below.
        for rows in (blurred[:20], blurred[20:]):
            self.assertFalse(any(map(any, rows[:9])))
            self.assertTrue(all(map(all, rows[12:])))

    def test_depth_beside_a_picture_is_cropped(self):
        write_png(self.folder / "in.png", 60, 40, 3, 8, picture(60, 40))
        write_png(self.folder / "in_depth.png", 60, 40, 1, 8, [255 if x < 30 else 0 for y in range(40) for x in range(60)])
        dof = "dof:focus=1:blur=6:quality=draft"
        self.made("in.png", "crop.png", "crop:width=20:place=left")
        self.made("in.png", "focus.png", "crop:width=20:place=left", dof)
        self.assertEqual(read_png(self.folder / "focus.png"), read_png(self.folder / "crop.png"), "all of it is in focus")
        self.made("in.png", "pad.png", "crop:width=20:place=left", "border:size=8:colour=edge", dof)
        self.made("in.png", "sharp.png", "crop:width=20:place=left", "border:size=8:colour=edge")
        self.assertEqual(read_png(self.folder / "pad.png"), read_png(self.folder / "sharp.png"), "the border has its depth")


class Overlays(MovesCase):
    def setUp(self):
        super().setUp()
        write_png(self.folder / "in.png", 200, 100, 3, 8, [0] * 60000)

    def box_of(self, name):
        """The columns and rows that are not black: (left, right, top, bottom)."""
        out = read_png(self.folder / name)
        seen = [(i // 3 % 200, i // 600) for i, value in enumerate(out.samples) if value]
        return min(x for x, _ in seen), max(x for x, _ in seen), min(y for _, y in seen), max(y for _, y in seen)

    def test_a_watermark_lies_at_its_place(self):
        write_png(self.folder / "logo.png", 40, 20, 4, 8, [255] * 3200)
        logo = "watermark:size=20%:margin=5%:place=top-right:opacity=1:picture=logo.png"
        self.made("in.png", "out.png", logo)
        self.assertEqual(self.box_of("out.png"), (150, 189, 10, 29))
        self.made("in.png", "half.png", "watermark:opacity=50%:picture=logo.png")
        self.assertEqual(max(read_png(self.folder / "half.png").samples), 188, "half of the light")
        self.made("in.png", "part.png", logo + ":where=x<170")
        self.assertEqual(self.box_of("part.png"), (150, 169, 10, 29))
        self.made("in.png", "turned.png", "rotate", logo)  # on 100 x 200
        self.assertEqual(png_size(self.folder / "turned.png"), (100, 200))
        self.refuse("filter", "in.png", "-o", "no.png", "--filter", "watermark", code=2, says=("watermark:...:picture=FILE",))

    def test_letters_have_the_height_of_their_line(self):
        text = "text:size=40%:place=top-left:margin=0:words="
        self.made("in.png", "out.png", text + "H: no")
        left, right, top, bottom = self.box_of("out.png")
        self.assertTrue(left < 8 and 60 < right < 120 and 4 < top < 14 and 28 < bottom < 40, (left, right, top, bottom))
        self.made("in.png", "two.png", text + r"H\nH")
        self.assertGreater(self.box_of("two.png")[3], 65)
        self.made("in.png", "long.png", text + "H" * 60)
        left, right, top, bottom = self.box_of("long.png")
        self.assertTrue(180 < right < 200 and bottom - top < 8, "smaller, so that it fits")
        self.assertIn("has no letters for \U0001f5fb", self.made("in.png", "x.png", text + "a\U0001f5fb").stderr)
        self.refuse("filter", "in.png", "-o", "no.png", "--filter", "text", code=2, says=("text:...:words=WORDS",))
        self.refuse("filter", "in.png", "-o", "no.png", "--filter", text + "a:font=in.png", says=("in.png", "is no font"))


class Sheets(MovesCase):
    def test_colours_of_other_profiles_are_srgb(self):
        (self.folder / "in").mkdir()
        write_png(self.folder / "in/grey.png", 64, 64, 3, 8, [100] * 12288)
        data = (self.folder / "in/grey.png").read_bytes()
        profile = png_chunk(b"iCCP", b"linear\0\0" + zlib.compress(icc_profile(1.0)))
        (self.folder / "in/grey.png").write_bytes(data[:33] + profile + data[33:])
        self.succeed("batch", "in", "out", "--filter", "box:radius=0", "--contact-sheet", "sheet.png")
        sheet = read_png(self.folder / "sheet.png")
        self.assertIn(168, sheet.samples, "light of 100 / 255")
        self.assertNotIn(100, sheet.samples)


class Bytes(MovesCase):
    def test_the_quality_is_lowered_until_a_file_fits(self):
        write_png(self.folder / "in.png", 160, 120, 3, 8, picture(160, 120))
        for name in ("out.jpg", "out.webp"):
            with self.subTest(name):
                full = self.made("in.png", name) and (self.folder / name).stat().st_size
                most = full // 3
                done = self.made("in.png", name, options=("--max-bytes", str(most), "--verbose"))
                self.assertLessEqual((self.folder / name).stat().st_size, most)
                quality = int(re.search(r"quality (\d+) in place of 95", done.stderr)[1])
                self.made("in.png", name, options=("--quality", str(quality + 1)))
                self.assertGreater((self.folder / name).stat().st_size, most, "the next quality does not fit")
                self.refuse("filter", "in.png", "-o", name, "--max-bytes", "100",
                            says=(name, "at the lowest quality", "--max-bytes", "resize:long=2048"))
        self.refuse("filter", "in.png", "-o", "out.png", "--max-bytes", "9k", code=2, says=("PNG has no quality", "--max-bytes"))


class Sheets(MovesCase):
    def batch(self, folder, *options):
        done = self.run_here("batch", "in", folder, "--filter", "flip", *options)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_picture_and_a_page_show_all_outputs(self):
        (self.folder / "in").mkdir()
        for i, name in enumerate(("a&b.png", "c d.png", "e.png")):
            write_png(self.folder / "in" / name, 30, 20, 3, 8, [80 * i, 0, 255] * 600)
        self.batch("web", "--contact-sheet", "sheet.png")
        sheet = read_png(self.folder / "sheet.png")
        self.assertEqual(png_size(self.folder / "sheet.png"), (424, 424))
        colours = {tuple(sheet.samples[i:i + 3]) for i in range(0, len(sheet.samples), 3)}
        self.assertEqual(colours, {(255, 255, 255), (0, 0, 255), (80, 0, 255), (160, 0, 255)})
        self.batch("web", "--skip-existing", "--contact-sheet", "web/index.html")
        page = (self.folder / "web/index.html").read_text()
        self.assertEqual(re.findall(r'src="([^"]+)"', page), ["a%26b.png", "c%20d.png", "e.png"])
        self.assertIn("a&amp;b.png<br><small>30 x 20, 1 kB", page)
        self.refuse("batch", "in", "web2", "--filter", "flip", "--contact-sheet", "sheet.txt", code=2, says=("sheet.txt",))


class Heifs(MovesCase):
    def test_what_is_written_is_read(self):
        write_png(self.folder / "in.png", 64, 48, 3, 8, [min(255, x * 3 + y) for y in range(48) for x in range(64) for c in range(3)])
        for name in ("out.avif", "out.heic"):
            with self.subTest(name):
                done = self.run_here("filter", "in.png", "-o", name)
                if "has no encoder" in done.stderr:
                    self.skipTest(done.stderr)
                self.assertEqual(done.returncode, 0, done.stderr)
                apart = [abs(a - b) for a, b in zip(self.pixels(name).samples, read_png(self.folder / "in.png").samples)]
                self.assertLess(sum(apart) / len(apart), 2)


if __name__ == "__main__":
    unittest.main()
