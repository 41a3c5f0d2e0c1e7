#!/usr/bin/env python3
"""What commands say beside their results: warnings, accounts as JSON, progress, and names that terminals can show."""
import json
import os
import pty
import select
import signal
import subprocess
import time
import unittest

from support import HANGS, SCANLENS, CommandCase, require_opengl, write_png

DOF = ("dof", "photo.png", "--depth", "depth.png", "-o", "out.png", "--focal-length", "200")


class Talk(CommandCase):
    def setUp(self):
        super().setUp()
        write_png(self.folder / "photo.png", 40, 30, 3, 8, [i % 251 for i in range(3600)])
        write_png(self.folder / "depth.png", 40, 30, 1, 16, [1000 + i for i in range(1200)])
        write_png(self.folder / "tall.png", 30, 40, 1, 16, [1000 + i for i in range(1200)])  # which is warned of


class Warnings(Talk):
    COMMAND = ("dof", "photo.png", "--depth", "tall.png", "-o", "out.png", "--focal-length", "200")

    def test_quiet_hides_talk_and_no_warning(self):
        talk = self.succeed(*self.COMMAND).stderr.splitlines()
        warnings = [line for line in talk if line.startswith("scanlens: warning: ")]
        self.assertEqual(len(warnings), 1)
        self.assertGreater(len(talk), 3)
        self.assertEqual(self.succeed(*self.COMMAND, "--quiet").stderr.splitlines(), warnings)
        self.assertEqual(self.succeed("--quiet", *self.COMMAND).stderr.splitlines(), warnings)
        self.assertEqual(self.succeed(*DOF, "--quiet").stderr, "")

    def test_strict_makes_them_errors(self):
        for command in ((*self.COMMAND, "--strict"), ("--strict", *self.COMMAND)):
            for more in ((), ("--quiet",)):
                (self.folder / "out.png").unlink(missing_ok=True)
                self.refuse(*command, *more, says=("tall.png", "--strict"))
        self.succeed(*DOF, "--strict")

    def test_they_are_said_before_the_error_that_follows(self):
        (self.folder / "photo.hdr").write_bytes(b"#?RADIANCE\nEXPOSURE=-1\n\n-Y 1 +X 2\n" + bytes([128, 128, 128, 129]) * 2)
        (self.folder / "broken.png").write_bytes(b"no picture")
        command = ("dof", "photo.hdr", "--depth", "broken.png", "-o", "out.hdr", "--quiet")
        said = self.refuse(*command, code=2).stderr.splitlines()
        self.assertEqual(len(said), 2)
        self.assertIn("warning: photo.hdr: the header's EXPOSURE", said[0])
        self.assertIn("broken.png", said[1])
        self.assertEqual(self.refuse(*command, "--json", code=2).stderr.splitlines(), said)
        self.refuse(*command, "--strict", says=("EXPOSURE", "--strict"))


class Account(Talk):
    def account(self, *command):
        done = self.succeed(*command, "--json", "--verbose")
        facts = json.loads(done.stdout)  # and nothing but JSON
        self.assertTrue(done.stderr, "talk goes on beside it")
        quiet = self.succeed(*command, "--json", "--quiet")
        self.assertEqual(json.loads(quiet.stdout).keys(), facts.keys())
        self.assertEqual(facts["command"], command[0])
        self.assertIn(facts["device"].split(":")[0], ("cpu", "cuda"))
        self.assertTrue(all(time >= 0 for time in facts["ms"].values()))
        self.assertGreater(sum(facts["ms"].values()), 0)
        for line in facts["assumed"]:
            if line.isascii():  # the terminal is shown an escape for what is not
                self.assertIn(line, done.stderr.splitlines())
        return facts

    def test_dof(self):
        facts = self.account(*DOF)
        self.assertEqual(list(facts), ["command", "input", "output", "device", "depth", "depth_map", "focus", "unit", "largest_blur",
                                       "lens", "width", "height", "channels", "bits", "version", "assumed", "warnings", "ms"])
        self.assertEqual((facts["input"], facts["depth"], facts["output"]), ("photo.png", "depth.png", "out.png"))
        self.assertEqual(list(facts["ms"]), ["start", "decode", "depth", "blur", "encode"])
        self.assertTrue(any("millimetres" in line for line in facts["assumed"]))
        self.assertEqual(facts["warnings"], [])

    def test_verbose_tells_the_steps(self):
        last = self.succeed(*DOF, "--verbose").stderr.splitlines()[-1]
        self.assertRegex(last, r"^out.png: written; start \d+, decode \d+, depth \d+, blur \d+, encode \d+ ms; \d+ in all$")

    def test_auto_takes_the_cpu_for_a_small_picture(self):
        for words, says in (((), True), (("--quality", "draft"), False), (("--device", "cpu"), False)):
            facts = self.account(*DOF, *words)
            self.assertEqual(any(line.startswith("--device auto takes the CPU") for line in facts["assumed"]), says, words)

    def test_warnings(self):
        facts = self.account(*Warnings.COMMAND)
        self.assertEqual(len(facts["warnings"]), 1)
        self.assertIn("tall.png", facts["warnings"][0])

    def test_filter(self):
        facts = self.account("filter", "photo.png", "-o", "out.png", "--filter", "box:radius=2")
        self.assertEqual((facts["input"], facts["filters"], facts["output"]), ("photo.png", ["box:radius=2"], "out.png"))
        self.assertEqual(list(facts["ms"]), ["start", "decode", "filter", "encode"])

    def test_render(self):
        require_opengl()
        facts = self.account("render", "teapot", "--size", "64x40", "-o", "out.png", "--depth-out", "out.pfm")
        self.assertEqual((facts["input"], facts["output"], facts["depth_out"]), ("teapot", "out.png", "out.pfm"))
        self.assertTrue(facts["opengl"])
        self.assertEqual(set(facts["ms"]), {"render", "blur", "encode"})

    def test_errors_print_nothing(self):
        self.refuse("dof", "absent.png", "--depth", "depth.png", "-o", "out.png", "--json", says=("absent.png",))
        self.refuse(*DOF, "--json", "--focus", "near", code=2, says=("--focus",))

    def test_file_name_that_is_not_unicode(self):
        name = os.fsdecode(b"caf\xe9.png")
        (self.folder / "photo.png").rename(self.folder / name)
        self.account("dof", name, *DOF[2:])


class Names(Talk):
    NAME = os.fsdecode(b"two\nlines\x1b[31m\t\x9b\xc2\x9b\x7f \xc3\xa4.png")
    SHOWN = r"two\nlines\x1b[31m\t\x9b\xc2\x9b\x7f ä.png"

    def test_control_characters_are_escaped(self):
        for command in (("dof", self.NAME, *DOF[2:]), ("compare", self.NAME), (self.NAME,), ("--" + self.NAME,),
                        ("dof", "--" + self.NAME), (*DOF, self.NAME)):
            with self.subTest(command=command):
                done = self.run_here(*command, "--quiet")
                self.assertIn(self.SHOWN, done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1, "one line")

    def test_in_talk_and_tables(self):
        (self.folder / "photo.png").rename(self.folder / self.NAME)
        done = self.succeed("dof", self.NAME, *DOF[2:])
        self.assertIn(f"{self.SHOWN}: 40 x 30 RGB", done.stderr)
        self.assertIn(f"{self.SHOWN}: 40 x 30 RGB", self.succeed("compare", self.NAME).stdout)


class Progress(Talk):
    SHOWS = rb"\r\x1b\[K[a-z]+: \d+ %, \d+ (s|min|h) left"

    def start(self, *command):
        """The process, and the terminal that its stderr is."""
        terminal, stderr = pty.openpty()
        process = subprocess.Popen([SCANLENS, *command], cwd=self.folder, stdin=subprocess.DEVNULL, stderr=stderr,
                                   stdout=subprocess.DEVNULL, env={**os.environ, "TERM": "xterm"})
        os.close(stderr)
        self.addCleanup(os.close, terminal)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process, terminal

    def read(self, terminal, until=None):
        text, end = b"", time.monotonic() + HANGS
        while time.monotonic() < end and not (until and until in text):
            if not select.select([terminal], [], [], 1)[0]:
                continue
            try:
                text += os.read(terminal, 4096)
            except OSError:  # closed on the other side
                break
        return text

    def write_tall(self, rows):
        (self.folder / "tall.pgm").write_bytes(b"P5\n1 %d\n255\n" % rows + bytes(rows))

    def test_filter(self):
        """So many rows as take two to three seconds here, one by one."""
        command = ("filter", "tall.pgm", "-o", "out.pgm", "--filter", "box:radius=1", "--band", "1", "--device", "cpu")
        rows = 200_000
        self.write_tall(rows)
        start = time.monotonic()
        self.succeed(*command)
        self.write_tall(int(rows * 2.5 / (time.monotonic() - start)))
        quiet = self.start(*command[:3], "quiet.pgm", *command[4:], "--quiet")
        shown = self.start(*command)
        text = self.read(shown[1])
        self.assertEqual(shown[0].wait(HANGS), 0)
        self.assertRegex(text, self.SHOWS)
        lines = text.split(b"\r\n")
        self.assertTrue(lines[-2].split(b"\x1b[K")[-1].startswith(b"out.pgm: written"), "progress is erased")
        self.assertEqual(self.read(quiet[1]), b"")
        self.assertEqual(quiet[0].wait(HANGS), 0)
        self.assertNotIn("\r", self.succeed(*command).stderr, "nothing where nobody looks")

    def test_stages(self):
        """Decoding waits for a pipe, which gives nothing until the stage is named."""
        os.mkfifo(self.folder / "pipe")
        process, terminal = self.start("dof", "pipe", *DOF[2:])
        with open(self.folder / "pipe", "wb") as pipe:
            text = self.read(terminal, until=b"decode ...")
            self.assertIn(b"\r\x1b[Kdecode ...", text)
            pipe.write((self.folder / "photo.png").read_bytes())
        text = self.read(terminal)
        self.assertEqual(process.wait(HANGS), 0)
        self.assertTrue(text.startswith(b"\r\x1b[Kdevice: "), text)
        self.assertIn(b"\r\npipe: 40 x 30 RGB", text)

    def test_short_stages_of_long_work(self):
        """Once a second has passed, stages that take less are named, too."""
        os.mkfifo(self.folder / "pipe")
        write_png(self.folder / "large.png", 3000, 2000, 3, 8, bytes(range(250)) * 72000)
        process, terminal = self.start("dof", "pipe", *DOF[2:], "--quality", "best")
        with open(self.folder / "pipe", "wb") as pipe:
            self.read(terminal, until=b"decode ...")
            pipe.write((self.folder / "large.png").read_bytes())
        text = self.read(terminal)
        self.assertEqual(process.wait(HANGS), 0)
        self.assertIn(b"\r\x1b[Kblur ...", text)

    def test_a_scene(self):
        require_opengl()
        process, terminal = self.start("render", "teapot", "--size", "2400x1800", "--quality", "best", "-o", "out.png")
        begin = time.monotonic()
        text = self.read(terminal)
        self.assertEqual(process.wait(HANGS), 0)
        if time.monotonic() - begin < 2:
            self.skipTest("this machine is too fast for anybody to wait")
        self.assertRegex(text, rb"\r\x1b\[K(render|blur|encode) \.\.\.")

    def test_reference(self):
        require_opengl()
        process, terminal = self.start("render", "teapot", "--size", "16x16", "--reference", "100000", "-o", "out.png")
        self.assertRegex(self.read(terminal, until=b" left"), self.SHOWS)
        process.send_signal(signal.SIGTERM)


if __name__ == "__main__":
    unittest.main()
