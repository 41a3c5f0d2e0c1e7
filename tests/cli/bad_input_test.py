#!/usr/bin/env python3
"""Files that cannot be read: each has its own message and exit code, and leaves no trace."""
import math
import os
import random
import resource
import struct
import unittest
import zlib

from support import (PNG_SIGNATURE, CommandCase, facts, jpeg_bytes, limited, pfm_bytes, png_bytes, png_chunk,
                     png_header, require_opengl, without_root, write_png)

WIDTH, HEIGHT = 40, 30


class BadFile(CommandCase):
    def setUp(self):
        super().setUp()
        noise = random.Random(1)
        self.good = png_bytes(WIDTH, HEIGHT, 3, 8, [noise.randrange(256) for _ in range(WIDTH * HEIGHT * 3)])
        self.depth = png_bytes(WIDTH, HEIGHT, 1, 8, [noise.randrange(256) for _ in range(WIDTH * HEIGHT)])
        self.write("photo.png", self.good)
        self.write("depth.png", self.depth)

    def write(self, name, data):
        (self.folder / name).write_bytes(data)

    def refuse_picture(self, name, *says, code=1, **options):
        """By every command that reads a picture."""
        for command in (["dof", name, "--depth", "depth.png", "-o", "out.png"],
                        ["compare", name, "--heatmap", "out.png"],
                        ["view", name, "--screenshot", "out.png"]):
            with self.subTest(command=command[0], file=name):
                self.refuse_twice(*command, "--quiet", output="out.png", code=code, says=(name, *says), **options)

    def refuse_depth(self, name, *says, code=1, **options):
        for command in (["dof", "photo.png", "--depth", name, "-o", "out.png"],
                        ["view", "photo.png", "--depth", name, "--screenshot", "out.png"]):
            with self.subTest(command=command[0], depth=name):
                self.refuse_twice(*command, "--quiet", output="out.png", code=code, says=(name, *says), **options)

    def refuse_both(self, name, *says, **options):
        self.refuse_picture(name, *says, **options)
        self.refuse_depth(name, *says, **options)


class NotAFile(BadFile):
    def test_missing(self):
        self.refuse_both("missing.png", "no such file")

    def test_missing_folder(self):
        self.refuse_both("nowhere/photo.png", "no such file")

    def test_a_file_as_folder(self):
        self.refuse_both("photo.png/photo.png", "not a directory")

    def test_directory(self):
        """Of pictures, `view` takes one for an album."""
        (self.folder / "album.png").mkdir()
        self.refuse_depth("album.png", "is a directory")
        for command in (["dof", "album.png", "--depth", "depth.png", "-o", "out.png"],
                        ["compare", "album.png", "--heatmap", "out.png"]):
            self.refuse_twice(*command, "--quiet", output="out.png", says=("album.png", "is a directory"))
        self.refuse("view", "album.png", "--screenshot", "out.png", says=("album.png", "no pictures"))

    def test_device(self):
        self.refuse_both("/dev/zero", "is a device")

    def test_dangling_and_circular_links(self):
        os.symlink("gone.png", self.folder / "dangling.png")
        os.symlink("circle.png", self.folder / "circle.png")
        self.refuse_both("dangling.png", "no such file")
        self.refuse_both("circle.png", "symbolic link")

    def test_no_permission(self):
        options = without_root(self)
        (self.folder / "secret.png").write_bytes(self.good)
        (self.folder / "secret.png").chmod(0)
        for args in (["compare", "secret.png"], ["compare", "secret.png", "--json"]):
            self.refuse(*args, says=("secret.png", "permission denied"), **options)


class BrokenPicture(BadFile):
    def test_empty(self):
        self.write("empty.png", b"")
        self.refuse_both("empty.png", "the file is empty")

    def test_text(self):
        self.write("text.png", b"This is no picture.\n" * 20)
        self.refuse_picture("text.png", "not a picture in a known format")
        self.refuse_depth("text.png", "not a depth map in a known format")

    def test_truncated_png(self):
        for length in (9, 20, 33, 45, len(self.good) // 2, len(self.good) - 13, len(self.good) - 4, len(self.good) - 1):
            with self.subTest(length=length):
                self.write("short.png", self.good[:length])
                self.refuse_both("short.png", "PNG", "truncated")

    def test_signature_alone(self):
        self.write("head.png", PNG_SIGNATURE)
        self.refuse_both("head.png", "truncated")
        self.write("head.png", PNG_SIGNATURE[:4])
        self.refuse_picture("head.png", "not a picture")

    def test_truncated_jpeg(self):
        jpeg = jpeg_bytes(64, 48, 200)
        self.write("whole.jpg", jpeg)
        self.succeed("compare", "whole.jpg")
        for length in (4, 20, 75, len(jpeg) - 50, len(jpeg) - 20, len(jpeg) - 3, len(jpeg) - 2):
            with self.subTest(length=length, of=len(jpeg)):
                self.write("short.jpg", jpeg[:length])
                self.refuse_picture("short.jpg", "JPEG", "truncated")

    def test_png_checksums(self):
        comment = png_chunk(b"tEXt", b"Comment\0hello")
        whole = self.good[:33] + comment + self.good[33:]
        self.write("whole.png", whole)
        self.succeed("compare", "whole.png")
        last_of = {"header": 32, "comment": 32 + len(comment), "pixels": len(whole) - 13, "end": len(whole) - 1}
        for chunk, at in last_of.items():
            with self.subTest(chunk=chunk):
                self.write("crc.png", whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
                self.refuse_picture("crc.png", "corrupt", "CRC")

    def test_png_whose_pixels_do_not_unpack(self):
        end = png_chunk(b"IEND", b"")
        rows = b"".join(b"\0" + bytes(40) for _ in range(30))
        packed = zlib.compress(rows)
        for name, data in {"garbage": b"\x55" * 200, "empty": b"", "short": zlib.compress(rows[: len(rows) // 2]),
                           "cut": packed[: len(packed) - 6], "filter": zlib.compress(b"\x09" + rows[1:])}.items():
            with self.subTest(pixels=name):
                self.write("bad.png", png_header(40, 30, 8, 0) + png_chunk(b"IDAT", data) + end)
                self.refuse_both("bad.png", "PNG data is")

    def test_png_headers_that_cannot_be(self):
        rest = self.good[33:]
        for width, height, bits, color_type in ((0, 30, 8, 2), (40, 0, 8, 2), (40, 30, 3, 2), (40, 30, 8, 5),
                                                (1 << 31, 30, 8, 2), (40, 30, 16, 3)):
            with self.subTest(width=width, height=height, bits=bits, color_type=color_type):
                self.write("odd.png", png_header(width, height, bits, color_type) + rest)
                self.refuse_both("odd.png", "corrupt")


class TooLarge(BadFile):
    def test_announced_in_the_header(self):
        self.write("huge.png", png_header(40000, 40000, 8, 2) + self.good[33:])
        self.refuse_both("huge.png", "40000 x 40000", "--max-pixels")

    def test_decompression_bomb(self):
        side = 10000
        bomb = zlib.compress(bytes((side + 1) * side), 9)
        self.assertGreater(side * side / len(bomb), 900)
        self.write("bomb.png", png_header(side, side, 8, 0) + png_chunk(b"IDAT", bomb) + png_chunk(b"IEND", b""))
        # The bomb's memory is not spent: 100 MB would not fit beside the program.
        options = dict(preexec_fn=limited(resource.RLIMIT_DATA, 90 << 20))
        self.refuse("compare", "bomb.png", "--device", "cpu", says=("bomb.png", "decompression bomb"), **options)
        self.refuse("dof", "photo.png", "--depth", "bomb.png", "-o", "out.png", "--device", "cpu", "--quiet",
                    says=("bomb.png", "decompression bomb"), **options)

    def test_truncated_and_no_bomb(self):
        """A large header with little behind it, row by row and whole."""
        for name, header in (("a.pgm", b"P5\n20000 20000\n255\n"), ("a.png", png_header(20000, 20000, 8, 0)),
                             ("a.pfm", b"Pf\n20000 20000\n-1\n")):
            self.write(name, header + b"some")
            for command in (("filter", name, "-o", "out.png", "--filter", "box:radius=2"), ("compare", name)):
                with self.subTest(file=name, command=command[0]):
                    self.refuse(*command, says=(name, "truncated"))

    def test_max_pixels(self):
        for most in ("1", "1199"):
            for command in (["dof", "photo.png", "--depth", "depth.png", "-o", "out.png"], ["compare", "photo.png"],
                            ["view", "photo.png", "--screenshot", "out.png"]):
                self.refuse_twice(*command, "--max-pixels", most, "--quiet", output="out.png",
                                  says=("photo.png", "40 x 30", "--max-pixels"))
        self.succeed("compare", "photo.png", "--max-pixels", "1200")

    def test_max_pixels_holds_for_depth_too(self):
        write_png(self.folder / "wide.png", 80, 30, 1, 8, bytes(2400))
        self.refuse("dof", "photo.png", "--depth", "wide.png", "-o", "out.png", "--max-pixels", "2000",
                    says=("wide.png", "80 x 30", "--max-pixels"))

    def test_max_memory(self):
        """Too little for anything, for the picture, for its last byte, and for the work on it."""
        for most in ("1", "1000", "3599b", "9KB"):
            for command in (["dof", "photo.png", "--depth", "depth.png", "-o", "out.png"],
                            ["compare", "photo.png", "--heatmap", "out.png"],
                            ["view", "photo.png", "--depth", "depth.png", "--screenshot", "out.png"]):
                # The map's jumps move along the photo's edges before anything else is done.
                name = "depth.png" if most == "9KB" and "--depth" in command else "photo.png"
                with self.subTest(command=command[0], most=most):
                    self.refuse_twice(*command, "--max-memory", most, "--quiet", output="out.png", code=75,
                                      says=(name, "--max-memory"))
        self.succeed("dof", "photo.png", "--depth", "depth.png", "-o", "out.png", "--max-memory", "1MB")

    def test_max_memory_through_opengl(self):
        """Where the CPU does all of it, textures and the result take 16 bytes a pixel and the table twice 16; on a GPU
        that makes the table, it is less in all."""
        require_opengl()
        width, height = 2000, 1400
        self.write("large.png", png_bytes(width, height, 3, 8, os.urandom(width * height * 3)))
        command = ("dof", "large.png", "--depth", "depth.png", "-o", "out.png", "--renderer", "gl", "--quality", "draft",
                   "--blur", "10", "--max-memory")
        self.refuse(*command, str(20 * width * height), code=75, says=("large.png", "--max-memory"))
        self.succeed(*command, str(60 * width * height))

    def test_max_memory_of_a_rendering(self):
        require_opengl()
        self.refuse("render", "teapot", "--size", "160x100", "-o", "out.png", "--max-memory", "1000", code=75,
                    says=("--max-memory",))
        enough_without_table = (30 if facts()["opengl"]["software"] else 16) * 800 * 600
        command = ("render", "teapot", "--size", "800x600", "-o", "out.png", "--quality", "draft", "--max-memory")
        self.refuse(*command, str(enough_without_table), code=75, says=("--size 800x600", "focus at", "--max-memory"))
        self.succeed(*command, str(60 * 800 * 600))

    def test_memory_that_the_system_refuses(self):
        side = 3000
        self.write("large.png", png_bytes(side, side, 1, 8, os.urandom(side * side)))
        for megabytes in (32, 64):
            with self.subTest(megabytes=megabytes):
                self.refuse("dof", "large.png", "--depth", "depth.png", "-o", "out.png", "--device", "cpu", "--quiet",
                            code=75, says=("memory",), preexec_fn=limited(resource.RLIMIT_DATA, megabytes << 20))

    def test_threads_that_the_system_refuses(self):
        """The work is done by fewer; more jobs than it allows are so many at most."""
        allowed = lambda: resource.setrlimit(resource.RLIMIT_NPROC, (3, 3))
        options = dict(preexec_fn=allowed, **without_root(self))
        (self.folder / "out").mkdir()
        (self.folder / "out").chmod(0o777)
        done = self.succeed("dof", "photo.png", "--depth", "depth.png", "-o", "out/out.png", "--device", "cpu", **options)
        cores = len(os.sched_getaffinity(0))
        if cores > 3:
            self.assertIn(f"1 of {cores} threads", done.stderr)
        done = self.run_here("batch", "photo.png", "out", "--filter", "box:radius=2", "--jobs", "200", **options)
        self.assertEqual(done.returncode, 0, done.stderr)


class NotADepthMap(BadFile):
    def test_color_map(self):
        self.refuse_depth("photo.png", "colour-mapped picture, not a depth map")

    def test_nothing_known(self):
        self.write("unknown.png", png_bytes(WIDTH, HEIGHT, 1, 16, [0] * (WIDTH * HEIGHT)))
        self.write("inf.pfm", pfm_bytes(WIDTH, HEIGHT, [math.inf] * (WIDTH * HEIGHT)))
        self.write("nan.pfm", pfm_bytes(WIDTH, HEIGHT, [math.nan] * (WIDTH * HEIGHT)))
        for name in ("unknown.png", "inf.pfm", "nan.pfm"):
            self.refuse_depth(name, "no known pixel")

    def test_truncated_pfm(self):
        whole = pfm_bytes(WIDTH, HEIGHT, [1.0] * (WIDTH * HEIGHT))
        header = whole.index(b"-1.0\n") + 5
        for length in (header, header + 1, len(whole) // 2, len(whole) - 4, len(whole) - 1):
            self.write("short.pfm", whole[:length])
            self.refuse_depth("short.pfm", "truncated")
        self.write("long.pfm", whole + b"\0")
        self.assertIn("1 byte behind its pixels is left out", self.succeed("depth", "long.pfm").stderr)

    def test_pfm_headers(self):
        pixel = struct.pack("<f", 1)
        for header, cause in ((b"Pf\n", "corrupt"), (b"Pf\n40\n", "corrupt"), (b"Pf\n40 x\n-1\n", "corrupt"),
                              (b"Pf\n40 30\nsmall\n", "corrupt"), (b"Pf\n0 30\n-1.0\n", "0 x 30"),
                              (b"Pf\n-40 -30\n-1.0\n", "-40 x -30"), (b"Pf\n100000 100000\n-1.0\n", "--max-pixels"),
                              (b"Pf\n40 30\n0\n", "scale"), (b"Pf\n40 30\nnan\n", "scale"),
                              (b"PF\n40 30\n-1.0\n", "truncated")):
            with self.subTest(header=header):
                self.write("odd.pfm", header + pixel * 3)
                self.refuse_depth("odd.pfm", cause)



if __name__ == "__main__":
    unittest.main()
