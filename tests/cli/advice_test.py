#!/usr/bin/env python3
"""Who asks for what cannot be is told what to do instead, with commands that work as they are printed."""
import os
import pty
import re
import shlex
import subprocess
import unittest

from support import ROOT, SCANLENS, CommandCase, read_png, require_opengl, write_png

WIDTH, HEIGHT = 24, 16
WITHOUT_DISPLAY = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}


class Advice(CommandCase):
    def setUp(self):
        super().setUp()
        self.photo("photo.png")
        self.map("midas.png")

    def photo(self, name):
        write_png(self.folder / name, WIDTH, HEIGHT, 3, 8, [i * 37 % 251 for i in range(WIDTH * HEIGHT * 3)])

    def map(self, name):
        write_png(self.folder / name, WIDTH, HEIGHT, 1, 8, [10 * x for _ in range(HEIGHT) for x in range(WIDTH)])

    def made(self, *args, output):
        self.succeed(*args)
        return read_png(self.folder / output)


class Depth(Advice):
    def test_a_photo_without_depth(self):
        """One screen, whose commands that take no other program's files work."""
        os.rename(self.folder / "photo.png", self.folder / "my photo.png")
        done = self.refuse("dof", "my photo.png", "-o", "x.png", code=2,
                           says=("HEIC", "OpenEXR", "Depth Anything", "my photo.png: this photo carries no depth map"))
        lines = done.stderr.splitlines()
        self.assertLessEqual(len(lines), 24)
        commands = [line.strip() for line in lines if line.startswith("      ")]
        self.assertIn("scanlens dof 'my photo.png' -o x.png", commands)
        self.assertIn("my photo_depth.png is found by name", done.stderr)
        network = next(line for line in commands if "--depth-network" in line)
        compile(re.search("python3 -c '(.*)'", network)[1], "the network's command", "exec")
        self.assertNotIn("unexpected", self.run_here(*shlex.split(network)[1:]).stderr)
        for line in commands:
            words = shlex.split(line)
            if words[0] != "scanlens" or {"IMG_0001.HEIC", "render.exr", "z.exr", "disparity.pfm", "--depth-network"} & set(words):
                continue
            if words == ["scanlens", "dof", "my photo.png", "-o", "x.png"]:
                self.map("my photo_depth.png")
            done = self.run_here(*words[1:], "--size", "96x64") if words[1] == "render" else self.run_here(*words[1:])
            self.assertEqual(done.returncode, 0, f"{line}: {done.stderr}")

    def test_quiet_and_batches_say_less(self):
        done = self.refuse("dof", "photo.png", "-o", "x.png", "--quiet", code=2)
        self.assertEqual(len(done.stderr.splitlines()), 1)

    def test_photo_and_map_are_swapped(self):
        self.refuse("dof", "midas.png", "--depth", "photo.png", "-o", "x.png", code=2,
                    says=("photo.png: ", "midas.png could be a map: did you swap them?"))
        self.photo("other.png")
        done = self.refuse("dof", "other.png", "--depth", "photo.png", "-o", "x.png")
        self.assertNotIn("swap", done.stderr)


class Words(Advice):
    def test_commands_by_meaning(self):
        for word, meant in (("blur", "scanlens dof, or scanlens filter IMAGE -o FILE --filter gaussian"),
                            ("Sharpen", "scanlens filter IMAGE -o FILE --filter unsharp"),
                            ("unsharp", "scanlens filter IMAGE -o FILE --filter unsharp"),
                            ("histogram", "scanlens stats"), ("open", "scanlens view"), ("bokeh", "scanlens dof")):
            self.refuse(word, code=2, says=(f"there is no command '{word}'; did you mean {meant}?",))

    def test_filters_by_meaning(self):
        known = self.succeed("filters").stdout
        for word, meant in (("sharpen", "unsharp"), ("blur", "gaussian or box"), ("bokeh", "dof"), ("CLAHE", "local_contrast"),
                            ("non-local-means", ""), ("median", "denoise"), ("threshold", "adaptive_threshold")):
            said = self.refuse("filter", "photo.png", "-o", "x.png", "--filter", f"{word}:radius=3", code=2).stderr
            self.assertIn(f"did you mean {meant}?" if meant else "there is: box", said)
            for name in filter(None, meant.split(" or ")):
                self.assertIn(f"  {name}: ", known)

    def test_every_meaning_is_a_filter(self):
        known = re.findall(r"^  (\w+): ", self.succeed("filters").stdout, re.M)
        source = (ROOT / "filters/words/meaning.cpp").read_text()
        for names in re.findall(r"\},\s*\{(.+?)\}\}", source):
            for name in re.findall(r'"(\w+)"', names):
                self.assertIn(name, known)

    def test_a_map_may_stand_anywhere(self):
        last = self.made("filter", "photo.png", "-o", "a.png", "--filter", "dof:focus=0.8:blur=4:depth=midas.png", output="a.png")
        for text in ("dof:depth=midas.png:focus=0.8:blur=4", "dof:focus=0.8:depth=midas.png:blur=4"):
            self.assertEqual(self.made("filter", "photo.png", "-o", "b.png", "--filter", text, output="b.png"), last)
        os.rename(self.folder / "midas.png", self.folder / "a:b=c.png")
        self.assertEqual(self.made("filter", "photo.png", "-o", "b.png", "--filter", "dof:focus=0.8:depth=a:b=c.png:blur=4",
                                   output="b.png"), last)
        self.refuse("filter", "photo.png", "-o", "c.png", "--filter", "dof:depth=a.png:depth=b.png", code=2,
                    says=("depth is given twice",))
        self.refuse("filter", "photo.png", "-o", "c.png", "--filter", "dof:depth=:focus=1", code=2, says=("no file is named",))

    def test_names_without_extension(self):
        self.refuse("filter", "photo.png", "-o", "x", "--filter", "box", code=2, says=("x: the name has no extension; ", ".jpg"))
        self.refuse("depth", "midas.png", "-o", "x", code=2, says=("x: the name has no extension; ", ".npy"))

    def test_dashes_end_the_options(self):
        os.rename(self.folder / "photo.png", self.folder / "-p.png")
        self.succeed("filter", "-o", "x.png", "--filter", "box", "--", "-p.png")
        self.refuse("filter", "--filter", "box", "--", "-p.png", "-o", "y.png", code=2, says=("'-o' after --",))


class Many(Advice):
    def test_a_folder(self):
        (self.folder / "it's").mkdir()
        for command, batch in ((("dof", "it's", "-o", "x.png"), r"scanlens batch 'it'\''s' OUT --filter dof"),
                               (("dof", "it's"), r"scanlens batch 'it'\''s' OUT --filter dof"),
                               (("filter", ".", "-o", "x.png", "--filter", "box:radius=2"), "batch . OUT --filter box:radius=2"),
                               (("stats", "."), "scanlens batch . --stats")):
            self.refuse(*command, code=2 if command == ("dof", "it's") else 1, says=(": is a directory, and ", batch))

    def test_several_pictures(self):
        self.refuse("stats", "photo.png", "midas.png", code=2, says=("stats takes one picture", "scanlens batch photo.png midas.png --stats"))
        self.refuse("dof", "photo.png", "midas.png", "-o", "x.png", code=2, says=("scanlens batch photo.png midas.png OUT --filter dof",))

    def test_batch_writes_the_file_that_is_named(self):
        def batch(*args, code=0):
            done = self.run_here("batch", *args, "--filter", "box:radius=2")
            self.assertEqual(done.returncode, code, done.stderr)
            return done.stderr

        batch("photo.png", "web/{x}.png")
        self.assertTrue((self.folder / "web/{x}.png").is_file())
        self.assertIn("exists", batch("photo.png", "web/{x}.png", code=1))
        batch("photo.png", "y.png")
        self.assertTrue((self.folder / "y.png").is_file())
        self.assertIn("give the folder of outputs", batch("photo.png", "midas.png", "z.png", code=2))
        (self.folder / "folder.png").mkdir()
        batch("photo.png", "folder.png")
        self.assertTrue((self.folder / "folder.png/photo.png").is_file())


class Show(Advice):
    @classmethod
    def setUpClass(cls):
        require_opengl()

    def test_a_picture_in_the_commands_place_is_viewed(self):
        options = ("--depth", "midas.png", "--screenshot")
        self.succeed("view", "photo.png", *options, "named.png", env=WITHOUT_DISPLAY)
        (self.folder / "album").mkdir()
        self.photo("album/a.png")
        for words in (("photo.png", *options), ("--quiet", "photo.png", *options), ("album", *options[2:])):
            self.succeed(*words, "short.png", env=WITHOUT_DISPLAY)
            self.assertTrue((self.folder / "short.png").exists())
            if words[0] == "photo.png":
                self.assertEqual(read_png(self.folder / "short.png"), read_png(self.folder / "named.png"))
        self.refuse("missing.jpg", env=WITHOUT_DISPLAY, says=("missing.jpg: no such file",))

    def test_without_a_display(self):
        self.refuse("view", env=WITHOUT_DISPLAY, says=("no window can be opened",))


class Colours(Advice):
    def said(self, *words, **env):
        """What a terminal gets."""
        terminal, stderr = pty.openpty()
        subprocess.run([SCANLENS, *words], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr,
                       env={**os.environ, "TERM": "xterm", **env})
        os.close(stderr)
        text = b""
        try:
            while part := os.read(terminal, 4096):
                text += part
        except OSError:  # the program has ended
            pass
        os.close(terminal)
        return text

    def test_errors_and_warnings(self):
        warned = ("dof", "photo.png", "--depth", "tall.png", "-o", "x.png")
        write_png(self.folder / "tall.png", 4, 32, 1, 8, [2 * i for i in range(128)])
        self.assertIn(b"\033[1;31mscanlens:\033[0m there is no command", self.said("xyzzy"))
        self.assertIn(b"\033[1;33mscanlens: warning:\033[0m tall.png", self.said(*warned))
        for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            self.assertNotIn(b"\033[1;3", self.said("xyzzy", **env) + self.said(*warned, **env))
        self.assertNotIn("\033", self.run_here("xyzzy").stderr)


if __name__ == "__main__":
    unittest.main()
