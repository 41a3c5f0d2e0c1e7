#!/usr/bin/env python3
"""`--filter resize`: sizes, what is said of them, and pictures larger than memory."""
import resource
import subprocess
import unittest

from support import SCANLENS, CommandCase, jpeg_shape, limited, png_size, read_png, write_png


class Sizes(CommandCase):
    def setUp(self):
        super().setUp()
        write_png(self.folder / "in.png", 80, 60, 3, 8, [i * 7919 % 251 for i in range(80 * 60 * 3)])

    def resize(self, values, output="out.png", *options):
        return self.succeed("filter", "in.png", "-o", output, "--filter", f"resize:{values}", *options)

    def test_what_is_said(self):
        done = self.resize("long=20")
        self.assertEqual(png_size(self.folder / "out.png"), (20, 15))
        self.assertIn("resize: 80 x 60 becomes 20 x 15", done.stderr)
        done = self.resize("long=2048")
        self.assertEqual(read_png(self.folder / "out.png"), read_png(self.folder / "in.png"))
        self.assertIn("resize: stays 80 x 60 (larger only with enlarge=1)", done.stderr)
        self.resize("long=160:enlarge=1", "out.jpg")
        self.assertEqual(jpeg_shape(self.folder / "out.jpg")[:2], (160, 120))
        self.refuse("filter", "in.png", "-o", "out.png", "--filter", "resize", code=2,
                    says=("resize", "no size is given", "resize:long=2048"))

    def test_the_limit_of_pixels_is_that_of_the_result(self):
        big = ("--filter", "resize:percent=1000:enlarge=1", "--max-pixels", "100000")
        for output in ("out.png", "out.jpg"):
            self.refuse("filter", "in.png", "-o", output, *big, says=("in.png", "800 x 600", "--max-pixels"))

    def test_the_viewer_refuses_it(self):
        self.refuse("view", "in.png", "--filter", "resize:long=9", "--screenshot", "out.png", code=2,
                    says=("resize", "change the size", "scanlens filter"))

    def test_maps_fit_where_they_are_taken(self):
        """A mask of the whole picture's size, before and behind a change of the size."""
        write_png(self.folder / "mask.png", 80, 60, 1, 8, [255] * 4800)
        for order in (("variable_box:radius=2:mask=mask.png", "resize:long=20"),
                      ("resize:long=20", "variable_box:radius=2:mask=mask.png"),
                      ("resize:long=20", "dof:quality=draft:depth=mask.png")):
            filters = [word for text in order for word in ("--filter", text)]
            self.succeed("filter", "in.png", "-o", "out.png", *filters)
            self.assertEqual(png_size(self.folder / "out.png"), (20, 15))


class WebCopies(CommandCase):
    def test_batch_writes_what_filter_writes(self):
        """The command of the README, on pictures that are wide, high, and small already."""
        (self.folder / "in").mkdir()
        words = ("--filter", "resize:long=40", "--filter", "unsharp:amount=0.4:radius=1", "--quality", "85")
        sizes = {"wide": (80, 60), "high": (50, 100), "small": (30, 20)}
        for name, (width, height) in sizes.items():
            write_png(self.folder / f"in/{name}.png", width, height, 3, 8, [i * 7919 % 251 for i in range(width * height * 3)])
            self.succeed("filter", f"in/{name}.png", "-o", f"{name}.jpg", *words)
        done = self.run_here("batch", "in", "web", *words, "--format", "jpg")
        self.assertEqual(done.returncode, 0, done.stderr)
        for name, size in (("wide", (40, 30)), ("high", (20, 40)), ("small", (30, 20))):
            self.assertEqual((self.folder / f"web/{name}.jpg").read_bytes(), (self.folder / f"{name}.jpg").read_bytes())
            self.assertEqual(jpeg_shape(self.folder / f"web/{name}.jpg")[:2], size)


class LargerThanMemory(CommandCase):
    def test_row_by_row(self):
        """200 MB of pixels, in less than that."""
        side = 14000
        header = f"P5\n{side} {side}\n255\n".encode()
        with open(self.folder / "in.pgm", "wb") as file:
            file.write(header)
            file.truncate(len(header) + side * side)  # zeros that take no room
        limit = 190 << 20  # of address space, the libraries' included
        for output in ("out.png", "out.pgm"):
            done = subprocess.run([SCANLENS, "filter", "in.pgm", "-o", output, "--filter", "resize:long=700", "--device", "cpu"],
                                  cwd=self.folder, stderr=subprocess.PIPE, timeout=300,
                                  preexec_fn=limited(resource.RLIMIT_DATA, limit))
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(png_size(self.folder / "out.png"), (700, 700))


if __name__ == "__main__":
    unittest.main()
