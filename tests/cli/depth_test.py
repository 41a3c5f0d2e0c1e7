#!/usr/bin/env python3
"""`depth`, and photos that carry their depth: what is understood of a file, and what becomes of it."""
import base64
import json
import math
import struct
import subprocess
import unittest

from support import (HANGS, ROOT, SCANLENS, CommandCase, jpeg_bytes, png_bytes, png_size, read_png, require_opengl, run, write_pfm,
                     write_png)

WIDTH, HEIGHT = 48, 32
GDEPTH = "http://ns.google.com/photos/1.0/depthmap/"


def segment(content):
    return b"\xff\xe1" + struct.pack(">H", len(content) + 2) + content


def packet(attributes):
    return ('<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
            f'<rdf:Description rdf:about="" xmlns:GDepth="{GDEPTH}" xmlns:xmpNote="http://ns.adobe.com/xmp/note/" '
            + " ".join(f'{name}="{value}"' for name, value in attributes.items()) +
            "/></rdf:RDF></x:xmpmeta>").encode()


def gdepth_jpeg(depth_map, *, format="RangeInverse", near="0.5", far="4", units="m", chunk=400, orientation=1,
                size=(WIDTH, HEIGHT), exif=None, spoil=lambda chunks: chunks):
    """A grey JPEG with a depth map in its extended XMP, as phones write it."""
    guid = b"0123456789ABCDEF0123456789ABCDEF"
    attributes = {"GDepth:Format": format, "GDepth:Near": near, "GDepth:Far": far, "GDepth:Mime": "image/png",
                  "GDepth:Units": units, "xmpNote:HasExtendedXMP": guid.decode()}
    extended = packet({"GDepth:Data": base64.b64encode(depth_map).decode()})
    chunks = [segment(b"http://ns.adobe.com/xmp/extension/\0" + guid + struct.pack(">II", len(extended), at) +
                      extended[at : at + chunk]) for at in range(0, len(extended), chunk)]
    exif = exif or b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0" + bytes([orientation]) + bytes(6)
    jpeg = jpeg_bytes(*size, 99)
    main = segment(b"http://ns.adobe.com/xap/1.0/\0" + packet({k: v for k, v in attributes.items() if v}))
    return jpeg[:2] + segment(exif) + main + b"".join(spoil(chunks)) + jpeg[2:]


def exif_of_lens(focal_length, f_number, on_film):
    """EXIF with a focal length and an f-number in tenths, and a whole focal length by 35 mm film."""
    entries = b"".join(struct.pack(">HHII", *entry) for entry in
                       ((0x829D, 5, 1, 68), (0x920A, 5, 1, 76), (0xA405, 3, 1, on_film << 16)))
    return (b"Exif\0\0MM\0*\0\0\0\x08" + struct.pack(">HHHIII", 1, 0x8769, 4, 1, 26, 0) + struct.pack(">H", 3) + entries +
            struct.pack(">IIIII", 0, round(10 * f_number), 10, round(10 * focal_length), 10))


def read_pfm(path):
    data = path.read_bytes()
    kind, size, scale, rest = data.split(b"\n", 3)
    assert kind == b"Pf" and float(scale) == -1
    width, height = map(int, size.split())
    values = struct.unpack(f"<{width * height}f", rest)
    return [values[y * width : (y + 1) * width] for y in reversed(range(height))]


class Command(CommandCase):
    def depth(self, *args, **options):
        return self.succeed("depth", *args, **options)

    def test_every_format_holds_the_same(self):
        write_png(self.folder / "in.png", 4, 2, 1, 16, [1000, 2000, 4000, 500, 1000, 2000, 4000, 500])
        expected = [(1, 2, 4, 0.5)] * 2
        for name in ("a.pfm", "a.exr", "a.png", "a.npy"):
            self.depth("in.png", "-o", name)
            kind = ("--depth-kind", "depth") if name == "a.npy" else ()
            said = self.depth(name, *kind, "-o", "back.pfm").stderr
            self.assertIn("from 0.5 m to 4 m", said)
            self.assertEqual(read_pfm(self.folder / "back.pfm"), expected, name)
        self.assertEqual(list(read_png(self.folder / "a.png").samples), [1000, 2000, 4000, 500] * 2)

    def test_json(self):
        write_png(self.folder / "in.png", 4, 1, 1, 16, [1000, 0, 4000, 500])
        done = self.depth("in.png", "-o", "a.pfm", "--json", "--quiet")
        self.assertEqual(done.stderr, "")
        account = json.loads(done.stdout)
        self.assertEqual(set(account), {"command", "version", "assumed", "ms", "input", "width", "height", "kind", "unit", "min", "max", "unknown", "unknown_share", "decided_by", "output", "warnings"})
        self.assertEqual((account["kind"], account["unit"], account["unknown_share"]), ("depth", "m", 0.25))
        self.assertEqual((account["min"], account["max"]), (0.5, 4))
        write_pfm(self.folder / "far.pfm", 2, 1, [2.0, 1e10])
        account = json.loads(self.depth("far.pfm", "--depth-kind", "depth", "-o", "a.pfm", "--json").stdout)
        self.assertEqual((account["min"], account["max"]), (2, None), "infinity is no number")
        ramp = [300 + i * 65000 // 3071 for i in range(3072)]
        write_png(self.folder / "unclear.png", 64, 48, 1, 16, ramp)
        done = self.depth("unclear.png", "-o", "a.pfm", "--json", "--quiet")
        self.assertIn("scanlens: warning: unclear.png", done.stderr)
        account = json.loads(done.stdout)
        self.assertIn("--depth-kind depth", account["warnings"][0])
        self.assertEqual((account["kind"], account["unit"]), ("inverse", None))
        self.refuse("depth", "unclear.png", "-o", "b.pfm", "--strict", says=("--depth-kind depth",))

    def test_preview(self):
        write_png(self.folder / "in.png", 3, 1, 1, 8, [0, 128, 255])
        self.depth("in.png", "-o", "a.png", "--preview", "colours.png")
        far, middle, near = (read_png(self.folder / "colours.png").pixel(x, 0) for x in range(3))
        self.assertEqual(max(far), far[2], "far is blue")
        self.assertEqual(max(middle), middle[1], "between is green")
        self.assertEqual(max(near), near[0], "near is red")

    def test_nothing_is_written_but_what_is_asked_for(self):
        write_png(self.folder / "in.png", 4, 1, 1, 16, [1000, 0, 4000, 500])
        done = self.depth("in.png")
        self.assertEqual(done.stdout, "")
        self.assertIn("in.png: 4 x 1, from 0.5 m to 4 m; 25 % unknown", done.stderr)
        account = json.loads(self.depth("in.png", "--json").stdout)
        self.assertEqual((account["width"], account["height"], account["min"], account["max"]), (4, 1, 0.5, 4))
        self.assertNotIn("output", account)
        self.depth("in.png", "--preview", "colours.png")
        self.assertEqual(png_size(self.folder / "colours.png"), (4, 1))

    def test_standard_output(self):
        write_png(self.folder / "in.png", 4, 1, 1, 16, [1000, 2000, 4000, 500])
        for form in ("png", "pfm", "exr", "npy"):
            self.depth("in.png", "-o", "file." + form)
            done = subprocess.run([SCANLENS, "depth", "-", "-o", "-", "--format", form, "--quiet"], capture_output=True,
                                  input=(self.folder / "in.png").read_bytes(), cwd=self.folder, timeout=HANGS)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertEqual(done.stdout, (self.folder / ("file." + form)).read_bytes(), form)

    def test_resampling(self):
        write_png(self.folder / "photo.png", 4, 2, 3, 8, bytes(24))
        write_png(self.folder / "in.png", 2, 1, 1, 16, [1000, 4000])
        done = self.depth("in.png", "--of", "photo.png", "--depth-resample", "nearest", "-o", "a.pfm")
        self.assertIn("each pixel the nearest", done.stderr)
        self.assertEqual(read_pfm(self.folder / "a.pfm"), [(1, 1, 4, 4)] * 2)
        done = self.depth("in.png", "--of", "photo.png", "--depth-resample", "bilinear", "-o", "b.pfm")
        self.assertIn("in.png: resampled from 2 x 1 to the picture's 4 x 2, bilinear", done.stderr)
        between = read_pfm(self.folder / "b.pfm")[0][1]
        self.assertAlmostEqual(between, 1 / (0.75 * 1 + 0.25 * 0.25), 5, "bilinear in 1/distance")
        self.refuse("depth", "in.png", "--depth-resample", "cubic", code=2, says=("edges, bilinear or nearest, not 'cubic'",))

    def test_along_the_photos_edges(self):
        """A step that the map has between pixels, and the photo at column 21."""
        def column(x): return 1000 if x < 21 else 4000
        write_png(self.folder / "photo.png", 48, 24, 3, 8, [c for _ in range(24) for x in range(48)
                                                            for c in ((200, 90, 60) if x < 21 else (80, 110, 90))])
        mixed = round(1000 / (0.25 * 1 + 0.75 * 0.25))  # of the pixel from column 20 to 23
        write_png(self.folder / "in.png", 12, 6, 1, 16, ([1000] * 5 + [mixed] + [4000] * 6) * 6)
        done = self.depth("in.png", "--of", "photo.png", "-o", "a.pfm", "--json")
        said = "in.png: resampled from 12 x 6 to the picture's 48 x 24, along the photo's edges"
        self.assertIn(said, done.stderr)
        self.assertIn(said, json.loads(done.stdout)["assumed"])
        for row in read_pfm(self.folder / "a.pfm"):
            for x, metres in enumerate(row):
                self.assertAlmostEqual(1000 / column(x), 1 / metres, delta=0.06, msg=f"column {x}")
        self.depth("in.png", "--of", "photo.png", "-o", "b.pfm", "--depth-resample", "edges")
        self.assertEqual((self.folder / "a.pfm").read_bytes(), (self.folder / "b.pfm").read_bytes())
        self.depth("in.png", "--of", "photo.png", "-o", "c.pfm", "--depth-resample", "bilinear")
        self.assertGreater(abs(1 / read_pfm(self.folder / "c.pfm")[0][21] - 0.25), 0.2, "bilinear smears it")
        write_png(self.folder / "small.png", 6, 3, 3, 8, bytes(54))
        self.assertIn("to the picture's 6 x 3, averaged", self.depth("in.png", "--of", "small.png", "-o", "d.pfm").stderr)

    def test_jumps_move_to_the_photos_edges(self):
        """A map of the photo's size, whose step lies two columns beside the photo's; one that is exact stays."""
        write_png(self.folder / "photo.png", 48, 24, 3, 8, [c for _ in range(24) for x in range(48)
                                                            for c in ((200, 90, 60) if x < 21 else (80, 110, 90))])
        write_png(self.folder / "in.png", 48, 24, 1, 16, ([1000] * 23 + [4000] * 25) * 24)
        done = self.depth("in.png", "--of", "photo.png", "-o", "a.pfm", "--json")
        said = "in.png: its jumps of depth moved to the picture's edges, 4.2 % of its pixels"
        self.assertIn(said, json.loads(done.stdout)["assumed"])
        self.assertEqual(read_pfm(self.folder / "a.pfm"), [(1.0,) * 21 + (4.0,) * 27] * 24)
        self.depth("in.png", "--of", "photo.png", "-o", "b.pfm", "--depth-resample", "nearest")
        for name in ("b.pfm", "b.exr", "b.png", "b.npy"):
            if name != "b.pfm":
                self.depth("b.pfm", "-o", name)
            done = self.depth(name, "--of", "photo.png", "-o", "c.pfm", "--force")
            self.assertNotIn("jumps", done.stderr)
            self.assertEqual((self.folder / "c.pfm").read_bytes(), (self.folder / "b.pfm").read_bytes(), name)

    def test_not_within_memory(self):
        write_png(self.folder / "photo.png", 600, 400, 1, 8, bytes(240000))
        write_png(self.folder / "in.png", 12, 6, 1, 8, bytes(72))
        self.refuse("depth", "in.png", "--of", "photo.png", "-o", "a.pfm", "--max-memory", "700KB", code=75,
                    says=("in.png", "--max-memory"))

    def test_of_a_photo(self):
        write_png(self.folder / "photo.png", WIDTH, HEIGHT, 3, 8, bytes(WIDTH * HEIGHT * 3))
        write_png(self.folder / "in.png", 12, 8, 1, 8, bytes(96))
        self.assertIn("resampled from 12 x 8", self.depth("in.png", "--of", "photo.png", "-o", "a.png").stderr)
        self.assertEqual(png_size(self.folder / "a.png"), (WIDTH, HEIGHT))
        write_png(self.folder / "side.png", 8, 12, 1, 8, bytes(96))
        self.assertIn("warning: side.png: the map seems to lie on its side",
                      self.depth("side.png", "--of", "photo.png", "-o", "a.png").stderr)

    def test_wrong_usage(self):
        write_png(self.folder / "in.png", 3, 1, 1, 8, [0, 128, 255])
        self.refuse("depth", "in.png", "-o", "a.jpg", code=2, says=(".png, .pfm, .exr or .npy",))
        self.refuse("depth", "in.png", "-o", "-", code=2, says=("standard output", "give --format"))
        self.refuse("depth", "in.png", "-o", "-", "--format", "jpg", code=2, says=("--format", "png, pfm, exr or npy"))
        self.refuse("depth", "in.png", "-o", "-", "--format", "npy", "--json", code=2, says=("--json cannot be used with -o -",))
        self.refuse("depth", "in.png", "--preview", "-", code=2, says=("--preview", "name of a file"))
        self.refuse("depth", "in.png", "-o", str(self.folder), says=("is a directory",))
        self.refuse("depth", "in.png", "-o", "in.png", says=("is the input itself",))
        self.refuse("depth", "in.png", "-o", "a.png", "--preview", "a.png", code=2)
        self.refuse("depth", "none.png", "-o", "a.png", says=("no such file",))


class Embedded(CommandCase):
    MAP = png_bytes(4, 2, 1, 8, [0, 85, 170, 255, 255, 170, 85, 0])

    def metres(self, data, *options):
        (self.folder / "photo.jpg").write_bytes(data)
        self.succeed("depth", "photo.jpg", "-o", "a.pfm", *options)
        return read_pfm(self.folder / "a.pfm")

    def assert_near(self, rows, expected):
        self.assertEqual([len(row) for row in rows], [len(row) for row in expected])
        for row, wanted in zip(rows, expected):
            for a, b in zip(row, wanted):
                self.assertTrue(math.isclose(a, b, rel_tol=1e-5, abs_tol=1e-6), f"{row} for {wanted}")

    def test_range_inverse(self):
        row = [4 * 0.5 / (4 - d / 3 * 3.5) for d in range(4)]
        self.assert_near(self.metres(gdepth_jpeg(self.MAP)), [row, row[::-1]])
        self.assert_near(self.metres(gdepth_jpeg(self.MAP, near="500", far="4000", units="mm")), [row, row[::-1]])

    def test_range_linear(self):
        row = [0.5 + d / 3 * 3.5 for d in range(4)]
        self.assert_near(self.metres(gdepth_jpeg(self.MAP, format="RangeLinear")), [row, row[::-1]])

    def test_without_units_it_is_relative(self):
        row = [1, 2 / 3, 1 / 3, 0]
        self.assert_near(self.metres(gdepth_jpeg(self.MAP, units="")), [row, row[::-1]])
        linear = [(1 / (0.5 + d / 3 * 3.5) - 0.25) / 1.75 for d in range(4)]
        self.assert_near(self.metres(gdepth_jpeg(self.MAP, format="RangeLinear", units="")), [linear, linear[::-1]])

    def test_a_range_the_other_way_round(self):
        """Taken at its word: 0 stands for Near, which is the farther one here."""
        row = [4 * 0.5 / (0.5 + d / 3 * 3.5) for d in range(4)]
        self.assert_near(self.metres(gdepth_jpeg(self.MAP, near="4", far="0.5")), [row, row[::-1]])
        self.assert_near(self.metres(gdepth_jpeg(self.MAP, near="4", far="0.5", units="")),
                         [[0, 1 / 3, 2 / 3, 1], [1, 2 / 3, 1 / 3, 0]])
        self.refuse("depth", "photo.jpg", "-o", "b.pfm", "--strict", says=("Near (4) lies beyond its Far (0.5)",))

    def test_it_turns_with_the_photo(self):
        row = [4 * 0.5 / (4 - d / 3 * 3.5) for d in range(4)]
        turned = [[row[3 - x], row[x]] for x in range(4)]  # clockwise
        self.assert_near(self.metres(gdepth_jpeg(self.MAP, orientation=6)), turned)

    def test_damaged_parts_are_refused(self):
        for name, spoil in (("missing", lambda c: c[:-1]), ("a gap", lambda c: c[:1] + c[2:]), ("none", lambda c: []),
                            ("twice", lambda c: c[:1] + c)):
            (self.folder / "bad.jpg").write_bytes(gdepth_jpeg(self.MAP, spoil=spoil, chunk=150))
            with self.subTest(name):
                self.refuse("depth", "bad.jpg", "-o", "a.pfm")
        for options in (dict(format="Other"), dict(near="0"), dict(near="nan"), dict(far="-1"), dict(near="4", far="4"), dict(far="x")):
            (self.folder / "bad.jpg").write_bytes(gdepth_jpeg(self.MAP, **options))
            with self.subTest(options):
                self.refuse("depth", "bad.jpg", "-o", "a.pfm", says=("bad.jpg, depth map inside",))

    def test_parts_in_any_order(self):
        expected = self.metres(gdepth_jpeg(self.MAP))
        self.assertEqual(self.metres(gdepth_jpeg(self.MAP, chunk=150, spoil=lambda c: c[::-1])), expected)

    def test_dof_takes_the_photos_own_depth(self):
        (self.folder / "photo.jpg").write_bytes(gdepth_jpeg(self.MAP))
        done = self.succeed("dof", "photo.jpg", "-o", "out.png", "--focus", "0.5")
        self.assertIn("photo.jpg: the depth map inside the photo (GDepth", done.stderr)
        self.assertIn("resampled from 4 x 2", done.stderr)
        self.assertEqual(png_size(self.folder / "out.png"), (WIDTH, HEIGHT))
        whole = (self.folder / "out.png").read_bytes()
        done = subprocess.run([SCANLENS, "dof", "-", "-o", "-", "--format", "png", "--focus", "0.5"], capture_output=True,
                              input=(self.folder / "photo.jpg").read_bytes(), timeout=HANGS)
        self.assertEqual((done.returncode, done.stdout), (0, whole), done.stderr)
        (self.folder / "plain.jpg").write_bytes(jpeg_bytes(WIDTH, HEIGHT, 99))
        self.refuse("dof", "plain.jpg", "-o", "out2.png", code=2, says=("carries no depth map", "--depth FILE"))

    def test_the_photos_own_lens(self):
        """From EXIF, where depth has a unit; each option goes before what EXIF says of it."""
        (self.folder / "plain.jpg").write_bytes(gdepth_jpeg(self.MAP))
        (self.folder / "photo.jpg").write_bytes(gdepth_jpeg(self.MAP, exif=exif_of_lens(90.5, 1.4, 181)))
        (self.folder / "blind.jpg").write_bytes(gdepth_jpeg(self.MAP, exif=exif_of_lens(90.5, 200, 0)))
        (self.folder / "relative.jpg").write_bytes(gdepth_jpeg(self.MAP, units=None, exif=exif_of_lens(90.5, 1.4, 181)))

        def told(photo, *options):
            """What is assumed of the lens, and how wide the blur becomes."""
            done = self.succeed("dof", photo, "-o", "out.png", *options, "--json")
            assumed = json.loads(done.stdout)["assumed"]
            said = [line for line in assumed if "EXIF: " in line]
            for line in said:
                self.assertIn(line, done.stderr)
            return " ".join(said), [line for line in assumed if "blur up to" in line]

        where = "photo.jpg: lens from the photo's EXIF: "
        for options, says, same in ((("--focus", "1"), where + "90.5 mm, f/1.4, sensor 18 mm wide",
                                     ("--focal-length", "90.5", "--f-number", "1.4", "--sensor-width", "18")),
                                    (("--focus", "1", "--focal-length", "30"), where + "f/1.4, sensor 18 mm wide",
                                     ("--f-number", "1.4", "--sensor-width", "18")),
                                    (("--focus", "1", "--f-number", "8", "--sensor-width", "30"), where + "90.5 mm",
                                     ("--focal-length", "90.5")),
                                    (("--focus", "1", "--blur", "4"), "", ())):
            with self.subTest(options):
                self.assertEqual(told("photo.jpg", *options), (says, told("plain.jpg", *options, *same)[1]))
        found, blur = told("blind.jpg", "--focus", "1")
        self.assertIn("EXIF: 90.5 mm; its sensor, missing in EXIF, is taken for 36 mm wide", found)
        self.assertEqual(blur, told("plain.jpg", "--focus", "1", "--focal-length", "90.5")[1])
        self.assertEqual(told("relative.jpg", "--focus", "0.5")[0], "", "a lens says nothing of depth without a unit")

        options = ("--focus", "1", "--where", "coc < 1", "--json")
        count = lambda *words: json.loads(self.succeed("stats", *words).stdout)["channels"][0]["count"]
        lens = ("--focal-length", "90.5", "--f-number", "1.4", "--sensor-width", "18")
        self.assertEqual(count("photo.jpg", *options), count("plain.jpg", *options, *lens))
        self.assertNotEqual(count("photo.jpg", *options), count("plain.jpg", *options))

    def test_dynamic_depth_is_named(self):
        """GDepth's successor, with a description that is not understood."""
        jpeg = jpeg_bytes(WIDTH, HEIGHT, 99)
        words = packet({}).replace(b"<rdf:Description", b'<rdf:Description xmlns:DepthMap="http://ns.google.com/photos/dd/1.0/depthmap/"')
        (self.folder / "photo.jpg").write_bytes(jpeg[:2] + segment(b"http://ns.adobe.com/xap/1.0/\0" + words) + jpeg[2:])
        self.refuse("dof", "photo.jpg", "-o", "out.png", code=2, says=("as an unknown variant of Dynamic Depth, which", "--depth FILE"))
        write_png(self.folder / "map.png", 4, 3, 1, 8, range(12))
        self.succeed("dof", "photo.jpg", "--depth", "map.png", "-o", "out.png")

    def test_heic(self):
        path = ROOT / "tests/files/depth/disparity.heic"
        done = self.succeed("depth", str(path), "-o", "a.pfm")
        self.assertIn("uniform disparity from 0.25 to 2.8 1/m", done.stderr)
        nearest = 1 / (0.25 + 220 / 255 * 2.55)
        self.assertAlmostEqual(read_pfm(self.folder / "a.pfm")[5][60], nearest, 5)

    def test_a_jpeg_map_is_warned_of(self):
        (self.folder / "map.jpg").write_bytes(jpeg_bytes(WIDTH, HEIGHT, 99))
        done = self.succeed("depth", "map.jpg", "-o", "a.png")
        self.assertIn("warning: map.jpg: JPEG compresses depth with losses", done.stderr)


class OwnMaps(CommandCase):
    def test_rendered_depth_is_read_without_options(self):
        require_opengl()
        self.succeed("render", "teapot", "-o", "scene.png", "--size", "96x64", "--depth-out", "depth.pfm")
        for name in ("depth.png", "depth.exr"):
            self.succeed("render", "teapot", "-o", "other.png", "--size", "96x64", "--depth-out", name)
        lens = ("--focus", "0.8", "--f-number", "2")
        pictures = []
        for name in ("depth.pfm", "depth.exr"):
            done = self.succeed("dof", "scene.png", "--depth", name, "-o", "out.png", *lens)
            self.assertIn("distance in metres", done.stderr)
            pictures.append(read_png(self.folder / "out.png"))
        self.assertEqual(*pictures)
        self.assertIn("millimetres", self.succeed("dof", "scene.png", "--depth", "depth.png", "-o", "out.png", *lens).stderr)


class BrokenSamples(CommandCase):
    def test_one_sample_does_not_blacken_the_rest(self):
        """A Radiance picture of light 0.5 with one sample of 1e10."""
        def rgbe(light):
            mantissa, exponent = math.frexp(light)
            return bytes([int(mantissa * 256)] * 3 + [exponent + 128])
        pixels = [rgbe(0.5)] * (40 * 30)
        pixels[5 * 40 + 7] = rgbe(1e10)
        (self.folder / "sun.hdr").write_bytes(b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 30 +X 40\n" + b"".join(pixels))
        write_png(self.folder / "flat.png", 4, 3, 1, 8, bytes(12))
        done = self.succeed("dof", "sun.hdr", "--depth", "flat.png", "--focus", "1", "--blur", "3", "-o", "out.png", "--quiet")
        self.assertIn("warning: sun.hdr: 3 samples are brighter than", done.stderr)
        self.assertIn("at pixel 7,5", done.stderr)
        self.assertGreater(read_png(self.folder / "out.png").pixel(30, 20)[0], 40000)


if __name__ == "__main__":
    unittest.main()
