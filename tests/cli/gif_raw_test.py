#!/usr/bin/env python3
"""GIF in and out, still and moving; RAW of a camera."""
import json
import shutil
import sys
import unittest
from pathlib import Path

from support import CommandCase, ROOT, png_bytes, png_chunk, read_png, require_opengl, run, write_png
from video_test import NO_FFMPEG, ffmpeg

sys.path.insert(0, str(ROOT / "tests/files"))
import make_dng  # noqa: E402


def gif_frames(path):
    """[(left, top, width, height, hundredths of a second)] of a GIF's frames, by its blocks."""
    data, found, delay = Path(path).read_bytes(), [], 0
    colours = lambda flags: 3 << (flags & 7) + 1 if flags & 0x80 else 0
    at = 13 + colours(data[10])
    while data[at] != 0x3b:
        if data[at] == 0x21:
            if data[at + 1] == 0xf9:
                delay = int.from_bytes(data[at + 4:at + 6], "little")
            at += 2
        else:
            found.append((*(int.from_bytes(data[i:i + 2], "little") for i in range(at + 1, at + 9, 2)), delay))
            at += 11 + colours(data[at + 9])
        while data[at]:
            at += data[at] + 1
        at += 1
    return found


def require_format(name):
    """Skips the case where this build goes on without the format's library."""
    if any(name in one for one in json.loads(run("info", "--json").stdout)["features"]["missing"]):
        raise unittest.SkipTest(f"this build has no {name}")


class Gif(CommandCase):
    def setUp(self):
        super().setUp()
        require_format("GIF")

    def filtered(self, source, target, *filters):
        return self.succeed("filter", source, "-o", target, *(word for text in filters for word in ("--filter", text)))

    def test_few_colours_stay_exact_and_alpha_becomes_holes(self):
        pixels = [value for i in range(600) for value in (i % 16 * 16, i % 7 * 30, 40, 255 if i % 5 else 0)]
        write_png(self.folder / "in.png", 30, 20, 4, 8, pixels)
        self.filtered("in.png", "a.gif")
        self.filtered("a.gif", "b.png")
        self.assertEqual([tuple(pixels[i:i + 4]) if pixels[i + 3] else (0, 0, 0, 0) for i in range(0, 2400, 4)],
                         [tuple(read_png(self.folder / "b.png").samples[i:i + 4]) for i in range(0, 2400, 4)])

    def test_batch_makes_one_of_a_picture(self):
        write_png(self.folder / "in.png", 30, 20, 3, 8, [7] * 1800)
        self.assertEqual(self.run_here("batch", "in.png", "out.gif", "--filter", "box").returncode, 0)
        self.assertEqual(gif_frames(self.folder / "out.gif"), [(0, 0, 30, 20, 0)])

    def test_many_colours_keep_their_means(self):
        pixels = [value for y in range(96) for x in range(128) for value in (x * 2, y * 2, 255 - x - y)]
        write_png(self.folder / "in.png", 128, 96, 3, 8, pixels)
        self.assertIn("GIF holds 256 colours", self.succeed("filter", "in.png", "-o", "a.gif", "--verbose").stderr)
        self.filtered("a.gif", "b.png", "box:radius=4")
        self.filtered("in.png", "c.png", "box:radius=4")
        apart = [abs(a - b) for a, b in zip(read_png(self.folder / "b.png").samples, read_png(self.folder / "c.png").samples)]
        self.assertLess(sum(apart) / len(apart), 1.2)

    def test_numbered_files_hold_a_frame_each(self):
        for k in (1, 2):
            write_png(self.folder / f"in_{k}.png", 30, 20, 3, 8, [70 * k] * 1800)
            write_png(self.folder / f"z_{k}.png", 30, 20, 1, 16, [100 * (i % 30) for i in range(600)])
        done = self.run_here("dof", "in_%d.png", "--depth", "z_%d.png", "-o", "out_%d.gif", "--focus", "0.5", "--blur", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(path.name for path in self.folder.glob("*.gif")), ["out_1.gif", "out_2.gif"])

    def test_an_empty_comment_and_a_flat_picture_come_back(self):
        plain = png_bytes(3000, 2000, 4, 8, bytes(3000 * 2000 * 4))
        (self.folder / "in.png").write_bytes(plain[:33] + png_chunk(b"tEXt", b"Comment\0") + plain[33:])
        self.filtered("in.png", "a.gif")
        self.filtered("a.gif", "b.png", "crop:width=2:height=2")
        self.assertEqual(list(read_png(self.folder / "b.png").samples), [0] * 16)

    def test_a_comment_with_letters_of_raw_is_no_raw(self):
        (self.folder / "in.ppm").write_bytes(b"P6\n# by CRT\n2 2\n255\n" + bytes(12))
        self.filtered("in.ppm", "out.png")

    def test_a_render_moves(self):
        require_opengl()
        self.succeed("render", "teapot", "-o", "a.gif", "--size", "64x48", "--frames", "4", "--fps", "15", "--focus", "1:0.8", "4:2")
        frames = gif_frames(self.folder / "a.gif")
        self.assertEqual(frames[0], (0, 0, 64, 48, 7))
        self.assertEqual([delay for *_, delay in frames], [7, 6, 7, 7])

    @unittest.skipIf(NO_FFMPEG, NO_FFMPEG)
    def test_what_moves_is_a_clip(self):
        ffmpeg("-f", "lavfi", "-i", "testsrc2=size=64x48:rate=10:duration=0.5", self.folder / "in.gif")
        write_png(self.folder / "logo.png", 8, 8, 3, 8, [255] * 192)
        self.filtered("in.gif", "out.gif", "box:radius=1", "watermark:opacity=1:place=top-left:picture=logo.png")
        self.assertEqual(len(gif_frames(self.folder / "out.gif")), 5)
        self.filtered("out.gif", "back.mkv")
        self.succeed("filter", "in.gif", "-o", "one.png", "--frame", "2")
        shutil.copy(ROOT / "tests/files/gif/palette.gif", self.folder / "still.gif")
        self.filtered("still.gif", "still.png")
        self.assertEqual(read_png(self.folder / "still.png").width, 41)


class Raw(CommandCase):
    def setUp(self):
        super().setUp()
        require_format("RAW")

    def patches(self, name):
        """The middle colour of the four quarters, 0 to 1, from top left by rows."""
        self.succeed("filter", name, "-o", "raw.png")
        out = read_png(self.folder / "raw.png")
        return [tuple(out.samples[3 * ((1 + 2 * row) * out.height // 4 * out.width + (1 + 2 * column) * out.width // 4) + c] / 65535 for c in range(3))
                for row in (0, 1) for column in (0, 1)]

    def test_a_dng_has_the_cameras_white_balance(self):
        (self.folder / "in.dng").write_bytes(make_dng.dng())
        white, red, green, grey = self.patches("in.dng")
        for patch in (white, grey):
            self.assertLess(max(patch) - min(patch), 0.02, patch)
        self.assertTrue(red[0] > 2 * red[1] and green[1] > 1.5 * green[0], (red, green))
        said = self.succeed("filter", "in.dng", "-o", "a.jpg").stderr
        self.assertIn("developed by LibRaw", said)
        self.assertIn("the camera's white balance", said)

    def test_it_is_turned_as_it_says(self):
        (self.folder / "in.dng").write_bytes(make_dng.dng(orientation=6))
        self.assertIn("in.dng: 48 x 64", self.succeed("filter", "in.dng", "-o", "a.png").stderr)
        green, white, grey, red = self.patches("in.dng")
        self.assertTrue(red[0] > 2 * red[1] and green[1] > 1.5 * green[0], (red, green))

    def test_a_folder_of_raw_becomes_jpeg(self):
        (self.folder / "in").mkdir()
        (self.folder / "in/a.dng").write_bytes(make_dng.dng())
        self.assertEqual(self.run_here("batch", "in", "out", "--filter", "resize:width=32").returncode, 0)
        self.assertTrue((self.folder / "out/a.jpg").exists())
        (self.folder / "in/a.dng").write_bytes(make_dng.dng()[:3000])
        self.refuse("filter", "in/a.dng", "-o", "b.png", says=("in/a.dng",))


if __name__ == "__main__":
    unittest.main()
