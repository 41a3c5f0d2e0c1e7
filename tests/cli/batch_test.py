#!/usr/bin/env python3
"""`batch`: every output as `filter` writes it, found and named as told, nothing lost, and nothing done twice."""
import contextlib
import fcntl
import itertools
import json
import os
import random
import resource
import shutil
import signal
import struct
import subprocess
import threading
import time
import unittest
import zlib
from pathlib import Path

from support import HANGS, ROOT, SCANLENS, CommandCase, jpeg_bytes, png_bytes, png_chunk, read_png, without_root, write_pfm

BOX = ("--filter", "box:radius=2")
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "JOB_COMPLETION"))}


def noise_png(seed, width=24, height=17, channels=3, bits=8):
    noise = random.Random(seed)
    return png_bytes(width, height, channels, bits, [noise.randrange(1 << bits) for _ in range(width * height * channels)])


def ppm(seed, width, height):
    return b"P6\n%d %d\n255\n" % (width, height) + random.Random(seed).randbytes(3 * width * height)


def exif_of(orientation, date):
    """A TIFF structure with an orientation, and with a date in the directory of the photo."""
    text = date.encode() + b"\0"
    return (b"II*\0" + struct.pack("<IH", 8, 2) + struct.pack("<HHII", 0x112, 3, 1, orientation) +
            struct.pack("<HHII", 0x8769, 4, 1, 38) + struct.pack("<I", 0) + struct.pack("<H", 1) +
            struct.pack("<HHII", 0x9003, 2, len(text), 56) + struct.pack("<I", 0) + text)


def lines_of(path):
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def outcomes(path):
    return {line["path"]: line for line in lines_of(path) if "path" in line and line["status"] != "planned"}


def claim_on(name):
    """The file that a run locks while it makes this output: a hash of its name (app/batch/plan/hash.h)."""
    bits = (1 << 64) - 1
    value = 0xCBF29CE484222325
    for byte in name.encode():
        value = (value ^ byte) * 0x100000001B3 & bits
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & bits
    value = (value ^ value >> 27) * 0x94D049BB133111EB & bits
    return f".scanlens-{value ^ value >> 31:016x}.tmp"


class BatchCase(CommandCase):
    def put(self, files, folder="in"):
        for name, data in files.items():
            path = Path(os.fsdecode(os.path.join(os.fsencode(self.folder), os.fsencode(folder), os.fsencode(name))))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

    def batch(self, *args, code=0, **options):
        done = self.run_here("batch", *args, **{"env": CLEAN, **options})
        self.assertEqual(done.returncode, code, f"{args}: {done.stderr}")
        return done

    def refuse_batch(self, *args, code=2, says=()):
        return self.refuse("batch", *args, code=code, says=says, env=CLEAN)

    def outputs(self, folder="out"):
        root = self.folder / folder
        return {str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}

    def filtered(self, name, *options, into="one.png"):
        self.assertEqual(self.run_here("filter", name, "-o", into, *options).returncode, 0, name)
        return (self.folder / into).read_bytes()


class EqualsFilter(BatchCase):
    def test_every_format_and_option(self):
        self.put({"a.png": noise_png(1), "sub/b.png": noise_png(2, 31, 33, 1, 16), "c.jpg": jpeg_bytes(64, 48, 77),
                  "d.ppm": ppm(3, 300, 211), "e.png": noise_png(4, 20, 20, 4)})
        chain = (*BOX, "--filter", "unsharp:amount=2:radius=3")
        for jobs, options in itertools.product(("1", "2", "5"), ((*BOX,), chain, (*BOX, "--max-memory", "8MB"))):
            with self.subTest(jobs=jobs, options=options):
                self.batch("in", "out", *options, "--jobs", jobs, "--overwrite")
                made = self.outputs()
                self.assertEqual(set(made), {"a.png", "sub/b.png", "c.jpg", "d.ppm", "e.png"})
                for name, data in made.items():
                    self.assertEqual(data, self.filtered("in/" + name, *options, into="one" + Path(name).suffix), name)

    def test_formats_are_converted(self):
        self.put({"a.png": noise_png(1), "sub/b.ppm": ppm(2, 40, 30)})
        for options, names in ((("--format", "jpg", "--quality", "80"), {"a.jpg", "sub/b.jpg"}),
                               (("--name", "{dir}/{stem}.tif"), {"a.tif", "sub/b.tif"})):
            self.batch("in", "out" + names.copy().pop()[-3:], *BOX, *options)
            made = self.outputs("out" + names.copy().pop()[-3:])
            self.assertEqual(set(made), names)
            for name, data in made.items():
                source = "in/a.png" if "a." in name else "in/sub/b.ppm"
                self.assertEqual(data, self.filtered(source, *BOX, *options[:4 if "--quality" in options else 0],
                                                     into="one" + Path(name).suffix))

    def test_depth_by_pattern(self):
        self.put({"a.png": noise_png(1), "sub/b.png": noise_png(2)})
        for name in ("a", "sub/b"):
            write_pfm(self.folder / f"in/{name}_depth.pfm", 24, 17, [float(i % 24) for i in range(24 * 17)])
        self.batch("in", "out", "--filter", "dof", "--depth-pattern", "{stem}_depth.pfm", "--include", "*")
        made = self.outputs()
        self.assertEqual(set(made), {"a.png", "sub/b.png"}, "maps are no pictures of their own")
        for name, data in made.items():
            depth = f"in/{name[:-4]}_depth.pfm"
            self.assertEqual(data, self.filtered("in/" + name, "--filter", f"dof:depth={depth}"))
        os.utime(self.folder / "in/a_depth.pfm", (1, 1))
        done = self.batch("in", "out", "--filter", "dof", "--depth-pattern", "{stem}_depth.pfm", "--skip-existing",
                          "--include", "*.png", "--dry-run")
        self.assertEqual([line.split()[0] for line in done.stdout.splitlines()], ["write", "skip"])
        self.refuse_batch("in", "out2", *BOX, "--depth-pattern", "{stem}.pfm", says=["no filter takes depth"])

    def test_more_than_the_memory_waits_or_fails(self):
        self.put({f"{i}.tga": b"\0\0\2" + bytes(9) + (700).to_bytes(2, "little") * 2 + b"\x18\0" + bytes(3 * 700 * 700)
                  for i in range(6)})
        self.batch("in", "out", *BOX, "--format", "png", "--jobs", "6", "--max-memory", "12MB")
        self.assertEqual(len(self.outputs()), 6)
        done = self.batch("in", "out2", *BOX, "--format", "png", "--max-memory", "1MB", "--report", "r.jsonl", code=75)
        self.assertIn("--max-memory", done.stderr)
        self.assertEqual({line["status"] for line in outcomes(self.folder / "r.jsonl").values()}, {"retry"})


class Memory(BatchCase):
    """What the program takes beside --max-memory is less than this."""
    BESIDE = 100 << 20

    def peak(self, *args, code=0):
        """The most bytes of a batch that the system saw in memory."""
        if "SCANLENS_SANITIZED" in os.environ:
            self.skipTest("a sanitizer takes memory of its own")
        with subprocess.Popen([SCANLENS, "batch", *args, "--overwrite", "--quiet"], cwd=self.folder, env=CLEAN,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as child:
            hangs = threading.Timer(HANGS, child.kill)
            hangs.start()
            _, status, usage = os.wait4(child.pid, 0)
            hangs.cancel()
            child.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(child.returncode, code, args)
        return usage.ru_maxrss << 10

    def photos(self, count, width, *formats):
        resized = ("--filter", f"resize:width={width}:enlarge=1", "--quiet")
        (self.folder / "in").mkdir()
        for extension in formats:
            self.succeed("filter", str(ROOT / "data/sample.jpg"), "-o", f"photo.{extension}", *resized)
        self.succeed("filter", str(ROOT / "data/sample_depth.png"), "-o", "depth.png", "--filter", "resize:width=300", "--quiet")
        for i in range(count):
            extension = formats[i % len(formats)]
            os.symlink(self.folder / f"photo.{extension}", self.folder / f"in/{i}.{extension}")
            os.symlink(self.folder / "depth.png", self.folder / f"in/{i}_depth.png")

    def test_depth_of_field_stays_within_the_limit(self):
        """All pictures at once would take several times as much."""
        self.photos(12, 1200, "jpg")
        limit = 130 << 20
        for jobs in ("2", "12"):
            peak = self.peak("in", "out", "--filter", "dof:blur=1%", "--device", "cpu", "--jobs", jobs,
                             "--max-memory", str(limit))
            self.assertLessEqual(peak, limit + self.BESIDE, f"{jobs} jobs")
            self.assertEqual(len(self.outputs()), 12)

    def test_filters_stay_within_the_limit(self):
        self.photos(16, 2000, "jpg", "webp", "tif", "png")
        limit = 100 << 20
        for target in ("png", "webp"):
            peak = self.peak("in", "out", "--filter", "gaussian:sigma=9", "--filter", "denoise", "--format", target,
                             "--jobs", "16", "--max-memory", str(limit))
            self.assertLessEqual(peak, limit + self.BESIDE, target)

    def test_one_that_needs_more_than_the_limit_is_refused(self):
        self.photos(2, 1200, "jpg")
        self.peak("in", "out", "--filter", "dof:blur=1%", "--device", "cpu", "--max-memory", "8MB", code=75)


class Inputs(BatchCase):
    def found(self, *args, **options):
        done = self.batch(*args, *BOX, "--dry-run", **options)
        return sorted(line.split(maxsplit=1)[1].split(" -> ")[0] for line in done.stdout.splitlines())

    def test_what_a_folder_gives(self):
        picture = noise_png(1)
        self.put({name: picture for name in ("a.png", "B.PNG", "sub/c.png", "sub/deep/d.png", ".hidden.png",
                                             ".git/e.png", "notes.txt", "bare")})
        with self.unchanged():
            done = self.batch("in", "out", *BOX, "--dry-run")
            self.assertIn("2 files passed over, whose names", done.stderr)
            for options, names in (((), ["B.PNG", "a.png", "sub/c.png", "sub/deep/d.png"]),
                                   (("--no-recursive",), ["B.PNG", "a.png"]),
                                   (("--include", "*.png", "--exclude", "sub/deep/*"), ["B.PNG", "a.png", "sub/c.png"]),
                                   (("--include", "a*", "--include", "c.*"), ["a.png", "sub/c.png"])):
                self.assertEqual(self.found("in", "out", *options), ["in/" + name for name in names])
        self.assertEqual(self.found("in/a.png", "in/sub/c.png", "in/sub/deep", "out"),
                         ["in/a.png", "in/sub/c.png", "in/sub/deep/d.png"])
        self.refuse_batch("in/.git", "in/nowhere", "out", *BOX, code=1, says=["nowhere", "no such"])
        (self.folder / "empty").mkdir()
        self.refuse_batch("empty", "out", *BOX, code=1, says=["no pictures were found"])
        self.refuse_batch("in", *BOX, says=["the folder of outputs is missing"])

    def test_symbolic_links(self):
        self.put({"a/p.png": noise_png(1), "b/q.png": noise_png(2)})
        self.put({"elsewhere.png": noise_png(3)}, "other")
        (self.folder / "in/a/loop").symlink_to("../..", target_is_directory=True)
        (self.folder / "in/0ther").symlink_to("../other", target_is_directory=True)
        (self.folder / "in/again").symlink_to("b", target_is_directory=True)
        (self.folder / "in/link.png").symlink_to("a/p.png")
        self.assertEqual(self.found("in", "out"), ["in/0ther/elsewhere.png", "in/a/p.png", "in/b/q.png", "in/link.png"])
        (self.folder / "in/broken.png").symlink_to("nowhere")
        done = self.batch("in", "out", *BOX, code=1)
        self.assertIn("broken.png: is a symbolic link that leads nowhere", done.stderr)
        self.assertEqual(len(self.outputs()), 4)

    def test_an_unreadable_folder(self):
        self.put({"a.png": noise_png(1), "locked/b.png": noise_png(2)})
        rights = without_root(self)
        (self.folder / "in/locked").chmod(0)
        self.addCleanup((self.folder / "in/locked").chmod, 0o755)
        (self.folder / "out").mkdir()
        (self.folder / "out").chmod(0o777)
        done = self.batch("in", "out", *BOX, code=1, **rights)
        self.assertIn("in/locked: permission denied", done.stderr)
        self.assertEqual(set(self.outputs()), {"a.png"})

    def test_lists_and_strange_names(self):
        strange = [b"with space.png", b"line\nbreak.png", b"quote'\"$.png", b"\xff\xfe.png", "größe.png".encode(), b"-dash.png"]
        self.put({name: noise_png(i) for i, name in enumerate(strange)})
        listed = b"".join(b"in/" + name + b"\0" for name in strange)
        self.batch("--files-from", "-", "-0", "out", *BOX, "--report", "r.jsonl", stdin=None, input=listed, encoding=None, errors=None)
        made = {os.fsencode(name): data for name, data in self.outputs().items()}
        self.assertEqual(set(made), {b"in/" + name for name in strange})
        for name in strange:
            self.assertEqual(made[b"in/" + name], self.filtered(os.fsdecode(b"in/" + name), *BOX))
        raw = [bytes.fromhex(line["path_hex"]) for line in outcomes(self.folder / "r.jsonl").values() if "path_hex" in line]
        self.assertEqual(raw, [b"in/\xff\xfe.png"])
        done = self.batch("--files-from", "-", "-0", "out", *BOX, "--skip-existing", "--report", "r.jsonl", stdin=None,
                          input=listed, encoding=None, errors=None)
        self.assertIn(b"6 skipped", done.stderr)
        self.assertEqual(json.loads(self.run_here("report", "r.jsonl", "--json").stdout)["written"], 6)

        (self.folder / "list").write_text("in/with space.png\nin/gone.png\n\nin/größe.png\n")
        done = self.batch("--files-from", "list", "out2", *BOX, code=1)
        self.assertIn("in/gone.png: no such file", done.stderr)
        self.assertEqual(set(self.outputs("out2")), {"in/with space.png", "in/größe.png"})
        (self.folder / "list").write_text(f"{self.folder}/in/größe.png\n../{self.folder.name}/in/-dash.png\n")
        self.batch("--files-from", "list", "out3", *BOX)
        self.assertEqual(set(self.outputs("out3")), {"größe.png", "-dash.png"})


class Names(BatchCase):
    def test_templates(self):
        self.put({"a.png": noise_png(1), "x/y/b.c.png": noise_png(2)})
        for pattern, names in (("{stem}_soft.{ext}", {"a_soft.png", "b.c_soft.png"}),
                               ("flat/{name}", {"flat/a.png", "flat/b.c.png"}),
                               ("{{{stem}}}.png", {"{a}.png", "{b.c}.png"}),
                               ("{ext}/{dir}/{stem}.ppm", {"png/a.ppm", "png/x/y/b.c.ppm"})):
            with self.subTest(pattern):
                self.batch("in", "out" + str(len(pattern)), *BOX, "--name", pattern)
                self.assertEqual(set(self.outputs("out" + str(len(pattern)))), names)
        for pattern, says in (("{stm}.png", "{stm}"), ("{stem.png", "without its }"), ("a}.png", "without its {"),
                              ("../{name}", "not a file in the output folder"), ("/tmp/{name}", "not a file in the output folder"),
                              ("{stem}.xyz", "cannot be written as '.xyz'"), ("{dir}/", "not a file")):
            self.refuse_batch("in", "out", *BOX, "--name", pattern, says=[says])

    def test_numbers_days_and_widths(self):
        exif = exif_of(6, "2021:07:09 10:11:12")
        jpeg, png = jpeg_bytes(64, 48, 77), noise_png(1)
        comments = (b"\xff\xfe\xff\xff" + bytes(65533)) * 20  # a head of more than a megabyte
        at = png.index(b"IDAT") - 4
        self.put({"a.jpg": jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 8) + b"Exif\0\0" + exif + comments + jpeg[2:],
                  "b.png": png[:at] + png_chunk(b"eXIf", exif) + png[at:], "c.png": png, "d.png": png, "sub/e.png": b"broken"})
        os.utime(self.folder / "in/c.png", (10 ** 9, 10 ** 9))
        os.utime(self.folder / "in/d.png", (10 ** 9, 10 ** 9))
        options = ("--filter", "resize:height=8", "--name", "{n:03}_{n}_{stem}_{date}_{width}.{ext}")
        self.batch("in", "out", *options, "--exclude", "d.png", "--exclude", "e.png")
        self.assertEqual(set(self.outputs()), {"001_1_a_2021-07-09_6.jpg", "002_2_b_2021-07-09_6.png", "003_3_c_2001-09-09_11.png"})
        self.assertEqual(read_png(self.folder / "out/002_2_b_2021-07-09_6.png").width, 6)
        done = self.batch("in", "out", *options, "--skip-existing", "--shard", "1/1", code=1)
        self.assertIn("1 written, 3 skipped, 1 failed", done.stderr)
        for part in ("1/2", "2/2"):
            self.batch("in", "parts", *options, "--exclude", "e.png", "--shard", part)
        self.assertEqual(self.outputs("parts"), self.outputs())
        for seed, name in enumerate(("b.ppm", "a.ppm")):
            self.put({name: ppm(seed, 9, 9)}, "more")
            os.utime(self.folder / "more" / name, (10 ** 9, 10 ** 9))
            self.batch("more", "counted", *BOX, "--name", "{n}.{ext}", "--skip-existing")
        self.assertEqual(len(set(self.outputs("counted").values())), 2, "1.ppm is another picture's, of the same size and time")
        self.refuse_batch("in", "out2", *BOX, "--name", "{n:x}.png", says=["{n:x}", "{n:04}"])
        self.refuse_batch("in", "out2", "--filter", "dof", "--depth-pattern", "{n}.png", says=["--depth-pattern", "{n}"])

    def test_collisions(self):
        self.put({"a.png": noise_png(1), "a.ppm": ppm(1, 9, 9), "sub/a.png": noise_png(2)})
        self.refuse_batch("in", "out", *BOX, "--format", "png", says=["out/a.png", "in/a.png", "in/a.ppm"])
        self.refuse_batch("in", "out", *BOX, "--name", "{name}", says=["the output of both"])
        self.refuse_batch("in", "in/soft", *BOX, says=["lies in the folder of inputs"])
        self.refuse_batch("in", "in", *BOX, says=["is an input"])
        self.refuse_batch("in", ".", *BOX, "--name", "in/sub/../{stem}_soft.{ext}", says=["lies in the folder"])
        self.refuse_batch("in/a.png", "in", *BOX, says=["is an input"])
        (self.folder / "out").symlink_to("in", target_is_directory=True)
        self.refuse_batch("in", "out", *BOX, says=["is an input"])
        self.refuse_batch("in", "out", *BOX, "--shard", "3/3", says=["is an input"])


class Formats(BatchCase):
    """A folder as people have them: no file stops the others."""

    def setUp(self):
        super().setUp()
        files = ROOT / "tests/files"
        heic, bmp = (files / "heif/lossy.heic").read_bytes(), (files / "bmp/rgb24.bmp").read_bytes()
        self.put({"a.png": noise_png(1), "b.bmp": bmp, "c.heic": heic, "photo.jpg": jpeg_bytes(64, 48, 77), "photo.heic": heic,
                  "sketch.psd": b"8BPS", "notes.txt": b"hello"})

    def test_what_is_not_written_becomes_another_format(self):
        done = self.batch("in", "out", *BOX)
        self.assertEqual(set(self.outputs()), {"a.png", "b.jpg", "c.jpg", "photo.jpg", "photo.heic.jpg"})
        self.assertEqual(done.stderr.count(".bmp and .heic cannot be written and become .jpg; --format chooses another"), 1)
        for name, source in (("b.jpg", "b.bmp"), ("photo.heic.jpg", "photo.heic"), ("photo.jpg", "photo.jpg")):
            self.assertEqual(self.outputs()[name], self.filtered("in/" + source, *BOX, into="one.jpg"))
        self.assertIn("5 skipped", self.batch("in", "out", *BOX, "--skip-existing").stderr)
        self.refuse_batch("in", "out2", *BOX, "--format", "webp", says=["the output of both in/photo.heic and in/photo.jpg"])
        done = self.batch("in", "out2", *BOX, "--format", "webp", "--exclude", "photo.*")
        self.assertEqual(set(self.outputs("out2")), {"a.webp", "b.webp", "c.webp"})
        self.assertNotIn("cannot be written", done.stderr)

    def test_what_is_passed_over_is_named(self):
        said = self.batch("in", "out", *BOX, "--dry-run").stderr
        self.assertIn("2 files passed over, whose names are not those of pictures", said)
        self.assertNotIn("notes.txt", said)
        self.assertIn(": in/notes.txt, in/sketch.psd", self.batch("in", "out", *BOX, "--dry-run", "--verbose").stderr)


class Background(BatchCase):
    """Alpha in a format without it."""

    def laid_over(self, bits, under, pixels):
        full = (1 << bits) - 1
        return [(pixels[i + c] * pixels[i + 3] + under[c] * full // 255 * (full - pixels[i + 3]) + full // 2) // full
                for i in range(0, len(pixels), 4) for c in range(3)]

    def test_colours_are_mixed(self):
        for bits, name in ((8, "out.pnm"), (16, "out.pnm"), (16, "out.jpg")):
            pixels = random.Random(bits).choices(range(1 << bits), k=4 * 24 * 17)
            pixels[3] = 0
            (self.folder / "in.png").write_bytes(png_bytes(24, 17, 4, bits, pixels))
            with self.subTest(bits=bits, name=name):
                self.refuse("filter", "in.png", "-o", name, says=["alpha", "--background"])
                self.succeed("filter", "in.png", "-o", name, "--background", "#1020f0")
                expected = self.laid_over(bits, (0x10, 0x20, 0xf0), pixels)
                if name == "out.pnm":
                    samples = (self.folder / name).read_bytes()[-3 * 24 * 17 * bits // 8:]
                    found = [int.from_bytes(samples[i:i + bits // 8], "big") for i in range(0, len(samples), bits // 8)]
                    self.assertEqual(found, expected)
                else:
                    opaque = png_bytes(24, 17, 3, bits, expected)
                    (self.folder / "opaque.png").write_bytes(opaque)
                    one = self.filtered("opaque.png", into="one.jpg")
                    self.assertLessEqual(abs(len(one) - (self.folder / name).stat().st_size), 32, "but for rounding")
        self.refuse("filter", "in.png", "-o", "out.jpg", "--background", "blu", code=2, says=["#rrggbb", "'blu'"])

    def test_a_folder_is_laid_over_white_and_says_so_once(self):
        clear = png_bytes(4, 4, 4, 8, [255, 0, 0, 0] * 16)
        self.put({"a.png": clear, "b.png": clear, "c.png": clear, "opaque.png": png_bytes(4, 4, 4, 8, [9, 9, 9, 255] * 16)})
        done = self.batch("in", "out", "--format", "ppm")
        warning = "alpha is laid over white; --background chooses the colour"
        self.assertEqual(done.stderr.count("warning: out/"), 1)
        self.assertIn(f"2 more pictures have the same warning: {warning}", done.stderr)
        self.assertEqual(self.outputs()["a.pnm"][-48:], bytes([255] * 48))
        self.assertEqual(self.batch("in", "all", "--format", "ppm", "--verbose").stderr.count(warning), 3)
        done = self.batch("in", "red", "--format", "ppm", "--background", "#ff0000")
        self.assertNotIn("alpha", done.stderr)
        self.assertEqual(self.outputs("red")["a.pnm"][-48:], bytes([255, 0, 0] * 16))
        self.batch("in", "strict", "--format", "ppm", "--strict", code=1)
        self.assertEqual(set(self.outputs("strict")), {"opaque.pnm"})


class OneFile(BatchCase):
    def setUp(self):
        super().setUp()
        self.put({"a.png": noise_png(1), "b.png": noise_png(2)})

    def test_an_output_with_a_name(self):
        self.batch("in/a.png", "web/{x}.jpg", *BOX)
        self.assertEqual(list(self.outputs("web")), ["{x}.jpg"])
        self.assertEqual(self.outputs("web")["{x}.jpg"], self.filtered("in/a.png", *BOX, into="one.jpg"))
        self.batch("in/a.png", "web/{x}.jpg", *BOX, "--skip-existing")
        (self.folder / "folder.jpg").mkdir()
        self.batch("in/a.png", "folder.jpg", *BOX)
        self.assertEqual(list(self.outputs("folder.jpg")), ["a.png"])

    def test_more_than_one_picture_needs_a_folder(self):
        for inputs in (["in"], ["in/a.png", "in/b.png"]):
            self.refuse_batch(*inputs, "web/x.jpg", *BOX, says=["web/x.jpg", "folder"])
        self.refuse_batch("in/a.png", "in/b.png", *BOX, "--overwrite", code=1, says=["in/b.png", "exists", "folder"])


class Conversion(BatchCase):
    def test_without_a_filter(self):
        self.put({"a/a.png": noise_png(1), "b.png": noise_png(2, bits=16)})
        self.batch("in", "out", "--format", "ppm")
        self.assertEqual(list(self.outputs()), ["a/a.pnm", "b.pnm"])
        self.assertEqual(self.filtered("in/b.png", into="one.ppm"), self.outputs()["b.pnm"])
        self.assertEqual(self.outputs()["a/a.pnm"], self.filtered("in/a/a.png", "--filter", "box:radius=0", into="one.ppm"))
        self.refuse_batch("in", "same", says=["nothing to do", "--filter", "--format", "--stats"])
        self.batch("in/b.png", "one/c.ppm")
        self.assertEqual(list(self.outputs("one").values()), [self.outputs()["b.pnm"]])


class Existing(BatchCase):
    def setUp(self):
        super().setUp()
        self.put({f"{name}.png": noise_png(name) for name in "abc"})

    def test_outputs_are_not_replaced_unasked(self):
        self.put({"b.png": b"precious"}, "out")
        self.refuse_batch("in", "out", *BOX, code=1, says=["out/b.png: exists, as 1 of 3 outputs do", "--skip-existing", "--overwrite"])
        done = self.batch("in", "out", *BOX, "--skip-existing", code=1)
        self.assertIn("out/b.png: exists, and nothing tells that batch wrote it", done.stderr)
        self.assertEqual(self.outputs()["b.png"], b"precious")
        (self.folder / "out/b.png").chmod(0o444)
        done = self.batch("in", "out", *BOX, "--overwrite", code=1)
        self.assertIn("read-only", done.stderr)
        self.batch("in", "out", *BOX, "--overwrite", "--force")
        self.assertEqual(self.outputs()["b.png"], self.filtered("in/b.png", *BOX))

    def test_skipping_compares_input_and_parameters(self):
        self.batch("in", "out", *BOX)
        before = {p.name: p.stat().st_mtime_ns for p in (self.folder / "out").iterdir()}
        self.assertIn("0 written, 3 skipped", self.batch("in", "out", *BOX, "--skip-existing").stderr)
        self.assertEqual(before, {p.name: p.stat().st_mtime_ns for p in (self.folder / "out").iterdir()})
        self.put({"a.png": noise_png("new")})
        (self.folder / "out/b.png").unlink()
        self.assertIn("2 written, 1 skipped", self.batch("in", "out", *BOX, "--skip-existing").stderr)
        self.assertEqual(self.outputs()["a.png"], self.filtered("in/a.png", *BOX))
        for options in (("--filter", "box:radius=3"), (*BOX, "--compression", "9")):
            self.assertIn("3 written", self.batch("in", "out", *options, "--skip-existing").stderr)
            self.assertEqual(self.outputs()["c.png"], self.filtered("in/c.png", *options))
        if os.path.exists(self.folder / "out/a.png"):
            (self.folder / "out/a.png").write_bytes(b"")  # keeps its mark, as an editor in place would
            os.removexattr(self.folder / "out/a.png", "user.scanlens.made")
        self.batch("in", "out", *BOX, "--skip-existing", code=1)
        self.assertEqual(self.outputs()["a.png"], b"")

    def test_dry_run(self):
        self.batch("in/a.png", "out", *BOX)
        self.put({"b.png": b"precious"}, "out")
        with self.unchanged():
            done = self.batch("in", "out", *BOX, "--skip-existing", "--dry-run", code=1)
        self.assertEqual(done.stdout.splitlines(), ["skip   in/a.png -> out/a.png", "refuse in/b.png -> out/b.png",
                                                    "write  in/c.png -> out/c.png"])

    def test_a_dry_run_opens_what_it_plans(self):
        self.put({"empty.png": b"", "text.jpg": b"hello", "wide.ppm": b"P6\n9000000000 1\n255\n"})
        write_pfm(self.folder / "in/a_depth.pfm", 24, 17, [1.0] * 24 * 17)
        with self.unchanged():
            done = self.batch("in", "out", *BOX, "--dry-run", code=1)
            self.assertEqual([line.split(":")[0] for line in done.stdout.splitlines()],
                             ["write  in/a.png -> out/a.png", "write  in/b.png -> out/b.png", "write  in/c.png -> out/c.png",
                              "fail   in/empty.png", "fail   in/text.jpg", "fail   in/wide.ppm"])
            self.assertIn("fail   in/text.jpg: this is not a picture", done.stdout)
            self.assertIn("3 of 6 would fail", done.stderr)
            done = self.batch("in", "out", "--filter", "dof", "--include", "?.png", "--dry-run", code=1)
            self.assertEqual([line[:13] for line in done.stdout.splitlines()], ["write  in/a.p", "fail   in/b.p", "fail   in/c.p"])
            self.assertIn("dof needs depth", done.stdout)

    def test_times_are_kept(self):
        path = self.folder / "in/a.png"
        os.utime(path, ns=(10 ** 18 + 5, 10 ** 18 + 7))
        self.batch("in", "out", *BOX)
        self.assertNotEqual((self.folder / "out/a.png").stat().st_mtime_ns, 10 ** 18 + 7)
        self.assertIn("3 written", self.batch("in", "out", *BOX, "--keep-times", "--skip-existing").stderr)
        self.assertEqual((self.folder / "out/a.png").stat().st_mtime_ns, 10 ** 18 + 7)
        self.assertIn("3 skipped", self.batch("in", "out", *BOX, "--keep-times", "--skip-existing").stderr)

    def test_unfinished_files_of_the_dead_are_removed(self):
        dead, living = ".scanlens-0123456789abcdef.tmp", ".scanlens-fedcba9876543210.tmp"
        self.put({dead: b"x", living: b"y", ".scanlens-notes.tmp": b"z"}, "out")
        with open(self.folder / "out" / living, "rb") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            done = self.batch("in", "out", *BOX)
        self.assertIn("removed 1 unfinished", done.stderr)
        self.assertEqual(set(self.outputs()), {"a.png", "b.png", "c.png", living, ".scanlens-notes.tmp"})

    def test_without_marks_the_report_tells(self):
        probe = ["unshare", "-m", "sh", "-c", 'mkdir out && mount -t ramfs none out && exec "$@"', "sh"]
        if os.geteuid() != 0 or subprocess.run([*probe, "true"], cwd=self.folder, capture_output=True).returncode != 0:
            self.skipTest("a filesystem without extended attributes takes root and unshare to mount")
        (self.folder / "out").rmdir()
        script = f'"{SCANLENS}" batch in out {" ".join(BOX)} --skip-existing "$@"'
        steps = (f'mkdir out && mount -t ramfs none out && {{ {script}; {script}; {script} --report r && rm out/b.png && '
                 f'{script} --report r && {script} --report r --filter box:radius=1; }}')
        done = subprocess.run(["unshare", "-m", "sh", "-c", steps, "sh"], cwd=self.folder, capture_output=True, text=True,
                              env=CLEAN)
        told = [line for line in done.stderr.splitlines() if line.startswith("3 pictures")]
        self.assertEqual(len(told), 3, done.stderr)
        self.assertIn("has no extended attributes", done.stderr)
        self.assertIn("0 written, 0 skipped, 3 failed", told[1])


class Failures(BatchCase):
    def test_one_bad_file_stops_no_other(self):
        whole = noise_png(1, 64, 64)
        self.put({"good.png": whole, "empty.png": b"", "cut.png": whole[:300], "text.png": b"hello", "fine.ppm": ppm(1, 8, 8),
                  "alpha.png": noise_png(2, 9, 9, 4)})
        done = self.batch("in", "out", *BOX, "--name", "{stem}.jpg", "--report", "r.jsonl", code=1)
        self.assertEqual(set(self.outputs()), {"good.jpg", "fine.jpg", "alpha.jpg"})
        self.assertIn("6 pictures: 3 written, 0 skipped, 3 failed", done.stderr)
        for said in ("  in/empty.png: the file is empty", "  in/cut.png: the PNG data is truncated", "  in/text.png: this is not a picture"):
            self.assertIn(said, done.stderr)
        told = outcomes(self.folder / "r.jsonl")
        self.assertEqual({path for path, line in told.items() if line["status"] == "failed"},
                         {"empty.png", "cut.png", "text.png"})
        self.assertEqual(told["empty.png"]["cause"], "the file is empty")
        good = told["good.png"]
        self.assertEqual((good["output"], good["cause"], good["device"], good["bytes_in"]),
                         ("out/good.jpg", None, "cpu", len(whole)))
        self.assertEqual(good["bytes_out"], (self.folder / "out/good.jpg").stat().st_size)
        self.assertEqual(set(good["ms"]), {"decode", "filter", "encode"})
        quiet = self.batch("in", "out", *BOX, "--name", "{stem}.jpg", "--overwrite", "--quiet", code=1)
        self.assertEqual(quiet.stderr.splitlines()[:2],
                         ["scanlens: warning: out/alpha.jpg: alpha is laid over white; --background chooses the colour",
                          "scanlens: failed: 3"])

    def test_a_full_disk(self):
        self.put({f"{i}.ppm": ppm(i, 100, 100) for i in range(4)} | {"small.ppm": ppm(9, 4, 4)})
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
        done = self.batch("in", "out", *BOX, code=1, preexec_fn=limit)
        self.assertIn("4 failed", done.stderr)
        self.assertEqual(set(self.outputs()), {"small.ppm"})
        done = self.batch("in", "out2", *BOX, "--report", "/dev/full", code=1)
        self.assertIn("/dev/full", done.stderr)
        self.assertFalse((self.folder / "out2").exists())

    def test_warnings_become_errors(self):
        whole = noise_png(1)
        at = whole.index(b"IDAT") - 4
        nonsense = png_chunk(b"iCCP", b"icc\0\0" + zlib.compress(b"nonsense" * 40))
        self.put({"a.png": whole[:at] + nonsense + whole[at:], "b.png": noise_png(2)})
        done = self.batch("in", "out", *BOX, "--quiet", "--report", "r.jsonl")
        self.assertIn("scanlens: warning: in/a.png: ", done.stderr)
        self.assertEqual(len(outcomes(self.folder / "r.jsonl")["a.png"]["warnings"]), 1)
        self.batch("in", "out2", *BOX, "--strict", code=1)
        self.assertEqual(set(self.outputs("out2")), {"b.png"})

    def test_progress_for_programs(self):
        self.put({f"{i}.png": noise_png(i) for i in range(5)})
        done = self.batch("in", "out", *BOX, "--progress", "json")
        last = json.loads(done.stdout.splitlines()[-1])
        self.assertEqual((last["done"], last["total"], last["written"], last["finished"]), (5, 5, 5, True))


class Shards(BatchCase):
    def setUp(self):
        super().setUp()
        self.put({f"d{i % 3}/{i}.png": noise_png(i, 8, 8) for i in range(40)})

    def test_shards_are_a_partition_and_reports_merge(self):
        self.batch("in", "whole", *BOX)
        parts = []
        for i in (1, 2, 3):
            before = set(self.outputs()) if parts else set()
            self.batch("in", "out", *BOX, "--skip-existing", "--shard", f"{i}/3", "--report", f"{i}.jsonl")
            parts.append(set(self.outputs()) - before)
        self.assertEqual(self.outputs(), self.outputs("whole"))
        self.assertEqual(sum(map(len, parts)), 40)
        self.assertTrue(all(parts), "no part is empty")
        done = self.run_here("report", "1.jsonl", "2.jsonl", "3.jsonl", "--json")
        told = json.loads(done.stdout)
        self.assertEqual((done.returncode, told["total"], told["written"], told["complete"]), (0, 40, 40, True))
        self.assertEqual((told["missing"], told["duplicated"], told["failed"]), ([], [], []))

        done = self.run_here("report", "1.jsonl", "3.jsonl")
        self.assertEqual(done.returncode, 75)
        self.assertIn(f"{len(parts[1])} missing", done.stdout)
        self.assertIn("missing    all of shard 2/3", done.stdout)

        self.batch("in", "elsewhere", *BOX, "--dry-run", "--report", "plan.jsonl")
        done = self.run_here("report", "plan.jsonl", "1.jsonl", "3.jsonl", "--json")
        self.assertEqual(set(json.loads(done.stdout)["missing"]), parts[1], "named by the plan")
        self.assertEqual((json.loads(done.stdout)["warnings"], json.loads(done.stdout)["missing_unnamed"]), ([], 0))

        kept = (self.folder / "2.jsonl").read_bytes().splitlines(keepends=True)
        (self.folder / "2.jsonl").write_bytes(b"".join(kept[:-2]) + kept[-2][:40])  # as kill -9 leaves it
        done = self.run_here("report", "1.jsonl", "2.jsonl", "3.jsonl")
        self.assertEqual(done.returncode, 75)
        lost = sorted(json.loads(line)["path"] for line in kept[-2:])
        self.assertEqual([line.split()[-1] for line in done.stdout.splitlines() if line.startswith("missing")], lost)
        self.assertIn("1 lines are cut off", done.stderr)
        self.batch("in", "out", *BOX, "--skip-existing", "--shard", "2/3", "--report", "2.jsonl")
        self.assertEqual(self.run_here("report", "1.jsonl", "2.jsonl", "3.jsonl").returncode, 0)

        self.batch("in", "again", *BOX, "--shard", "2/3", "--report", "4.jsonl")
        done = self.run_here("report", *(f"{i}.jsonl" for i in (1, 2, 3, 4)))
        self.assertIn(f"{len(parts[1]) - 2} duplicated", done.stdout)  # two were only found to be there
        self.batch("in", "other", "--filter", "box:radius=3", "--shard", "1/2", "--report", "5.jsonl")
        self.assertIn("do not agree on the parameters", self.run_here("report", "1.jsonl", "5.jsonl").stderr)

    def test_the_split_is_that_of_the_names_alone(self):
        part = lambda *args: {line.split(" -> ")[0].split("/", 1)[1]
                              for line in self.batch(*args, *BOX, "--shard", "1/2", "--dry-run").stdout.splitlines()}
        self.put({f"d{i % 3}/{i}.png": noise_png(i + 1, 5, 3) for i in reversed(range(40))}, "copy")
        self.assertEqual(part("in", "out"), part("copy", "out"))

    def test_from_the_environment(self):
        def part(**variables):
            done = self.batch("in", "out", *BOX, "--dry-run", env={**CLEAN, **variables})
            return done.stdout.splitlines()
        expected = self.batch("in", "out", *BOX, "--dry-run", "--shard", "2/4").stdout.splitlines()
        slurm = dict(SLURM_ARRAY_TASK_COUNT="4", SLURM_ARRAY_TASK_MIN="3", SLURM_ARRAY_TASK_ID="4", SLURM_ARRAY_TASK_STEP="1")
        self.assertEqual(part(**slurm), expected)
        self.assertEqual(part(**{**slurm, "SLURM_ARRAY_TASK_ID": "5", "SLURM_ARRAY_TASK_STEP": "2"}), expected)
        self.assertEqual(part(JOB_COMPLETION_INDEX="1", JOB_COMPLETIONS="4"), expected)
        self.assertEqual(len(self.batch("in", "out", *BOX, "--dry-run", "--shard", "1/1", env={**CLEAN, **slurm}).stdout.splitlines()), 40)
        for variables in ({**slurm, "SLURM_ARRAY_TASK_ID": "9"}, {"JOB_COMPLETION_INDEX": "1"},
                          {"JOB_COMPLETION_INDEX": "x", "JOB_COMPLETIONS": "2"}, {**slurm, "SLURM_ARRAY_TASK_ID": "4", "SLURM_ARRAY_TASK_STEP": "2"}):
            with self.subTest(variables):
                self.batch("in", "out", *BOX, "--dry-run", env={**CLEAN, **variables}, code=2)
        for shard in ("0/4", "5/4", "1", "a/b", "1/0", "-1/4", "1/4/2"):
            self.refuse_batch("in", "out", *BOX, f"--shard={shard}", says=["--shard takes i/n"])

    def test_two_workers_on_one_batch(self):
        self.batch("in", "whole", *BOX)
        command = [SCANLENS, "batch", "in", "out", *BOX, "--skip-existing"]
        workers = [subprocess.Popen([*command, "--report", f"{i}.jsonl"], cwd=self.folder, env=CLEAN, stderr=subprocess.PIPE)
                   for i in range(3)]
        for worker in workers:
            self.assertEqual((worker.communicate()[1], worker.returncode)[1], 0)
        self.assertEqual(self.outputs(), self.outputs("whole"))
        ends = [outcomes(self.folder / f"{i}.jsonl") for i in range(3)]
        for name in ends[0]:
            self.assertEqual(sorted(end[name]["status"] for end in ends), ["skipped", "skipped", "written"], name)

    def test_pictures_that_another_run_makes_are_waited_for(self):
        """The other run holds its claims, as locks, and makes the pictures, or dies before they are there."""
        names = ("d0/0.png", "d0/3.png")
        some = [*BOX, *(word for name in names for word in ("--include", name)), "--jobs", "1"]
        self.batch("in", "out", *some)
        made, outputs = self.outputs(), [self.folder / "out" / name for name in names]
        self.assertEqual(set(made), set(names))
        marks = [os.getxattr(output, "user.scanlens.made") for output in outputs]
        for finishes, options in ((True, ["--skip-existing"]), (True, []), (False, [])):
            with self.subTest(finishes=finishes, options=options), contextlib.ExitStack() as locks:
                for output in outputs:
                    output.unlink()
                claims = [self.folder / "out" / claim_on(name) for name in names]
                for claim in claims:
                    fcntl.flock(locks.enter_context(open(claim, "w")), fcntl.LOCK_EX)
                worker = subprocess.Popen([SCANLENS, "batch", "in", "out", *some, *options], cwd=self.folder, env=CLEAN,
                                          stderr=subprocess.PIPE, text=True)
                while "2 pictures left to another run" not in (line := worker.stderr.readline()):
                    self.assertTrue(line)
                self.assertIsNone(worker.poll())
                if finishes:
                    for output, mark, claim in zip(outputs, marks, claims):
                        unfinished = output.with_name(".unfinished")
                        unfinished.write_bytes(b"by another run")
                        os.setxattr(unfinished, "user.scanlens.made", mark)
                        unfinished.rename(output)
                        claim.unlink()
                locks.close()
                said = worker.communicate(timeout=60)[1]
                self.assertIn("0 written, 2 skipped" if finishes else "2 written, 0 skipped", said)
                self.assertEqual(self.outputs(), dict.fromkeys(names, b"by another run") if finishes else made)

    def test_reports_that_are_none(self):
        (self.folder / "photo.jpg").write_bytes(b"\xff\xd8 precious")
        self.refuse_batch("in", "out", *BOX, "--report", "photo.jpg", "--skip-existing", code=1, says=["not a batch report"])
        self.refuse("report", "photo.jpg", code=2, says=["not a batch report"])
        self.refuse("report", "gone.jsonl", says=["no such file"])
        for endless in ("/dev/zero", "/dev/full"):
            self.refuse("report", endless, says=[endless, "a device"])
            self.refuse_batch("in", "out", *BOX, "--report", endless, code=1, says=[endless, "not a regular file"])
        self.batch("in", "out", *BOX, "--report", "r.jsonl")
        self.refuse_batch("in", "out2", *BOX, "--report", "r.jsonl", code=1, says=["r.jsonl: exists"])


class Interrupted(BatchCase):
    def setUp(self):
        super().setUp()
        self.put({f"{i:02}.ppm": ppm(i, 400, 300) for i in range(40)})
        self.command = [SCANLENS, "batch", "in", "out", "--filter", "box:radius=8", "--skip-existing", "--name", "{stem}.png"]
        start = time.monotonic()
        self.batch(*self.command[2:3], "whole", *self.command[4:])
        self.seconds = time.monotonic() - start

    def start(self):
        return subprocess.Popen(self.command, cwd=self.folder, env=CLEAN, stderr=subprocess.PIPE, text=True)

    def resume(self, **expected):
        done = self.batch(*self.command[2:])
        self.assertEqual(self.outputs(), self.outputs("whole"), expected)
        return done

    def test_signals_end_the_run_between_pictures(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            shutil.rmtree(self.folder / "out", ignore_errors=True)
            worker = self.start()
            while not self.outputs() and worker.poll() is None:
                time.sleep(0.001)
            worker.send_signal(number)
            said = worker.communicate(timeout=60)[1]
            self.assertEqual(worker.returncode, -number, said)
            self.assertIn("interrupted; --skip-existing goes on from here", said)
            self.assertIn("not begun or dropped", said)
            for name, data in self.outputs().items():
                self.assertEqual(data, self.outputs("whole")[name])
        self.resume()

    def hung(self):
        """A run that works on a picture from a pipe to which nobody writes, and that has had a signal."""
        os.mkfifo(self.folder / "pipe.ppm")
        (self.folder / "list").write_text("pipe.ppm\n")
        worker = subprocess.Popen([SCANLENS, "batch", "--files-from", "list", "out", *BOX, "--format", "png"],
                                  cwd=self.folder, env=CLEAN, stderr=subprocess.PIPE, text=True)
        self.addCleanup(worker.kill)
        while not list(self.folder.glob("out/.*")) and worker.poll() is None:  # the claim on the output
            time.sleep(0.01)
        time.sleep(0.3)
        worker.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        self.assertIsNone(worker.poll(), "the first waits for the picture in hand")
        return worker

    def expect_end(self, worker):
        self.assertEqual((worker.communicate(timeout=HANGS), worker.returncode)[1], -signal.SIGTERM)
        self.assertEqual(os.listdir(self.folder / "out"), [], "nothing is left of the picture in hand")

    def test_a_second_signal_ends_at_once(self):
        worker = self.hung()
        worker.send_signal(signal.SIGTERM)
        self.expect_end(worker)

    def test_a_signal_ends_a_run_that_hangs(self):
        """After ten seconds, whatever the threads wait for."""
        self.expect_end(self.hung())

    def test_killed_at_any_moment(self):
        seed = int(os.environ.get("SCANLENS_SEED", random.randrange(1 << 32)))
        moments = random.Random(seed)
        for attempt in range(int(os.environ.get("SCANLENS_KILLS", "12"))):
            delay = moments.uniform(0, self.seconds)
            if attempt % 2:
                self.put({name: b"older" for name in self.outputs("whole")}, "out")
                for path in (self.folder / "out").iterdir():
                    os.setxattr(path, "user.scanlens.made", b"older")
            worker = self.start()
            time.sleep(delay)
            worker.kill()
            worker.communicate()
            with self.subTest(seed=seed, attempt=attempt, delay=delay):
                for name, data in self.outputs().items():
                    if not name.startswith(".scanlens-"):
                        self.assertIn(data, (self.outputs("whole")[name], b"older"), f"{name}: {len(data)} bytes")
                self.resume(seed=seed, attempt=attempt)
            for path in (self.folder / "out").iterdir():
                path.unlink()


if __name__ == "__main__":
    unittest.main()
