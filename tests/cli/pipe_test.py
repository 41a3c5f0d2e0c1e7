#!/usr/bin/env python3
"""Pictures through standard input and output, named pipes and process substitution."""
import os
import subprocess
import threading
import time
import unittest
import zlib

from support import HANGS, SCANLENS, CommandCase, read_png, run, write_png

BOX = ("--filter", "box:radius=2")


class Pipes(CommandCase):
    def setUp(self):
        super().setUp()
        write_png(self.folder / "photo.png", 40, 30, 3, 8, [(7 * i) % 251 for i in range(3600)])
        write_png(self.folder / "depth.png", 40, 30, 1, 8, [x for _ in range(30) for x in range(40)])
        self.photo = (self.folder / "photo.png").read_bytes()

    def through(self, *args, data=None, **options):
        """What comes out of standard output, `data` having gone into standard input."""
        done = subprocess.run([SCANLENS, *args], input=data, capture_output=True, timeout=HANGS, cwd=self.folder, **options)
        return done.returncode, done.stdout, done.stderr.decode()

    def test_dof(self):
        args = ("dof", "photo.png", "--depth", "depth.png", "--blur", "5")
        self.succeed(*args, "-o", "file.png")
        code, out, said = self.through("dof", "-", *args[2:], "-o", "-", "--format", "png", data=self.photo)
        self.assertEqual(code, 0, said)
        self.assertEqual(out, (self.folder / "file.png").read_bytes(), "nothing else goes to standard output")
        code, out, said = self.through(*args[:3], "-", *args[4:], "-o", "-", "--format", "png",
                                       data=(self.folder / "depth.png").read_bytes())
        self.assertEqual((code, out), (0, (self.folder / "file.png").read_bytes()), said)

    def test_filter(self):
        self.succeed("filter", "photo.png", "-o", "file.png", *BOX)
        self.succeed("filter", "photo.png", "-o", "file.ppm", *BOX)
        ppm = (self.folder / "file.ppm").read_bytes()
        for source in (self.photo, b"P6\n40 30\n255\n" + bytes(read_png(self.folder / "photo.png").samples)):
            for form, name in (("png", "file.png"), ("ppm", "file.ppm")):
                code, out, said = self.through("filter", "-", "-o", "-", "--format", form, *BOX, data=source)
                self.assertEqual((code, out), (0, (self.folder / name).read_bytes()), said)
        self.assertTrue(ppm.startswith(b"P6"))

    def test_named_pipe(self):
        os.mkfifo(self.folder / "pipe")
        writer = threading.Thread(target=lambda: (self.folder / "pipe").write_bytes(self.photo))
        writer.start()
        self.succeed("filter", "pipe", "-o", "out.png", *BOX)
        writer.join()
        self.succeed("filter", "photo.png", "-o", "file.png", *BOX)
        self.assertEqual((self.folder / "out.png").read_bytes(), (self.folder / "file.png").read_bytes())

    def test_pipes_as_output(self):
        self.succeed("filter", "photo.png", "-o", "file.png", *BOX)
        os.mkfifo(self.folder / "out")
        read = []
        reader = threading.Thread(target=lambda: read.append((self.folder / "out").read_bytes()))
        reader.start()
        time.sleep(0.2)  # by then it has opened the pipe
        self.succeed("filter", "photo.png", "-o", "out", "--format", "png", *BOX)
        reader.join()
        self.assertEqual(read, [(self.folder / "file.png").read_bytes()])
        done = subprocess.run(["bash", "-c", '"$0" filter photo.png -o >(cat >copy.png) --format png --filter box:radius=2; wait $!',
                               SCANLENS], cwd=self.folder, capture_output=True, timeout=HANGS)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_process_substitution(self):
        done = subprocess.run(["bash", "-c", '"$0" dof photo.png --depth <(cat depth.png) -o out.png --blur 3', SCANLENS],
                              cwd=self.folder, capture_output=True, timeout=HANGS)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_refused(self):
        for args, data, code, says in (
                (("filter", "-", "-o", "out.png", *BOX), b"", 1, "standard input: the file is empty"),
                (("filter", "-", "-o", "out.png", *BOX), self.photo[:-30], 1, "standard input: the PNG data is truncated"),
                (("filter", "-", "-o", "-", *BOX), self.photo, 2, "--format"),
                (("filter", "-", "-o", "-", "--format", "psd", *BOX), self.photo, 2, "--format"),
                (("dof", "-", "--depth", "-", "-o", "out.png"), self.photo, 2, "only be read once"),
                (("filter", "-", "-o", "out.png", "--max-pixels", "100", *BOX), self.photo, 1, "--max-pixels")):
            with self.subTest(args=args), self.unchanged():
                found, out, said = self.through(*args, data=data)
                self.assertEqual((found, out), (code, b""), said)
                self.assertIn(says, said)

    def test_full_and_closed_output(self):
        with open("/dev/full", "wb") as full:
            done = run("filter", "photo.png", "-o", "-", "--format", "png", *BOX, stdout=full, cwd=self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("standard output: cannot be written", done.stderr)

    def test_the_name_need_not_tell_the_format(self):
        self.succeed("filter", "photo.png", "-o", "picture", "--format", "ppm", *BOX)
        self.assertTrue((self.folder / "picture").read_bytes().startswith(b"P6"))


class Compression(CommandCase):
    def test_levels(self):
        write_png(self.folder / "photo.png", 300, 200, 3, 8, [zlib.crc32(bytes([i % 251, i // 600 % 256])) % 64 for i in range(180000)])
        sizes = []
        for level in ("0", "2", "9"):
            self.succeed("filter", "photo.png", "-o", "out.png", "--filter", "box:radius=0", "--compression", level)
            self.assertEqual(read_png(self.folder / "out.png"), read_png(self.folder / "photo.png"))
            sizes.append((self.folder / "out.png").stat().st_size)
        self.assertGreater(sizes[0], sizes[1])
        self.assertGreaterEqual(sizes[1], sizes[2])


if __name__ == "__main__":
    unittest.main()
