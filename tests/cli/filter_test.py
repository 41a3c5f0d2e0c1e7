#!/usr/bin/env python3
"""`filter`: from file to file, row by row, against sums made here."""
import array
import itertools
import os
import random
import re
import resource
import signal
import struct
import subprocess
import time
import unittest
import zlib

from support import (HANGS, SCANLENS, CommandCase, Picture, jpeg_bytes, jpeg_shape, limited, png_bytes, png_chunk,
                     png_header, read_png)

BOX = ("--filter", "box:radius=2")


def pnm_bytes(picture, most=None):
    """P5, P6 or, with alpha, P7."""
    most = most or (1 << picture.bits) - 1
    if picture.channels == 4:
        header = (f"P7\n# a comment\nWIDTH {picture.width}\nHEIGHT {picture.height}\nDEPTH 4\nMAXVAL {most}\n"
                  "TUPLTYPE RGB_ALPHA\nENDHDR\n")
    else:
        header = f"P{5 if picture.channels == 1 else 6}\n# a comment\n{picture.width} {picture.height}\n{most}\n"
    code = "B" if most < 256 else "H"
    return header.encode() + struct.pack(f">{len(picture.samples)}{code}", *picture.samples)


def read_pnm(path):
    data = path.read_bytes()
    if data.startswith(b"P7\n"):
        header, rest = data.split(b"ENDHDR\n", 1)
        words = dict(line.split(b" ", 1) for line in header.splitlines()[1:])
        width, height, channels, most = (int(words[key]) for key in (b"WIDTH", b"HEIGHT", b"DEPTH", b"MAXVAL"))
    else:
        kind, size, most, rest = data.split(b"\n", 3)
        width, height = map(int, size.split())
        channels, most = {b"P5": 1, b"P6": 3}[kind], int(most)
    assert most in (255, 65535)
    count = width * height * channels
    code = "B" if most == 255 else "H"
    return Picture(width, height, channels, 8 if most == 255 else 16, array.array(code, struct.unpack(f">{count}{code}", rest)))


def read_picture(path):
    return read_png(path) if path.suffix == ".png" else read_pnm(path)


def random_picture(seed, width, height, channels, bits):
    noise = random.Random(seed)
    code = "B" if bits == 8 else "H"
    return Picture(width, height, channels, bits,
                   array.array(code, (noise.randrange(1 << bits) for _ in range(width * height * channels))))


def box(picture, radius):
    """The mean over the part of each box that lies in the picture, halves rounded up; colours are weighed by alpha."""
    width, height, channels = picture.shape[:3]
    out = array.array(picture.samples.typecode)
    for y, x, c in itertools.product(range(height), range(width), range(channels)):
        inside = [(j * width + i) * channels for j in range(max(0, y - radius), min(height, y + radius + 1))
                  for i in range(max(0, x - radius), min(width, x + radius + 1))]
        weights = [picture.samples[p + 3] if channels == 4 and c < 3 else 1 for p in inside]
        total = sum(weights)
        mean = sum(w * picture.samples[p + c] for w, p in zip(weights, inside))
        out.append((2 * mean + total) // (2 * total) if total else picture.samples[(y * width + x) * channels + c])
    return picture._replace(samples=out)


class FilterCase(CommandCase):
    def write(self, name, picture):
        path = self.folder / name
        path.write_bytes(png_bytes(*picture) if path.suffix == ".png" else pnm_bytes(picture))
        return picture


class Pictures(FilterCase):
    def test_every_format_depth_and_channel(self):
        for channels, bits in itertools.product((1, 3, 4), (8, 16)):
            picture = random_picture(channels + bits, 23, 17, channels, bits)
            expected = box(picture, 2)
            map_name = {1: ".pgm", 3: ".ppm", 4: ".pam"}[channels]
            for source in (".png", map_name):
                self.write("in" + source, picture)
                for target in (".png", map_name, ".pam"):
                    with self.subTest(channels=channels, bits=bits, source=source, target=target):
                        self.succeed("filter", "in" + source, "-o", "out" + target, *BOX)
                        self.assertEqual(read_picture(self.folder / ("out" + target)), expected)

    def test_every_band(self):
        picture = self.write("in.ppm", random_picture(1, 19, 31, 3, 8))
        for radius in (0, 1, 5, 100):
            expected = box(picture, radius)
            for band in ("1", "2", "7", "30", "31", "1000"):
                with self.subTest(radius=radius, band=band):
                    self.succeed("filter", "in.ppm", "-o", "out.ppm", "--filter", f"box:radius={radius}", "--band", band)
                    self.assertEqual(read_pnm(self.folder / "out.ppm"), expected)

    def test_usual_radius(self):
        picture = self.write("in.pgm", random_picture(1, 30, 30, 1, 8))
        self.succeed("filter", "in.pgm", "-o", "out.pnm", "--filter", "box")
        self.assertEqual(read_pnm(self.folder / "out.pnm"), box(picture, 8))

    def test_samples_of_another_range(self):
        for most in (1, 100, 1000):
            noise = random.Random(most)
            bits = 8 if most < 256 else 16
            raw = [noise.randrange(most + 1) for _ in range(40)]
            full = (1 << bits) - 1
            (self.folder / "in.pgm").write_bytes(pnm_bytes(Picture(8, 5, 1, bits, raw), most))
            self.succeed("filter", "in.pgm", "-o", "out.png", "--filter", "box:radius=0")
            self.assertEqual(list(read_png(self.folder / "out.png").samples), [(v * full + most // 2) // most for v in raw])

    def test_formats_that_are_read_and_written_whole(self):
        (self.folder / "in.jpg").write_bytes(jpeg_bytes(64, 48, 200))
        self.succeed("filter", "in.jpg", "-o", "out.png", *BOX)
        self.assertEqual(set(read_png(self.folder / "out.png").samples), {200})
        self.succeed("filter", "out.png", "-o", "out.jpg", *BOX)
        self.assertEqual(jpeg_shape(self.folder / "out.jpg"), (64, 48, 1))

    def test_png_that_does_not_come_row_by_row(self):
        picture = random_picture(5, 3, 2, 1, 8)
        plain = png_bytes(*picture)
        # Turned by a quarter: orientation 6, in a chunk before or behind the pixels.
        exif = png_chunk(b"eXIf", b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0")
        a, b, c, d, e, f = picture.samples
        header, end = 8 + 25, len(plain) - 12
        for at in (header, end):
            (self.folder / "in.png").write_bytes(plain[:at] + exif + plain[at:])
            self.succeed("filter", "in.png", "-o", "out.png", "--filter", "box:radius=0")
            self.assertEqual(read_png(self.folder / "out.png"), Picture(2, 3, 1, 8, array.array("B", (d, a, e, b, f, c))))
        # Interlaced: 1 x 1 has one pass.
        head = b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 1))
        (self.folder / "in.png").write_bytes(head + png_chunk(b"IDAT", zlib.compress(b"\0\x4d")) + png_chunk(b"IEND", b""))
        self.succeed("filter", "in.png", "-o", "out.png", *BOX)
        self.assertEqual(read_png(self.folder / "out.png").samples[0], 0x4D)

    def test_messages(self):
        self.write("in.ppm", random_picture(1, 19, 31, 3, 8))
        done = self.succeed("filter", "in.ppm", "-o", "out.ppm", *BOX, "--device", "cpu", "--band", "7")
        self.assertIn("in.ppm: 19 x 31", done.stderr)
        self.assertIn("bands of 7 rows", done.stderr)
        self.assertIn("out.ppm: written", done.stderr)
        self.assertEqual(self.succeed("filter", "in.ppm", "-o", "out.ppm", *BOX, "--quiet").stderr, "")


class Refusals(FilterCase):
    def setUp(self):
        super().setUp()
        self.write("in.png", random_picture(1, 40, 30, 3, 8))
        self.write("in.ppm", random_picture(1, 40, 30, 3, 8))

    def test_filters(self):
        for text, *says in (("blur", "no filter 'blur'", "box"), ("", "no filter is named"), ("box:size=3", "'size'", "radius"),
                            ("box:radius=-1", "radius", "'-1'"), ("box:radius=2.5", "whole"), ("box:radius=x", "'x'"),
                            ("box:radius=", "radius"), ("box:radius", "key=value"), ("box:radius=1:radius=1", "twice"),
                            ("box:radius=99999999", "1048576"), ("unshrap", "did you mean unsharp?"),
                            ("adaptive_threshold:method=savola", "one of bradley, niblack, sauvola; did you mean sauvola?")):
            with self.subTest(filter=text):
                self.refuse_twice("filter", "in.png", "-o", "out.png", "--filter", text, output="out.png", code=2, says=says)

    def test_options(self):
        for band in ("0", "-3", "x", "1.5"):
            self.refuse("filter", "in.png", "-o", "out.png", *BOX, "--band", band, code=2, says=("--band",))
        self.refuse("filter", "in.png", *BOX, code=2, says=("--output",))
        self.refuse("filter", "", "-o", "out.png", *BOX, code=2, says=("the name of the input is empty",))
        self.refuse("filter", "in.png", "-o", "", *BOX, code=2, says=("the name of the output is empty",))
        self.refuse("filter", ".", "-o", "out.png", *BOX, says=(".: is a directory", "scanlens batch"))
        self.refuse("filter", "in.png", "in.ppm", "-o", "out.png", code=2, says=("in.ppm", "scanlens batch in.png in.ppm OUT"))

    def test_truncated_files(self):
        for name in ("in.png", "in.ppm"):
            whole = (self.folder / name).read_bytes()
            for length in (len(whole) - 1, len(whole) // 2, 60):
                with self.subTest(name=name, length=length):
                    (self.folder / name).write_bytes(whole[:length])
                    self.refuse_twice("filter", name, "-o", "out.ppm", *BOX, output="out.ppm", says=(name, "truncated"))
        (self.folder / "in.ppm").write_bytes(b"")
        self.refuse("filter", "in.ppm", "-o", "out.ppm", *BOX, says=("in.ppm", "empty"))
        self.refuse("filter", "none.ppm", "-o", "out.ppm", *BOX, says=("none.ppm", "no such file"))

    def test_corrupt_png(self):
        whole = (self.folder / "in.png").read_bytes()
        for at in (len(whole) // 2, len(whole) - 1):  # pixels; the checksum of the end mark
            broken = bytearray(whole)
            broken[at] ^= 1
            (self.folder / "in.png").write_bytes(broken)
            self.refuse_twice("filter", "in.png", "-o", "out.png", *BOX, output="out.png", says=("in.png", "corrupt"))

    def test_lying_headers_are_found_at_once(self):
        for header in (b"P5\n100000 100000\n255\n", b"P6\n9223372036854775807 3\n255\n", b"P5\n0 4\n255\n",
                       b"P5\n4 -4\n255\n", b"P5\n4 4\n70000\n", b"P5\n4 4\n", b"P7\nWIDTH 4\n", b"P7\nWIDTH 4\nENDHDR\n",
                       b"P7\nWIDTH 9\nHEIGHT 9\nDEPTH 2\nMAXVAL 255\nENDHDR\n", b"P7\nWIDE 9\nENDHDR\n"):
            with self.subTest(header=header):
                (self.folder / "lie.pgm").write_bytes(header + bytes(20))
                self.refuse("filter", "lie.pgm", "-o", "out.pgm", *BOX, says=("lie.pgm",))
        for width, height in ((2**31 - 1, 2**31 - 1), (100000, 100000), (0, 5)):
            data = png_header(width, height, 8, 0) + png_chunk(b"IDAT", zlib.compress(bytes(50))) + png_chunk(b"IEND", b"")
            (self.folder / "lie.png").write_bytes(data)
            self.refuse("filter", "lie.png", "-o", "out.pgm", *BOX, says=("lie.png",))
        data = png_header(40, 30, 8, 0) + png_chunk(b"IDAT", zlib.compress(bytes(50))) + png_chunk(b"IEND", b"")
        (self.folder / "lie.png").write_bytes(data)
        self.refuse("filter", "lie.png", "-o", "out.pgm", *BOX, says=("lie.png", "truncated"))

    def test_places(self):
        os.link(self.folder / "in.ppm", self.folder / "hard.ppm")
        os.symlink("in.ppm", self.folder / "soft.ppm")
        for name in ("in.ppm", "./in.ppm", "hard.ppm", "soft.ppm"):
            self.refuse("filter", "in.ppm", "-o", name, *BOX, says=(name, "never overwritten"))
        self.refuse("filter", "in.ppm", "-o", "nowhere/out.ppm", *BOX, says=("nowhere", "no such file or directory"))
        for name in ("out.psd", "out", ".ppm"):
            self.refuse("filter", "in.ppm", "-o", name, *BOX, code=2, says=(name, "written as"))

    def test_outputs_that_cannot_hold_the_channels(self):
        self.write("alpha.png", random_picture(1, 8, 8, 4, 8))
        for source, target in (("in.ppm", "out.pgm"), ("alpha.png", "out.ppm"), ("alpha.png", "out.pnm"),
                               ("alpha.png", "out.jpg")):
            self.refuse_twice("filter", source, "-o", target, *BOX, output=target, says=(target, "cannot hold"))

    def test_limits(self):
        self.refuse("filter", "in.ppm", "-o", "out.ppm", *BOX, "--max-pixels", "1000", says=("--max-pixels",))
        self.refuse("filter", "in.ppm", "-o", "out.ppm", *BOX, "--max-memory", "1kB", code=75, says=("in.ppm", "--max-memory"))

    def test_bands_fit_the_limit(self):
        """Bands of 128 rows of 2000 grey pixels come to 2.7 MB, and lower ones to less."""
        self.write("wide.pgm", random_picture(2, 2000, 300, 1, 8))
        done = self.succeed("filter", "wide.pgm", "-o", "out.pgm", "--filter", "box:radius=1", "--device", "cpu",
                            "--max-memory", "2500kB")
        self.assertRegex(done.stderr, "bands of (8|16|32|64) rows")

    def test_float_samples(self):
        header = b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 3 +X 4\n"
        (self.folder / "light.hdr").write_bytes(header + b"\x80\x40\x20\x81" * 12)
        for name in ("out.hdr", "out.exr", "out.tif", "out.png"):
            self.succeed("filter", "light.hdr", "-o", name, *BOX)
        self.assertEqual((self.folder / "out.hdr").read_bytes()[-4:], b"\x80\x40\x20\x81")  # a constant picture
        self.assertEqual(read_png(self.folder / "out.png").bits, 16)

    def test_chain(self):
        """Filters one after the other make what a call for each makes."""
        self.write("in.ppm", random_picture(5, 40, 57, 3, 8))
        first, second = ("--filter", "box:radius=3"), ("--filter", "unsharp:radius=9:amount=2")
        self.succeed("filter", "in.ppm", "-o", "one.ppm", *first)
        self.succeed("filter", "one.ppm", "-o", "two.ppm", *second)
        self.succeed("filter", "in.ppm", "-o", "both.ppm", *first, *second, "--band", "8")
        self.assertEqual((self.folder / "both.ppm").read_bytes(), (self.folder / "two.ppm").read_bytes())
        self.refuse("filter", "in.ppm", "-o", "out.ppm", *first, "--filter", "boxx", code=2, says=("boxx",))

    def test_mask(self):
        """The mask's size need not be the picture's; black leaves pixels as they are."""
        picture = self.write("in.ppm", random_picture(6, 40, 30, 3, 8))
        self.write("mask.pgm", Picture(4, 3, 1, 8, array.array("B", [0, 0, 255, 255] * 3)))
        call = "variable_box:radius=4"
        done = self.succeed("filter", "in.ppm", "-o", "out.ppm", "--filter", f"{call}:mask=mask.pgm")
        self.assertIn("mask.pgm: resampled from 4 x 3", done.stderr)
        made = read_pnm(self.folder / "out.ppm")
        self.assertEqual(made.channel(0, 0, 0, 10, 30), picture.channel(0, 0, 0, 10, 30))
        self.assertEqual(made.channel(0, 35, 0, 40, 30), box(picture, 4).channel(0, 35, 0, 40, 30))
        self.refuse("filter", "in.ppm", "-o", "none.ppm", "--filter", call, code=2, says=("variable_box", "mask=FILE"))
        self.refuse("filter", "in.ppm", "-o", "none.ppm", "--filter", f"{call}:mask=lost.pgm", says=("lost.pgm",))
        self.refuse("filter", "in.ppm", "-o", "none.ppm", "--filter", "box:mask=mask.pgm", code=2, says=("box has no parameter 'mask'",))

    def test_depth_follows_edges_of_a_picture_that_comes_in_rows(self):
        """A small map is what `depth --of` makes of it, from PNG, PNM, TIFF and a pipe."""
        samples = array.array("B", [v for y in range(150) for x in range(60) for v in ((210, 60, 40) if x < 29 + y // 9 else (60, 90, 120))])
        self.write("in.ppm", Picture(60, 150, 3, 8, samples))
        self.write("map.pgm", Picture(12, 30, 1, 8, array.array("B", [240 if x < 6 + y // 9 else 30 for y in range(30) for x in range(12)])))
        self.succeed("depth", "map.pgm", "--of", "in.ppm", "-o", "whole.pfm")
        call = "dof:focus=1:blur=5"
        self.succeed("filter", "in.ppm", "-o", "expected.ppm", "--filter", f"{call}:depth=whole.pfm")
        expected = (self.folder / "expected.ppm").read_bytes()
        for name in ("in.png", "in.tif"):
            self.succeed("filter", "in.ppm", "-o", name, "--filter", "box:radius=0")
        for name in ("in.ppm", "in.png", "in.tif"):
            done = self.succeed("filter", name, "-o", "out.ppm", "--filter", f"{call}:depth=map.pgm")
            self.assertIn("map.pgm: resampled from 12 x 30 to the picture's 60 x 150, along the photo's edges", done.stderr)
            self.assertEqual((self.folder / "out.ppm").read_bytes(), expected, name)
        for name in ("in.ppm", "in.png"):
            done = subprocess.run([SCANLENS, "filter", "-", "-o", "-", "--format", "pnm", "--filter", f"{call}:depth=map.pgm"],
                                  capture_output=True, cwd=self.folder, input=(self.folder / name).read_bytes(), timeout=HANGS)
            self.assertEqual((done.returncode, done.stdout), (0, expected), done.stderr)

    def test_depth_of_field_is_that_of_the_command(self):
        """The same bytes, by bands of any height, with every word of its look."""
        depth = array.array("B", [255 if x < 20 else 0 if y < 25 else 5 * y for y in range(50) for x in range(43)])
        self.write("map.pgm", Picture(43, 50, 1, 8, depth))
        for channels, bits in ((3, 8), (4, 16), (1, 8)):
            self.write("in.png", random_picture(channels, 43, 50, channels, bits))
            for look in ({"quality": "draft"}, {}, {"quality": "best"},
                         {"quality": "good", "bokeh": "hexagon", "anamorphic": "2", "near": "0.5", "far": "0.75"},
                         {"quality": "best", "bokeh": "box", "highlights": "3"}, {"in-focus": "0.4"}):
                options = [word for name, value in look.items() for word in ("--" + name, value)]
                self.succeed("dof", "in.png", "--depth", "map.pgm", "-o", "expected.png", "--device", "cpu", "--focus", "0.5",
                             "--blur", "7", *options)
                expected = read_png(self.folder / "expected.png")
                call = ":".join(["dof", "focus=0.5", "blur=7", *(f"{k}={v}" for k, v in look.items()), "depth=map.pgm"])
                for band in ("1", "16", "1000"):
                    with self.subTest(channels=channels, bits=bits, call=call, band=band):
                        self.succeed("filter", "in.png", "-o", "out.png", "--device", "cpu", "--filter", call, "--band", band)
                        self.assertEqual(read_png(self.folder / "out.png"), expected)

    def test_full_disk(self):
        options = dict(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)))
        for name in ("out.png", "out.ppm", "out.pam"):
            self.refuse_twice("filter", "in.png", "-o", name, *BOX, output=name, says=(name, "file too large"), **options)


class EveryFilter(FilterCase):
    """What holds for all that the help lists, each as it is by default and with each parameter at its bounds."""

    def filters(self):
        """{filter: {parameter: (least, most, default), or the names of its choices and the default}}, and in self.maps
        what filters take beside the picture"""
        found, self.maps, self.needs = {}, {}, {}
        for line in self.succeed("filter", "--help-all").stdout.split("\nFilters:\n")[1].split("\n\n")[0].splitlines():
            if match := re.fullmatch(r"  (\w+): (.+)", line):
                found[match[1]] = {}
                continue
            if match := re.fullmatch(r"    (\w+): .+: \1=(?:FILE|WORDS)", line):
                self.maps.setdefault(list(found)[-1], match[1])
                continue
            if match := re.fullmatch(r"    such as (\w+):(\S+)", line):
                self.needs[match[1]] = match[2]
                continue
            number = re.fullmatch(r"    ([\w-]+): (.+); (?:whole, )?(\S+) to (\S+), (\S+) if not given", line)
            choice = re.fullmatch(r"    (\w+): (.+); ((?:[\w-]+, )+[\w-]+) if not given", line)
            colour = re.fullmatch(r"    (\w+): (.+); white, black, grey(, edge)? or #rrggbb, (\S+) if not given", line)
            match = colour or number or choice
            self.assertTrue(match, line)
            found[list(found)[-1]][match[1]] = (("#102030", "edge" if colour[3] else "grey", colour[4]) if colour else
                                                number.groups()[2:] if number else tuple(choice[3].split(", ")))
        self.assertIn("box", found)
        self.write("map.pgm", random_picture(3, 21, 33, 1, 8))
        return found

    def call(self, name, *values):
        """--filter's text, with a map where the filter takes one, and what it needs"""
        need = self.needs.get(name)
        if need and not any(value.startswith(need.split("=")[0] + "=") for value in values):
            values = (need, *values)
        return ":".join([name, *values] + ([f"{self.maps[name]}=map.pgm"] if name in self.maps else []))

    def test_bands_of_every_height_give_the_same_file(self):
        for channels, bits in itertools.product((1, 3, 4), (8, 16)):
            picture = self.write("in.pam" if channels == 4 else "in.pnm", random_picture(channels, 21, 33, channels, bits))
            source = "in.pam" if channels == 4 else "in.pnm"
            for name, params in self.filters().items():
                calls = [self.call(name)]
                if (channels, bits) == (3, 8):
                    calls += sorted({self.call(name, f"{key}={value}") for key, values in params.items() for value in values
                                     if value != "0" or not self.needs.get(name, "").startswith(key + "=")})
                for call in calls:
                    results = set()
                    for band in ("1", "7", "1000"):
                        with self.subTest(call=call, channels=channels, bits=bits, band=band):
                            self.succeed("filter", source, "-o", "out.pam", "--filter", call, "--band", band)
                            results.add((self.folder / "out.pam").read_bytes())
                            if name not in {*self.needs, "rotate", "border"}:  # which change the size
                                self.assertEqual(read_pnm(self.folder / "out.pam").shape, picture.shape)
                    self.assertEqual(len(results), 1, call)

    def test_parameters_out_of_bounds(self):
        self.write("in.pgm", random_picture(1, 4, 4, 1, 8))
        for name, params in self.filters().items():
            for key, values in params.items():
                if values[0].startswith("#"):
                    wrong, says = ("0", "nan", "", values[0] + "0", "#12345x"), "#rrggbb"
                elif values[0].isalpha():
                    wrong, says = ("0", "nan", "", values[0] + "x"), f"one of {', '.join(values[:-1])}"
                else:
                    least, most, _ = values
                    wrong, says = (float(least) - 1, float(most) + 1, "nan", ""), f"{least} to {most}"
                for value in wrong:
                    with self.subTest(filter=name, parameter=key, value=value):
                        self.refuse("filter", "in.pgm", "-o", "out.pgm", "--filter", self.call(name, f"{key}={value}"), code=2,
                                    says=(name, key, says))

    def test_memory_is_refused_before_any_is_taken(self):
        self.write("in.pgm", random_picture(1, 400, 300, 1, 8))
        for name in self.filters():
            self.refuse("filter", "in.pgm", "-o", "out.pgm", "--filter", self.call(name), "--max-memory", "4kB", code=75,
                        says=("in.pgm", "--max-memory"))


class Large(FilterCase):
    WIDTH = HEIGHT = 20000

    def setUp(self):
        super().setUp()
        header = f"P5\n{self.WIDTH} {self.HEIGHT}\n255\n".encode()
        self.header = len(header)
        with open(self.folder / "large.pgm", "wb") as file:
            file.write(header)
            file.truncate(self.header + self.WIDTH * self.HEIGHT)  # zeros that take no room
            for x, y in ((0, 0), (self.WIDTH - 1, self.HEIGHT - 1), (9999, 12345)):
                file.seek(self.header + y * self.WIDTH + x)
                file.write(b"\xff")

    def test_memory_is_bounded(self):
        """400 MB of pixels and a table of 1.6 GB, in less than either."""
        limit = 350 << 20  # of address space, the libraries' included
        done = subprocess.run([SCANLENS, "filter", "large.pgm", "-o", "out.pgm", "--filter", "box:radius=1", "--band", "64",
                               "--device", "cpu"], cwd=self.folder, stderr=subprocess.PIPE, timeout=300,
                              preexec_fn=limited(resource.RLIMIT_AS, limit))
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.folder / "out.pgm", "rb") as file:
            self.assertEqual(os.fstat(file.fileno()).st_size, self.header + self.WIDTH * self.HEIGHT)

            def at(x, y):
                file.seek(self.header + y * self.WIDTH + x)
                return file.read(1)[0]

            self.assertEqual([at(0, 0), at(1, 1), at(2, 2)], [64, 28, 0])
            self.assertEqual([at(9998, 12344), at(10000, 12346), at(10001, 12346)], [28, 28, 0])
            self.assertEqual([at(self.WIDTH - 1, self.HEIGHT - 1), at(self.WIDTH - 2, self.HEIGHT - 1)], [64, 43])

    def test_signals_leave_nothing(self):
        command = [SCANLENS, "filter", "large.pgm", "-o", "out.pgm", "--filter", "box:radius=1", "--quiet"]
        for number, delay in ((signal.SIGTERM, 0.05), (signal.SIGINT, 0.3)):
            process = subprocess.Popen(command, cwd=self.folder, stderr=subprocess.DEVNULL,
                                       preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
            time.sleep(delay)
            process.send_signal(number)
            self.assertEqual(process.wait(60), -number)
            self.assertEqual(os.listdir(self.folder), ["large.pgm"])


if __name__ == "__main__":
    unittest.main()
