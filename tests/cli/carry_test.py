#!/usr/bin/env python3
"""What files carry beside their pixels: it comes through, or a warning names it, which --strict makes an error."""
import hashlib
import shutil
import struct
import subprocess
import tempfile
import unittest
import zlib
from pathlib import Path

import numpy as np
from carried import MORE, XMP, exif, packet, png_with, segment, segments_of, with_segments
from support import CommandCase, exr_bytes, png_chunks, read_png, require_opengl, tiff_bytes, tiff_page, write_exr, write_png

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


def ffmpeg(*words):
    subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", *map(str, words)], check=True, timeout=60)


def probe(path, entries, *words):
    """ffprobe's answer, a list of lines of values."""
    done = subprocess.run(["ffprobe", "-v", "error", *words, "-show_entries", entries, "-of", "csv=p=0", path],
                          check=True, capture_output=True, text=True, timeout=60)
    return [line.rstrip(",") for line in done.stdout.splitlines() if line]


@unittest.skipUnless(shutil.which("ffmpeg") and shutil.which("ffprobe"), "ffmpeg is not installed")
class Clips(CommandCase):
    @classmethod
    def setUpClass(cls):
        cls.made = tempfile.TemporaryDirectory()
        cls.clips = Path(cls.made.name)
        ffmpeg("-f", "lavfi", "-i", "testsrc=s=80x60:r=10:d=3", "-f", "lavfi", "-i", "sine=d=3", "-c:v", "libx264", "-preset",
               "ultrafast", "-g", "30", "-bf", "0", "-pix_fmt", "yuv420p", "-c:a", "aac", cls.clips / "long.mp4")
        ffmpeg("-ss", "0.55", "-i", cls.clips / "long.mp4", "-c", "copy", cls.clips / "trimmed.mp4")

    @classmethod
    def tearDownClass(cls):
        cls.made.cleanup()

    def works(self, source, target, *options, strict=True):
        done = self.run_here("filter", source, "-o", target, "--quiet", *options, *["--strict"] * strict)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def starts(self, name):
        return {kind: float(start) for kind, start in (line.split(",") for line in probe(self.folder / name, "stream=codec_type,start_time"))}

    def spans(self, name):
        """From the first packet to the last of each stream."""
        found = {}
        for line in probe(self.folder / name, "packet=codec_type,pts_time"):
            kind, time = line.split(",")[:2]
            found.setdefault(kind, []).append(float(time))
        return {kind: (min(times), max(times)) for kind, times in found.items()}

    def test_sound_and_picture_share_one_clock(self):
        for name in ("in.ts", "in.mts", "in.mkv", "in.mp4"):
            ffmpeg("-itsoffset", "0.5", "-i", self.clips / "long.mp4", "-i", self.clips / "long.mp4", "-map", "0:v", "-map", "1:a",
                   "-c", "copy", *(["-f", "mpegts"] if name.endswith("ts") else []), self.folder / name)
            before = self.starts(name)
            for target in ("out.mp4", "out.mkv"):
                self.works(name, target)
                after = self.starts(target)
                self.assertAlmostEqual(after["video"] - after["audio"], before["video"] - before["audio"], delta=0.03, msg=f"{name} {target}")
            self.works(name, "part.mkv", "--from", "2", "--to", "6")
            spans = self.spans("part.mkv")
            self.assertAlmostEqual(spans["audio"][1], spans["video"][1] + 0.1, delta=0.05, msg=name)
            self.works(name, "head.mkv", "--to", "4")
            spans = self.spans("head.mkv")
            self.assertAlmostEqual(spans["audio"][1], spans["video"][1] + 0.1, delta=0.05, msg=name)

    def test_frames_that_an_edit_list_hides_do_not_count(self):
        self.works(self.clips / "trimmed.mp4", "out.mp4")
        shown = len(probe(self.folder / "out.mp4", "packet=pts", "-select_streams", "v"))
        codes = np.repeat(np.linspace(0, 255, 60).astype(np.uint8)[:, None], 80, axis=1)
        for i in range(shown):
            write_png(self.folder / f"d_{i}.png", 80, 60, 1, 8, codes.ravel())
        self.succeed("dof", self.clips / "trimmed.mp4", "--depth", "d_%d.png", "-o", "blurred.mp4", "--blur", "2", "--quiet", "--strict")
        self.works(self.clips / "trimmed.mp4", "part.mkv", "--to", "4")
        spans = self.spans("part.mkv")
        self.assertAlmostEqual(spans["audio"][1], spans["video"][1] + 0.1, delta=0.05)

    def test_an_end_that_counts_from_a_late_start(self):
        ffmpeg("-itsoffset", "5", "-i", self.clips / "long.mp4", "-c", "copy", self.folder / "late.mkv")
        self.works("late.mkv", "out.mp4")

    def test_the_matrix_is_told(self):
        for size, matrix in (("1280x720", "bt709"), ("80x60", "smpte170m")):
            ffmpeg("-f", "lavfi", "-i", f"testsrc=s={size}:r=10:d=0.2", "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", self.folder / "in.mp4")
            self.works("in.mp4", "out.mp4", "--filter", "resize:width=64")
            self.assertEqual(probe(self.folder / "out.mp4", "stream=color_space"), [matrix])

    def test_sound_that_a_container_does_not_hold(self):
        ffmpeg("-i", self.clips / "long.mp4", "-t", "0.5", "-c:v", "copy", "-c:a", "pcm_s16le", self.folder / "pcm.mov")
        ffmpeg("-i", self.clips / "long.mp4", "-t", "0.5", "-c:v", "copy", "-c:a", "libopus", self.folder / "opus.mkv")
        for source, target, codec, says in (("pcm.mov", "a.mp4", "aac", "(pcm_s16le) is encoded as AAC, since .mp4"),
                                            ("pcm.mov", "b.webm", "opus", "(pcm_s16le) is encoded as Opus, since .webm"),
                                            ("opus.mkv", "c.mov", "aac", "(opus) is encoded as AAC, since .mov"),
                                            ("pcm.mov", "d.mov", "pcm_s16le", ""), ("opus.mkv", "e.mp4", "opus", "")):
            said = self.works(source, target, strict=False)
            self.assertIn(says, said)
            self.assertEqual(bool(said), bool(says))
            self.assertEqual(probe(self.folder / target, "stream=codec_name", "-select_streams", "a"), [codec])

    def test_clips_of_other_names(self):
        for name in ("in.wmv", "in.y4m", "in.nut", "in.gif", "in.h264", "in.asf"):
            ffmpeg("-i", self.clips / "long.mp4", "-t", "0.3", "-an", self.folder / name)
            (self.folder / "nameless").write_bytes((self.folder / name).read_bytes())
            for source in (name, "nameless"):
                self.works(source, "out.mp4", strict=False)
                self.assertGreaterEqual(len(probe(self.folder / "out.mp4", "packet=pts", "-select_streams", "v")), 2, name)

    def test_a_screenshot_holds_no_notice(self):
        require_opengl()
        ffmpeg("-f", "lavfi", "-i", "smptebars=s=320x240:r=10:d=2", "-c:v", "libx264", "-preset", "ultrafast", "-g", "1", "-pix_fmt", "yuv420p",
               "-movflags", "+faststart", self.folder / "whole.mp4")
        whole = (self.folder / "whole.mp4").read_bytes()
        (self.folder / "cut.mp4").write_bytes(whole[:len(whole) * 6 // 10])
        self.succeed("view", "cut.mp4", "--set", "frame=3", "--screenshot", "early.png", "--quiet")
        done = self.succeed("view", "cut.mp4", "--set", "frame=19", "--screenshot", "late.png", "--quiet")
        self.assertIn("ends early", done.stderr)
        early, late = (np.array(read_png(self.folder / name).samples, int) for name in ("early.png", "late.png"))
        self.assertLess(np.mean(np.abs(early - late) > 20), 0.05, "of bars that stand still, the last of them broken")

    def test_the_screen_of_hdr10(self):
        told = "master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1):max-cll=1000,400"
        ffmpeg("-i", self.clips / "long.mp4", "-t", "0.2", "-an", "-c:v", "libx265", "-x265-params",
               f"log-level=error:hdr10=1:{told}:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc", "-pix_fmt", "yuv420p10le",
               "-color_primaries", "bt2020", "-color_trc", "smpte2084", "-colorspace", "bt2020nc", self.folder / "pq.mp4")
        self.works("pq.mp4", "out.mp4")
        entries = ("frame_side_data", "-read_intervals", "%+#1")
        before, after = (set(probe(self.folder / name, *entries)) for name in ("pq.mp4", "out.mp4"))
        wanted = {line for line in before if "Mastering" in line or "light level" in line or "/50000" in line}
        self.assertTrue(wanted)
        self.assertLessEqual(wanted, after)
        self.assertIn("HDR10 metadata) is left out", self.works("pq.mp4", "out.webm", strict=False))


if __name__ == "__main__":
    unittest.main()
