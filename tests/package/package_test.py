#!/usr/bin/env python3
"""What a foreign project sees of the library: it is installed, found, linked and run, and misuse is explained."""
import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(os.environ["SCANLENS_ROOT"])
BUILD = Path(os.environ["SCANLENS_BUILD"])
FLAGS = os.environ.get("SCANLENS_CXX_FLAGS", "")  # sanitizers, which the library's users have to link, too
CXX = os.environ["SCANLENS_CXX"]
NVCC = os.environ.get("SCANLENS_NVCC", "")
NIGHTLY = os.environ.get("SCANLENS_NIGHTLY") == "1"
FOREIGN = Path(__file__).resolve().parent
QUESTIONS = {path.stem: path for path in sorted((ROOT / "core/questions").glob("*.c*"))}
# A compiler that did not build the library, if there is one.
OTHER = next((path for path in map(shutil.which, ("clang++", "g++")) if path and Path(path).name != Path(CXX).name), CXX)
STRICT = ["-Wall", "-Wextra", "-Wshadow", "-Wpedantic", "-Wconversion", "-Werror"]
# A parent's own code is for the architectures that it names, whatever the environment asks for.
os.environ.pop("CUDAARCHS", None)
OUTPUT = "mean 7\nsum 31, 5 are large, the last is 6\n"

# Calls that the library has no code for, and what the compiler has to say of them.
REFUSED = {
    "scan.h": ("std::vector<float> a(3); exclusive_scan(context, a, a, std::plus<>());", "the operator has no identity(); write with_identity<0>(op)"),
    "sat.h": ("summed_area_table<std::int8_t, std::uint32_t>(context, {}, {});", "summed_area_table: not of the types"),
    "sat_with.h": ("View<float> a; View<double> b; summed_area_table<2, 2>(context, a, b);", "summed_area_table: not of the types and channels"),
    "sort.h": ("sort_keys(context, std::span<const long double>(), std::span<long double>());", "sort_keys: not of the types"),
    "reduce.h": ("std::vector<float> a; reduce(context, a, a.data(), std::negate<>());", "the operator does not combine two elements"),
    "compact.h": ("std::vector<long double> a(3); unique(context, a, a, nullptr);", "unique: not of the types"),
    "transpose.h": ("View<float> a; transpose(context, a, a);", "transpose_any takes others"),
    "scan_axis.h": ("View<std::int8_t> a; inclusive_scan_rows(context, a, a);", "scan_rows, scan_columns: not of the types"),
    "arg_scan.h": ("std::vector<std::int8_t> a; argmax_scan(context, a, a, {});", "argmax_scan, argmin_scan: not of the types"),
    "linear_recurrence.h": ("std::vector<int> a; linear_recurrence(context, a, a, a);", "linear_recurrence: not of the types"),
    "segments.h": ("std::vector<float> a; inclusive_scan_by_key(context, a, a, a);", "scan_by_key: not of the types"),
    "histogram.h": ("std::vector<long double> a; histogram(context, a, 0, 1, {});", "histogram: not of the types"),
    "sparse.h": ("std::vector<int> a; double d; dot(context, a, a, &d);", "dot: not of the types"),
}


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command} failed with {done.returncode}:\n{done.stdout}\n{done.stderr}")
    return done.stdout


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        run("cmake", "--install", BUILD, "--component", "library", "--prefix", cls.folder / "first")
        cls.prefix = cls.folder / "moved"  # an installed tree can be moved
        (cls.folder / "first").rename(cls.prefix)
        cls.include = cls.prefix / "include/scanlens"

    def test_the_licence_comes_along(self):
        self.assertEqual((self.prefix / "share/doc/scanlens/LICENSE").read_text(), (ROOT / "LICENSE").read_text())

    def configure(self, name, *options):
        build = self.folder / name
        run("cmake", "-S", FOREIGN, "-B", build, "-G", "Ninja", f"-DCMAKE_CXX_FLAGS={FLAGS}",
            "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *options)
        return build

    def commands(self, build):
        """The compilers' commands by file: of the foreign project, of ours below the root, or generated in the build."""
        def name_of(file):
            below = next((folder for folder in (FOREIGN, ROOT, build) if file.is_relative_to(folder)), file.parent)
            return str(file.relative_to(below))
        entries = json.loads((build / "compile_commands.json").read_text())
        return {name_of(Path(entry["file"])): entry["command"] for entry in entries}

    def compile(self, text, *flags):
        return subprocess.run([CXX, "-std=c++20", "-fsyntax-only", f"-I{self.include.parent}", *flags, "-xc++", "-"],
                              input=text, capture_output=True, text=True)

    def test_find_package(self):
        options = [f"-DCMAKE_PREFIX_PATH={self.prefix}"]
        if NVCC:
            options += ["-DFOREIGN_CUDA=ON", f"-DCMAKE_CUDA_COMPILER={NVCC}", "-DCMAKE_CUDA_ARCHITECTURES=90"]
        build = self.configure("found", *options)
        run("cmake", "--build", build)
        self.assertEqual(run(build / "foreign"), OUTPUT)
        if NVCC:
            self.assertEqual(run(build / "own"), "last 1, 50000 shrink, least 0, sum 125000\n")
        for name, source in QUESTIONS.items():
            if source.suffix == ".cpp" and name != "torch" or NVCC and source.suffix == ".cu":
                run(build / name)  # 0 if the answer is right
        # Users choose their flags themselves; the standard is what the headers need.
        words = self.commands(build)["main.cpp"].split()
        self.assertEqual([word for word in words if word.startswith("-W") and word not in STRICT], [])
        self.assertEqual([word for word in words if word.startswith("-D")], [])
        self.assertLessEqual({word for word in words if word.startswith("-std")}, {"-std=c++20", "-std=gnu++20"})

    def test_pkg_config(self):
        environment = {**os.environ, "PKG_CONFIG_PATH": str(next(self.prefix.rglob("pkgconfig")))}
        flags = run("pkg-config", "--cflags", "--libs", "--static", "scanlens-filters", env=environment).split()
        run(CXX, "-std=c++20", *FLAGS.split(), FOREIGN / "main.cpp", "-o", self.folder / "main", *flags)
        self.assertEqual(run(self.folder / "main"), OUTPUT)
        if FLAGS:  # of the first compiler alone
            return
        for name, source in QUESTIONS.items():
            if source.suffix == ".cpp" and name != "torch":
                run(OTHER, "-std=c++2b", *STRICT, source, "-o", self.folder / name, *flags)
                run(self.folder / name)

    def test_add_subdirectory(self):
        build = self.configure("below", f"-DSCANLENS_SOURCE={ROOT}", "-DSCANLENS_CUDA=OFF", "-DCMAKE_BUILD_TYPE=Debug")
        needed = run("ninja", "-C", build, "-t", "commands", "foreign")
        words = [shlex.split(command) for command in needed.splitlines()]
        sources = [line[line.index("-c") + 1] for line in words if "-c" in line]
        self.assertEqual({Path(source).relative_to(ROOT).parts[0] for source in sources},
                         {"core", "tests"}, "core and the project itself: neither filters nor the program")
        self.assertNotRegex(self.commands(build)["main.cpp"], r"-D(?!NDEBUG)|-O", "definitions and options stay inside")
        if NIGHTLY:  # all of core, unoptimised
            run("cmake", "--build", build, "--target", "foreign")
            self.assertEqual(run(build / "foreign"), OUTPUT)
        else:
            run("cmake", "--build", build, "--target", "CMakeFiles/foreign.dir/main.cpp.o")

    def test_the_library_alone(self):
        """It configures without what the program needs, and an installation before it is built says what to build."""
        build = self.folder / "alone"
        hidden = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in ("OpenCV", "glfw3", "glm", "GTest", "Python3")]
        run("cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DSCANLENS_APP=OFF", "-DSCANLENS_CUDA=OFF", *hidden)
        targets = run("ninja", "-C", build, "-t", "targets", "all")
        self.assertIn("scanlens_library", targets)
        self.assertNotRegex(targets, "/(app|tests|core/textbook)/")
        done = subprocess.run(["cmake", "--install", build, "--component", "library", "--prefix", build / "to"],
                              capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"library is not built; run: cmake --build\s+\S+alone\s+--target\s+scanlens_library")

    def test_unknown_components_are_refused(self):
        folder = self.folder / "component"
        folder.mkdir()
        (folder / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES C CXX)\n"
                                               "find_package(scanlens REQUIRED COMPONENTS core lenses)\n")
        done = subprocess.run(["cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}"],
                              capture_output=True, text=True)
        self.assertRegex(done.stderr, "lenses")

    def test_installed_headers_are_the_public_ones_and_what_they_include(self):
        texts = {path: path.read_text() for path in self.include.rglob("*") if path.is_file()}
        included = {name for text in texts.values() for name in re.findall('#include "scanlens/([^"]+)', text)}
        for path in texts:
            name = str(path.relative_to(self.include))
            public = re.fullmatch(r"((core|filters)/)?[a-z_]+\.h", name)
            self.assertTrue(public or name in included, f"{name}: nobody includes it")
            if public and public[2] == "core":  # the path of 0.3
                self.assertEqual(texts[path], f'#include "scanlens/{path.name}"\n')

    @unittest.skipUnless(NVCC, "needs nvcc")
    def test_a_parent_with_cuda_keeps_the_code_of_hopper(self):
        options = [f"-DSCANLENS_SOURCE={ROOT}", "-DFOREIGN_CUDA=ON", f"-DCMAKE_CUDA_COMPILER={NVCC}",
                   "-DCMAKE_CUDA_ARCHITECTURES=75"]
        commands = self.commands(self.configure("parent", *options))
        self.assertIn("arch=compute_75,code=[compute_75,sm_75]", commands["own.cu"])
        self.assertNotIn("compute_90", commands["own.cu"])
        ours = {name: command for name, command in commands.items() if name.endswith(".cu") and "/" in name and "questions/" not in name}
        self.assertGreater(len(ours), 10)
        for name, command in ours.items():
            self.assertIn("arch=compute_75,code=[compute_75]", command, name)
            self.assertIn("arch=compute_90,code=[compute_90,sm_90]", command, name)
        chosen = self.commands(self.configure("chosen", *options, "-DSCANLENS_CUDA_ARCHITECTURES=80-real"))
        self.assertIn("code=[sm_80]", chosen["core/scan/sums.cu"])
        self.assertNotIn("compute_90", chosen["core/scan/sums.cu"])

    def test_headers_under_strict_flags(self):
        # Headers of interop_* include another library's, which need not be here.
        headers = sorted(h for h in [*self.include.glob("*.h"), *self.include.glob("*/*.h")] if not h.name.startswith("interop_"))
        self.assertGreater(len(headers), 20)
        text = "".join(f'#include <scanlens/{header.relative_to(self.include)}>\n' for header in headers)
        for standard in ("-std=c++20", "-std=c++23"):
            done = self.compile(text, *STRICT, standard)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_no_name_but_ours_is_on_the_path(self):
        """A project may have a core/ of its own."""
        self.assertEqual([path.name for path in self.include.parent.iterdir()], ["scanlens"])
        for header in [*self.include.rglob("*.h"), *self.include.rglob("*.cuh")]:
            self.assertNotRegex(header.read_text(), '#include "(core|filters)/', header.name)

    def test_the_textbook_stays_at_home(self):
        self.assertFalse((self.include / "core/textbook").exists())
        self.assertEqual(list(self.prefix.rglob("*textbook*")), [])

    def test_macros_begin_with_the_name(self):
        for header in [*self.include.rglob("*.h"), *self.include.rglob("*.cuh")]:
            for name in re.findall(r"^\s*#\s*define\s+(\w+)", header.read_text(), re.MULTILINE):
                self.assertTrue(name.startswith("SCANLENS_"), f"{header.name} defines {name}")

    def test_calls_without_code_are_explained(self):
        begin = '#include <functional>\n#include <vector>\n#include <scanlens/{}>\nusing namespace scanlens;\nvoid f(Context& context)'
        for header, (call, message) in REFUSED.items():
            with self.subTest(header=header):
                done = self.compile(begin.format(header) + "{" + call + "}")
                self.assertNotEqual(done.returncode, 0)
                self.assertRegex(done.stderr, "static assertion failed: [^\n]*" + re.escape(message))

    def test_versions_agree(self):
        header = (self.include / "version.h").read_text()
        parts = [re.search(rf"SCANLENS_VERSION_{part} (\d+)", header).group(1) for part in ("MAJOR", "MINOR", "PATCH")]
        version = ".".join(parts)
        self.assertIn(f'#define SCANLENS_VERSION "{version}"', header)
        self.assertIn(f'set(PACKAGE_VERSION "{version}")', next(self.prefix.rglob("scanlensConfigVersion.cmake")).read_text())
        self.assertIn(f"\nVersion: {version}\n", next(self.prefix.rglob("scanlens.pc")).read_text())

    def test_readme_shows_this_project(self):
        self.assertIn(f"```cpp\n{(FOREIGN / 'main.cpp').read_text()}```", (ROOT / "core/README.md").read_text())


if __name__ == "__main__":
    unittest.main()
