#!/usr/bin/env python3
"""What files carry beside their pixels: it comes through, or a warning names it, which --strict makes an error."""
import hashlib
import struct
import subprocess
import sys
import unittest
import zlib
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from support import (CommandCase, exr_bytes, jpeg_bytes, png_bytes, png_chunk, png_chunks, tiff_bytes, tiff_page, write_exr,
                     write_png)

XMP = b"http://ns.adobe.com/xap/1.0/\0"
MORE = b"http://ns.adobe.com/xmp/extension/\0"
SPACES = {"GPano": "http://ns.google.com/photos/1.0/panorama/", "GCamera": "http://ns.google.com/photos/1.0/camera/",
          "xmpNote": "http://ns.adobe.com/xmp/note/", "xmp": "http://ns.adobe.com/xap/1.0/",
          "photoshop": "http://ns.adobe.com/photoshop/1.0/"}


def segment(marker, content):
    return bytes([0xFF, marker]) + struct.pack(">H", len(content) + 2) + content


def packet(**values):
    """An XMP packet of properties, named as xmp_Rating."""
    names = {name.split("_")[0] for name in values}
    spaces = " ".join(f'xmlns:{name}="{SPACES[name]}"' for name in sorted(names))
    return ('<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
            f'<rdf:Description rdf:about="" {spaces} ' +
            " ".join(f'{name.replace("_", ":", 1)}="{value}"' for name, value in values.items()) +
            "/></rdf:RDF></x:xmpmeta>").encode()


def with_segments(*segments):
    jpeg = jpeg_bytes(16, 8, 99)
    return jpeg[:2] + b"".join(segments) + jpeg[2:]


def segments_of(jpeg):
    at = 2
    while jpeg[at + 1] != 0xDA:
        marker, length = struct.unpack_from(">xBH", jpeg, at)
        yield marker, jpeg[at + 4:at + 2 + length]
        at += 2 + length


def exif(*tags):
    """A TIFF structure of one directory, and tags of (number, kind, count, value)."""
    head = b"II*\0\x08\0\0\0" + struct.pack("<H", len(tags))
    at, entries, values = 8 + 2 + 12 * len(tags) + 4, b"", b""
    for number, kind, count, value in sorted(tags):
        if len(value) > 4:
            entries += struct.pack("<HHII", number, kind, count, at + len(values))
            values += value + b"\0" * (len(value) % 2)
        else:
            entries += struct.pack("<HHI", number, kind, count) + value.ljust(4, b"\0")
    return head + entries + b"\0\0\0\0" + values


def png_with(*chunks):
    plain = png_bytes(4, 2, 3, 8, range(24))
    at = plain.index(b"IDAT") - 4
    return plain[:at] + b"".join(png_chunk(kind, data) for kind, data in chunks) + plain[at:]


TEXT = (b"tEXt", b"parameters\0a cat, steps: 20")
DPI = (b"pHYs", struct.pack(">IIB", 11811, 11811, 1))


class Carry(CommandCase):
    def convert(self, source, target, says=None):
        """Converts; `says` is the one warning. Without it --strict has nothing to say."""
        if says is None:
            done = self.succeed("filter", source, "-o", target, "--strict", "--quiet")
            self.assertEqual(done.stderr, "")
        else:
            self.refuse("filter", source, "-o", target, "--strict", says=(says,))
            done = self.succeed("filter", source, "-o", target, "--quiet")
            self.assertEqual(done.stderr, f"scanlens: warning: {target}: left out: {says}\n")
        return (self.folder / target).read_bytes()

    def save(self, name, data):
        (self.folder / name).write_bytes(data)
        return name

    def chunks(self, data, kind):
        return [content for name, content in png_chunks(data) if name == kind]

    def test_words_of_iptc(self):
        iptc = b"".join(struct.pack(">BBBH", 0x1C, 2, n, len(t)) + t for n, t in ((25, b"harbour"), (120, b"a quay")))
        thumbnail = b"8BIM\x04\x0c\0\0" + struct.pack(">I", 4) + b"tiny"
        block = b"8BIM\x04\x04\0\0" + struct.pack(">I", len(iptc)) + iptc
        source = self.save("in.jpg", with_segments(segment(0xED, b"Photoshop 3.0\0" + thumbnail + block)))
        kept = [(0xED, b"Photoshop 3.0\0" + block)]
        for way in ("a.jpg", "b.png", "c.tif"):
            self.convert(source, way)
            back = self.convert(way, "back.jpg")
            self.assertEqual([one for one in segments_of(back) if one[0] == 0xED], kept, f"{way}: without the small picture")
            (self.folder / "back.jpg").unlink()
        for way in ("d.webp", "e.pgm"):
            self.convert(source, way, says="IPTC")
        self.assertNotIn(b"quay", self.folder.joinpath("d.webp").read_bytes())

    def test_resolution(self):
        """JFIF, pHYs, TIFF and EXIF agree."""
        source = self.save("in.png", png_with(DPI))
        self.assertEqual(self.chunks(self.convert(source, "a.png"), b"pHYs"), [DPI[1]])
        self.assertEqual(next(segments_of(self.convert("a.png", "b.jpg")))[1][7:12], struct.pack(">BHH", 1, 300, 300))
        for step, way in enumerate(("c.tif", "d.webp", "e.exr")):
            self.convert("b.jpg", way)
            back = self.convert(way, f"back{step}.jpg")
            self.assertEqual(next(segments_of(back))[1][7:12], struct.pack(">BHH", 1, 300, 300), way)
        self.convert("b.jpg", "f.ppm", says="resolution")
        centimetres = segment(0xE0, b"JFIF\0\1\1" + struct.pack(">BHHBB", 2, 118, 59, 0, 0))
        self.save("cm.jpg", with_segments(centimetres))
        self.assertEqual(next(segments_of(self.convert("cm.jpg", "g.jpg")))[1][7:12], struct.pack(">BHH", 2, 118, 59))
        self.assertEqual(self.chunks(self.convert("cm.jpg", "h.png"), b"pHYs"), [struct.pack(">IIB", 11800, 5900, 1)])
        ratio = segment(0xE0, b"JFIF\0\1\1" + struct.pack(">BHHBB", 0, 2, 1, 0, 0))
        self.save("ratio.jpg", with_segments(ratio))
        self.assertEqual(self.chunks(self.convert("ratio.jpg", "i.png"), b"pHYs"), [struct.pack(">IIB", 2, 1, 0)])

    def test_texts(self):
        words = [TEXT[1], b"Title\0caf\xe9"]
        international = b"Author\0\0\0\0\0" + "Łukasz".encode()
        packed = b"workflow\0\0" + zlib.compress(b'{"nodes": []}')
        source = self.save("in.png", png_with((b"tEXt", words[0]), (b"tEXt", words[1]), (b"iTXt", international), (b"zTXt", packed)))
        for way in ("a.png", "b.exr"):
            self.convert(source, way)
            back = self.convert(way, f"back_{way[0]}.png")
            self.assertEqual(sorted(self.chunks(back, b"tEXt")), [words[0], b'workflow\0{"nodes": []}'], way)
            self.assertEqual(sorted(self.chunks(back, b"iTXt")),
                             [international, b"Title\0\0\0\0\0" + "café".encode()], way)
        for way in ("c.jpg", "d.tif", "e.webp", "f.ppm"):
            self.convert(source, way, says="the text parameters, the text Title, the text Author and the text workflow")
        self.assertEqual(self.succeed("filter", source, "-o", "g.jpg", "--strip", "--strict", "--quiet").stderr, "")

    def test_comments(self):
        source = self.save("in.jpg", with_segments(segment(0xFE, "an Ärger".encode()), segment(0xFE, b"caf\xe9\0")))
        png = self.convert(source, "a.png")
        self.assertEqual(self.chunks(png, b"iTXt"), [b"Comment\0\0\0\0\0" + "an Ärger".encode(), b"Comment\0\0\0\0\0" + "café".encode()])
        self.assertEqual([text for marker, text in segments_of(self.convert("a.png", "b.jpg")) if marker == 0xFE],
                         ["an Ärger".encode(), "café".encode()])
        self.convert(source, "c.webp", says="the comment and the comment")

    def test_parts_that_nothing_keeps_are_named(self):
        self.save("a.png", png_with((b"caBX", b"signed"), (b"tIME", bytes(7))))
        self.convert("a.png", "b.png", says="the chunk caBX")
        self.save("c.jpg", with_segments(segment(0xEB, b"JP" + bytes(8)), segment(0xEB, b"JP" + bytes(8))))
        self.convert("c.jpg", "d.jpg", says="data in the JPEG's segments APP11")
        clip = struct.pack(">I4s4sI", 16, b"ftyp", b"isom", 0) + bytes(100)
        moving = segment(0xE1, XMP + packet(GCamera_MotionPhoto=1, GCamera_MotionPhotoVersion=1, xmp_Rating=4))
        self.save("e.jpg", with_segments(moving) + clip)
        jpeg = self.convert("e.jpg", "f.jpg", says="the clip of 116 bytes behind the picture")
        self.assertNotIn(b"MotionPhoto", jpeg)
        self.assertIn(b"Rating", jpeg)
        self.save("g.jpg", with_segments() + b"\0" * 300)
        self.convert("g.jpg", "h.jpg")

    def test_large_exif(self):
        noise = b"a quay, " * 11264
        large = exif((0x010F, 2, 4, b"cam\0"), (0x010E, 2, len(noise), noise))
        source = self.save("in.png", png_with((b"eXIf", large)))
        for way in ("a.png", "b.tif", "c.webp"):
            self.assertIn(noise, self.convert(source, way), way)
        jpeg = self.convert(source, "d.jpg", says=f"ImageDescription of {len(noise)} bytes in EXIF")
        self.assertIn(b"cam\0", jpeg)
        two = exif((0x010F, 2, 4, b"cam\0"), (0x010E, 2, 40000, noise[:40000]), (0x8298, 2, 40000, b"x" * 39999 + b"\0"))
        self.save("two.png", png_with((b"eXIf", two)))
        png = self.convert("two.png", "e.png")
        self.assertIn(noise[:40000], png)
        self.assertIn(b"x" * 39999, png)

    def test_exif_may_begin_as_in_jpeg(self):
        turned = exif((0x0112, 3, 1, struct.pack("<H", 6)))
        for name, data in (("a.png", png_with((b"eXIf", b"Exif\0\0" + turned))), ("b.png", png_with((b"eXIf", turned)))):
            self.save(name, data)
            self.assertEqual(self.convert(name, "out_" + name)[16:24], struct.pack(">II", 2, 4), "it lay on its side")

    def test_xmp_of_several_segments(self):
        words = "keep me " * 9000
        more = packet(photoshop_Instructions=words)
        guid = hashlib.md5(more).hexdigest().upper().encode()
        first = packet(xmp_Rating=4, xmpNote_HasExtendedXMP=guid.decode())
        parts = [segment(0xE1, MORE + guid + struct.pack(">II", len(more), at) + more[at:at + 60000])
                 for at in range(0, len(more), 60000)]
        self.save("in.jpg", with_segments(segment(0xE1, XMP + first), *parts))
        whole = self.chunks(self.convert("in.jpg", "a.png"), b"iTXt")
        self.assertEqual(len(whole), 1)
        self.assertIn(words.strip().encode(), whole[0])
        self.assertIn(b"Rating", whole[0])
        self.assertNotIn(b"HasExtendedXMP", whole[0])
        jpeg = self.convert("a.png", "b.jpg")
        extended = [data[len(MORE):] for marker, data in segments_of(jpeg) if data.startswith(MORE)]
        joined = b"".join(part[40:] for part in extended)
        self.assertEqual({part[:32] for part in extended}, {hashlib.md5(joined).hexdigest().upper().encode()})
        self.assertIn(words.strip().encode(), joined)
        self.assertIn(b"Rating", next(data for _, data in segments_of(jpeg) if data.startswith(XMP)))
        self.save("broken.jpg", with_segments(segment(0xE1, XMP + first), parts[0]))
        self.convert("broken.jpg", "c.jpg", says="extended XMP whose parts are not complete")

    def test_sizes_follow_a_resize(self):
        pano = packet(GPano_FullPanoWidthPixels=32, GPano_FullPanoHeightPixels=16, GPano_CroppedAreaImageWidthPixels=16,
                      GPano_CroppedAreaLeftPixels=8, GPano_CroppedAreaTopPixels=5, GPano_PoseHeadingDegrees=32)
        self.save("in.jpg", with_segments(segment(0xE1, XMP + pano)))
        self.succeed("filter", "in.jpg", "-o", "out.jpg", "--filter", "resize:width=8", "--strict", "--quiet")
        xmp = (self.folder / "out.jpg").read_bytes()
        for name, value in (("FullPanoWidthPixels", 16), ("FullPanoHeightPixels", 8), ("CroppedAreaImageWidthPixels", 8),
                            ("CroppedAreaLeftPixels", 4), ("CroppedAreaTopPixels", 3), ("PoseHeadingDegrees", 32)):
            self.assertIn(f'GPano:{name}="{value}"'.encode(), xmp)

    def test_lists_of_windows(self):
        for name in ("a.png", "b.png"):
            write_png(self.folder / name, 4, 2, 3, 8, range(24))
        for text in (b"a.png\r\nb.png\r\n", b"\xef\xbb\xbfa.png\nb.png"):
            self.save("list.txt", text)
            done = self.run_here("batch", "--files-from", "list.txt", "out", "--format", "ppm", "--overwrite", "--quiet")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.save("list.txt", "a.png\n".encode("utf-16"))
        self.assertIn("UTF-16", self.run_here("batch", "--files-from", "list.txt", "out", "--format", "ppm").stderr)
        self.save("strokes.json", b'\xef\xbb\xbf{"scanlens": "depth strokes", "version": 1, "size": [4, 2], "unit": "nearness", '
                                  b'"strokes": [{"points": [[1, 1], [2, 1]], "radius": 1, "from": 0.9, "to": 0.1}]}')
        self.succeed("depth", "strokes.json", "--of", "a.png", "-o", "map.png", "--quiet")


def read_pfm(path):
    data = Path(path).read_bytes()
    head, size, _, rest = data.split(b"\n", 3)
    width, height = map(int, size.split())
    return np.frombuffer(rest, "<f4").reshape(height, width, -1 if head == b"PF" else 1)[::-1]


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
        self.expect_near(self.light_in("in.jpg"), self.light, 4)
        self.write("in.jpg", "again.jpg", "--quality", "100")
        self.expect_near(self.light_in("again.jpg"), self.light, 6)

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


class Exr(CommandCase):
    def test_names_in_small_letters(self):
        colours = {c: np.full((2, 4), 0.25 * (i + 1), np.float32) for i, c in enumerate("rgb")}
        write_exr(self.folder / "large.exr", {c.upper(): v for c, v in colours.items()})
        write_exr(self.folder / "small.exr", {**colours, "z": np.ones((2, 4), np.float32)})
        write_exr(self.folder / "layer.exr", {"C." + c: v for c, v in colours.items()})
        outputs = set()
        for name in ("large", "small", "layer"):
            self.succeed("filter", f"{name}.exr", "-o", f"{name}.pfm", "--quiet")
            outputs.add((self.folder / f"{name}.pfm").read_bytes())
        self.assertEqual(len(outputs), 1)

    def test_a_newer_compression_is_named(self):
        old = exr_bytes(R=np.ones((2, 4), np.float32), G=np.ones((2, 4), np.float32), B=np.ones((2, 4), np.float32))
        mark = b"compression\0compression\0\x01\0\0\0"
        (self.folder / "in.exr").write_bytes(old.replace(mark + b"\0", mark + b"\x0b"))
        self.refuse("filter", "in.exr", "-o", "out.png", says=("in.exr: it is compressed in a way that this build does not read",))


class Depths(CommandCase):
    HEIGHT, WIDTH = 40, 48

    def ground(self):
        """0 at the bottom, which is near, to 1 at the top."""
        return np.repeat(np.linspace(1, 0, self.HEIGHT)[:, None], self.WIDTH, axis=1)

    def depth(self, name, *more):
        return self.run_here("depth", name, "--quiet", *more)

    def test_what_16_bits_of_millimetres_do_not_hold(self):
        distances = np.repeat(np.linspace(1, 120, 60, dtype=np.float32)[None], 4, axis=0)
        write_exr(self.folder / "far.exr", {"Z": distances})
        beyond = int((distances > 65.5355).sum())
        says = f"{beyond} pixels are farther than 65.535 m"
        self.assertIn(says, self.depth("far.exr", "-o", "out.png").stderr)
        self.refuse("depth", "far.exr", "-o", "strict.png", "--strict", says=(says,))
        self.assertEqual(self.depth("far.exr", "-o", "out.exr", "--strict").stderr, "")

    def test_gdals_number_for_none(self):
        for kind, none in ((np.float32, -32767), (np.int16, -32767), (np.uint16, 65535), (np.float32, 9999)):
            metres = 2 + 6 * self.ground() if kind == np.float32 else 1000 + 3000 * self.ground()
            values = metres.astype(kind)
            values[10:14, 5:15] = none
            page = tiff_page(values, t42113=f"{none}\0\0\0\0".encode())
            if kind == np.int16:
                page[0][339] = 2
            (self.folder / "map.tif").write_bytes(tiff_bytes(page))
            more = ("--depth-kind", "depth", "--depth-scale", "1")
            done = self.run_here("depth", "map.tif", *more)
            low, high = (2, 8) if kind == np.float32 else (1000, 4000)
            self.assertIn(f"from {low} m to {high} m", done.stderr, kind)
            self.assertIn(f"40 pixels hold {none}", done.stderr)

    def test_integers_that_grow_as_distances_do(self):
        says = "its values grow towards the top of the picture, as distances do"
        codes = np.round(self.ground() * 255).astype(np.uint8)
        write_png(self.folder / "bytes.png", self.WIDTH, self.HEIGHT, 1, 8, codes.ravel())
        np.save(self.folder / "bytes.npy", codes)
        np.save(self.folder / "words.npy", np.round(self.ground() * 65535).astype(np.uint16))
        for name in ("bytes.png", "bytes.npy", "words.npy"):
            self.assertIn(says, self.depth(name).stderr, name)
            self.refuse("depth", name, "--strict", says=("an error because of --strict",))
        write_png(self.folder / "upright.png", self.WIDTH, self.HEIGHT, 1, 8, codes[::-1].ravel())
        self.assertEqual(self.depth("upright.png", "--strict").stderr, "")

    def test_nearly_is_relative_to_the_greatest_value(self):
        values = np.round(800 + 4000 * self.ground()).astype(">u2")
        for most in (4900, 5000, 10000, 65535):
            head = b"P5\n%d %d\n%d\n" % (self.WIDTH, self.HEIGHT, most)
            (self.folder / "mm.pgm").write_bytes(head + values.tobytes())
            done = self.run_here("depth", "mm.pgm", "--strict")
            self.assertIn("from 0.8 m to 4.8 m", done.stderr, most)


if __name__ == "__main__":
    unittest.main()
