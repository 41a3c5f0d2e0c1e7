#!/usr/bin/env python3
"""What shells offer while a command line is typed: the program's answers, and real shells that ask for them."""
import json
import os
import pty
import re
import select
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from support import HANGS, ROOT, SCANLENS, facts, run


def offered(*words):
    """(what stands before a file's name or None, the words) that may stand in place of the last of `words`."""
    done = run("completion", "bash", "--", *words)
    assert done.returncode == 0, done.stderr
    first, *rest = done.stdout.splitlines()
    kind, part = first.split("\t")
    return part if kind == "files" else None, [line.split("\t")[0] for line in rest]


class Answers(unittest.TestCase):
    def test_commands_stand_first_and_a_picture_may(self):
        files, words = offered("")
        self.assertEqual(files, "")
        self.assertLess({"dof", "render", "filter", "completion"}, set(words))
        self.assertEqual(offered("help", "")[1], words)

    def test_options_of_the_command_those_of_all_before_it(self):
        self.assertLess({"--device", "--version", "--help"}, set(offered("--")[1]))
        self.assertNotIn("--focus", offered("--")[1])
        self.assertLess({"--focus", "--device", "--output"}, set(offered("dof", "--")[1]))
        self.assertLess({"--focus"}, set(offered("--device", "cpu", "dof", "--")[1]))
        self.assertNotIn("--focus", offered("dof", "photo.jpg", "--focus", "0.5", "--")[1], "it is given")
        self.assertIn("--filter", offered("filter", "photo.jpg", "--filter", "box", "--")[1], "it may be given again")

    def test_each_option_of_help_is_offered(self):
        for command in offered("help", "")[1]:
            with self.subTest(command=command):
                page = run(command, "--help-all").stdout
                self.assertEqual(set(re.findall(r"^  (?:-\w,)?(--[\w-]+)", page, re.MULTILINE)), set(offered(command, "--")[1]))

    def test_values(self):
        self.assertEqual(offered("dof", "--bokeh", "")[1], ["box", "disc", "hexagon", "octagon"])
        self.assertEqual(offered("dof", "--bokeh=")[1], ["--bokeh=" + w for w in ("box", "disc", "hexagon", "octagon")])
        self.assertEqual(offered("dof", "--quality", "")[1], ["draft", "good", "best"])
        self.assertEqual(offered("render", "")[1], ["teapot", "lights"])
        self.assertEqual(offered("view", "--scene", "")[1], ["teapot", "lights"])
        self.assertEqual(offered("dof", "--device", "")[1], ["auto", *(d["id"] for d in facts()["devices"])])
        self.assertEqual(offered("--device", "")[1], offered("dof", "--device", "")[1])
        self.assertEqual(offered("completion", "")[1], ["bash", "fish", "zsh"])
        self.assertIn("view=depth", offered("view", "--set", "view=")[1])
        self.assertEqual(offered("dof", "--focus", ""), (None, []), "a number is the person's own")

    def test_filters_and_their_parameters(self):
        filters = json.loads(run("filters", "--json").stdout)["filters"]
        self.assertEqual([w.rstrip(":") for w in offered("filter", "--filter", "")[1]], [f["name"] for f in filters])
        for one in filters:
            more = [f"{one['name']}:{p['name']}=" for p in one["params"]]
            more += [f"{one['name']}:{one['map']}="] if "map" in one else []
            more += [f"{one['name']}:font="] if one.get("map") == "words" else []
            more += [f"{one['name']}:{key}=" for key in ("where", "feather") if one["where"]]
            self.assertEqual(offered("batch", "--filter", one["name"] + ":")[1], more)
        self.assertNotIn("dof:blur=4:blur=", offered("filter", "--filter", "dof:blur=4:")[1])
        self.assertIn("dof:blur=4:bokeh=disc", offered("filter", "--filter", "dof:blur=4:bokeh=")[1])
        self.assertEqual(offered("filter", "--filter", "guided:mask=a")[0] or offered("filter", "--filter", "dof:depth=a")[0],
                         "dof:depth=")

    def test_files(self):
        for words in (["dof", ""], ["dof", "photo.jpg", "--depth", ""], ["view", "a.jpg", ""], ["photo.jpg", ""],
                      ["dof", "--", ""], ["batch", "in", ""]):
            self.assertEqual(offered(*words)[0], "", words)
        self.assertEqual(offered("dof", "--depth=ma")[0], "--depth=")
        self.assertNotIn("--focus", offered("dof", "--", "photo.jpg", "")[1])

    def test_odd_words_do_no_harm(self):
        for words in (["nonsense", "--x"], ["dof", "--nonsense", ""], ["dof", "--nonsense="], ["filter", "--filter", ":::="],
                      ["--", ""], ["dof", "--focus", "0:1", "48:2", ""], ["dof", "\u00e9\u4e2d", "-"]):
            self.assertEqual(run("completion", "fish", "--", *words).returncode, 0, words)

    def test_an_unknown_shell(self):
        done = run("completion", "tcsh")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "scanlens: SHELL takes bash, fish or zsh, not 'tcsh'\n")


class Shell:
    """A shell on a terminal of its own, in a folder with the pictures `photo one.jpg` and `photo_depth.png`."""

    def __init__(self, case, *command):
        folder = Path(tempfile.mkdtemp())
        case.addCleanup(shutil.rmtree, folder)
        for name in ("photo one.jpg", "photo_depth.png"):
            (folder / name).touch()
        environment = {"PATH": f"{Path(SCANLENS).parent}:{os.environ['PATH']}", "TERM": "dumb", "HOME": str(folder),
                       "PS1": "", "LC_ALL": "C.UTF-8"}
        self.process, self.terminal = None, None
        child, self.terminal = pty.fork()
        if child == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, environment)
        self.seen = ""

        def end():
            os.close(self.terminal)
            os.waitpid(child, 0)
        case.addCleanup(end)

    def type(self, text):
        os.write(self.terminal, text.encode())

    def read_until(self, pattern):
        """Waits for a pattern on the terminal, and forgets what stands before its end."""
        end = time.monotonic() + HANGS
        while not (found := re.search(pattern, self.seen)):
            ready, _, _ = select.select([self.terminal], [], [], max(0, end - time.monotonic()))
            assert ready, f"{pattern!r} does not come; there is {self.seen!r}"
            self.seen += os.read(self.terminal, 4096).decode(errors="replace")
        self.seen = self.seen[found.end():]

    def completes(self, typed, expected):
        """Types words and a tab, and expects what then stands in the line; empties the line."""
        self.type(typed + "\t")
        self.read_until(re.escape(expected))
        self.type("\x15")


class Shells(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """A shell without the program would be waited for."""
        assert run("--version").returncode == 0

    LINES = [("scanlens fi\t\x15scanlens comple", "scanlens completion "), ("scanlens render te", "render teapot "),
             ("scanlens dof --bokeh oct", "--bokeh octagon "), ("scanlens dof --bokeh=oct", "--bokeh=octagon"),
             ("scanlens filter --filter adapt", "--filter adaptive_threshold:"),
             ("scanlens filter --filter box:ra\t4", "box:radius=4"),
             ("scanlens filter --filter box:radius=4 --ban", "--band "),
             ("scanlens dof --depth photo_", "--depth photo_depth.png"),
             ("scanlens dof --depth=photo_", "--depth=photo_depth.png"),
             ("scanlens filter --filter dof:depth=photo_", "dof:depth=photo_depth.png"),
             ("scanlens dof photo\\ o", "photo\\ one.jpg")]

    def try_lines(self, shell):
        for typed, expected in self.LINES:
            shell.completes(typed, expected)

    def test_bash(self):
        shell = Shell(self, "bash", "--norc", "--noprofile", "-i")
        shell.type("bind 'set bell-style none'; source <(scanlens completion bash); echo re''ady\n")
        shell.read_until("ready")
        self.try_lines(shell)
        shell.completes("scanlens filter --filter 'box:ra", "'box:radius=")

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh(self):
        shell = Shell(self, "zsh", "-f", "-i")
        shell.type("unsetopt beep; autoload -U compinit; compinit -u -D; source <(scanlens completion zsh); echo re''ady\n")
        shell.read_until("ready")
        self.try_lines(shell)

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish(self):
        """fish answers without a terminal, too."""
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "photo_depth.png").touch()
            for line, expected in [("scanlens comple", "completion"), ("scanlens dof --bokeh oct", "octagon"),
                                   ("scanlens dof --bokeh=oct", "--bokeh=octagon"),
                                   ("scanlens filter --filter box:ra", "box:radius="),
                                   ("scanlens dof --depth photo_", "photo_depth.png"),
                                   ("scanlens filter --filter dof:depth=photo_", "dof:depth=photo_depth.png")]:
                done = subprocess.run(["fish", "--no-config", "-c", f"scanlens completion fish | source; complete -C '{line}'"],
                                      capture_output=True, text=True, cwd=folder, timeout=HANGS,
                                      env={**os.environ, "HOME": folder, "PATH": f"{Path(SCANLENS).parent}:{os.environ['PATH']}"})
                self.assertIn(expected, [found.split("\t")[0] for found in done.stdout.splitlines()], (line, done.stderr))

    def test_the_scripts_are_those_that_are_installed(self):
        for shell in ("bash", "zsh", "fish"):
            self.assertEqual(run("completion", shell).stdout, (ROOT / f"app/package/completion.{shell}").read_text())


if __name__ == "__main__":
    unittest.main()
