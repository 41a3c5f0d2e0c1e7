#!/usr/bin/env python3
"""Mistakes that people make, and the exact words that they get: mistakes.txt, to be read through.

A case is a command line and what it says on stderr, but for the device and for what was written all the same. After
changing a message, `mistakes_test.py --write` puts the new words there: read them as somebody would who sees them first."""
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

from support import HANGS, SCANLENS, contents, jpeg_bytes, write_png

TEXT = Path(__file__).with_name("mistakes.txt")
WIDTH, HEIGHT = 60, 40
LEFT_OUT = re.compile(r"device: |OpenGL: |.*: written\b|\d+ pictures?: ")
# Neither a window nor a job array of the machine that runs the test.
CLEAN = {key: value for key, value in os.environ.items() if not re.match(r"DISPLAY|WAYLAND|SLURM_|JOB_COMPLETION|PMI_|OMPI_", key)}


def npy(shape, value_of=lambda i: 1 + i):
    count = 1
    for side in shape:
        count *= side
    head = f"{{'descr': '<i4', 'fortran_order': False, 'shape': {shape}, }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    values = b"".join(value_of(i).to_bytes(4, "little") for i in range(count))
    return b"\x93NUMPY\1\0" + len(head).to_bytes(2, "little") + head.encode() + values


def make_files(folder):
    """What the mistakes are made with."""
    def picture(name, channels, bits, value_of, width=WIDTH, height=HEIGHT):
        places = ((x, y, c) for y in range(height) for x in range(width) for c in range(channels))
        write_png(folder / name, width, height, channels, bits, [value_of(*place) for place in places])

    for name in ("in", "broken", "nothing", "done"):
        (folder / name).mkdir()
    for name in ("photo.png", "plain.png", "a.png", "b.png", "in_1.png", "in_2.png", "in_3.png", "in/a.png", "in/b.png",
                 "broken/a.png", "done/a.png"):
        picture(name, 3, 8, lambda x, y, c: (4 * x + 3 * y * c) % 256)
    picture("cut_out.png", 4, 8, lambda x, y, c: 4 * x)
    picture("mm.png", 1, 16, lambda x, y, c: 2100 + 49 * x)  # from 2.1 to 5 m
    picture("midas.png", 1, 8, lambda x, y, c: 4 * x)
    picture("tall.png", 1, 8, lambda x, y, c: 4 * y, 40, 60)
    picture("black.png", 1, 16, lambda x, y, c: 0)
    picture("colours.png", 3, 8, lambda x, y, c: (4 * x, 0, 255 - 4 * x)[c])
    photo = (folder / "photo.png").read_bytes()
    (folder / "cut.png").write_bytes(photo[:len(photo) // 2])
    (folder / "broken/b.png").write_bytes(photo[:200])
    (folder / "cut.jpg").write_bytes(jpeg_bytes(64, 48, 200)[:-12])
    (folder / "empty.jpg").write_bytes(b"")
    (folder / "notes.txt").write_text("focus on the left teapot\n")
    (folder / "light.hdr").write_bytes(b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 3 +X 4\n" + b"\x80\x40\x20\x81" * 12)
    (folder / "vectors.npy").write_bytes(npy((HEIGHT, WIDTH, 2)))
    with zipfile.ZipFile(folder / "arrays.npz", "w") as archive:
        archive.writestr("left.npy", npy((HEIGHT, WIDTH)))
        archive.writestr("right.npy", npy((HEIGHT, WIDTH)))


def cases():
    """(command line, the lines that it says) of each mistake."""
    for part in TEXT.read_text().split("\n\n"):
        command, *said = [line for line in part.splitlines() if line and not line.startswith("# ")]
        assert command.startswith("$ scanlens "), command
        yield command[len("$ scanlens "):], said


def said_by(command, folder):
    done = subprocess.run([SCANLENS, *shlex.split(command)], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, encoding="utf-8", timeout=HANGS, env=CLEAN)
    return [line for line in done.stderr.splitlines() if not LEFT_OUT.match(line)], done.returncode


class Mistakes(unittest.TestCase):
    maxDiff = None

    def test_each_is_answered_so(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            make_files(folder)
            before = contents(folder)
            for command, expected in cases():
                with self.subTest(command):
                    said, code = said_by(command, folder)
                    self.assertEqual(said, expected)
                    refused = [line for line in said if line.startswith("scanlens: ") and not line.startswith("scanlens: warning: ")]
                    self.assertEqual(code != 0, bool(refused), f"exit code {code}")
                    after = contents(folder)
                    for name in sorted(after.keys() - before.keys(), reverse=True):
                        self.assertFalse(refused and "batch" not in command, f"{name} is written though it failed")
                        path = folder / name
                        path.rmdir() if path.is_dir() else path.unlink()
                    self.assertEqual({name: what for name, what in after.items() if name in before}, before)

    def test_they_are_many_and_each_is_its_own(self):
        commands = [command for command, _ in cases()]
        self.assertGreaterEqual(len(commands), 60)
        self.assertEqual(len(set(commands)), len(commands))


def write():
    with tempfile.TemporaryDirectory() as name:
        parts = TEXT.read_text().split("\n\n")
        for at, part in enumerate(parts):
            folder = Path(name) / str(at)
            folder.mkdir()
            make_files(folder)
            head = [line for line in part.splitlines() if line.startswith(("# ", "$ "))]
            parts[at] = "\n".join(head + said_by(head[-1][len("$ scanlens "):], folder)[0])
    TEXT.write_text("\n\n".join(parts) + "\n")


if __name__ == "__main__":
    write() if sys.argv[1:] == ["--write"] else unittest.main()
