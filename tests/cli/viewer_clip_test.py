#!/usr/bin/env python3
"""`view` of clips: what is saved is a frame of `dof`; a window in which a clip plays, and nothing that it leaves behind."""
import os
import shlex
import unittest
from pathlib import Path

from support import CommandCase, require_opengl
from video_test import LENS, NO_FFMPEG, damaged, extract, ffmpeg, raw
from window_test import WITHOUT_DISPLAY, WindowCase

DEPTH = ("clip.mp4", "--depth", "depth.mkv")


def make_clips(folder):
    size = "size=96x64:rate=10:duration=2"
    ffmpeg("-f", "lavfi", "-i", f"testsrc2={size}", "-c:v", "libx264", "-g", "8", "-pix_fmt", "yuv420p", folder / "clip.mp4")
    ffmpeg("-f", "lavfi", "-i", f"gradients={size}:c0=black:c1=white:seed=7:x0=0:y0=0:x1=95:y1=63", "-vf", "format=gray",
           "-c:v", "ffv1", folder / "depth.mkv")


def ffmpegs_in(folder):
    """The processes of ffmpeg that run in a folder, or were not waited for."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if (entry / "comm").read_text().startswith("ff") and os.readlink(entry / "cwd") == str(folder.resolve()):
                found.append(entry.name)
        except OSError:
            continue
    return found


@unittest.skipIf(NO_FFMPEG, NO_FFMPEG)
class Frames(CommandCase):
    @classmethod
    def setUpClass(cls):
        require_opengl()

    def setUp(self):
        super().setUp()
        make_clips(self.folder)

    def view(self, *words, code=0):
        done = self.run_here("view", *words, env=WITHOUT_DISPLAY)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def play(self, script, *words, code=0):
        (self.folder / "s.txt").write_text(script)
        return self.view(*words, "--headless", "--script", "s.txt", code=code)

    def assert_same_frame(self, png, number):
        self.run_here("dof", *DEPTH, "-o", "out.mkv", "--video-codec", "ffv1", *LENS)
        extract(self.folder / "out.mkv", self.folder / "out_%02d.png")
        self.assertEqual(raw(self.folder / png, "rgb24"), raw(self.folder / f"out_{number:02}.png", "rgb24"))

    def test_a_saved_frame_is_that_of_dof(self):
        """The shown command makes the same file again, from any frame."""
        said = self.play("frame 11\nwait rest\nkey s\nwait rest\nquit\n", *DEPTH, *LENS)
        self.assertIn("--set frame=11 --screenshot clip_frame11_dof.png", said)
        self.assert_same_frame("clip_frame11_dof.png", 11)

    def shown_command(self, said):
        """The words behind the program's name, of the command that the viewer has said."""
        line = next(line for line in said.splitlines() if line.startswith("command: "))
        return shlex.split(line[len("command: "):])[1:]

    def test_a_saved_clip_is_made_by_the_shown_command(self):
        """Keys of the lens go with it: between them the focus moves as in `dof`."""
        said = self.play("frame 4\nset focus 0.2\nkey k\nframe 14\nset focus 0.8\nwait 2\nframe 9\nwait rest\nexpect focus 0.5 0.01\n"
                         "key shift+s\nwait rest\nundo\nwait rest\nframe 4\nexpect focus 0.2 0.001\nframe 14\nexpect focus 0.2 0.001\n"
                         "key k\nundo\nundo\nframe 4\nexpect focus 0.7 0.001\nquit\n", *DEPTH, *LENS)
        self.assertIn("--focus 4:0.2 14:0.8", said)
        words = self.shown_command(said)
        self.assertEqual(words[-1], "clip_dof.mp4")
        made = (self.folder / "clip_dof.mp4").read_bytes()
        self.run_here(*words[:-1], "again.mp4")
        self.assertEqual((self.folder / "again.mp4").read_bytes(), made)
        self.assertNotEqual(raw(self.folder / "clip_dof.mp4", "rgb24"), raw(self.folder / "clip.mp4", "rgb24"))

    def test_a_clip_that_is_given_up_leaves_nothing(self):
        """By Esc. While it is saved nothing else is, and how far it is is said."""
        ffmpeg("-stream_loop", "200", "-i", self.folder / "clip.mp4", "-c", "copy", self.folder / "long.mp4")
        ffmpeg("-i", self.folder / "depth.mkv", "-frames:v", "1", self.folder / "map.png")
        before = set(os.listdir(self.folder)) | {"s.txt"}
        self.play("wait rest\nkey shift+s\nwait 30\nkey s\nwait 2\nshot saving.png\nkey escape\nwait rest\nkey shift+s\nwait 10\n"
                  "key escape\nwait rest\nquit\n", "long.mp4", "--depth", "map.png", *LENS)
        self.assertEqual(set(os.listdir(self.folder)), before | {"saving.png"})
        self.assertEqual(ffmpegs_in(self.folder), [])

    def test_a_script_plays(self):
        self.play("play\nwait frame 5\npause\nwait rest\nseek 1.3s\nwait rest\nexpect frame 13\nkey left\nwait rest\n"
                  "expect frame 12\nkey shift+left\nwait rest\nexpect frame 2\nkey end\nwait rest\nexpect frame 19\nquit\n",
                  *DEPTH)

    def test_a_recording_shows_every_frame(self):
        self.play("resize 96 64\nset panels no\nwait rest\nrecord seen_%02d.png at 10\nplay\nwait 3\nrecord end\nexpect frame 3\nquit\n",
                  "clip.mp4")
        seen = [raw(self.folder / f"seen_{number:02}.png", "rgb24") for number in (1, 2, 3)]
        self.assertEqual(len(set(seen)), 3)

    def test_a_broken_frame_is_named_and_passed_over(self):
        ffmpeg("-i", self.folder / "clip.mp4", "-c:v", "ffv1", "-slicecrc", "1", "-pix_fmt", "bgr0", self.folder / "whole.mkv")
        damaged(self.folder / "whole.mkv", 8, self.folder / "broken.mkv")
        self.assertIn("frame 8 is broken", self.play("play\nwait frame 12\npause\nwait rest\nquit\n", "broken.mkv"))
        self.play("frame 8\nwait rest\nexpect frame 9\nkey left\nwait rest\nexpect frame 7\nkey right\nwait rest\n"
                  "expect frame 9\nquit\n", "broken.mkv")

    def test_what_a_clip_without_depth_gets(self):
        self.assertIn("no depth, so nothing is blurred; --depth CLIP", self.view("clip.mp4", "--screenshot", "seen.png"))
        self.assertIn("this clip carries none", self.view("clip.mp4", "--focus", "0.5", "--screenshot", "seen.png", code=2))
        self.assertIn("--normalise needs the depth", self.view("clip.mp4", "--normalise", "--screenshot", "a.png", code=2))

    def test_what_is_refused(self):
        ffmpeg("-i", self.folder / "clip.mp4", "-frames:v", "1", self.folder / "photo.png")
        self.assertIn("is for a clip", self.view("photo.png", "--from", "3", "--screenshot", "seen.png", code=2))
        self.assertIn("the clip ends before", self.view(*DEPTH, "--from", "30", "--screenshot", "seen.png", code=1))
        for until in (("--from", "1.01s", "--to", "1.02s"), ("--from", "10", "--to", "0.1s")):
            self.assertIn("no frame lies between --from and --to", self.view(*DEPTH, *until, "--screenshot", "seen.png", code=1))
        self.assertIn("MOMENT takes a frame's number", self.play("seek soon\n", *DEPTH, code=2))
        self.assertIn("there is no clip", self.play("wait frame 3\n", "photo.png", code=1))
        (self.folder / "broken.mp4").write_bytes((self.folder / "clip.mp4").read_bytes()[:100])
        self.assertIn("broken.mp4", self.view("broken.mp4", "--screenshot", "seen.png", code=1))

    def test_ffmpeg_is_needed(self):
        done = self.run_here("view", "clip.mp4", "--screenshot", "seen.png", env={**WITHOUT_DISPLAY, "PATH": str(self.folder)})
        self.assertEqual(done.returncode, 1)
        self.assertIn("install Debian's package ffmpeg", done.stderr)


@unittest.skipIf(NO_FFMPEG, NO_FFMPEG)
class Window(WindowCase):
    def setUp(self):
        super().setUp()
        make_clips(self.folder)

    def frame_of(self, person):
        """The number of the frame that is shown, as a saved picture's command says it."""
        words = person.saved()[0].split()
        return next((int(word[len("frame="):]) for word in words if word.startswith("frame=")), 0)

    def test_a_person_plays_a_clip(self):
        """Space, arrows, Home and End; the window is closed while the clip plays, and leaves no ffmpeg."""
        with self.person(*DEPTH, "--size", "480x300") as person:
            person.until(lambda: "focus at" in person.said(), "the first frame")
            self.assertEqual(self.frame_of(person), 0)
            person.key("Right")
            self.assertEqual(self.frame_of(person), 1)
            person.key("End")
            self.assertEqual(self.frame_of(person), 19)
            person.key("Left")
            self.assertEqual(self.frame_of(person), 18)
            person.key("Home")
            person.key("space")
            person.until(lambda: self.frame_of(person) > 2, "a later frame")
            person.key("Home")
            person.key("ctrl+q")
            self.assertEqual(person.ends(), 0, person.said())
        self.assertEqual(ffmpegs_in(self.folder), [])


if __name__ == "__main__":
    unittest.main()
