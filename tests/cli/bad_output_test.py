#!/usr/bin/env python3
"""Results that cannot be written: no trace of them is left, and what was there before stays."""
import os
import random
import resource
import signal
import subprocess
import time
import unittest

from support import HANGS, SCANLENS, CommandCase, contents, png_bytes, require_opengl, without_root, write_png

DOF = ("dof", "photo.png", "--depth", "depth.png")
RENDER = ("render", "teapot", "--size", "64x40")


class BadOutput(CommandCase):
    def setUp(self):
        super().setUp()
        noise = random.Random(2)
        write_png(self.folder / "photo.png", 100, 60, 3, 8, [noise.randrange(256) for _ in range(18000)])
        write_png(self.folder / "depth.png", 100, 60, 1, 8, [x for _ in range(60) for x in range(100)])


class Place(BadOutput):
    def each_output(self, name, code, *says, **options):
        """As the output of every command that writes one."""
        for command in ((*DOF, "-o", name), ("compare", "photo.png", "--heatmap", name),
                        ("view", "photo.png", "--screenshot", name), (*RENDER, "-o", name),
                        (*RENDER, "-o", "other.png", "--sharp-out", name),
                        (*RENDER, "-o", "other.png", "--depth-out", name)):
            with self.subTest(command=command[0], option=command[-2], output=name):
                self.refuse(*command, "--quiet", code=code, says=(name, *says), **options)

    def test_missing_folder(self):
        self.each_output("nowhere/out.png", 1, "no such file or directory")

    def test_folder_that_is_a_file(self):
        self.each_output("photo.png/out.png", 1, "photo.png is not a folder")

    def test_read_only_folder(self):
        options = without_root(self)
        self.folder.chmod(0o777)  # for the other file
        (self.folder / "locked").mkdir(0o555)
        self.each_output("locked/out.png", 1, "not writable", "permission denied", **options)

    def test_directory(self):
        (self.folder / "album.png").mkdir()
        self.each_output("album.png", 1, "is a directory")

    def test_directory_without_extension(self):
        """It is refused for what it is, not for the extension that it has not."""
        for name in (str(self.folder), ".", "./"):
            self.refuse(*DOF, "-o", name, says=("is a directory",))
            self.refuse(*RENDER, "-o", "a.png", "--depth-out", name, says=("is a directory",))

    def test_standard_output_has_no_name(self):
        """--format is of the main output: what goes beside it takes a name."""
        for command in (("compare", "photo.png", "--heatmap", "-"), ("view", "photo.png", "--screenshot", "-"),
                        (*RENDER, "-o", "a.png", "--depth-out", "-")):
            with self.subTest(command=command[0]):
                self.refuse(*command, code=2, says=(command[-2], "takes the name of a file"))

    def test_standard_input_is_an_input(self):
        with open(self.folder / "photo.png", "rb") as photo:
            self.refuse("dof", "-", "--depth", "depth.png", "-o", "photo.png", says=("never overwritten",), stdin=photo)

    def test_unknown_extension(self):
        for name in ("out.psd", "out.jp2", "out", "out.png.bak", ".png", "out.", "out.png~"):
            self.each_output(name, 2, "written as")
        self.each_output("out.bmp", 2, "written as")
        self.refuse(*RENDER, "-o", "out.png", "--depth-out", "depth.jpg", code=2, says=("depth.jpg", "written as"))

    def test_name_too_long(self):
        self.refuse(*DOF, "-o", "x" * 300 + ".png", "--quiet", says=("file name too long",))

    def test_devices_and_pipes(self):
        """A name without extension is refused for that; a link with one leads to the device."""
        os.mkfifo(self.folder / "pipe.png")
        self.refuse(*DOF, "-o", "pipe.png", "--quiet", says=("pipe.png: nobody reads from this pipe",))
        for device in ("/dev/full", "/dev/null"):
            link = device[5:] + ".png"
            os.symlink(device, self.folder / link)
            self.each_output(link, 1, "not a regular file")
            self.each_output(device, 2, "written as")

    def test_dangling_link(self):
        os.symlink("gone/out.png", self.folder / "dangling.png")
        self.each_output("dangling.png", 1, "leads nowhere")

    def test_an_input_is_never_overwritten(self):
        os.link(self.folder / "photo.png", self.folder / "hard.png")
        os.symlink("photo.png", self.folder / "soft.png")
        os.symlink(self.folder / "soft.png", self.folder / "softer.png")
        (self.folder / "sub").mkdir()
        for name in ("photo.png", "./photo.png", "sub/../photo.png", str(self.folder / "photo.png"), "hard.png", "soft.png",
                     "softer.png"):
            for command in ((*DOF, "-o", name), ("compare", "photo.png", "--heatmap", name),
                            ("view", "photo.png", "--screenshot", name)):
                with self.subTest(command=command[0], output=name):
                    self.refuse(*command, says=(name, "never overwritten"))

    def test_nor_is_the_depth_map(self):
        os.link(self.folder / "depth.png", self.folder / "hard.png")
        for name in ("depth.png", "./depth.png", "hard.png"):
            for command in ((*DOF, "-o", name), ("view", "photo.png", "--depth", "depth.png", "--screenshot", name)):
                with self.subTest(command=command[0], output=name):
                    self.refuse(*command, says=(name, "never overwritten"))

    def test_two_outputs_in_one_file(self):
        """The second would replace the first without a word."""
        for names in (("a.png", "--sharp-out", "a.png"), ("a.png", "--depth-out", "./a.png"),
                      ("b.png", "--sharp-out", "a.png", "--depth-out", "a.png")):
            with self.subTest(names=names):
                self.refuse(*RENDER, "-o", *names, code=2, says=("different files",))

    def test_nothing_is_rendered_for_options_that_cannot_be(self):
        for i, options in enumerate((("--focus-at", "500,500"), ("--blur", "3", "--f-number", "2"), ("--blur", "-1"))):
            with self.subTest(options=options):
                self.refuse(*RENDER, "-o", f"{i}.png", "--sharp-out", f"{i}_sharp.png", "--depth-out", f"{i}_depth.png",
                            *options, code=2, says=(options[0].strip("-"),))


class Existing(BadOutput):
    """What stands where a result is to be written."""
    WRITERS = (("-o", DOF), ("-o", ("filter", "photo.png", "--filter", "box:radius=2")), ("--heatmap", ("compare", "photo.png")))

    def setUp(self):
        super().setUp()
        self.out = self.folder / "out.png"
        self.out.write_bytes(b"an older result")

    def test_no_clobber(self):
        for option, command in self.WRITERS:
            with self.subTest(command=command[0]):
                done = self.refuse(*command, option, "out.png", "--no-clobber", says=("out.png", "exists", "--no-clobber"))
                self.assertEqual(len(done.stderr.splitlines()), 1, "before the work")
                self.succeed(*command, option, "new.png", "--no-clobber")
                (self.folder / "new.png").unlink()
                self.succeed(*command, option, "out.png")
        self.refuse(*DOF, "-o", "out.png", "--no-clobber", "--force", code=2, says=("--no-clobber", "--force"))

    def test_no_clobber_of_other_outputs(self):
        for command in ((*RENDER, "-o", "out.png"), (*RENDER, "-o", "a.png", "--sharp-out", "out.png"),
                        (*RENDER, "-o", "a.png", "--depth-out", "out.png"), ("view", "photo.png", "--screenshot", "out.png")):
            with self.subTest(command=command):
                self.refuse(*command, "--no-clobber", says=("out.png", "--no-clobber"))
        self.out.rename(self.folder / "out.svg")
        self.refuse("bench", "scan", "--plot", "out.svg", "--no-clobber", says=("out.svg", "--no-clobber"))

    def test_read_only(self):
        self.out.chmod(0o444)
        for option, command in self.WRITERS:
            with self.subTest(command=command[0]):
                done = self.refuse(*command, option, "out.png", says=("out.png", "read-only", "--force"))
                self.assertEqual(len(done.stderr.splitlines()), 1, "before the work")
        for option, command in self.WRITERS:
            self.out.unlink()
            self.out.write_bytes(b"an older result")
            self.out.chmod(0o444)
            self.succeed(*command, option, "out.png", "--force")
            self.assertEqual(self.out.stat().st_mode & 0o777, 0o444, "and stays so")
            self.assertTrue(self.out.read_bytes().startswith(b"\x89PNG"))


class Content(BadOutput):
    def test_found_before_the_work(self):
        write_png(self.folder / "alpha.png", 100, 60, 4, 8, bytes(24000))
        for command in (("dof", "alpha.png", "--depth", "depth.png"), ("filter", "alpha.png", "--filter", "box:radius=2")):
            done = self.refuse(*command, "-o", "out.jpg", "--max-memory", "100MB", says=("out.jpg", "alpha"))
            self.assertNotIn("written", done.stderr)
        self.refuse("dof", "alpha.png", "--depth", "depth.png", "-o", "out.jpg", "--max-memory", "1MB", says=("alpha",))

    def test_jpeg_has_no_alpha(self):
        write_png(self.folder / "alpha.png", 8, 8, 4, 8, bytes(range(256)))
        for name in ("out.jpg", "out.jpeg", "OUT.JPG"):
            self.refuse_twice("dof", "alpha.png", "--depth", "depth.png", "-o", name, output=name,
                              says=(name, "alpha", ".png"))

    def test_jpeg_is_not_that_wide(self):
        write_png(self.folder / "wide.png", 65501, 1, 1, 8, bytes(65501))
        self.refuse("dof", "wide.png", "--depth", "depth.png", "-o", "out.jpg", "--blur", "1",
                    says=("out.jpg", "65500", ".png"))


class FullDisk(BadOutput):
    def test_file_size_limit(self):
        options = dict(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)))
        for name in ("out.png", "out.jpg"):
            self.refuse_twice(*DOF, "-o", name, output=name, says=(name, "file too large"), **options)

    def test_file_size_limit_of_a_rendering(self):
        require_opengl()
        options = dict(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500)),
                       env={**os.environ, "MESA_SHADER_CACHE_DISABLE": "true"})  # it, too, writes files
        for outputs in (("-o", "out.png"), ("-o", "other.png", "--sharp-out", "out.png"),
                        ("-o", "other.png", "--depth-out", "out.png")):
            self.refuse(*RENDER, *outputs, says=("out.png", "file too large"), **options)

    def test_full_file_system(self):
        small = self.folder / "small"
        small.mkdir()
        if os.geteuid() != 0:
            self.skipTest("only root may mount a small file system")
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "none", small], capture_output=True, text=True)
        if mounted.returncode != 0:
            self.skipTest("no file system can be mounted here: " + mounted.stderr.strip())
        self.addCleanup(subprocess.run, ["umount", small], check=True)
        for name in ("small/out.png", "small/out.jpg"):
            self.refuse_twice(*DOF, "-o", name, "--blur", "0", output=name, says=(name, "no space left on device"))
        self.assertEqual(sorted(os.listdir(small)), [])
        self.refuse(*DOF, "-o", "small/out.png", "--blur", "0", says=("no space left",))
        self.succeed("dof", "depth.png", "--depth", "depth.png", "-o", "small/out.png")

    def test_standard_output(self):
        """Results that go there are as good as lost when it does not take them."""
        def full():
            os.dup2(os.open("/dev/full", os.O_WRONLY), 1)

        def without_reader():
            reader, writer = os.pipe()
            os.close(reader)
            os.dup2(writer, 1)

        def closed():
            os.close(1)

        def deaf_without_reader():
            signal.signal(signal.SIGPIPE, signal.SIG_IGN)
            without_reader()

        for state in (full, deaf_without_reader, closed):
            for args in (("compare", "photo.png", "--json"), ("compare", "photo.png"), ("info", "--json"), ("info",),
                         ("--version",), ("--help",), ("dof", "--help")):
                with self.subTest(state=state.__name__, args=args):
                    done = self.run_here(*args, stdout=subprocess.DEVNULL, preexec_fn=state)
                    self.assertEqual(done.returncode, 1, done.stderr)
                    self.assertIn("standard output cannot be written", done.stderr)
        for args in (("compare", "photo.png", "--quiet"), ("info",), ("--version",), ("bench", "--help")):
            with self.subTest(state="without a reader", args=args):
                done = self.run_here(*args, stdout=subprocess.DEVNULL, preexec_fn=without_reader)
                self.assertEqual(done.returncode, -signal.SIGPIPE, done.stderr)
                self.assertEqual(done.stderr, "")

    def test_closed_streams_do_not_end_in_the_picture(self):
        """A file opened while stream 2 is closed gets its number; no message may go there."""
        self.succeed(*DOF, "-o", "usual.png")
        self.succeed(*DOF, "-o", "out.png", preexec_fn=lambda: [os.close(stream) for stream in (0, 1, 2)])
        self.assertEqual((self.folder / "out.png").read_bytes(), (self.folder / "usual.png").read_bytes())


class Killed(BadOutput):
    """At any moment: the old file or the new one, whole, and nothing beside it."""

    def setUp(self):
        super().setUp()
        side = 1500
        (self.folder / "large.png").write_bytes(png_bytes(side, side, 3, 8, os.urandom(side * side * 3)))
        self.command = [SCANLENS, "dof", "large.png", "--depth", "depth.png", "-o", "out.png", "--blur", "9"]

    def start(self):
        # A shell starts background jobs deaf to SIGINT, and the program would respect that.
        return subprocess.Popen(self.command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))

    def test_signals(self):
        start = time.monotonic()
        self.assertEqual(self.start().wait(HANGS), 0)
        duration = time.monotonic() - start
        whole = (self.folder / "out.png").read_bytes()
        steps, ended = 14, []
        for i in range(steps):
            number = (signal.SIGTERM, signal.SIGINT)[i % 2]
            old = b"an older result" if i % 4 < 2 else None
            (self.folder / "out.png").unlink(missing_ok=True)
            if old:
                (self.folder / "out.png").write_bytes(old)
            before = contents(self.folder)
            process = self.start()
            time.sleep(duration * 1.05 * i / (steps - 1))
            process.send_signal(number)
            code = process.wait(HANGS)
            with self.subTest(signal=number.name, after=f"{i}/{steps - 1} of its time"):
                self.assertIn(code, (0, -number))
                after = contents(self.folder)
                found = after.pop("out.png", (None, None))[1]
                before.pop("out.png", None)
                self.assertEqual(after, before, "no temporary file, and the inputs as they were")
                self.assertTrue(found == whole or (found == old and code != 0), "neither the old file nor the new one")
            ended.append(code)
        self.assertIn(-signal.SIGTERM, ended, "at least one run was interrupted")


if __name__ == "__main__":
    unittest.main()
