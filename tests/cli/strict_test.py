#!/usr/bin/env python3
"""Under --strict whatever would be lost, guessed or clipped is an error that names it, and all else says nothing."""
import shutil
import struct
import subprocess
import tempfile
import unittest
import zlib
from pathlib import Path

import numpy as np
from carried import XMP, box, exif, heif, jxl_with, packet, picture, png_with, segment, with_segments
from support import CommandCase, exr_bytes, jpeg_bytes, png_bytes, png_chunk, tiff_bytes, tiff_page

GROUND = np.repeat(np.linspace(1, 0, 40)[:, None], 48, 1)
DISTANCES = np.repeat(np.linspace(1, 120, 48, dtype=np.float32)[None], 40, 0)
MOTION = struct.pack(">I4s4sI", 16, b"ftyp", b"isom", 0) + bytes(100)
IPTC = b"\x1c\x02\x78\0\4quay"
HTJ2K = 11


def colours(value=0.5, **more):
    return {**{c: np.full((40, 48), value, np.float32) for c in "RGB"}, **more}


def with_png_frames(count):
    control = struct.pack(">IIIIIHHBB", 0, 4, 2, 0, 0, 1, 10, 0, 0)
    plain = png_with((b"acTL", struct.pack(">II", count, 0)), (b"fcTL", control))
    return plain.replace(png_chunk(b"IEND", b""), b"".join(
        png_chunk(b"fcTL", struct.pack(">I", 2 * i + 1) + control[4:]) + png_chunk(b"fdAT", struct.pack(">I", 2 * i + 2) + zlib.compress(bytes(26)))
        for i in range(count - 1)) + png_chunk(b"IEND", b""))


def mpf(kind):
    """A JPEG with another behind it, which its index calls `kind`."""
    first, second = jpeg_bytes(16, 8, 99), jpeg_bytes(16, 8, 40)
    head = b"MM\0*\0\0\0\x08" + struct.pack(">H", 2) + struct.pack(">HHII", 0xB001, 4, 1, 2) + struct.pack(">HHII", 0xB002, 7, 32, 38) + bytes(4)
    behind = len(first) + 2 + 2 + 4 + len(head) + 32 - (2 + 2 + 2 + 4)
    entries = struct.pack(">IIIHH", 0x30000, len(first) + 82, 0, 0, 0) + struct.pack(">IIIHH", kind, len(second), behind, 0, 0)
    return first[:2] + segment(0xE2, b"MPF\0" + head + entries) + first[2:] + second


def gdal_map():
    values = (2 + 6 * GROUND).astype(np.float32)
    values[10:14, 5:15] = -32767
    return tiff_bytes(tiff_page(values, t42113=b"-32767\0"))


def pgm(values, most):
    return b"P5\n48 40\n%d\n" % most + values.astype(">u2" if most > 255 else np.uint8).tobytes()


def text(words):
    return png_with((b"tEXt", words), (b"pHYs", struct.pack(">IIB", 11811, 11811, 1)))


LARGE = exif((0x010F, 2, 4, b"cam\0"), (0x010E, 2, 90000, b"x" * 90000))
TURNED = exif((0x0112, 3, 1, struct.pack("<H", 6)))
CONVERT = ("filter", "IN", "-o", "OUT")

# A file, the command (IN and OUT are the files' names), the kind of OUT, and words of the error, or None.
CASES = {
    "H8": ("jpg", lambda: with_segments(segment(0xE1, XMP + packet(GCamera_MotionPhoto=1))) + MOTION, CONVERT, "jpg", "the clip of 116 bytes"),
    "H9": ("png", lambda: png_with((b"eXIf", LARGE)), CONVERT, "png", None),
    "H9 jpg": ("png", lambda: png_with((b"eXIf", LARGE)), CONVERT, "jpg", "ImageDescription of 90000 bytes in EXIF"),
    "H15": ("png", lambda: png_with((b"eXIf", b"Exif\0\0" + TURNED)), CONVERT, "png", None),
    "H16": ("jpg", lambda: with_segments(segment(0xED, b"Photoshop 3.0\x008BIM\4\4\0\0" + struct.pack(">I", len(IPTC)) + IPTC + b"\0")),
            CONVERT, "jpg", None),
    "H16 webp": ("jpg", lambda: with_segments(segment(0xED, b"Photoshop 3.0\x008BIM\4\4\0\0" + struct.pack(">I", len(IPTC)) + IPTC + b"\0")),
                 CONVERT, "webp", "left out: IPTC"),
    "H17, H18": ("png", lambda: text(b"prompt\0a cat"), CONVERT, "png", None),
    "H18 jpg": ("png", lambda: text(b"prompt\0a cat"), CONVERT, "jpg", "the text prompt"),
    "stripped": ("png", lambda: text(b"prompt\0a cat"), (*CONVERT, "--strip"), "jpg", None),
    "several views": ("jpg", lambda: mpf(0x20002), CONVERT, "jpg", "it holds 2 pictures; the first is read"),
    "a preview": ("jpg", lambda: mpf(0x10001), CONVERT, "jpg", None),
    "pages": ("tif", lambda: tiff_bytes(tiff_page(np.zeros((40, 48), np.uint8)), tiff_page(np.ones((40, 48), np.uint8))), CONVERT, "png",
              "it holds more than one page"),
    "behind a PNG": ("png", lambda: png_bytes(4, 2, 3, 8, range(24)) + b"data", CONVERT, "png", "left out: data of 4 bytes behind the picture"),
    "zeros behind": ("png", lambda: png_bytes(4, 2, 3, 8, range(24)) + bytes(400), CONVERT, "png", None),
    "behind a PPM": ("ppm", lambda: 2 * (b"P6\n4 2\n255\n" + bytes(24)), CONVERT, "png", "35 bytes behind its pixels are left out"),
    "FLIR": ("jpg", lambda: with_segments(segment(0xE1, b"FLIR\0\1" + bytes(50))), CONVERT, "jpg", "data in the JPEG's segments APP1"),
    "FlashPix": ("jpg", lambda: with_segments(segment(0xE2, b"FPXR\0" + bytes(20))), CONVERT, "jpg", "data in the JPEG's segments APP2"),
    "frames": ("png", lambda: with_png_frames(3), CONVERT, "png", "the first of its 3 frames is read"),
    "EXR": ("exr", lambda: exr_bytes(**colours()), CONVERT, "png", None),
    "light": ("exr", lambda: exr_bytes(**colours(3)), CONVERT, "png", "5760 samples of light above white are clipped, which PNG does not hold"),
    "light, gain": ("exr", lambda: exr_bytes(**colours(3)), CONVERT, "jpg", None),
    "light, not asked for": ("exr", lambda: exr_bytes(**colours(3)), (*CONVERT, "--no-gain-map"), "png", None),
    "below 0": ("exr", lambda: exr_bytes(**colours(-1)), CONVERT, "exr", "5760 samples are below 0 and are taken for 0"),
    "not a number": ("exr", lambda: exr_bytes(**colours(np.nan)), CONVERT, "exr", "5760 samples are not numbers"),
    "channels": ("exr", lambda: exr_bytes(**colours(Z=DISTANCES, id=DISTANCES)), CONVERT, "exr", "left out: the channel id"),
    "its depth": ("exr", lambda: exr_bytes(**colours(Z=DISTANCES)), CONVERT, "exr", None),
    "small r, g, b": ("exr", lambda: exr_bytes(**{k.lower(): v for k, v in colours().items()}), CONVERT, "exr", None),
    "compression": ("exr", lambda: exr_bytes(**colours()).replace(b"compression\0compression\0\1\0\0\0\0", b"compression\0compression\0\1\0\0\0" + bytes([HTJ2K])),
                    CONVERT, "png", "compressed in a way that this build does not read"),
    "H7": ("exr", lambda: exr_bytes(Z=DISTANCES), ("depth", "IN", "-o", "OUT"), "png", "pixels are farther than 65.535 m"),
    "H7 exr": ("exr", lambda: exr_bytes(Z=DISTANCES), ("depth", "IN", "-o", "OUT"), "exr", None),
    "H10": ("tif", gdal_map, ("depth", "IN", "--depth-kind", "depth", "-o", "OUT"), "exr", None),
    "H11": ("pgm", lambda: pgm(GROUND * 255, 255), ("depth", "IN", "-o", "OUT"), "png", "grow towards the top of the picture"),
    "H11, said": ("pgm", lambda: pgm(GROUND * 255, 255), ("depth", "IN", "-o", "OUT", "--invert"), "png", None),
    "mm": ("pgm", lambda: pgm(800 + 4000 * GROUND, 5000), ("depth", "IN", "-o", "OUT"), "png", None),
}

FFMPEG = {  # ffmpeg's words behind the clip, the names of input and output, options, and words of the error
    "H1": (["-itsoffset", "0.5", "-i", "CLIP", "-i", "CLIP", "-map", "0:v", "-map", "1:a", "-c", "copy", "-f", "mpegts"], "in.ts", "out.mp4", [], None),
    "H2": (["-i", "CLIP", "-c", "copy"], "in.mp4", "out.mkv", ["--from", "2", "--to", "6"], None),
    "H4": (["-ss", "0.35", "-i", "CLIP", "-c", "copy"], "in.mp4", "out.mp4", [], None),
    "H5": (["-itsoffset", "5", "-i", "CLIP", "-c", "copy"], "in.mkv", "out.mp4", [], None),
    "H6": (["-i", "CLIP", "-vf", "scale=1280:720", "-frames:v", "2", "-an", "-c:v", "libx264", "-preset", "ultrafast"], "in.mp4", "out.mp4",
           ["--filter", "resize:long=64"], None),
    "H13": (["-i", "CLIP", "-c:v", "copy", "-c:a", "pcm_s16le"], "in.mov", "out.mp4", [], "its sound (pcm_s16le) is encoded as AAC"),
    "H13 opus": (["-i", "CLIP", "-c:v", "copy", "-c:a", "libopus"], "in.mkv", "out.mov", [], "its sound (opus) is encoded as AAC"),
    "H14": (["-i", "CLIP", "-an"], "in.wmv", "out.mp4", [], None),
    "alpha": (["-i", "CLIP", "-an", "-vf", "format=yuva444p10", "-c:v", "prores_ks"], "in.mov", "out.mp4", [], "its alpha is left out"),
    "interlaced": (["-i", "CLIP", "-an", "-c:v", "libx264", "-flags", "+ildct+ilme", "-x264opts", "tff=1"], "in.mp4", "out.mp4", [], "it is interlaced"),
}


class Strict(CommandCase):
    def judge(self, name, command, output, says):
        done = self.run_here(*command, "--strict", "--quiet")
        path = self.folder / output
        if says is None:
            self.assertEqual((done.returncode, done.stderr), (0, ""), name)
        else:
            self.assertEqual(done.returncode, 1, f"{name}: {done.stderr}")
            self.assertIn(says, done.stderr, name)
            self.assertFalse(output and path.exists(), name)
        if output and path.exists():
            path.unlink()

    def test_pictures_and_maps(self):
        for name, (kind, make, command, output, says) in CASES.items():
            with self.subTest(name):
                (self.folder / f"in.{kind}").write_bytes(make())
                names = {"IN": f"in.{kind}", "OUT": f"out.{output}"}
                self.judge(name, [names.get(word, word) for word in command], names["OUT"], says)

    @unittest.skipUnless(shutil.which("ffmpeg"), "ffmpeg is not installed")
    def test_pictures_in_one_heic(self):
        one = picture(np.full((64, 64), 90, np.uint8), "hvc1")
        for name, items, behind, says in (("one", [one], b"", None), ("two", [one, one], b"", "it holds 2 pictures"),
                                          ("motion", [one], box(b"mpvd", bytes(300)), "the clip of 300 bytes behind the picture"),
                                          ("sequence", [one], box(b"moov", bytes(8)), "its still picture is read, not its frames"),
                                          ("signed", [one], box(b"uuid", bytes(24)), "left out: the box uuid")):
            (self.folder / "in.heic").write_bytes(heif(items, []) + behind)
            self.judge(name, ("filter", "in.heic", "-o", "out.png"), "out.png", says)

    def test_boxes_of_jpeg_xl(self):
        self.succeed("filter", self.save("in.png", png_bytes(4, 2, 3, 8, range(24))), "-o", "plain.jxl", "--quality", "100", "--quiet")
        (self.folder / "in.jxl").write_bytes(jxl_with((self.folder / "plain.jxl").read_bytes(), box(b"jumb", b"signed")))
        self.judge("jumb", ("filter", "in.jxl", "-o", "out.png"), "out.png", "left out: the box jumb")

    def save(self, name, data):
        (self.folder / name).write_bytes(data)
        return name

    def test_lists(self):
        for name in ("a.png", "b.png"):
            self.save(name, png_bytes(4, 2, 3, 8, range(24)))
        for i, lines in enumerate((b"a.png\r\nb.png\r\n", b"\xef\xbb\xbfa.png\nb.png")):
            self.save("list.txt", lines)
            self.judge("lists", ("batch", "--files-from", "list.txt", f"out{i}", "--format", "ppm"), "", None)

    @unittest.skipUnless(shutil.which("ffmpeg"), "ffmpeg is not installed")
    def test_clips(self):
        with tempfile.TemporaryDirectory() as made:
            clip = str(Path(made) / "clip.mp4")
            quiet = ["ffmpeg", "-v", "error", "-nostdin", "-y"]
            subprocess.run([*quiet, "-f", "lavfi", "-i", "testsrc=s=64x48:r=10:d=1", "-f", "lavfi", "-i", "sine=d=1", "-c:v", "libx264",
                            "-preset", "ultrafast", "-g", "30", "-bf", "0", "-pix_fmt", "yuv420p", "-c:a", "aac", clip], check=True, timeout=60)
            for name, (words, source, target, options, says) in FFMPEG.items():
                with self.subTest(name):
                    path = str(self.folder / source)
                    subprocess.run([*quiet, *(clip if word == "CLIP" else word for word in words), path], check=True, timeout=60)
                    self.judge(name, ("filter", source, "-o", target, *options), target, says)
                    Path(path).unlink()


if __name__ == "__main__":
    unittest.main()
