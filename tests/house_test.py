#!/usr/bin/env python3
"""The rooms of the house: what each holds, whom it may know, and that no file knows anyone else."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatch
from pathlib import Path

from house_tree import FOLDERS, ROOT, SOURCES, HouseTest, files, includes, name_of, without_comments, words_of

# A room is a folder, or those files of a folder that the row names (*_with.h, *.cpp). It knows itself and the rooms in
# its third column, no others: not what these know in turn. There the name of a room in the same house or in core goes
# without the house, and core/* are all rooms of core. Whom a room may know stands above it.
#
#    room                    what it holds                                    the rooms that it may know
CORE = [
    ("core",                 "public headers; in core/held what they keep to themselves", ""),
    ("core/runtime",         "contexts, memory, graphs; checks of arguments", "core"),
    ("core/cpu",             "work in pieces on all cores, running sums",     "core runtime"),
    ("core/cuda",            "what one warp, block or launch does on a GPU",  "core runtime"),
    ("core/pipeline",        "tiles streamed through shared memory",          "core runtime cuda"),
    ("core/scan",            "scans of arrays, whole and segmented",          "core runtime cpu pipeline"),
    ("core/rows",            "many scans at once, along rows or columns",     "core runtime cpu cuda pipeline scan"),
    ("core/lines",           "scans along lines: logarithms, extremes with places, recurrences", "core runtime cpu cuda scan rows"),
    ("core/transpose",       "transposition, in place too",                   "core runtime cuda"),
    ("core/sat",             "summed-area tables: checks, terms, classic",    "core runtime cpu"),
    ("core/sat/cpu",         "tables made on the CPU",                        "core runtime cpu sat"),
    ("core/sat/cuda",        "the same on CUDA: resident, stripes, tiles",    "core runtime cuda sat"),
    ("core/spread",          "pixels spread to boxes: deposits and their table", "core runtime cpu cuda"),
    ("core/compact",         "compaction, partition, unique",                 "core runtime cpu pipeline"),
    ("core/segments",        "scans and sums of segments by keys or offsets", "core runtime cuda scan compact"),
    ("core/moves",           "gather, scatter, differences, searches, merges", "core runtime cpu cuda"),
    ("core/sort",            "stable radix sort, of lines too",               "core runtime cpu cuda rows segments"),
    ("core/reduce",          "reductions, extremes, moments, histograms",     "core runtime cpu cuda"),
    ("core/sparse",          "sparse matrix times vector; vector operations", "core runtime cuda reduce"),
    ("core/ranks",           "one array over several GPUs",                   "core runtime cuda pipeline scan sat sort reduce"),
    ("core/questions",       "ten programs that answer ten questions",         "core *_with.h"),
    ("core/textbook",        "the literature's versions, to read and compare", "core runtime cuda scan compact sort sparse"),
    ("core/textbook/scan_algorithms", "its scans, from Hillis and Steele on", "core runtime cuda textbook *_with.h"),
    ("core/*_with.h",        "public headers with the kernels in them, see WITH_KERNELS", "core runtime cpu moves ranks scan compact reduce sat sat/cpu sat/cuda sparse"),
]
FILTERS = [
    ("filters",              "public headers, and formulas that GLSL shares", "core"),
    ("filters/bands",        "a filter on a stream of bands of rows",         "core runtime cpu filters"),
    ("filters/parts",        "what filters of one file are made of",          "core runtime cpu cuda filters bands"),
    ("filters/means",        "means over boxes: box, flatten, unsharp",       "core runtime cuda cpu sat/cpu filters bands parts"),
    ("filters/blur",         "the Gaussian: few taps, or boxes repeated",     "core runtime cuda cpu filters bands parts"),
    ("filters/dof",          "depth of field",                                "core runtime cpu cuda spread filters bands parts"),
    ("filters/dof/cpu",      "the same on the CPU",                           "core runtime cpu spread filters filters/dof"),
    ("filters/dof/passes",   "what is made before and after its blur",        "core runtime filters parts filters/dof"),
    ("filters/depth",        "depth maps along the edges of their photo",     "core runtime filters"),
    ("filters/depth/cpu",    "the same on the CPU",                           "core filters/depth"),
    ("filters/depth/cuda",   "the same on CUDA",                              "core runtime cuda filters/depth"),
    ("filters/moves",        "crop, turn, mirror, room: pixels in another place", "core runtime filters bands parts"),
    ("filters/overlay",      "pictures and words laid over a picture",        "core filters filters/moves parts"),
    ("filters/pixels",       "what one pixel by itself becomes",              "core filters parts"),
    ("filters/resize",       "another size: areas, Lanczos",                  "core runtime cpu filters bands parts"),
    ("filters/statistics",   "pixels by selection, and statistics of them",   "core runtime cpu cuda filters parts *_with.h"),
    ("filters/strokes",      "depth from a person's strokes",                 "core runtime sparse *_with.h filters parts bands"),
    ("filters/where",        "the part of a picture that a filter changes",   "core runtime filters bands parts statistics"),
    ("filters/yuv",          "RGB and planes of luma and chroma",             "core runtime filters parts"),
    ("filters/words",        "values and names as people write them",         "filters"),
    ("filters/*.cpp",        "the registry and colour",                       "core runtime cpu filters bands"),
    ("filters/*.cu",         "filters of one file each",                      "core filters parts blur means"),
]
# The program knows core by its public headers, by core/runtime where it launches kernels of its own, and by core/spread
# where shaders take its steps; Python ends calls by core/cpu.
APP = [
    ("app/about",            "JSON's schema; version, commit and libraries",  "core io"),
    ("app/io",               "headers: files, formats, pictures, streams",    "core filters"),
    ("app/color",            "colour profiles",                               "core filters"),
    ("app/io/metadata",      "profile, EXIF and XMP, from and into files",    "core filters color io"),
    ("app/io/codecs",        "one file for each format",                      "core filters color io io/metadata"),
    ("app/io/animation",     "many frames in one file",                       "core io io/codecs"),
    ("app/io/*.cpp",         "files whole, by rows, all or nothing; signals", "core filters color io io/animation io/codecs io/metadata"),
    ("app/depth",            "headers: depth maps",                           "core io"),
    ("app/depth/files",      "one file for each format of theirs",            "core io io/codecs io/metadata depth"),
    ("app/depth/meaning",    "what their values mean",                        "core depth depth/files"),
    ("app/depth/strokes",    "a person's strokes: the file, spread over a photo", "core filters filters/strokes io depth"),
    ("app/depth/network",    "networks by ONNX Runtime, which is loaded if asked for", "core filters io depth depth/files"),
    ("app/depth/*.cpp",      "read, turned, brought to a size, written",      "core filters filters/depth io io/codecs depth depth/files depth/meaning depth/network depth/strokes"),
    ("app/gl",               "OpenGL: contexts, programs, depth of field",    "core runtime spread filters filters/dof"),
    ("app/scene",            "scenes: teapots, lights by night",              "core filters gl"),
    ("app/options",          "commands and their options as data; words parsed",     "core filters io"),
    ("app/session",          "what is set for a run, and what it says",       "core filters io gl options"),
    ("app/work",             "pieces of work through steps: memory, order, programs", "core io"),
    ("app/frames",           "numbered files: their pattern, found, written",  "core filters io"),
    ("app/photo",            "a photo, its depth and lens, and who blurs it", "core runtime filters color io depth depth/network depth/strokes gl scene options session"),
    ("app/viewer/script",    "what a person does, and a language for it",      "core filters io depth/strokes photo frames"),
    ("app/viewer/model",     "what the viewer shows: values, photos, effects", "core filters filters/dof color io depth depth/strokes gl scene session photo batch/plan"),
    ("app/viewer/parts",     "the picture drawn, triangles, files, settings, drops", "core filters filters/dof io depth gl viewer/model"),
    ("app/viewer/strokes",   "strokes that a person draws on a photo",        "core filters io depth depth/strokes session photo viewer/model viewer/script"),
    ("app/viewer/clip",      "clips: decoded, played, their line of time",    "core color io options session photo work video viewer/model"),
    ("app/viewer",           "windows, input, panels, frames",                "core filters filters/dof io depth gl scene options session photo viewer/clip viewer/model viewer/parts viewer/script viewer/strokes"),
    ("app/filtering",        "one picture through filters: its maps, file to file", "core filters color io depth session photo stats"),
    ("app/batch/plan",       "what a batch does: inputs, names, shards",      "core filters io"),
    ("app/batch/report",     "its report: written, read, merged",             "core io batch/plan"),
    ("app/batch",            "many pictures at once, in bounded memory",      "core filters io depth session photo work filtering stats batch/plan batch/report"),
    ("app/batch/sequence",   "numbered frames through depth of field",       "core filters io depth session photo frames batch batch/plan"),
    ("app/video/follow",     "patches of a picture, found in the next",      "core filters"),
    ("app/video",            "clips, by the user's ffmpeg",                   "core filters color io depth depth/strokes options session photo stats work frames filtering batch batch/sequence video/follow"),
    ("app/stats",            "selections as text; reports, plots, exposure",  "core filters io depth options session photo"),
    ("app/commands",         "one file for each command",                     "core filters about color io depth depth/network gl scene options session photo viewer viewer/parts frames filtering batch batch/plan batch/report batch/sequence stats video"),
    ("app/hosts",            "what plug-ins share: parameters, pictures in and out", "core core/cpu filters filters/depth"),
    ("app/hosts/frei0r",     "a mixer of frei0r",                             "core hosts"),
    ("app/hosts/gegl",       "an operation for GIMP and GEGL",                "hosts"),
    ("app/hosts/ofx",        "a plug-in of OpenFX",                           "core core/cpu hosts"),
    ("app/package",          "what is installed beside it; Debian packages",  "core io options commands video"),
    ("app/python",           "the Python module scanlens",                    "core core/cpu core/reduce filters filters/depth filters/strokes core/*_with.h"),
    ("app/python/files",     "its part that reads and writes files",          "core filters io depth"),
    ("app",                  "main, the scripts",                             "core io options commands"),
]
TESTS = [
    ("tests/bench",          "what measures, reports and plots",              "core runtime cpu textbook filters app/about app/io"),
    ("tests/bench/peers",    "what the library is measured against",          "core runtime textbook *_with.h filters bench"),
    ("tests/bench/cases",    "one file for each thing measured",              "core textbook filters filters/depth app/gl app/scene app/commands bench bench/peers core/*_with.h"),
    ("tests/bench/ranks",    "one array over several GPUs; processes",        "core runtime core/ranks bench core/*_with.h"),
    ("tests/bench/quality",  "how near depth of field comes to a lens",       "core filters app/io app/depth app/gl app/scene bench"),
    ("tests/bench/strokes",  "how near depth from strokes comes to the truth", "core filters filters/strokes app/io app/depth app/depth/strokes app/scene bench bench/quality"),
    ("tests/bench/program",  "scanlens-bench, which `scanlens bench` runs",   "core app/io app/commands bench bench/cases bench/quality bench/ranks bench/strokes"),
    ("tests/unit/support",   "devices, guarded arrays, references",           "core core/* filters filters/dof app/io app/depth"),
    ("tests/unit/core",      "what core's public headers promise",            "core core/* unit/support"),
    ("tests/unit/filters",   "what filters' public headers promise",          "core core/* filters filters/* unit/support"),
    ("tests/unit/app",       "the program's parts",                           "core core/* filters app/* bench bench/quality unit/support"),
    ("tests/unit/hosts",     "plug-ins in hosts of the tests",                "core filters app/hosts/ofx unit/support"),
    ("tests/gl",             "what OpenGL draws",                             "core spread filters filters/dof app/* unit/support"),
    ("tests/fuzz",           "foreign bytes and words, and mutants of them",  "core filters app/*"),
    ("tests/tsan",           "the order that oneTBB keeps, for a sanitizer",  ""),
    ("tests/tsan/tbb",       "oneTBB as ThreadSanitizer is to see it",        "tsan"),
    ("tests/many_cores",     "a machine of more cores than there are",        ""),
    ("tests/package",        "a foreign project that links the libraries",    "core *_with.h filters"),
]


def known_rooms():
    """The table as {room: the rooms that it may know}."""
    houses = {"core": CORE, "filters": FILTERS, "app": APP, "tests": TESTS}
    every = [room for rows in houses.values() for room, _, _ in rows]
    known = {}
    for house, rows in houses.items():
        for room, _, names in rows:
            known[room] = set()
            for name in names.split():
                full = next((n for n in (f"{house}/{name}", f"core/{name}") if n in every), name)
                fits = {other for other in every if other == full or fnmatch(other, full)}
                assert fits, f"{room} knows {name}, which is no room"
                known[room] |= fits - {room}
    return known


ROOMS = known_rooms()

# Public headers that have the kernels in them as those *_with.h do, for kinds that the library does not hold compiled.
WITH_KERNELS = {"core/scan.h", "core/compact.h", "core/reduce.h"} | {
    f"core/held/own_{name}.h" for name in ("compactions", "ranks", "reductions", "scans", "sorts")}
# Files that include a header *_with.h beside the tests. Everyone else takes what the library holds compiled.
USES_WITH = {
    "filters/strokes/edges.cu": "solves for a matrix that is computed",
}
# Files that include a *_impl.h outside core.
USES_IMPL = {
    "tests/unit/core/context_test.cpp": "opens devices that fail",
}
MOST_FILES = 42

# Public headers for those who have the headers of another library, which alone may name it.
INTEROP = {"core/interop_cuda.h", "core/interop_torch.h"}

# Libraries that only the program and the tests may see.
APP_ONLY = re.compile(r"^(opencv2/|GLFW/|glad/|GL/|EGL/|CLI/|nlohmann/|glm/|stb|spng|turbojpeg|exiv2/|imgui|libheif/|tiff|webp/|Imf|OpenEXR/|lcms2|jxl/|libdeflate|zlib)")
CUDA = re.compile(r"^(cuda|cub/|thrust/|npp|cooperative_groups|nv/)")


def room_of(name):
    if name in WITH_KERNELS:
        return "core/*_with.h"
    folder, file = os.path.split(name)
    if folder == "core/held":
        return "core"
    for pattern in ("*_with.h", "*.cpp", "*.cu"):
        if f"{folder}/{pattern}" in ROOMS and file.endswith(pattern[1:]):
            return f"{folder}/{pattern}"
    return folder


def is_public(name):
    """A header at the top of core or filters; those that carry kernels are not counted."""
    return room_of(name) in ("core", "filters") and name.endswith(".h")


def project_includes():
    """(place, including file, included file) of every include of the project's own files."""
    for folder in FOLDERS:
        for path in files(folder):
            for number, quoted, name in includes(path):
                if quoted:
                    yield f"{name_of(path)}:{number}", name_of(path), name


def a_cycle(graph):
    """The rooms of a cycle, or nothing."""
    done, path = set(), []

    def visit(room):
        if room in path:
            return path[path.index(room) :] + [room]
        if room in done:
            return None
        path.append(room)
        found = next(filter(None, map(visit, sorted(graph.get(room, ())))), None)
        path.pop()
        done.add(room)
        return found

    return next(filter(None, map(visit, sorted(graph))), None)


class Rooms(HouseTest):
    def test_includes_are_written_from_the_root(self):
        self.expect_none(
            f"{place}: {name} is no file of the project"
            for place, _, name in project_includes()
            if not (ROOT / name).is_file())

    def test_every_room_stands_in_the_table_and_every_row_is_a_room(self):
        self.assertEqual({room_of(name_of(p)) for folder in FOLDERS for p in files(folder)}, set(ROOMS))

    def test_a_room_knows_only_whom_it_may(self):
        self.expect_none(
            f"{place}: {room_of(user)} must not know {name}"
            for place, user, name in project_includes()
            if room_of(name) not in ROOMS.get(room_of(user), set()) | {room_of(user)})

    def test_rooms_do_not_go_in_circles(self):
        """Neither those of the table nor those that the includes make, whatever the table allows."""
        self.assertIsNone(a_cycle(ROOMS))
        included = {}
        for _, user, name in project_includes():
            if room_of(user) != room_of(name):
                included.setdefault(room_of(user), set()).add(room_of(name))
        self.assertIsNone(a_cycle(included))

    def test_public_headers_include_public_headers_only(self):
        self.expect_none(
            f"{place}: {name} is not public"
            for place, user, name in project_includes()
            if is_public(user) and not is_public(name))

    def test_headers_with_kernels_are_for_users(self):
        self.expect_none(
            f"{place}: {name} is for users of the library"
            for place, user, name in project_includes()
            if name.endswith("_with.h") and not user.startswith("tests/") and user not in USES_WITH)

    def test_what_a_room_hides_stays_in_core(self):
        self.expect_none(
            f"{place}: {name} is for core alone"
            for place, user, name in project_includes()
            if name.endswith("_impl.h") and not user.startswith("core/") and user not in USES_IMPL)

    def test_exceptions_are_needed(self):
        for exceptions, suffix in ((USES_WITH, "_with.h"), (USES_IMPL, "_impl.h")):
            users = {user for _, user, name in project_includes() if name.endswith(suffix)}
            self.assertLessEqual(set(exceptions), users)

    def test_the_context_names_no_client(self):
        """core/runtime stands below all rooms, so what it declares names none of those that use it."""
        text = (ROOT / "core/runtime/context_impl.h").read_text()
        self.assertEqual(re.findall(r"core/(?!runtime/)\w+/[\w.]+", text), [])
        clients = "scans? rows? columns? transpose sat tables? compact sort reduce sparse waves? mailbox(?:es)?"
        is_client = re.compile("|".join(clients.split())).fullmatch
        self.assertEqual(list(filter(is_client, words_of(without_comments(text)))), [])


class Libraries(HouseTest):
    def test_libraries_stay_in_the_program(self):
        self.expect_none(
            f"{name_of(path)}:{number}: {folder} must not include {name}"
            for folder in ("core", "filters")
            for path in files(folder)
            for number, _, name in includes(path)
            if APP_ONLY.match(name))

    def test_cuda_stays_in_cuda_files(self):
        self.expect_none(
            f"{name_of(path)}:{number}: {name} belongs in .cu and .cuh files"
            for folder in FOLDERS
            for path in files(folder, SOURCES - {".cu", ".cuh"})
            if name_of(path) not in INTEROP
            for number, _, name in includes(path)
            if CUDA.match(name))


class Headers(HouseTest):
    def test_public_headers_compile_by_themselves_and_twice(self):
        compiler = shutil.which(os.environ.get("CXX", "g++"))
        if not compiler:
            self.skipTest("no C++ compiler")
        options = ["-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I", ROOT]
        headers = [name_of(p) for folder in ("core", "filters") for p in sorted((ROOT / folder).glob("*.h"))]
        self.assertIn("core/scan.h", headers)
        headers = [header for header in headers if header not in INTEROP]

        def complaint(header):
            source = Path(folder, header.replace("/", "_") + ".cpp")
            source.write_text(f'#include "{header}"\n' * 2)
            return subprocess.run([compiler, *options, source], capture_output=True, text=True).stderr

        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
            self.expect_none(f"{h}:\n{stderr}" for h, stderr in zip(headers, pool.map(complaint, headers)) if stderr)


class Folders(HouseTest):
    def test_the_root_holds_what_it_should(self):
        if not shutil.which("git"):
            self.skipTest("git is not installed")
        listed = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True)
        if listed.returncode != 0:
            self.skipTest("not a git checkout")
        allowed = {"app", "core", "filters", "shaders", "data", "tests", ".ci", "CMakeLists.txt", "CMakePresets.json",
                   "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "pyproject.toml", ".gitignore",
                   ".clang-format"}
        self.assertLessEqual({name.split("/")[0] for name in listed.stdout.splitlines()}, allowed)

    def test_the_top_of_core_holds_public_headers(self):
        others = {p.name for p in (ROOT / "core").iterdir() if p.is_file() and p.suffix != ".h"}
        self.assertLessEqual(others, {"CMakeLists.txt", "README.md"})

    def test_no_folder_is_crowded(self):
        for top in ("core", "filters", "app"):
            for folder in [ROOT / top, *(p for p in (ROOT / top).rglob("*") if p.is_dir())]:
                held = sum(p.is_file() and p.name != "README.md" for p in folder.iterdir())
                self.assertLessEqual(held, MOST_FILES, name_of(folder))


if __name__ == "__main__":
    unittest.main()
