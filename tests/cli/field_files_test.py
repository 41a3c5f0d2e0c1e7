#!/usr/bin/env python3
"""Pictures as programs of the field write them, on which readers differ: colours, pages, channels, text headers."""
import json
import struct
import unittest
import zlib

import numpy

from support import (CommandCase, exr_bytes, icc_profile, jpeg_bytes, png_chunk, png_chunks, png_header, read_png, tiff_bytes,
                     tiff_page, write_png)

WIDTH, HEIGHT = 32, 24
FLAT = ("--depth", "far.png", "--focus", "1", "--blur", "8", "--quiet")
SAME = ("--filter", "box:radius=0")


def pq_light(code):
    """SMPTE ST 2084, of 10000 cd/m2."""
    power = code ** (32 / 2523)
    return (max(power - 3424 / 4096, 0) / (2413 / 128 - 2392 / 128 * power)) ** (16384 / 2610)


def pq_code(light):
    power = light ** (2610 / 16384)
    return ((3424 / 4096 + 2413 / 128 * power) / (1 + 2392 / 128 * power)) ** (2523 / 32)


PRIMARIES_OF_P3 = (0.3127, 0.3290, 0.680, 0.320, 0.265, 0.690, 0.150, 0.060)  # white, red, green, blue
PRIMARIES_OF_SRGB = (0.3127, 0.3290, 0.64, 0.33, 0.30, 0.60, 0.15, 0.06)


def gamma(exponent):
    return b"gAMA", struct.pack(">I", round(exponent * 100000))


def chromaticities(points):
    return b"cHRM", struct.pack(">8I", *(round(point * 100000) for point in points))


def cicp(*numbers):
    return b"cICP", bytes(numbers)


class FieldCase(CommandCase):
    def setUp(self):
        super().setUp()
        write_png(self.folder / "far.png", WIDTH, HEIGHT, 1, 8, [0] * (WIDTH * HEIGHT))

    def write(self, name, data):
        (self.folder / name).write_bytes(data)

    def png(self, name, samples, color_type, *chunks):
        """A PNG of an array of height x width x channels with further chunks before its pixels."""
        bits = 8 * samples.dtype.itemsize
        rows = b"".join(b"\0" + row.astype(f">u{bits // 8}").tobytes() for row in samples)
        self.write(name, png_header(samples.shape[1], samples.shape[0], bits, color_type) +
                   b"".join(png_chunk(*chunk) for chunk in chunks) + png_chunk(b"IDAT", zlib.compress(rows)) +
                   png_chunk(b"IEND", b""))

    def board(self, dtype="u1"):
        """A chequerboard of black and white."""
        y, x = numpy.mgrid[:HEIGHT, :WIDTH]
        return ((x + y) % 2 * numpy.iinfo(dtype).max).astype(dtype)

    def blurred(self, name, out="out.png", extra=()):
        """The mean of the inside of a board that was blurred to one tone."""
        self.succeed("dof", name, "-o", out, *FLAT, *extra)
        picture = read_png(self.folder / out)
        inside = picture.channel(0, 8, 8, WIDTH - 8, HEIGHT - 8)
        return sum(inside) / len(inside)

    def said_of(self, name):
        """What is said of a file that is copied through `filter`, and the copy."""
        done = self.succeed("filter", name, "-o", "copy.png", *SAME)
        return done.stderr, read_png(self.folder / "copy.png")

    def chunks(self, name):
        return dict(png_chunks((self.folder / name).read_bytes()))


class ColoursOfPng(FieldCase):
    def colours(self, dtype="u1"):
        return numpy.dstack([self.board(dtype)] * 3)

    def test_gamma(self):
        srgb = 187.5  # sRGB's code of half the light
        for name, chunks, grey in (("linear", [gamma(1)], 127.5), ("old_mac", [gamma(1 / 1.8)], 173.5),
                                   ("srgb", [gamma(0.45455), chromaticities(PRIMARIES_OF_SRGB)], srgb),
                                   ("rounded", [gamma(0.45)], srgb), ("none", [], srgb), ("zero", [gamma(0)], srgb),
                                   ("overruled", [gamma(1), (b"sRGB", b"\0")], srgb),
                                   ("points", [chromaticities(PRIMARIES_OF_P3)], srgb),
                                   ("no_points", [gamma(1), chromaticities([0] * 8)], 127.5),
                                   ("p3", [cicp(12, 13, 0, 1), gamma(1)], srgb)):
            with self.subTest(name=name):
                self.png("rgb.png", self.colours(), 2, *chunks)
                self.png("grey.png", self.board()[..., None], 0, *chunks)
                self.assertAlmostEqual(self.blurred("rgb.png"), grey, delta=0.51)
                self.assertAlmostEqual(self.blurred("grey.png"), grey, delta=0.51)

    def test_gamma_counts_for_palettes_and_alpha(self):
        opaque = numpy.dstack([self.board(), numpy.full((HEIGHT, WIDTH), 255, "u1")])
        self.png("alpha.png", opaque, 4, gamma(1))
        self.png("palette.png", (self.board() // 255)[..., None], 3, gamma(1), (b"PLTE", b"\0\0\0\xff\xff\xff"))
        for name in ("alpha.png", "palette.png"):
            self.assertAlmostEqual(self.blurred(name), 127.5, delta=0.51)

    def test_outputs_keep_the_colours(self):
        self.png("in.png", self.colours(), 2, gamma(1), chromaticities(PRIMARIES_OF_P3))
        self.succeed("dof", "in.png", "-o", "dof.png", *FLAT)
        self.succeed("filter", "in.png", "-o", "filter.png", *SAME)
        self.succeed("filter", "in.png", "-o", "again.tif", *SAME)
        self.succeed("filter", "again.tif", "-o", "again.png", *SAME)
        profiles = [zlib.decompress(self.chunks(name)[b"iCCP"][5:]) for name in ("dof.png", "filter.png", "again.png")]
        self.assertEqual(len(set(profiles)), 1, "one profile, whichever way it goes")
        self.assertAlmostEqual(self.blurred("again.png", "later.png"), 127.5, delta=0.51)
        # Half of linear P3's light is sRGB's code 188; red is beyond sRGB.
        half = numpy.full((HEIGHT, WIDTH, 3), 128, "u1")
        half[:, WIDTH // 2:] = 255, 0, 0
        self.png("half.png", half, 2, gamma(1), chromaticities(PRIMARIES_OF_P3))
        done = self.succeed("filter", "half.png", "-o", "stripped.png", "--strip", *SAME)
        self.assertIn("to sRGB", done.stderr)
        self.assertNotIn(b"iCCP", self.chunks("stripped.png"))
        stripped = read_png(self.folder / "stripped.png")
        for channel, expected in zip(stripped.pixel(2, 2), (188, 188, 188)):
            self.assertAlmostEqual(channel, expected, delta=1)
        self.assertEqual(stripped.pixel(WIDTH - 1, 0), (255, 0, 0))

    def test_code_points_come_before_a_profile(self):
        profile = b"icc\0\0" + zlib.compress(b"no profile at all")
        self.png("in.png", self.colours(), 2, cicp(1, 8, 0, 1), (b"iCCP", profile), gamma(0.5))
        self.assertAlmostEqual(self.blurred("in.png"), 127.5, delta=0.51)
        # Unusable depth is reported, and the next kind counts.
        for numbers in ((9, 99, 0, 1), (9, 16, 1, 1)):
            self.png("in.png", self.colours(), 2, cicp(*numbers), gamma(1))
            self.assertIn("cICP", self.refuse("dof", "in.png", "-o", "out.png", *FLAT, "--strict").stderr)
            self.assertAlmostEqual(self.blurred("in.png"), 127.5, delta=0.51)
        self.png("in.png", self.colours(), 2, cicp(1, 13, 0, 0))
        self.assertIn("narrow range", self.refuse("dof", "in.png", "-o", "out.png", *FLAT, "--strict").stderr)

    def test_high_range(self):
        self.png("in.png", self.colours("u2"), 2, cicp(9, 16, 0, 1))
        expected = 65535 * pq_code(0.5)
        boxes = ("--bokeh", "box")  # a board of lamps is only within 0.1 % of its light, which is 6 codes
        self.assertAlmostEqual(self.blurred("in.png", extra=boxes), expected, delta=2)
        self.assertEqual(self.chunks("out.png")[b"cICP"], bytes([9, 16, 0, 1]))
        self.png("hlg.png", self.colours("u2"), 2, cicp(9, 18, 0, 1))
        self.assertAlmostEqual(self.blurred("hlg.png", extra=boxes), 65535 * 0.87164, delta=4)  # BT.2100's OETF of a half
        # Diffuse white, 203 cd/m2, is sRGB's white; half its light is 188; shadows keep their codes.
        codes = [pq_code(share * 203 / 10000) for share in (1, 0.5, 0.001, 20)]
        row = numpy.repeat(numpy.array(codes) * 65535 + 0.5, WIDTH // 4).astype("u2")
        self.png("in.png", numpy.dstack([numpy.tile(row, (HEIGHT, 1))] * 3), 2, cicp(9, 16, 0, 1))
        done = self.succeed("filter", "in.png", "-o", "out.png", "--strip", *SAME)
        self.assertIn("warning: out.png: converted from", done.stderr)
        self.assertIn("which clips light", done.stderr)
        self.assertNotIn(b"cICP", self.chunks("out.png"))
        picture = read_png(self.folder / "out.png")
        for i, expected in enumerate((1, 0.735357, 0.01292, 1)):
            for code in picture.pixel(2 + i * WIDTH // 4, 3):
                self.assertAlmostEqual(code / 65535, expected, delta=0.0005)
        self.succeed("filter", "in.png", "-o", "out.pfm", *SAME)  # through sRGB
        self.succeed("filter", "in.png", "-o", "out.exr", *SAME)
        red = {channel["name"]: channel for channel in
               json.loads(self.succeed("stats", "out.exr", "--json").stdout)["channels"]}["red"]
        self.assertAlmostEqual(red["max"], 20, delta=0.01)
        self.assertAlmostEqual(red["min"], 0.001, delta=0.00001)

    def test_profile_of_grey(self):
        icc = b"icc\0\0" + zlib.compress(icc_profile(1.8))
        opaque = numpy.dstack([self.board(), numpy.full((HEIGHT, WIDTH), 255, "u1")])
        self.png("grey.png", self.board()[..., None], 0, (b"iCCP", icc))
        self.png("alpha.png", opaque, 4, (b"iCCP", icc))
        self.png("transparent.png", self.board()[..., None], 0, (b"iCCP", icc), (b"tRNS", b"\0\7"))
        wide = opaque.astype("u2") * 257
        self.png("wide.png", wide, 4, (b"iCCP", icc))
        for name, scale in (("grey.png", 1), ("alpha.png", 1), ("transparent.png", 1), ("wide.png", 257)):
            with self.subTest(name=name):
                self.assertAlmostEqual(self.blurred(name) / scale, 173.5, delta=0.51)
                self.assertAlmostEqual(self.blurred("out.png", "again.png") / scale, 173.5, delta=0.51)
        self.write("alpha.tif", tiff_bytes(tiff_page(opaque, t262=1, t338=2, t34675=icc_profile(1.8))))
        self.assertAlmostEqual(self.blurred("alpha.tif"), 173.5, delta=0.51)
        # Colours are no grey.
        colours = self.colours()
        colours[0, 0] = 1, 2, 3
        self.png("rgb.png", colours, 2, (b"iCCP", icc))
        self.assertIn("cannot be used", self.refuse("dof", "rgb.png", "-o", "out.png", *FLAT, "--strict").stderr)


class Inks(FieldCase):
    def test_jpeg_without_marker(self):
        """Inks are stored inverted, with Adobe's marker and without."""
        marker = b"\xff\xee\0\x0eAdobe\0\x64\0\0\0\0\0"
        jpeg = jpeg_bytes(8, 8, 255, 128, 0, 204)
        expected = [round(255 * light * 0.8) for light in (1, 128 / 255, 0)]
        for name, data in (("with.jpg", jpeg[:2] + marker + jpeg[2:]), ("without.jpg", jpeg)):
            self.write(name, data)
            said, found = self.said_of(name)
            for sample, light in zip(found.pixel(3, 3), expected):
                self.assertAlmostEqual(sample, light, delta=1)
            self.assertEqual("taken for inverted" in said, name == "without.jpg")


class Pages(FieldCase):
    def setUp(self):
        super().setUp()
        random = numpy.random.default_rng(1)
        self.full = random.integers(0, 256, (HEIGHT, WIDTH, 3)).astype("u1")
        self.small = self.full[::4, ::4]

    def expect_full(self, *pages, says):
        self.write("in.tif", tiff_bytes(*pages))
        said, found = self.said_of("in.tif")
        self.assertEqual(list(found.samples), self.full.ravel().tolist())
        self.assertIn(says, said)

    def test_thumbnails_come_before_pages(self):
        small, full = tiff_page(self.small, t254=1), tiff_page(self.full)
        passed = "page 1 is a thumbnail or mask of 8 x 6; page 2 is read"
        self.expect_full(small, full, says=passed)
        self.expect_full(tiff_page(self.small, t255=2), full, says=passed)
        self.expect_full(small, tiff_page(self.small[..., 0], t254=4), full, says="pages 1 to 2 are thumbnails or masks")
        self.expect_full(full, small, says="it holds more than one page; the first is read")
        self.expect_full(tiff_page(self.full, t254=2), full, says="the first is read")
        # Nothing else is there.
        self.write("in.tif", tiff_bytes(small))
        self.assertEqual(self.said_of("in.tif")[1].shape, (8, 6, 3, 8))

    def test_full_picture_of_a_camera(self):
        """The first page is a thumbnail, the picture lies in the directories that it names."""
        # A reader follows the link from page to page; a SubIFD is behind none.
        file = tiff_bytes(tiff_page(self.small, t254=1, t330=0), tiff_page(self.full))
        first = struct.unpack_from("<I", file, 4)[0]
        entries = struct.unpack_from("<H", file, first)[0]
        link = first + 2 + 12 * entries
        second = struct.unpack_from("<I", file, link)[0]
        file = file[:link] + b"\0\0\0\0" + file[link + 4:]
        for i in range(entries):
            at = first + 2 + 12 * i
            if struct.unpack_from("<H", file, at)[0] == 330:
                file = file[:at] + struct.pack("<HHII", 330, 4, 1, second) + file[at + 12:]
        self.write("in.tif", file)
        said, found = self.said_of("in.tif")
        self.assertEqual(list(found.samples), self.full.ravel().tolist())
        self.assertIn("page 1 is a thumbnail of 8 x 6", said)

    def test_animation(self):
        frame = (b"fcTL", struct.pack(">5I2H2B", 0, WIDTH, HEIGHT, 0, 0, 1, 10, 0, 0))
        length = (b"acTL", struct.pack(">2I", 3, 0))
        for chunks, says in (((length, frame), "the first of its 3 frames is read"),
                             ((length,), "its still picture is read, not its animation of 3 frames"), ((), "")):
            self.png("in.png", self.full, 2, *chunks)
            said, found = self.said_of("in.png")
            self.assertEqual(list(found.samples), self.full.ravel().tolist())
            self.assertIn(says, said)
            self.assertEqual("frame" in said, bool(says))
            self.assertIn(says, self.run_here("stats", "in.png").stderr)

    def test_multi_picture_jpeg(self):
        jpeg = jpeg_bytes(8, 8, 100)
        index = b"MPF\0MM\0*\0\0\0\x08" + struct.pack(">HHHI4sHHIII", 2, 0xB000, 7, 4, b"0100", 0xB001, 4, 1, 3, 0)
        self.write("in.jpg", jpeg[:2] + b"\xff\xe2" + struct.pack(">H", len(index) + 2) + index + jpeg[2:])
        self.assertIn("it holds 3 pictures; the first is read", self.said_of("in.jpg")[0])


class Channels(FieldCase):
    def test_one_channel_is_grey(self):
        light = numpy.linspace(0, 1, WIDTH * HEIGHT).reshape(HEIGHT, WIDTH).astype("f4")
        self.write("grey.exr", exr_bytes(Y=light))
        expected = self.said_of("grey.exr")[1]
        for channels in ({"R": light}, {"Z": light}, {"Layer.V": light}, {"R": light, "A": light}):
            self.write("in.exr", exr_bytes(**channels))
            said, found = self.said_of("in.exr")
            self.assertEqual(found, expected)
            self.assertIn(f"its one channel, {next(iter(channels))}, is read as grey", said)
            self.assertEqual("its alpha left out" in said, "A" in channels)
            found = json.loads(self.succeed("stats", "in.exr", "--json").stdout)["channels"]
            self.assertEqual([channel["name"] for channel in found], ["luma"])
        self.write("in.exr", exr_bytes(U=light, V=light))
        self.refuse("filter", "in.exr", "-o", "out.png", *SAME, says=["has no colour channels", "U, V"])

    def test_alpha_of_nothing_but_zeros(self):
        """Programs that know of no alpha write 0."""
        colours = bytes(range(1, 13))
        pixels = b"".join(colours[i:i + 3] + b"\0" for i in range(0, 12, 3))
        clear = b"".join(colours[i:i + 3] + bytes([i * 20]) for i in range(0, 12, 3))
        masks = struct.pack("<4I", 0xFF0000, 0xFF00, 0xFF, 0xFF000000)
        bmp = (b"BM" + struct.pack("<IIIIiiHHIIiiII", 154, 0, 138, 124, 4, 1, 1, 32, 3, 16, 0, 0, 0, 0) + masks +
               b"BGRs" + b"\0" * 64)
        tga = lambda bits: struct.pack("<BBB5xHHHHBB", 0, 0, 2, 0, 0, 4, 1, 32, 0x20 | bits)
        expected = [value for i in range(0, 12, 3) for value in (colours[i + 2], colours[i + 1], colours[i])]
        for name, head in (("in.bmp", bmp), ("in.tga", tga(8)), ("in.tga", tga(0))):
            self.write(name, head + pixels)
            said, found = self.said_of(name)
            self.assertEqual(list(found.samples), expected, name)
            self.assertIn("its alpha is 0 in every pixel and is left out", said)
            self.write(name, head + clear)
            self.assertEqual(self.said_of(name)[1].channels, 4)
        # The extension area of a TGA says what its fourth channel is: 494 bytes, then the kind.
        for kind, channels in ((1, 3), (2, 3), (3, 4), (4, 4)):
            area = b"\0" * 494 + bytes([kind]) + struct.pack("<II", 18 + 16, 0) + b"TRUEVISION-XFILE.\0"
            self.write("in.tga", tga(8) + clear + area)
            found = self.said_of("in.tga")[1]
            self.assertEqual(found.channels, channels)
            self.assertEqual(found.pixel(2, 0)[:3], (19, 17, 15) if kind == 4 else (9, 8, 7))


class TextHeaders(FieldCase):
    def expect(self, name, data, samples, says="", shape=None):
        self.write(name, data)
        said, found = self.said_of(name)
        self.assertEqual(list(found.samples), samples, data)
        self.assertIn(says, said)
        if not says:
            self.assertNotIn("left out", said)

    def test_portable_maps(self):
        six = bytes([10, 20, 30, 40, 50, 60])
        for head in (b"P5\n3 2\n255\n", b"P5 3 2 255 ", b"P5#made by hand\n3\t2 # size\n#\n255\n", b"P5\r\n3 2\r\n255\r\n",
                     b"P5\n+3 +2\n+255\n", b"P5\n3 2\n255# most\n", b"P5\n3 2\n255 # most\n", b"P5\n3 2\n255\r\n",
                     b"P7\nWIDTH 3\nHEIGHT 2\nDEPTH 1\nMAXVAL 255\nENDHDR\n",
                     b"P7\r\nWIDTH 3\r\nHEIGHT 2\r\nDEPTH 1\r\nMAXVAL 255\r\nTUPLTYPE GRAYSCALE\r\nENDHDR\r\n",
                     b"P7 \n # by hand\nWIDTH\t3\nHEIGHT   2 \n\n DEPTH +1\nMAXVAL 255\nENDHDR\n"):
            self.expect("in.pnm", head + six, list(six))
        self.expect("in.pnm", b"P5\n3 2\n255\n" + six + b"\n", list(six), "1 byte behind its pixels is left out")
        self.expect("in.pnm", b"P5\r\n3 2\r\n255\r\n" + six + b"\r\n", list(six), "2 bytes behind its pixels are left out")
        self.expect("in.pnm", b"P2\r\n3 2 255\r\n10 +20 30 # half\n40\t50 60 \n\n", list(six))
        self.expect("in.pnm", b"P2 3 2 255 10 20 30 40 50 60 70", list(six), "2 bytes behind its pixels are left out")
        self.expect("in.pnm", b"P4\n3 2\n\xa0\x40\0\0", [0, 255, 0, 255, 0, 255], "2 bytes behind its pixels are left out")

    def test_float_maps(self):
        values = [0.0, 1.0, 0.25, 4.0]
        data = struct.pack("<4f", *(values[2:] + values[:2]))
        for head, end, says in ((b"Pf\n2 2\n-1.0\n", b"\n", "1 byte behind"), (b"Pf 2 2 -1 ", b"", ""),
                                (b"Pf\r\n2 2\r\n-1.000000\r\n", b"", ""), (b"Pf\n# by hand\n+2 +2\n-1\n", b"\0" * 7, "7 bytes behind")):
            self.write("in.pfm", head + data + end)
            done = self.succeed("stats", "in.pfm", "--json")
            channel = json.loads(done.stdout)["channels"][0]
            self.assertEqual((channel["min"], channel["max"], channel["mean"]), (0, 4, sum(values) / 4))
            self.assertIn(says, done.stderr + done.stdout)
        swapped = struct.pack(">4f", *(values[2:] + values[:2]))
        self.write("in.pfm", b"Pf\n2 2\n+1.0\n" + swapped)
        self.assertEqual(json.loads(self.succeed("stats", "in.pfm", "--json").stdout)["channels"][0]["max"], 4)
        self.write("in.pfm", b"Pf\n2 2\n-1.0\n" + data[:-1])
        self.refuse("stats", "in.pfm", says=["truncated"])

    def test_radiance(self):
        pixel = bytes([128, 128, 128, 129])
        light = lambda: json.loads(self.succeed("stats", "in.hdr", "--json").stdout)["channels"][0]["mean"]
        size = b"-Y 1 +X 2\n"
        for head, expected in ((b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n" + size, 1),
                               (b"#?MYPROGRAM\r\n# hello\r\nFORMAT = 32-bit_rle_rgbe \r\n\r\n-Y 1 +X 2\r\n", 1),
                               (b"#?RGBE\nFORMAT=32-bit_rle_rgbe\nEXPOSURE= +2\n -Y  +1\t+X 2 \n", 0.5),
                               (b"#?RGBE\nEXPOSURE=-1\n\n" + size, 1), (b"#?RGBE\nEXPOSURE=0\n\n" + size, 1)):
            self.write("in.hdr", head + pixel * 2)
            self.assertEqual(light(), expected, head)
        self.assertIn("warning: in.hdr: the header's EXPOSURE", self.succeed("stats", "in.hdr").stderr)
        self.write("in.hdr", head + pixel * 2 + b"end")
        self.assertIn("3 bytes behind its pixels are left out", self.succeed("stats", "in.hdr").stderr)


if __name__ == "__main__":
    unittest.main()
