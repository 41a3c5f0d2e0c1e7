#!/usr/bin/env python3
"""Who may include whom, and where things live (DESIGN.md, "Folders")."""
import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path

ROOT = Path(os.environ.get("SCANLENS_ROOT", Path(__file__).resolve().parent.parent))
SOURCES = {".h", ".cpp", ".cu", ".cuh"}

# A folder's own headers and those of the folders behind it in app -> filters -> core.
ALLOWED = {
    "core": {"core"},
    "filters": {"filters", "core"},
    "app": {"app", "filters", "core"},
    "tests": {"tests", "app", "filters", "core"},
}
# Libraries that only the program and the tests may see.
APP_ONLY = re.compile(r"^(opencv2/|GLFW/|glad/|GL/|EGL/|CLI/|nlohmann/|glm/|stb|spng|turbojpeg|exiv2/|imgui)")
CUDA = re.compile(r"^(cuda|cub/|thrust/|npp|cooperative_groups|nv/)")


def sources(folder):
    return sorted(p for p in (ROOT / folder).rglob("*") if p.suffix in SOURCES)


def includes(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^">]+)[>"]', line)
        if match:
            yield number, match.group(1) == '"', match.group(2)


class House(unittest.TestCase):
    def each_include(self, folder):
        for path in sources(folder):
            for number, quoted, name in includes(path):
                yield f"{path.relative_to(ROOT)}:{number}", path, quoted, name

    def test_folders_include_only_what_lies_behind_them(self):
        for folder, allowed in ALLOWED.items():
            for place, path, quoted, name in self.each_include(folder):
                first = name.split("/")[0]
                if quoted and folder != "tests":
                    self.assertIn("/", name, f"{place}: project headers are included from the root")
                if first in ALLOWED:
                    self.assertIn(first, allowed, f"{place}: {folder} must not include {name}")

    def test_libraries_stay_in_the_program(self):
        for folder in ("core", "filters"):
            for place, _, _, name in self.each_include(folder):
                self.assertIsNone(APP_ONLY.match(name), f"{place}: {folder} must not include {name}")

    def test_cuda_stays_in_cuda_files(self):
        for folder in ALLOWED:
            for place, path, _, name in self.each_include(folder):
                if path.suffix not in {".cu", ".cuh"}:
                    self.assertIsNone(CUDA.match(name), f"{place}: {name} belongs in .cu and .cuh files")

    def test_every_launch_is_checked(self):
        """<<<>>> returns no status, and what it leaves as the last error may be a caller's own."""
        for folder in ("core", "filters", "app"):
            for path in sources(folder):
                for number, line in enumerate(path.read_text().splitlines(), 1):
                    place = f"{path.name}:{number}"
                    self.assertNotRegex(line.split("//")[0], r"<<<", f"{place}: use launch_kernel()")
                    if re.search(r"(?<!cudaError_t )\blaunch_kernel\(", line.split("//")[0]):
                        before = "".join(path.read_text().splitlines()[max(0, number - 2) : number])
                        self.assertIn("SCANLENS_CUDA_CHECK(", before, place)

    def test_shaders_are_files_and_only_shaders(self):
        for path in (ROOT / "shaders").iterdir():
            self.assertIn(path.suffix, {".vert", ".frag", ".tesc", ".tese", ".comp", ".glsl"}, path.name)
        for folder in ("app", "core", "filters"):
            for path in sources(folder):
                self.assertNotRegex(path.read_text(), r"#version \d", f"{path.name}: GLSL belongs in shaders/")

    def test_shared_formulas_are_stated_once(self):
        """Constants that mark the transfer function and the box of equal area stand in one file."""
        for mark in (r"0\.04045", r"1\.055", r"12\.92", r"3\.14159265f"):
            holders = [
                str(p.relative_to(ROOT))
                for folder in ("app", "core", "filters", "shaders")
                for p in sorted((ROOT / folder).rglob("*"))
                if p.suffix in SOURCES | {".vert", ".frag", ".tesc", ".tese", ".comp", ".glsl"}
                and re.search(mark, p.read_text())
            ]
            self.assertEqual(len(holders), 1, f"{mark} stands in {holders}")

    def test_the_root_holds_what_it_should(self):
        if not shutil.which("git"):
            self.skipTest("git is not installed")
        listed = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True)
        if listed.returncode != 0:
            self.skipTest("not a git checkout")
        allowed = {"app", "core", "filters", "shaders", "data", "tests", ".ci", "CMakeLists.txt", "CMakePresets.json",
                   "README.md", "LICENSE", ".gitignore", ".clang-format"}
        self.assertLessEqual({name.split("/")[0] for name in listed.stdout.splitlines()}, allowed)


if __name__ == "__main__":
    unittest.main()
