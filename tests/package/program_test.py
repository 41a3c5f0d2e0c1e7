#!/usr/bin/env python3
"""What is installed beside the program: manuals, completions, menu entry, media types, icons, licence."""
import os
import re
import shutil
import struct
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

ROOT = Path(os.environ["SCANLENS_ROOT"])
BUILD = Path(os.environ["SCANLENS_BUILD"])
MIME = "{http://www.freedesktop.org/standards/shared-mime-info}"


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{command} failed with {done.returncode}:\n{done.stdout}\n{done.stderr}")
    return done.stdout


def needs(tool):
    return unittest.skipUnless(shutil.which(tool), f"{tool} is not installed")


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.prefix = cls.folder / "usr/local"
        run("cmake", "--install", BUILD, "--component", "program", "--prefix", cls.prefix)
        cls.share = cls.prefix / "share"
        cls.program = cls.prefix / "bin/scanlens"
        help_text = run(cls.program, "--help")
        cls.commands = re.findall(r"^  ([a-z]+)  ", help_text.split("Subcommands:")[1].split("\n\n")[0], re.MULTILINE)
        desktop = (cls.share / "applications/scanlens.desktop").read_text()
        cls.entry = dict(line.split("=", 1) for line in desktop.splitlines() if "=" in line)

    def page(self, name):
        """A manual's page as it is read, in lines without end."""
        return run("env", "MANWIDTH=1000", "MAN_KEEP_FORMATTING=", "LC_ALL=C.UTF-8", "man", "-l", self.share / f"man/man1/{name}.1")

    def test_each_command_has_a_page(self):
        pages = {path.stem for path in (self.share / "man/man1").iterdir()}
        self.assertEqual(pages, {"scanlens", *(f"scanlens-{command}" for command in self.commands)})
        self.assertIn("dof", self.commands)

    def test_pages_are_sound(self):
        if not shutil.which("groff"):
            self.skipTest("groff is not installed")
        for path in sorted((self.share / "man/man1").iterdir()):
            done = subprocess.run(["groff", "-man", "-ww", "-z", "-Kutf8", path], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""), path.name)

    @needs("man")
    def test_pages_say_what_help_says(self):
        for command in self.commands:
            help_text = run(self.program, command, "--help-all")
            page = self.page(f"scanlens-{command}")
            squeezed = re.sub(r"\s+", " ", page.replace("\u2010", "-"))
            for option in re.findall(r"^  ((?:-\w,)?--[\w-]+)", help_text, re.MULTILINE):
                self.assertIn(option.replace(",", ", "), page, command)
            for example in re.findall(r"^  (scanlens .*)", help_text.split("Example")[-1], re.MULTILINE):
                self.assertIn(re.sub(r"\s+", " ", example), squeezed, command)
        self.assertIn("(by default 1073741824)", self.page("scanlens-dof"))
        for command in self.commands:
            self.assertIn(f"scanlens-{command}(1)", self.page("scanlens"))

    @needs("lexgrog")
    def test_pages_are_found_by_whatis(self):
        for path in (self.share / "man/man1").iterdir():
            self.assertIn(f'"{path.stem} - ', run("lexgrog", path))

    def test_the_bench_is_apart(self):
        self.assertEqual([path.name for path in (self.prefix / "bin").iterdir()], ["scanlens"])
        done = subprocess.run([self.program, "bench", "scan"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "bin/scanlens-bench is missing.*; build the target")
        shutil.copy(BUILD / "scanlens-bench", self.prefix / "bin")
        self.addCleanup((self.prefix / "bin/scanlens-bench").unlink)
        self.assertIn("scan", run(self.program, "bench", "scan", "--size", "1000", "--quick", "--device", "cpu", "--quiet"))

    def test_completions(self):
        for file, shell in (("bash-completion/completions/scanlens", "bash"), ("zsh/site-functions/_scanlens", "zsh"),
                            ("fish/vendor_completions.d/scanlens.fish", "fish")):
            self.assertEqual((self.share / file).read_text(), run(self.program, "completion", shell))
        run("cmake", "--install", BUILD, "--component", "program", "--prefix", self.folder / "debian/usr")
        self.assertTrue((self.folder / "debian/usr/share/zsh/vendor-completions/_scanlens").is_file())

    def types(self):
        return self.entry["MimeType"].rstrip(";").split(";")

    def test_the_menu_entry_takes_what_the_program_reads(self):
        types = set(self.types())
        self.assertEqual(len(self.types()), len(types))
        rows = [line.split("|") for line in run(self.program, "info", "--formats").splitlines()[2:]]
        read = [row[1] for row in rows if row[2].strip() not in ("", "depth maps")]
        self.assertGreater(len(read), 10)
        globs = self.globs()
        extensions = [extension for row in read for extension in re.findall(r"\.\w+", row)]
        known = {extension for extension in extensions if "*" + extension in globs}
        self.assertLessEqual(set(extensions) - known, {".3fr", ".erf", ".iiq", ".rwl", ".srw"}, "the base has no types of these")
        for extension in known:
            self.assertTrue(types & globs["*" + extension], extension)

    def globs(self):
        """The types of a pattern of names, by the base of names where this machine has one, and by ours."""
        known = [self.share / "mime/packages/scanlens.xml", Path("/usr/share/mime/packages/freedesktop.org.xml")]
        if not known[1].is_file():
            self.skipTest("shared-mime-info is not installed")
        globs = {}
        for path in known:
            for kind in xml.parse(path).getroot().iter(MIME + "mime-type"):
                names = {kind.get("type"), *(alias.get("type") for alias in kind.iter(MIME + "alias"))}
                for glob in kind.iter(MIME + "glob"):
                    globs.setdefault(glob.get("pattern"), set()).update(names)
        return globs

    @needs("ffmpeg")
    def test_the_menu_entry_takes_clips(self):
        """Each type's usual names, of what ffmpeg writes into them."""
        globs = self.globs()
        types = {kind for kind in self.types() if not kind.startswith("image/")}
        self.assertIn("video/mp4", types)
        read = set()
        for extension in "mp4 m4v mov mkv webm avi flv ogv 3gp ts mts m2ts mpg mpeg mxf wmv asf".split():
            clip = self.folder / f"clip.{extension}"
            run("ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=128x96:rate=25:duration=0.1", "-pix_fmt", "yuv420p", clip)
            run(self.program, "filter", clip, "-o", self.folder / "out.mkv", "--filter", "box", "--device", "cpu", "--quiet")
            read |= types & globs["*." + extension]
            self.assertTrue(types & globs["*." + extension], extension)
        # Older machines do not know the first, and DV has sizes of its own.
        self.assertLessEqual(types - read, {"video/vnd.avi", "video/dv"})

    def test_the_menu_entry_starts_the_viewer(self):
        self.assertEqual(self.entry["Exec"], "scanlens view %F")
        for size in (48, 256):
            icon = (self.share / f"icons/hicolor/{size}x{size}/apps/{self.entry['Icon']}.png").read_bytes()
            self.assertEqual(struct.unpack_from(">II", icon, 16), (size, size))

    @needs("desktop-file-validate")
    def test_the_menu_entry_is_valid(self):
        self.assertEqual(run("desktop-file-validate", self.share / "applications/scanlens.desktop"), "")

    def test_the_description_for_software_centres(self):
        root = xml.parse(self.share / "metainfo/scanlens.metainfo.xml").getroot()
        types = [one.text for one in root.iter("mediatype")]
        self.assertEqual(types, self.types())
        self.assertEqual(root.find("launchable").text, "scanlens.desktop")
        if shutil.which("appstreamcli"):
            run("appstreamcli", "validate", "--no-net", self.share / "metainfo/scanlens.metainfo.xml")

    def test_the_licence(self):
        self.assertEqual((self.share / "doc/scanlens/LICENSE").read_text(), (ROOT / "LICENSE").read_text())


if __name__ == "__main__":
    unittest.main()
