"""The tree as the house's rules see it: files, what they include, their comments, their text without comments."""
import os
import re
import unittest
from pathlib import Path

ROOT = Path(os.environ.get("SCANLENS_ROOT", Path(__file__).resolve().parent.parent))
SOURCES = {".h", ".cpp", ".cu", ".cuh"}
SHADERS = {".vert", ".frag", ".tesc", ".tese", ".comp", ".glsl"}
FOLDERS = ("core", "filters", "app", "tests")

_QUOTED = r'"(?:[^"\\\n]|\\.)*"'
_C_COMMENT = re.compile(rf"(?P<keep>{_QUOTED}|'(?:[^'\\\n]|\\.)')|//[^\n]*|/\*.*?\*/", re.DOTALL)
_BEFORE_C_COMMENT = re.compile(rf"(?:[^\"/]|{_QUOTED}|/(?![/*]))*?(/[/*][/*!]?<?)")
_BEFORE_HASH_COMMENT = re.compile(rf"(?:[^\"'#]|{_QUOTED}|'[^']*'|(?<=[^\s])#)*?(?:^|(?<=\s))(#)(?=\s)")
# A line of a comment that does not go on with the sentence of the line before.
_APART = re.compile(r"$|(-|\d+\.) |.*\S {2,}\S")


class HouseTest(unittest.TestCase):
    def expect_none(self, complaints):
        found = list(complaints)
        if found:
            self.fail("\n".join(["", *found]))


def files(folder, suffixes=SOURCES):
    return sorted(p for p in (ROOT / folder).rglob("*") if p.is_file() and p.suffix in suffixes)


def is_script(path):
    """Python, shell and CMake, those without a suffix too."""
    return path.suffix in {".py", ".sh", ".cmake", ""} or path.name == "CMakeLists.txt"


def scripts():
    inside = (p for folder in (*FOLDERS, ".ci") for p in sorted((ROOT / folder).rglob("*")))
    return [ROOT / "CMakeLists.txt"] + [p for p in inside if p.is_file() and is_script(p)]


def pages():
    """The pages that people read: the front page, and one of each room that has one."""
    rooms = (page for folder in FOLDERS for page in sorted((ROOT / folder).rglob("README.md")))
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *rooms]


def name_of(path):
    return str(path.relative_to(ROOT))


def includes(path):
    """(line number, whether it is quoted, name) of each #include."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^">]+)[>"]', line)
        if match:
            yield number, match.group(1) == '"', match.group(2)


def without_comments(text):
    """C++ or GLSL with every comment blanked; lines keep their numbers."""
    return _C_COMMENT.sub(lambda m: m["keep"] or re.sub(r"[^\n]", " ", m[0]), text)


def comments(path):
    """(line number, whether it has the line for itself, text) of each block of comment. Comment lines one below the
    other that begin in the same column are one block; the first may stand behind code. A new line in the text begins a
    paragraph, a list's item or a table's row."""
    before = _BEFORE_HASH_COMMENT if is_script(path) else _BEFORE_C_COMMENT
    block = column = None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = before.match(line)
        if match is None:
            column = None
            continue
        alone = not line[: match.start(1)].strip()
        text = line[match.end(1) :].strip()
        if alone and column == match.start(1):
            block[2] += ("\n" if _APART.match(text) else " ") + text
        else:
            if block:
                yield tuple(block)
            block = [number, alone, text]
        column = match.start(1)
    if block:
        yield tuple(block)


def words_of(text):
    """The words in lower case, those that identifiers are made of apart: kTableWords gives k, table and words."""
    return re.findall(r"[a-z]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", text).lower())
