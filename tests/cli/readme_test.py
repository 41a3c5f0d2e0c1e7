#!/usr/bin/env python3
"""The pages that people read first: the front page is short, its commands work, no link is broken, no option is unknown."""
import os
import re
import shlex
import shutil
import unittest
from functools import cache

from support import ROOT, CommandCase, facts, run

WITHOUT_DISPLAY = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
SOURCES = ("app", "core", "filters")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(p for top in SOURCES for p in sorted((ROOT / top).rglob("README.md")))]
MOST_LINES = 130  # of the front page
LINK = re.compile(r"\]\(([^)#]+)\)")


def commands(path):
    """The words of each command of the program that a page shows, without what the shell does."""
    text = path.read_text().replace("\\\n", " ")
    for line in re.findall(r"^    (?:.*\| )?(?:app/run|scanlens) (?=\w)(.+)", text, re.M):
        words = shlex.split(line, comments=True)
        yield words[:next((at for at, word in enumerate(words) if word in (">", "|", "&&")), len(words))]


@cache
def options_of(command):
    return set(re.findall(r"(?<![\w-])--?[a-z0][\w-]*", run(command, "--help-all").stdout))


class FrontPage(CommandCase):
    def setUp(self):
        super().setUp()
        shutil.copytree(ROOT / "data", self.folder / "data")

    def test_it_is_short(self):
        self.assertLessEqual(len((ROOT / "README.md").read_text().splitlines()), MOST_LINES)

    def test_its_commands_work_as_typed(self):
        every = list(commands(ROOT / "README.md"))
        self.assertEqual([words[0] for words in every], ["dof", "dof", "view", "batch", "render"])
        for words in every:
            with self.subTest(shlex.join(words)):
                needs_gl = words[0] in ("view", "render")
                if needs_gl and not facts()["opengl"]["available"]:
                    continue
                seen = ["--screenshot", "seen.png"] if words[0] == "view" else []
                if "--size" in words:
                    words[words.index("--size") + 1] = "64x40"  # a small picture, for the CPU as a GPU
                done = self.run_here(*words, *seen, env=WITHOUT_DISPLAY)
                self.assertEqual(done.returncode, 0, done.stderr)
                written = words[words.index("-o") + 1] if "-o" in words else "web/teapot.jpg" if words[0] == "batch" else "seen.png"
                self.assertTrue((self.folder / written).stat().st_size, written)


class Pages(CommandCase):
    def test_the_first_command_works_as_typed(self):
        shutil.copytree(ROOT / "data", self.folder / "data", ignore=lambda _, names: [n for n in names if "sample" not in n])
        self.assertIn("written", self.succeed(*next(commands(ROOT / "app/commands/README.md"))).stderr)

    def test_links_lead_somewhere(self):
        for page in PAGES:
            for link in LINK.findall(page.read_text()):
                if "://" not in link:
                    self.assertTrue((page.parent / link).exists(), f"{page.relative_to(ROOT)}: {link}")

    def test_options_are_known(self):
        known = set(re.findall(r"^  (\w+)", run("--help").stdout, re.M))
        for page in PAGES:
            for words in commands(page):
                command = words[0] if words[0] in known else "view"
                if command == "bench":  # its program is another
                    continue
                for word in words[1:]:
                    if re.match(r"--?[a-z0]", word):
                        self.assertIn(word.partition("=")[0], options_of(command), f"{page.relative_to(ROOT)}: {shlex.join(words)}")


if __name__ == "__main__":
    unittest.main()
