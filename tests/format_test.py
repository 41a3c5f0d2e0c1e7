#!/usr/bin/env python3
"""Every source is laid out as .clang-format says."""
import shutil
import subprocess
import unittest

from house_tree import FOLDERS, ROOT, HouseTest, files

# Other versions lay some lines out differently.
FORMATTER = shutil.which("clang-format-14")


class Format(HouseTest):
    @unittest.skipUnless(FORMATTER, "clang-format-14 is not installed")
    def test_every_source_is_formatted(self):
        sources = [path for folder in FOLDERS for path in files(folder)]
        self.assertTrue(sources)
        done = subprocess.run([FORMATTER, "--dry-run", *sources], cwd=ROOT, capture_output=True, text=True)
        self.expect_none(line for line in done.stderr.splitlines() if "[-Wclang-format-violations]" in line)


if __name__ == "__main__":
    unittest.main()
