#!/usr/bin/env python3
"""The folder of a release: sources that configure without git, recipes that name them, checksums."""
import ast
import hashlib
import json
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path

ROOT = Path(os.environ.get("SCANLENS_ROOT", Path(__file__).resolve().parents[2]))
VERSION = re.search(r'define SCANLENS_VERSION "(.*)"', (ROOT / "core/version.h").read_text())[1]


def run(*command, **more):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=300, **more)


@unittest.skipUnless((ROOT / ".git").exists() and shutil.which("git"), "not a git checkout")
class Release(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.build = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.build)
        cls.done = run("cmake", f"-DROOT={ROOT}", f"-DBUILD={cls.build}", f"-DVERSION={VERSION}", "-DADDRESS=https://example.org/there", "-P",
                       ROOT / "app/package/release.cmake")
        cls.folder = cls.build / f"release-{VERSION}"
        cls.sources = cls.folder / f"scanlens-{VERSION}.tar.xz"

    def test_its_sources_configure_without_git(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        with tarfile.open(self.sources) as archive:
            archive.extractall(self.build)
        no_git = {**os.environ, "GIT_DIR": "/nowhere"}
        done = run("cmake", "-S", self.build / f"scanlens-{VERSION}", "-B", self.build / "tree", "-DSCANLENS_CUDA=OFF", "-DSCANLENS_APP=OFF",
                   "-DSCANLENS_PYTHON=OFF", env=no_git)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_its_checksums_are_those_of_its_files(self):
        listed = dict(reversed(line.split("  ")) for line in (self.folder / "SHA256SUMS").read_text().splitlines())
        self.assertEqual(set(listed), {self.sources.name, f"scanlens-blender-{VERSION}.zip"})
        for name, number in listed.items():
            self.assertEqual(hashlib.sha256((self.folder / name).read_bytes()).hexdigest(), number)
        self.assertIn("blender_manifest.toml", zipfile.ZipFile(self.folder / f"scanlens-blender-{VERSION}.zip").namelist())

    def test_its_recipes_name_the_sources(self):
        recipes = {path.name: path.read_text() for path in (self.folder / "recipes").iterdir()}
        self.assertEqual(set(recipes), {"conanfile.py", "portfile.cmake", "recipe.yaml", "scanlens.rb", "vcpkg.json"})
        for name, text in recipes.items():
            self.assertNotRegex(text, "@[A-Z0-9]+@", name)
            self.assertIn(VERSION, text, name)
            if name != "vcpkg.json":
                self.assertIn(f"https://example.org/there/{self.sources.name}", text, name)
                hashes = {getattr(hashlib, kind)(self.sources.read_bytes()).hexdigest() for kind in ("sha256", "sha512")}
                self.assertTrue(any(number in text for number in hashes), name)
        json.loads(recipes["vcpkg.json"])
        ast.parse(recipes["conanfile.py"])

    def test_a_version_without_changes_is_refused(self):
        done = run("cmake", f"-DROOT={ROOT}", f"-DBUILD={self.build}", "-DVERSION=99.1.2", "-P", ROOT / "app/package/release.cmake")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("CHANGELOG.md: no section for 99.1.2; rename the section Unreleased", re.sub(r"\s+", " ", done.stderr))


if __name__ == "__main__":
    unittest.main()
