#!/usr/bin/env python3
"""Clips through `dof` and `filter`, by the user's ffmpeg."""
import contextlib
import json
import math
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import support
from support import SCANLENS, CommandCase, png_chunk, run

NO_FFMPEG = None if shutil.which("ffmpeg") and shutil.which("ffprobe") else "ffmpeg is not installed"
LENS = ("--focus", "0.7", "--blur", "3%", "--device", "cpu")


def ffmpeg(*words):
    subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", *map(str, words)], check=True, timeout=support.HANGS)


def probe(path, entries, *words):
    """ffprobe's answer, a list of lines of values."""
    text = subprocess.run(["ffprobe", "-v", "error", *words, "-show_entries", entries, "-of", "csv=p=0", path],
                          check=True, capture_output=True, text=True, timeout=support.HANGS).stdout
    return [line.rstrip(",") for line in text.splitlines() if line]


def packets(path, stream):
    """The checksum of a stream's packets as they are."""
    return subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-map", f"0:{stream}", "-c", "copy", "-f", "md5", "-"],
                          check=True, capture_output=True, text=True, timeout=support.HANGS).stdout


def times(path):
    """When each frame is shown, in order."""
    return sorted(float(line.split(",")[0]) for line in probe(path, "packet=pts_time", "-select_streams", "v"))


def extract(clip, pattern, *words):
    ffmpeg("-i", clip, *words, "-start_number", "0", pattern)


def raw(path, pixels):
    """All frames of a clip, or of numbered files, in raw samples."""
    numbers = ("-start_number", "0") if "%" in str(path) else ()
    return subprocess.run(["ffmpeg", "-v", "error", *numbers, "-i", path, "-map", "0:v", "-fps_mode", "passthrough", "-pix_fmt", pixels,
                           "-f", "rawvideo", "-"], check=True, capture_output=True, timeout=support.HANGS).stdout


def damaged(clip, frame, path):
    """A copy of a clip in which the bytes of one frame are overwritten."""
    lines = probe(clip, "packet=pts,size,pos", "-select_streams", "v")
    _, size, at = sorted(tuple(map(int, line.split(",")[:3])) for line in lines)[frame]
    data = bytearray(Path(clip).read_bytes())
    data[at + 16:at + size] = b"\xff" * (size - 16)
    Path(path).write_bytes(data)


def commands_running():
    """The command lines of all processes, words apart by NUL."""
    lines = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            lines.append(path.read_text(errors="replace"))
    return "\n".join(lines)


def mean_difference(a, b):
    assert a and len(a) == len(b)
    return sum(abs(p - q) for p, q in zip(a, b)) / len(a)


@unittest.skipIf(NO_FFMPEG, NO_FFMPEG)
class VideoTest(CommandCase):
    @classmethod
    def setUpClass(cls):
        cls.made = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.made.cleanup)
        cls.clips = Path(cls.made.name)
        size = "size=64x48:rate=10:duration=1"
        picture, tone = ("-f", "lavfi", "-i", f"testsrc2={size}"), ("-f", "lavfi", "-i", "sine=duration=1")
        grey = ("-f", "lavfi", "-i", f"gradients={size}:c0=black:c1=white:seed=7:x0=0:y0=0:x1=63:y1=47")
        ffmpeg(*grey, "-vf", "format=gray", "-c:v", "ffv1", cls.clips / "depth.mkv")
        ffmpeg(*picture, "-c:v", "ffv1", "-pix_fmt", "bgr0", cls.clips / "rgb8.mkv")
        ffmpeg(*picture, "-c:v", "ffv1", "-pix_fmt", "rgb48le", cls.clips / "rgb16.mkv")
        ffmpeg(*picture, *tone, "-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac", "-shortest", "-metadata",
               "title=A title", "-color_primaries", "bt709", "-color_trc", "bt709", "-colorspace", "bt709",
               cls.clips / "h264.mp4")
        ffmpeg(*picture, *tone, "-c:v", "libvpx-vp9", "-cpu-used", "8", "-pix_fmt", "yuv420p", "-c:a", "libopus",
               "-shortest", cls.clips / "vp9.webm")

    def setUp(self):
        super().setUp()
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)

    def works(self, *words):
        done = run(*words)
        self.assertEqual(done.returncode, 0, f"{words}: {done.stderr}")
        return done

    def clip(self, name):
        return self.clips / name

    def blurred(self, clip, output, *words, depth="depth.mkv"):
        self.works("dof", str(self.clip(clip)), "--depth", str(self.clip(depth)), "-o", output, *LENS, *words)


class FramesTest(VideoTest):
    """What becomes of frames: the same as of pictures."""

    def expect_same_as_files(self, clip, pixels, codec_pixels):
        self.blurred(clip, "out.mkv", "--video-codec", "ffv1")
        extract(self.clip(clip), "in_%04d.png")
        extract(self.clip("depth.mkv"), "depth_%04d.png")
        self.works("dof", "in_%04d.png", "--depth", "depth_%04d.png", "-o", "out_%04d.png", *LENS)
        self.assertEqual(probe("out.mkv", "stream=codec_name,pix_fmt"), [f"ffv1,{codec_pixels}"])
        self.assertTrue(raw("out.mkv", pixels))
        self.assertEqual(raw("out.mkv", pixels), raw("out_%04d.png", pixels))
        self.assertNotEqual(raw("out.mkv", pixels), raw(self.clip(clip), pixels))

    def test_frames_of_8_bits_are_those_of_files(self):
        self.expect_same_as_files("rgb8.mkv", "rgb24", "bgr0")

    def test_frames_of_16_bits_are_those_of_files(self):
        self.expect_same_as_files("rgb16.mkv", "rgb48le", "gbrp16le")

    def expect_light(self, clip, primaries, curve, numbers, pixels):
        """The same as of pictures that say by cICP what their codes are."""
        ffmpeg("-i", self.clip(clip), "-c:v", "ffv1", "-color_trc", curve, "-color_primaries", primaries, "tagged.mkv")
        self.works("dof", "tagged.mkv", "--depth", str(self.clip("depth.mkv")), "-o", "out.mkv", *LENS, "--video-codec", "ffv1")
        self.assertEqual(probe("out.mkv", "stream=color_transfer,color_primaries"), [f"{curve},{primaries}"])
        extract(self.clip(clip), "in_%04d.png")
        extract(self.clip("depth.mkv"), "depth_%04d.png")
        for path in Path().glob("in_*.png"):
            data = path.read_bytes()
            path.write_bytes(data[:33] + png_chunk(b"cICP", bytes((*numbers, 0, 1))) + data[33:])
        self.works("dof", "in_%04d.png", "--depth", "depth_%04d.png", "-o", "out_%04d.png", *LENS)
        self.assertEqual(raw("out.mkv", pixels), raw("out_%04d.png", pixels))

    def test_light_of_bt709_is_decoded_by_its_curve(self):
        self.expect_light("rgb8.mkv", "bt709", "bt709", (1, 1), "rgb24")

    def test_light_of_pq_is_decoded_by_its_curve(self):
        self.expect_light("rgb16.mkv", "bt2020", "smpte2084", (9, 16), "rgb48le")

    def test_light_of_hlg_is_decoded_by_its_curve(self):
        self.expect_light("rgb16.mkv", "bt2020", "arib-std-b67", (9, 18), "rgb48le")

    def test_depth_in_files_and_keys(self):
        """Maps 5, 6 ... for frames 0, 1 ...; the focus goes from frame to frame as in a sequence."""
        extract(self.clip("depth.mkv"), "depth_%04d.png")
        for at in reversed(range(10)):
            os.rename(f"depth_{at:04}.png", f"depth_{at + 5:04}.png")
        lens = ("--focus", "0:0.2", "9:0.9", "--blur", "3%", "--device", "cpu")
        self.works("dof", str(self.clip("rgb8.mkv")), "--depth", "depth_%04d.png", "-o", "out.mkv", *lens, "--video-codec", "ffv1")
        for at in range(10):
            os.rename(f"depth_{at + 5:04}.png", f"depth_{at:04}.png")
        extract(self.clip("rgb8.mkv"), "in_%04d.png")
        self.works("dof", "in_%04d.png", "--depth", "depth_%04d.png", "-o", "out_%04d.png", *lens)
        self.assertEqual(raw("out.mkv", "rgb24"), raw("out_%04d.png", "rgb24"))

    def test_keys_at_seconds(self):
        depth = ("--depth", str(self.clip("depth.mkv")), "--blur", "3%", "--device", "cpu", "--video-codec", "ffv1")
        said = self.works("dof", str(self.clip("rgb8.mkv")), "-o", "seconds.mkv", *depth, "--focus", "0.2s:0.2", "0.8s:0.9").stderr
        self.assertIn("0.2 at 0.2 s, 0.9 at 0.8 s", said)
        self.works("dof", str(self.clip("rgb8.mkv")), "-o", "frames.mkv", *depth, "--focus", "2:0.2", "8:0.9")
        self.assertLess(mean_difference(raw("seconds.mkv", "rgb24"), raw("frames.mkv", "rgb24")), 0.01)
        self.refuse("dof", "in_%04d.png", "--depth", "d_%04d.png", "-o", "out_%04d.png", "--focus", "0s:0.2", code=2,
                    says=("--focus: keys at seconds are for a clip",))

    def test_a_part_is_that_of_the_whole(self):
        """By numbers the last frame is part of it, by seconds the clip ends there; keys and depth count from the whole's beginning."""
        lens = ("--focus", "0:0.2", "9:0.9", "--blur", "3%", "--device", "cpu", "--video-codec", "ffv1")
        depth = ("--depth", str(self.clip("depth.mkv")))
        self.works("dof", str(self.clip("rgb8.mkv")), *depth, "-o", "whole.mkv", *lens)
        frame = len(raw("whole.mkv", "rgb24")) // 10
        for part in (("--from", "3", "--to", "6"), ("--from", "0.3s", "--to", "0:00.7")):
            self.works("dof", str(self.clip("rgb8.mkv")), *depth, "-o", "part.mkv", *lens, *part)
            self.assertEqual(times("part.mkv"), [0, 0.1, 0.2, 0.3])
            self.assertEqual(raw("part.mkv", "rgb24"), raw("whole.mkv", "rgb24")[3 * frame:7 * frame])
        extract(self.clip("depth.mkv"), "d_%02d.png")
        self.works("dof", str(self.clip("rgb8.mkv")), "--depth", "d_%02d.png", "-o", "part.mkv", *lens, "--from", "7")
        self.assertEqual(raw("part.mkv", "rgb24"), raw("whole.mkv", "rgb24")[7 * frame:])

    def test_parts_that_do_not_exist(self):
        clip = str(self.clip("rgb8.mkv"))
        for part, says, code in ((("--from", "6", "--to", "5"), "nothing is between them", 2), (("--from", "10"), "its last frame is 9", 1),
                                 (("--from", "0.51s", "--to", "0.55s"), "no frame lies between", 1), (("--from", "x"), "takes a frame's number", 2)):
            self.refuse("filter", clip, "-o", "out.mkv", *part, code=code, says=(says,))
        self.assertIn("ends with frame 9, before --to frame 20", self.works("filter", clip, "-o", "out.mkv", "--to", "20", "--quiet").stderr)

    def test_one_normalisation_for_the_clip(self):
        """Maps that hold a part of all depths become what they were."""
        ffmpeg("-i", self.clip("depth.mkv"), "-vf", "geq=lum='80+lum(X,Y)/4'", "-c:v", "ffv1", "faint.mkv")
        ffmpeg("-i", self.clip("depth.mkv"), "-vf", "geq=lum='80+lum(X,Y)/4'", "-start_number", "0", "faint_%02d.png")
        self.blurred("rgb8.mkv", "want.mkv", "--video-codec", "ffv1", "--normalise")
        self.blurred("rgb8.mkv", "plain.mkv", "--video-codec", "ffv1", depth=Path("faint.mkv").resolve())
        want = raw("want.mkv", "rgb24")
        for maps in ("faint.mkv", "faint_%02d.png"):
            said = self.works("dof", str(self.clip("rgb8.mkv")), "--depth", maps, "-o", "got.mkv", *LENS, "--video-codec", "ffv1",
                              "--normalise").stderr
            self.assertIn("one normalisation for the clip: 0.3", said)
            self.assertLess(3 * mean_difference(raw("got.mkv", "rgb24"), want), mean_difference(raw("plain.mkv", "rgb24"), want))

    def test_steady_depth_does_not_flicker(self):
        ffmpeg("-stream_loop", "1", "-i", self.clip("rgb8.mkv"), "-vf", "select='eq(n,0)',loop=19:1,setpts=N/10/TB", "-frames:v", "20",
               "-c:v", "ffv1", "still.mkv")
        ffmpeg("-f", "lavfi", "-i", "gradients=size=64x48:rate=10:duration=2:c0=black:c1=white:seed=7:x0=0:y0=0:x1=63:y1=47:speed=0.00001",
               "-vf", "format=gray,noise=all_strength=30:all_flags=t:all_seed=3", "-c:v", "ffv1", "-pix_fmt", "gray", "noisy.mkv")

        def flicker(*words):
            self.works("dof", "still.mkv", "--depth", "noisy.mkv", "-o", "out.mkv", *LENS, "--video-codec", "ffv1", *words)
            pixels = raw("out.mkv", "rgb24")
            frame = len(pixels) // 20
            return sum(mean_difference(pixels[at * frame:(at + 1) * frame], pixels[(at + 1) * frame:(at + 2) * frame]) for at in range(10, 19))

        self.assertLess(4 * flicker("--steady"), flicker())
        extract("noisy.mkv", "map.png", "-frames:v", "1")
        self.refuse("dof", "still.mkv", "--depth", "map.png", "-o", "out.mkv", *LENS, "--steady", code=2, says=("--steady is for maps that change",))

    def test_files_that_differ_are_named(self):
        for number, (width, value) in enumerate(((16, 5), (48, 9))):
            Path(f"in_{number}.ppm").write_bytes(b"P6 %d 16 255\n" % width + bytes([value]) * (width * 48))
        done = run("filter", "in_%d.ppm", "-o", "out.mkv", "--filter", "box:radius=1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("in_1.ppm: 48 x 16 pixels of 8 bits, and the first frame has 16 x 16", done.stderr)
        self.assertFalse(os.path.exists("out.mkv"))

    def test_one_map_for_all_frames(self):
        extract(self.clip("depth.mkv"), "map.png", "-frames:v", "1")
        self.works("dof", str(self.clip("rgb8.mkv")), "--depth", "map.png", "-o", "out.mkv", *LENS, "--video-codec", "ffv1")
        self.assertEqual(len(times("out.mkv")), 10)

    def test_filter(self):
        self.works("filter", str(self.clip("rgb8.mkv")), "-o", "out.mkv", "--filter", "box:radius=2", "--filter", "resize:long=32",
                     "--video-codec", "ffv1")
        extract(self.clip("rgb8.mkv"), "in_%04d.png")
        for at in range(10):
            self.works("filter", f"in_{at:04}.png", "-o", f"out_{at:04}.png", "--filter", "box:radius=2", "--filter", "resize:long=32")
        self.assertEqual(probe("out.mkv", "stream=width,height"), ["32,24"])
        self.assertEqual(raw("out.mkv", "rgb24"), raw("out_%04d.png", "rgb24"))

    def test_numbered_files_become_a_clip(self):
        """Files 3, 4 ... with their maps; keys have the numbers of files."""
        for clip, name in ("rgb8.mkv", "in"), ("depth.mkv", "depth"):
            extract(self.clip(clip), f"{name}_%04d.png")
            for at in reversed(range(10)):
                os.rename(f"{name}_{at:04}.png", f"{name}_{at + 3:04}.png")
        words = ("--depth", "depth_%04d.png", "--focus", "3:0.2", "12:0.9", "--blur", "3%", "--device", "cpu")
        self.works("dof", "in_%04d.png", "-o", "out.mkv", "--video-codec", "ffv1", "--fps", "12.5", *words)
        self.works("dof", "in_%04d.png", "-o", "out_%04d.png", *words)
        for at in range(10):
            os.rename(f"out_{at + 3:04}.png", f"out_{at:04}.png")
        self.assertEqual(raw("out.mkv", "rgb24"), raw("out_%04d.png", "rgb24"))
        self.assertEqual(probe("out.mkv", "stream=r_frame_rate"), ["25/2"])
        self.works("filter", "in_*.png", "-o", "part.mp4", "--filter", "unsharp", "--from", "2", "--to", "5")
        self.assertEqual(len(times("part.mp4")), 4)
        os.remove("in_0007.png")
        self.refuse("dof", "in_%04d.png", "-o", "other.mp4", *words, says=("in_%04d.png: missing: 7",))

    def test_a_clip_becomes_numbered_files(self):
        self.blurred("rgb8.mkv", "out.mkv", "--video-codec", "ffv1")
        self.blurred("rgb8.mkv", "out_%04d.png")
        self.assertEqual(raw("out.mkv", "rgb24"), raw("out_%04d.png", "rgb24"))
        self.works("filter", str(self.clip("rgb8.mkv")), "-o", "part_%d.jpg", "--from", "4", "--to", "5", "--quality", "70")
        self.assertEqual(sorted(Path().glob("part_*")), [Path("part_4.jpg"), Path("part_5.jpg")])

    def test_one_frame_becomes_a_picture(self):
        """By its number and by its time; the same as that of the whole, and as of a file in place of it."""
        lens = ("--depth", str(self.clip("depth.mkv")), "--focus", "0:0.2", "9:0.9", "--blur", "3%", "--device", "cpu")
        self.works("dof", str(self.clip("rgb8.mkv")), "-o", "out_%04d.png", *lens)
        for frame in ("6", "0.55s"):
            said = self.works("dof", str(self.clip("rgb8.mkv")), "-o", "one.png", *lens, "--frame", frame).stderr
            self.assertIn("one.png: written; 1 frame in", said)
            self.assertEqual(raw("one.png", "rgb24"), raw("out_0006.png", "rgb24"))
        extract(self.clip("rgb8.mkv"), "in_%04d.png")
        self.works("filter", "in_%04d.png", "-o", "all.mkv", "--video-codec", "ffv1")
        self.works("filter", "all.mkv", "-o", "last.png", "--frame", "9")
        self.assertEqual(raw("last.png", "rgb24"), raw("in_0009.png", "rgb24"))
        self.refuse("filter", "all.mkv", "-o", "other.png", "--frame", "10", says=("--frame frame 10: the clip ends before",))
        self.refuse("filter", "all.mkv", "-o", "other.mp4", "--frame", "1", code=2, says=("pictures are written as",))
        self.refuse("filter", "all.mkv", "-o", "other.png", "--frame", "1", "--to", "3", code=2, says=("--frame",))

    def test_keys_behind_the_end(self):
        """Before the start where the clip announces its end, else behind the last frame; of numbered files by their numbers."""
        ffmpeg("-i", self.clip("rgb8.mkv"), "-map_metadata", "-1", "-c", "copy", "-live", "1", "live.mkv")
        extract(self.clip("rgb8.mkv"), "in_%04d.png")
        extract(self.clip("depth.mkv"), "depth_%04d.png")
        for clip, keys, says in (("h264.mp4", ("0:0.2", "10:0.9"), "--focus: its key at frame 10 lies behind the end, which is frame 9"),
                                 ("h264.mp4", ("0s:0.2", "1.5s:0.9"), "--focus: its key at 1.5 s lies behind the end, which is 1 s"),
                                 ("live.mkv", ("0:0.2", "10:0.9"), "its key at frame 10"), ("in_%04d.png", ("0:0.2", "10:0.9"), "its key at frame 10"),
                                 ("h264.mp4", ("0:0.2", "9:0.9"), ""), ("h264.mp4", ("0s:0.2", "1s:0.9"), ""), ("live.mkv", ("0:0.2", "9:0.9"), "")):
            with self.subTest(clip=clip, keys=keys):
                path = clip if Path(clip).exists() or "%" in clip else str(self.clip(clip))
                depth = "depth_%04d.png" if "%" in clip else str(self.clip("depth.mkv"))
                output = "out_%04d.png" if "%" in clip else "out.mp4"
                said = self.works("dof", path, "--depth", depth, "-o", output, "--focus", *keys, "--quiet", "--device", "cpu").stderr
                self.assertIn(says, said)
                self.assertEqual(said.count("lies behind the end"), 1 if says else 0)
        self.works("dof", str(self.clip("h264.mp4")), "--depth", str(self.clip("depth.mkv")), "-o", "part.mp4", "--focus", "0:0.2", "9:0.9",
                   "--to", "4", "--strict", "--device", "cpu")

    def test_statistics_of_a_clip_are_those_of_its_frames(self):
        os.mkdir("frames")
        extract(self.clip("rgb8.mkv"), "frames/%04d.png")
        where = ("--where", "luma > 0.3", "--device", "cpu", "--json")
        of_clip = json.loads(self.works("stats", str(self.clip("rgb8.mkv")), *where).stdout)
        of_files = json.loads(self.works("batch", "frames", "--stats", *where).stdout)
        self.assertEqual(of_clip["channels"], of_files["channels"])
        self.assertEqual(of_clip["frames"], 10)
        self.refuse("stats", str(self.clip("rgb8.mkv")), "--where", "depth < 1", code=2, says=("measured without depth",))

    def test_alpha_stays_where_the_codec_has_it(self):
        ffmpeg("-i", self.clip("rgb8.mkv"), "-vf", "format=rgba,geq=r='r(X,Y)':g='g(X,Y)':b='b(X,Y)':a='4*X'", "-c:v", "ffv1",
               "-pix_fmt", "bgra", "alpha.mkv")
        self.works("dof", "alpha.mkv", "--depth", str(self.clip("depth.mkv")), "-o", "out.mkv", *LENS, "--video-codec", "ffv1")
        self.assertEqual(probe("out.mkv", "stream=pix_fmt"), ["bgra"])
        self.works("dof", "alpha.mkv", "--depth", str(self.clip("depth.mkv")), "-o", "out.webm", *LENS)
        self.assertEqual(probe("out.webm", "stream_tags=alpha_mode"), ["1"])
        self.works("filter", "out.webm", "-o", "again.mkv", "--video-codec", "ffv1")
        self.assertEqual(probe("again.mkv", "stream=pix_fmt"), ["bgra"])
        self.works("dof", "alpha.mkv", "--depth", str(self.clip("depth.mkv")), "-o", "out.mov", *LENS, "--video-codec", "prores_ks")
        self.assertRegex(probe("out.mov", "stream=pix_fmt")[0], "yuva444p1[02]le")
        warned = self.works("filter", "alpha.mkv", "-o", "out.mp4", "--quiet").stderr
        self.assertIn("its alpha is left out", warned)


class FollowedTest(VideoTest):
    """A textured disc that comes nearer while it crosses a textured wall; 12 frames, and 4 of another wall."""
    WIDTH, HEIGHT, RADIUS = 120, 80, 16

    def middle(self, frame):
        return 20 + 6 * frame, 40 + frame

    def nearness(self, frame):
        return 110 + 10 * frame

    def write_scene(self, frames, folder="."):
        """The colours of blocks of 3 x 3 pixels are of chance; the disc takes its own with it."""
        colours = random.Random(58)
        wall, disc, other = ([[colours.randrange(40, 216) for _ in range(60)] for _ in range(60)] for _ in range(3))
        os.makedirs(folder, exist_ok=True)
        for frame in range(frames):
            left, top = self.middle(frame)
            ground = wall if frame < 12 else other
            picture, depth = bytearray(), bytearray()
            for y in range(self.HEIGHT):
                for x in range(self.WIDTH):
                    on_disc = frame < 12 and math.hypot(x - left, y - top) < self.RADIUS
                    picture.append(disc[(y - top) // 3][(x - left) // 3] if on_disc else ground[y // 3][x // 3])
                    depth.append(self.nearness(frame) if on_disc else 60)
            head = b"P5 %d %d 255\n" % (self.WIDTH, self.HEIGHT)
            Path(folder, f"in_{frame:02}.pgm").write_bytes(head + picture)
            Path(folder, f"depth_{frame:02}.pgm").write_bytes(head + depth)

    def sharpness(self, frame):
        """The mean differences between a frame and its blurred one, of the disc and beside it."""
        def pixels(name):
            return Path(name).read_bytes()[-self.WIDTH * self.HEIGHT:]

        left, top = self.middle(frame)
        pairs = {True: [], False: []}
        for at, (before, after) in enumerate(zip(pixels(f"in_{frame:02}.pgm"), pixels(f"out_{frame:02}.pgm"))):
            away = math.hypot(at % self.WIDTH - left, at // self.WIDTH - top)
            if away < self.RADIUS - 5 or away > self.RADIUS + 12:
                pairs[away < self.RADIUS].append(abs(before - after))
        return tuple(sum(pairs[part]) / max(1, len(pairs[part])) for part in (True, False))

    def follow(self, *words):
        self.works("filter", "in_%02d.pgm", "-o", "in.mkv", "--video-codec", "ffv1", "--pixel-format", "gray")
        return self.works("dof", "in.mkv", "-o", "out_%02d.pgm", "--blur", "4%", "--device", "cpu", "--depth-range", "0,255",
                          "--depth-kind", "inverse", *words).stderr

    def test_focus_follows_a_patch(self):
        self.write_scene(12)
        said = self.follow("--depth", "depth_%02d.pgm", "--focus-at", "20,40", "--track")
        self.assertNotIn("a cut", said)
        self.assertNotIn("is not seen", said)
        for frame in range(12):
            disc, wall = self.sharpness(frame)
            self.assertLess(disc, 1, frame)
            self.assertGreater(wall, 10, frame)
        self.follow("--depth", "depth_%02d.pgm", "--focus-at", "20,40")
        self.assertGreater(self.sharpness(9)[0], 10, "without --track the place stays")

    def test_a_cut_and_a_patch_that_is_gone_are_said(self):
        self.write_scene(16)
        said = self.follow("--depth", "depth_%02d.pgm", "--focus-at", "20,40", "--track")
        self.assertIn("in.mkv frame 12: a cut; from here on the patch at the first place of --focus-at is followed", said)
        self.assertLess(self.sharpness(13)[1], 1, "all is at one depth, and in focus")
        for frame in range(16):  # the disc leaves to the right
            for name in ("in", "depth"):
                os.rename(f"{name}_{frame:02}.pgm", f"old_{name}_{frame:02}.pgm")
        self.middle = lambda frame: (20 + 12 * frame, 40)
        self.write_scene(12)
        said = self.follow("--depth", "depth_%02d.pgm", "--focus-at", "20,40", "--track")
        self.assertRegex(said, "in.mkv frame (8|9|10): the patch of --track is not seen; the focus stays at its last depth")
        self.assertGreater(self.sharpness(11)[1], 10)

    def test_strokes_are_carried_along(self):
        """The disc stays in focus and the wall blurred, whether strokes come by the command line or as a file; a cut is said."""
        self.write_scene(14)
        strokes = ("--stroke", "0.9:14,40:26,40", "--stroke", "0.1:60,10:100,10:110,70:60,70")
        said = self.follow(*strokes)
        for frame in (0, 4, 8, 11):
            disc, wall = self.sharpness(frame)
            self.assertLess(disc, 15, frame)
            self.assertGreater(wall, 25, frame)
        self.assertIn("in.mkv frame 12: a cut; strokes cannot be carried over it", said)
        with_words = [Path(f"out_{frame:02}.pgm").read_bytes() for frame in range(12)]
        Path("drawn.json").write_text(json.dumps({"scanlens": "depth strokes", "version": 1, "size": [self.WIDTH, self.HEIGHT], "strokes": [
            {"points": [[14, 40], [26, 40]], "nearness": 0.9},
            {"points": [[60, 10], [100, 10], [110, 70], [60, 70]], "nearness": 0.1}]}))
        self.follow("--depth", "drawn.json")
        self.assertEqual([Path(f"out_{frame:02}.pgm").read_bytes() for frame in range(12)], with_words)

    def test_what_cannot_be_followed(self):
        self.write_scene(2)
        for name in ("in_00.pgm", "in_01.pgm"):
            head = Path(name).read_bytes()[:-self.WIDTH * self.HEIGHT]
            Path(name).write_bytes(head + bytes([90]) * (self.WIDTH * self.HEIGHT))
        self.assertIn("the patch at 20,40 is of one tone", self.follow("--depth", "depth_%02d.pgm", "--focus-at", "20,40", "--track"))
        self.refuse("dof", "in.mkv", "-o", "out.mkv", "--depth", "depth_%02d.pgm", "--track", code=2, says=("--focus-at",))
        self.refuse("dof", "in.mkv", "-o", "out.mkv", "--depth", "depth_%02d.pgm", "--track", "--focus-at", "500,1", code=2,
                    says=("lies outside the picture of 120 x 80",))
        self.refuse("dof", "photo.png", "-o", "out.png", "--focus-at", "1,1", "--track", code=2, says=("--track is for a clip",))


class KeptTest(VideoTest):
    """What a clip holds beside its frames."""

    def test_sound_times_colours_and_words(self):
        self.blurred("h264.mp4", "out.mp4")
        self.assertEqual(probe("out.mp4", "stream=codec_name,pix_fmt,color_space,color_transfer,color_primaries", "-select_streams", "v"),
                         ["h264,yuv420p,bt709,bt709,bt709"])
        self.assertEqual(packets("out.mp4", 1), packets(self.clip("h264.mp4"), 1))
        self.assertEqual(times("out.mp4"), times(self.clip("h264.mp4")))
        self.assertEqual(probe("out.mp4", "format_tags=title"), ["A title"])
        head = Path("out.mp4").read_bytes()
        self.assertLess(head.index(b"moov"), head.index(b"mdat"), "the index stands before the samples")

    def test_vp9_into_webm(self):
        self.blurred("vp9.webm", "out.webm", "--crf", "40")
        self.assertEqual(probe("out.webm", "stream=codec_name"), ["vp9", "opus"])
        self.assertEqual(packets("out.webm", 1), packets(self.clip("vp9.webm"), 1))

    def test_frames_at_uneven_times(self):
        ffmpeg("-i", self.clip("h264.mp4"), "-vf", "setpts='(N+N*N/10+3)/10/TB'", "-fps_mode", "passthrough", "-enc_time_base",
               "1/12800", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "copy", "uneven.mp4")
        self.works("dof", "uneven.mp4", "--depth", str(self.clip("depth.mkv")), "-o", "out.mp4", *LENS)
        want, got = times("uneven.mp4"), times("out.mp4")
        self.assertGreater(want[-1] - want[-2], 1.5 * (want[1] - want[0]))
        self.assertEqual(len(want), len(got))
        for a, b in zip(want, got):
            self.assertLess(abs(a - b), 0.002)

    def test_turned_clips_are_upright(self):
        ffmpeg("-i", self.clip("h264.mp4"), "-c", "copy", "-metadata:s:v", "rotate=90", "turned.mp4")
        ffmpeg("-i", self.clip("depth.mkv"), "-vf", "transpose", "-c:v", "ffv1", "tall.mkv")
        self.works("dof", "turned.mp4", "--depth", "tall.mkv", "-o", "out.mp4", *LENS)
        self.assertEqual(probe("out.mp4", "stream=width,height", "-select_streams", "v"), ["48,64"])
        self.assertEqual(probe("out.mp4", "stream_side_data=rotation", "-select_streams", "v"), [])
        ffmpeg("-i", "turned.mp4", "-vf", "null", "-c:v", "ffv1", "-an", "upright.mkv")
        ffmpeg("-i", self.clip("h264.mp4"), "-vf", "transpose=clock", "-c:v", "ffv1", "-an", "clock.mkv")
        way = "clock" if mean_difference(raw("upright.mkv", "gray"), raw("clock.mkv", "gray")) < 3 else "cclock"
        ffmpeg("-i", self.clip("depth.mkv"), "-vf", f"transpose={way}", "-c:v", "ffv1", "depth_turned.mkv")
        for depth, out in (("depth_turned.mkv", "want.mp4"), (str(self.clip("depth.mkv")), "got.mp4")):
            self.works("dof", "turned.mp4", "--depth", depth, "-o", out, *LENS)
        self.assertEqual(raw("got.mp4", "rgb24"), raw("want.mp4", "rgb24"), "depth is turned as the clip is")

    def test_clips_on_their_head_are_upright(self):
        ffmpeg("-i", self.clip("h264.mp4"), "-c", "copy", "-an", "-metadata:s:v", "rotate=180", "turned.mp4")
        ffmpeg("-i", self.clip("h264.mp4"), "-vf", "hflip,vflip", "-c:v", "ffv1", "-an", "want.mkv")
        self.works("filter", "turned.mp4", "-o", "out.mkv", "--video-codec", "ffv1", "--pixel-format", "yuv420p")
        self.assertLess(mean_difference(raw("out.mkv", "gray"), raw("want.mkv", "gray")), 3)

    def test_subtitles_and_chapters(self):
        Path("words.srt").write_text("1\n00:00:00,100 --> 00:00:00,800\nA word\n")
        Path("chapters").write_text(";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=500\ntitle=First\n")
        ffmpeg("-i", self.clip("h264.mp4"), "-i", "words.srt", "-i", "chapters", "-map", "0", "-map", "1", "-map_chapters", "2", "-c", "copy",
               "-metadata:s:a", "language=deu", "-metadata:s:s", "language=fra", "all.mkv")
        self.works("filter", "all.mkv", "-o", "out.mp4")
        self.assertEqual(probe("out.mp4", "stream=codec_name")[:3], ["h264", "aac", "mov_text"])
        self.assertRegex(probe("out.mp4", "chapter_tags=title", "-show_chapters")[0], "First$")
        self.assertEqual(probe("out.mp4", "stream_tags=language")[1:3], ["deu", "fra"])
        self.works("filter", "all.mkv", "-o", "out.mkv")
        self.assertEqual(probe("out.mkv", "stream=codec_name"), ["h264", "aac", "subrip"])

    def test_a_part_keeps_its_sound(self):
        self.works("filter", str(self.clip("h264.mp4")), "-o", "out.mp4", "--from", "2", "--to", "6")
        self.assertEqual(times("out.mp4"), [0, 0.1, 0.2, 0.3, 0.4])
        sound = [float(line.split(",")[0]) for line in probe("out.mp4", "packet=pts_time", "-select_streams", "a")]
        self.assertGreaterEqual(sound[0], 0)
        self.assertLess(sound[0], 0.03)
        self.assertAlmostEqual(sound[-1] + 1024 / 44100, 0.5, delta=0.03)

    def test_hdr_is_written_in_10_bits(self):
        ffmpeg("-i", self.clip("rgb16.mkv"), "-c:v", "ffv1", "-pix_fmt", "yuv420p10le", "-color_trc", "smpte2084", "-color_primaries", "bt2020",
               "-colorspace", "bt2020nc", "pq.mkv")
        for name, codec in (("out.mp4", "hevc"), ("out.webm", "vp9")):
            self.works("filter", "pq.mkv", "-o", name)
            self.assertEqual(probe(name, "stream=codec_name,pix_fmt,color_space,color_transfer,color_primaries"),
                             [f"{codec},yuv420p10le,bt2020nc,smpte2084,bt2020"])

    def test_10_bits_stay_10(self):
        ffmpeg("-i", self.clip("rgb16.mkv"), "-c:v", "ffv1", "-pix_fmt", "yuv420p10le", "ten.mkv")
        for name, codec in (("out.mp4", "h264"), ("out.webm", "vp9")):
            self.works("filter", "ten.mkv", "-o", name)
            self.assertEqual(probe(name, "stream=codec_name,pix_fmt"), [f"{codec},yuv420p10le"])

    def test_bits_that_are_lost_are_warned_of(self):
        ffmpeg("-i", self.clip("rgb16.mkv"), "-c:v", "ffv1", "-pix_fmt", "yuv420p10le", "ten.mkv")
        ffmpeg("-i", self.clip("rgb16.mkv"), "-c:v", "ffv1", "-pix_fmt", "yuv420p12le", "twelve.mkv")
        self.works("filter", "ten.mkv", "-o", "ten.mp4", "--strict")
        self.assertIn("10 of the 12 bits of a sample are kept", self.works("filter", "twelve.mkv", "-o", "out.mp4", "--strict").stderr)
        for codec, says in (("qtrle", "8 of the 10 bits of a sample are kept, which is what qtrle holds as rgb24"),
                            ("mpeg4", "mpeg4 may hold fewer than the 10 bits of a sample")):
            self.assertIn(says, self.works("filter", "ten.mkv", "-o", "out.mov", "--video-codec", codec, "--quiet").stderr)
        self.works("filter", "ten.mkv", "-o", "eight.mp4", "--pixel-format", "yuv420p", "--strict")

    def test_prores_stays_what_it_is(self):
        for kind, pixels, tag in (("proxy", "yuv422p10le", "apco"), ("lt", "yuv422p10le", "apcs"), ("standard", "yuv422p10le", "apcn"),
                                  ("hq", "yuv422p10le", "apch"), ("4444", "yuv444p10le", "ap4h"), ("4444xq", "yuva444p10le", "ap4x")):
            ffmpeg("-i", self.clip("rgb8.mkv"), "-frames:v", "2", "-c:v", "prores_ks", "-profile:v", kind, "-pix_fmt", pixels, "in.mov")
            self.works("filter", "in.mov", "-o", "out.mov")
            entries = "stream=codec_name,profile,codec_tag_string,pix_fmt"
            self.assertEqual(probe("out.mov", entries), probe("in.mov", entries))
            self.assertIn(tag, probe("out.mov", entries)[0])
            self.assertLess(mean_difference(raw("out.mov", "gray"), raw("in.mov", "gray")), 4)
        self.works("filter", "in.mov", "-o", "out.mp4", "--quiet")
        self.assertEqual(probe("out.mp4", "stream=codec_name"), ["h264"])

    def test_full_range_stays_full(self):
        ffmpeg("-i", self.clip("rgb8.mkv"), "-vf", "scale=out_range=pc,format=yuv444p", "-color_range", "pc", "-c:v", "ffv1", "full.mkv")
        self.works("filter", "full.mkv", "-o", "out.mkv", "--video-codec", "ffv1", "--pixel-format", "yuv444p")
        self.assertEqual(probe("out.mkv", "stream=color_range,pix_fmt"), ["yuv444p,pc"])
        a, b = raw("full.mkv", "rgb24"), raw("out.mkv", "rgb24")
        self.assertLess(sum(abs(p - q) for p, q in zip(a, b)) / len(a), 1)

    def test_odd_sizes(self):
        ffmpeg("-i", self.clip("rgb8.mkv"), "-vf", "crop=63:47:0:0", "-c:v", "ffv1", "odd.mkv")
        warned = self.works("filter", "odd.mkv", "-o", "out.mp4").stderr
        self.assertIn("odd side", warned)
        self.assertEqual(probe("out.mp4", "stream=width,height,pix_fmt"), ["63,47,yuv444p"])


class RefusedTest(VideoTest):
    """Errors name the file and the frame, and leave nothing."""

    def expect_refused(self, *words, says, code=1):
        self.refuse(*words, code=code, says=says)
        self.assertFalse(Path("out.mp4").exists())

    def dof(self, clip, depth, *words):
        return ("dof", str(clip), *(("--depth", str(depth)) if depth else ()), "-o", "out.mp4", *LENS, *words)

    def test_depth_that_ends_before_the_clip(self):
        ffmpeg("-i", self.clip("depth.mkv"), "-frames:v", "6", "-c", "copy", "short.mkv")
        self.expect_refused(*self.dof(self.clip("h264.mp4"), "short.mkv"), says=("short.mkv: ends before frame 6",))
        extract("short.mkv", "d_%02d.png")
        self.expect_refused(*self.dof(self.clip("h264.mp4"), "d_%02d.png"), says=("ends before frame 6", "d_05.png"))
        os.remove("d_03.png")
        self.expect_refused(*self.dof(self.clip("h264.mp4"), "d_%02d.png"), says=("missing: 3",))

    def test_depth_that_goes_on(self):
        ffmpeg("-stream_loop", "1", "-i", self.clip("depth.mkv"), "-c", "copy", "long.mkv")
        said = self.works(*self.dof(self.clip("h264.mp4"), "long.mkv"), "--quiet").stderr
        self.assertIn("long.mkv: goes on at frame 10", said)

    def test_depth_of_another_rate_and_size(self):
        ffmpeg("-i", self.clip("depth.mkv"), "-vf", "setpts=2*PTS,scale=32:24", "-r", "5", "-c:v", "ffv1", "slow.mkv")
        said = self.works(*self.dof(self.clip("h264.mp4"), "slow.mkv")).stderr
        self.assertIn("5 frames/s, against 10", said)
        self.assertIn("resampled from 32 x 24", said)

    def test_no_depth(self):
        self.expect_refused(*self.dof(self.clip("h264.mp4"), None), code=2, says=("--depth CLIP",))

    def test_colours_are_no_depth(self):
        self.expect_refused(*self.dof(self.clip("h264.mp4"), self.clip("rgb8.mkv")), says=("frame 0", "not a depth map"))

    def test_a_clip_cut_off(self):
        data = self.clip("vp9.webm").read_bytes()
        Path("cut.webm").write_bytes(data[: len(data) // 2])
        said = self.works(*self.dof("cut.webm", self.clip("depth.mkv")), "--quiet").stderr
        self.assertRegex(said, "cut.webm: ends early, before frame [3-8], at 0.[3-8][0-9]* of 1.* s that it announces")
        self.assertIn("ffmpeg: matroska,webm: File ended prematurely", said)
        Path("out.mp4").unlink(missing_ok=True)
        Path("broken.mp4").write_bytes(self.clip("h264.mp4").read_bytes()[:2000])
        self.expect_refused("filter", "broken.mp4", "-o", "out.mp4", says=("broken.mp4: ffprobe: ",))

    def test_an_index_of_more_than_there_is(self):
        ffmpeg("-i", self.clip("h264.mp4"), "-an", "-c:v", "libx264", "-g", "1", "-bf", "0", "-movflags", "faststart", "fast.mp4")
        data = Path("fast.mp4").read_bytes()
        Path("cut.mp4").write_bytes(data[: len(data) * 6 // 10])
        self.assertRegex(self.works("filter", "cut.mp4", "-o", "out.mp4", "--quiet").stderr, "cut.mp4: ends early, before frame [3-8], of 10")

    def test_a_broken_frame_is_named(self):
        """What cannot be decoded is left out, and the frames behind it keep their depth."""
        self.blurred("rgb8.mkv", "whole.mkv", "--video-codec", "ffv1")
        ffmpeg("-i", self.clip("rgb8.mkv"), "-c:v", "ffv1", "-level", "3", "-slicecrc", "1", "-g", "1", "sums.mkv")
        damaged("sums.mkv", 4, "lost.mkv")
        said = self.works("dof", "lost.mkv", "--depth", str(self.clip("depth.mkv")), "-o", "out.mkv", *LENS, "--video-codec", "ffv1", "--quiet")
        self.assertIn("lost.mkv: frame 4 is broken and left out: ffmpeg: ffv1: ", said.stderr)
        self.assertNotIn("goes on", said.stderr)
        whole = raw("whole.mkv", "rgb24")
        frame = len(whole) // 10
        self.assertEqual(raw("out.mkv", "rgb24"), whole[:4 * frame] + whole[5 * frame:])
        self.assertEqual(times("out.mkv"), [at / 10 for at in range(10) if at != 4])
        damaged(self.clip("h264.mp4"), 0, "shown.mp4")
        self.assertRegex(run("filter", "shown.mp4", "-o", "out.mp4", "--quiet").stderr, "shown.mp4: frame 0 is broken, and|frame 0: cannot be decoded")

    def test_a_broken_map_is_named(self):
        ffmpeg("-i", self.clip("depth.mkv"), "-c:v", "libvpx-vp9", "-g", "1", "-cpu-used", "8", "depth.webm")
        damaged("depth.webm", 4, "lost.webm")
        said = self.works(*self.dof(self.clip("h264.mp4"), "lost.webm"), "--quiet").stderr
        self.assertIn("lost.webm: frame 4 is broken and left out: ffmpeg: vp9: ", said)
        self.assertIn("lost.webm: frame 4 is missing, and the map of frame 3 stands in for it", said)
        self.assertEqual(len(times("out.mp4")), 10)

    def test_usage(self):
        clip = str(self.clip("h264.mp4"))
        self.expect_refused("filter", clip, "-o", "out.png", code=2, says=("clips are written as .mp4",))
        self.expect_refused("filter", clip, "-o", "-", code=2, says=("-o FILE.mp4",))
        self.expect_refused("filter", clip, "-o", "out.mp4", "--compression", "3", code=2, says=("--compression is for pictures",))
        self.expect_refused("filter", clip, "-o", "out.mp4", "--video-codec", "nosuch", says=("ffmpeg: ", "nosuch"))
        self.expect_refused("filter", clip, "-o", "out.mp4", "--filter", "variable_box:radius=3:mask=m.png", code=2, says=("takes a mask",))
        self.refuse("filter", clip, "-o", clip, says=("is the input itself",))
        self.refuse("dof", "photo.png", "-o", "out.png", "--crf", "3", code=2, says=("--crf is for a clip",))

    def test_without_ffmpeg(self):
        empty = tempfile.mkdtemp(dir=".")
        done = run("filter", str(self.clip("h264.mp4")), "-o", "out.mp4", env={**os.environ, "PATH": os.path.abspath(empty)})
        self.assertEqual(done.returncode, 1)
        self.assertIn("install Debian's package ffmpeg", done.stderr)

    def with_programs(self, patience, **scripts):
        """The environment in which shell scripts stand before the user's ffmpeg and ffprobe, which they find as $REAL."""
        folder = Path(tempfile.mkdtemp(dir=".")).absolute()
        for name, script in scripts.items():
            (folder / name).write_text(f"#!/bin/sh\nREAL={shutil.which(name)}\n{script}\n")
            (folder / name).chmod(0o755)
        return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "SCANLENS_PATIENCE": str(patience)}

    def test_a_silent_program_is_ended_and_named(self):
        """One that hangs before its first word, behind the last frame, before it takes frames, and behind the last of them; and what it started."""
        clip = str(self.clip("h264.mp4"))
        decoder, encoder = '*rawvideo*', '*matroska*pipe:*'
        hangs = "sleep 1000 & sleep 1000"
        for name, script, says in (
                ("ffprobe", hangs, "h264.mp4: ffprobe: no sign of life for 1 s"),
                ("ffmpeg", f'case "$*" in {decoder}) {hangs};; esac; exec $REAL "$@"', "h264.mp4: frame 0: cannot be decoded: ffmpeg: no sign"),
                ("ffmpeg", f'case "$*" in {decoder}) $REAL "$@"; {hangs};; esac; exec $REAL "$@"', "h264.mp4: frame 10: "),
                ("ffmpeg", f'case "$*" in {encoder}) {hangs};; esac; exec $REAL "$@"', "out.mp4: cannot be encoded: ffmpeg: no sign of life"),
                ("ffmpeg", f'case "$*" in {encoder}) cat > /dev/null; {hangs};; esac; exec $REAL "$@"', "out.mp4: cannot be encoded: ffmpeg: no sign")):
            with self.subTest(name=name, script=script):
                done = run("filter", clip, "-o", "out.mp4", env=self.with_programs(1, **{name: script}))
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(says, done.stderr)
                self.assertIn("SCANLENS_PATIENCE=N waits for N seconds", done.stderr)
                self.assertFalse(Path("out.mp4").exists())
                self.assertNotIn("sleep\x001000", commands_running())

    def test_a_slow_program_is_waited_for(self):
        """It works, moves bytes, or says a word now and then."""
        clip = str(self.clip("h264.mp4"))
        busy = "i=0; while [ $i -lt 1500000 ]; do i=$((i+1)); done"
        moves = "for i in 1 2 3 4 5 6 7 8; do head -c 100000 /dev/zero > /dev/null; sleep 0.4; done"
        says = "for i in 1 2 3 4 5 6 7 8; do echo word >&2; sleep 0.4; done"
        for script in (busy, moves, says):
            self.assertEqual(run("filter", clip, "-o", "out.mp4",
                                 env=self.with_programs(2, ffmpeg=f'{script}; exec $REAL "$@"')).returncode, 0, script)

    def test_a_header_that_lies_about_the_size(self):
        """VP8 of 64 x 48 pixels in a file that says 32 x 24, and the other way round: frames of the size that is decoded."""
        ffmpeg("-i", self.clip("rgb8.mkv"), "-c:v", "libvpx", "-b:v", "2M", "-an", "true.mkv")
        self.works("filter", "true.mkv", "-o", "want.mkv", "--video-codec", "ffv1")
        data = Path("true.mkv").read_bytes()
        for width, height in ((32, 24), (127, 100)):
            lie = data.replace(b"\xb0\x81\x40", bytes((0xb0, 0x81, width))).replace(b"\xba\x81\x30", bytes((0xba, 0x81, height)))
            self.assertNotEqual(lie, data)
            Path("lie.mkv").write_bytes(lie)
            self.works("filter", "lie.mkv", "-o", "out.mkv", "--video-codec", "ffv1")
            self.assertEqual(probe("out.mkv", "stream=width,height"), ["64,48"])
            self.assertEqual(raw("out.mkv", "rgb24"), raw("want.mkv", "rgb24"))

    def test_frames_that_change_their_size(self):
        """Frames behind the first are brought to its size."""
        ffmpeg("-i", self.clip("rgb8.mkv"), "-c:v", "libvpx", "-b:v", "2M", "-frames:v", "5", "a.ivf")
        ffmpeg("-i", self.clip("rgb8.mkv"), "-c:v", "libvpx", "-b:v", "2M", "-frames:v", "5", "-vf", "scale=96:32", "b.ivf")
        first, second = Path("a.ivf").read_bytes(), Path("b.ivf").read_bytes()
        Path("both.ivf").write_bytes(first + second[32:])
        ffmpeg("-i", "both.ivf", "-c", "copy", "both.mkv")
        self.works("filter", "both.mkv", "-o", "out.mkv", "--video-codec", "ffv1")
        frames = raw("out.mkv", "rgb24")
        self.assertEqual(len(frames) % (64 * 48 * 3), 0)
        self.assertGreater(len(frames), 5 * 64 * 48 * 3)

    def test_colours_that_ffmpeg_is_told_to_use(self):
        done = run("filter", str(self.clip("h264.mp4")), "-o", "out.mp4", env={**os.environ, "AV_LOG_FORCE_COLOR": "1"})
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_names_that_look_like_something_else(self):
        for name in ("-i.mp4", "http:x.mp4", "a b'c;d.mp4", "50%d.mp4"):
            shutil.copy(self.clip("h264.mp4"), f"./{name}")
            self.works("filter", "-o", f"./out of {name}", "--", name)

    def test_a_signal_leaves_nothing(self):
        """At 20 moments of a run, from its first to its last: no file, and no ffmpeg that goes on."""
        ffmpeg("-stream_loop", "9", "-i", self.clip("h264.mp4"), "-c", "copy", "longer.mp4")
        ffmpeg("-stream_loop", "9", "-i", self.clip("depth.mkv"), "-c", "copy", "longer.mkv")
        before = set(os.listdir())
        words = [SCANLENS, "dof", os.path.abspath("longer.mp4"), "--depth", os.path.abspath("longer.mkv"), "-o", "out.mp4", *LENS]
        start = time.monotonic()
        self.works(*words[1:])
        took = time.monotonic() - start
        os.remove("out.mp4")
        killed = 0
        for at in range(20):
            kind = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)[at % 4]
            done = subprocess.Popen(words, stderr=subprocess.PIPE)
            time.sleep(took * at / 20)
            done.send_signal(kind)
            done.communicate(timeout=support.HANGS)
            if done.returncode != 0:
                self.assertEqual(done.returncode, -kind)
                killed += 1
            if os.path.exists("out.mp4"):  # a signal between the file's name and the program's end comes too late
                self.assertEqual(len(times("out.mp4")), 100)
                os.remove("out.mp4")
            self.assertEqual(set(os.listdir()), before)
            self.expect_no_process_with(os.path.abspath("longer.mp4"))
        self.assertGreater(killed, 0)

    def test_a_second_signal_ends_a_frame_that_hangs(self):
        """Its depth map comes from a pipe to which nobody writes."""
        for number in range(10):
            Path(f"d_{number}.pgm").write_bytes(b"P5 64 48 255\n" + bytes(range(64)) * 48)
        os.remove("d_5.pgm")
        os.mkfifo("d_5.pgm")
        clip = os.path.abspath("own.mkv")
        shutil.copy(self.clip("rgb8.mkv"), clip)
        before = set(os.listdir())
        hung = subprocess.Popen([SCANLENS, "dof", clip, "--depth", "d_%d.pgm", "--depth-kind", "inverse", "--depth-range", "0,63",
                                 "-o", "out.mkv", *LENS], stderr=subprocess.PIPE)
        self.addCleanup(hung.kill)
        time.sleep(2)
        for _ in range(2):
            self.assertIsNone(hung.poll(), "it waits for the map")
            hung.send_signal(signal.SIGTERM)
            time.sleep(0.3)
        hung.communicate(timeout=support.HANGS)
        self.assertEqual(hung.returncode, -signal.SIGTERM)
        self.assertEqual(set(os.listdir()), before)
        self.expect_no_process_with(clip)

    def expect_no_process_with(self, word):
        """Waits for processes to end that this word was given to."""
        def is_one(path):
            try:
                return word.encode() in (path / "cmdline").read_bytes()
            except OSError:
                return False

        end = time.monotonic() + support.HANGS
        while any(is_one(path) for path in Path("/proc").glob("[0-9]*")):
            self.assertLess(time.monotonic(), end, "ffmpeg goes on")
            time.sleep(0.05)


if __name__ == "__main__":
    unittest.main()
