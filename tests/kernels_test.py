#!/usr/bin/env python3
"""No two objects of the libraries hold the same kernel: it would be compiled, and loaded, twice."""
import os
import re
import shutil
import subprocess
import unittest
from collections import defaultdict
from pathlib import Path

BUILD = Path(os.environ["SCANLENS_BUILD"])

# A filter of one file is compiled on its own, with the small kernels of filters/parts in it.
SHARED_BY_FILTERS = re.compile(r"for_each_pixel_kernel")


def kernels(library):
    """(object, kernel) of each kernel in an archive, by the variables of the function that launches it."""
    listing = subprocess.run(["nm", "--print-file-name", library], capture_output=True, text=True, check=True).stdout
    for where, name in re.findall(r"^(.*?):.* _Z\S*__device_stub__(\S+)E5__tmp$", listing, re.MULTILINE):
        yield where, name


class Kernels(unittest.TestCase):
    def test_no_two_objects_hold_the_same(self):
        if not shutil.which("nm"):
            self.skipTest("nm is not installed")
        holders = defaultdict(set)
        for library in BUILD.glob("*/libscanlens_*.a"):
            for where, name in kernels(library):
                holders[name].add(where)
        if not holders:
            self.skipTest("a build without CUDA")
        twice = {name: found for name, found in holders.items() if len(found) > 1 and not SHARED_BY_FILTERS.search(name)}
        self.assertEqual(twice, {})


if __name__ == "__main__":
    unittest.main()
