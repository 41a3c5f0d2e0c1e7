#!/usr/bin/env python3
"""How the code is written, whatever room it stands in: comments, words, macros, launches, shaders, shared formulas."""
import re
import unittest
from pathlib import Path

from house_tree import (FOLDERS, ROOT, SHADERS, SOURCES, HouseTest, comments, files, name_of, pages, scripts,
                        without_comments, words_of)

LIBRARY = ("core", "filters")
PRODUCT = ("core", "filters", "app")

# A comment is a sentence with a subject and a verb. One that begins so has left its subject to the line above or below.
# Notes in lower case behind code are no sentences: `int rows;  // of the tile`.
NO_BEGINNING = re.compile(r"(That|Those|Of|And|So|In|Another|What|Whether|Where|How|Who|Whose|Which|Why)\b")
NO_SUBJECT = re.compile(r"(Of|What|Whether|How|Whose|Returns whether)\b")

# The field's own words stand for these: service warp, tile state, algorithms, and the paper's name.
NO_WORD = re.compile(r"servants?|boards?|ladders?")
NO_PHRASE = re.compile(r"\bthe[\s/#*]+seeds\b", re.IGNORECASE)

# Riddles: the reader has to find out what they stand for. A noun, or another clause, says it.
RIDDLE = re.compile(
    r"\b(besides|whence|whoever|be had|is had|so many|of which|of whom|betrays?|heed\w*"
    r"|(is|are|has|have|had) none|none of (which|these|them)|tells? of|sa(y|ys|id) nothing|the first of these)\b",
    re.IGNORECASE)

STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')

# A sentence ends with a stop, a colon or a semicolon. Words in parentheses and numbers do not count, and code is one word.
MOST_WORDS = 25
SENTENCE_END = re.compile(r"(?<=[.!?:;])\s+(?=\S)|\n")
CODE = re.compile(r"`[^`]*`")
ASIDE = re.compile(r"\([^()]*\)")

# Macros by which other people's libraries are told something.
FOREIGN_MACRO = re.compile(r"HWY_|STB")


def line_of(text, at):
    return text.count("\n", 0, at) + 1


def sentences(text):
    return SENTENCE_END.split(ASIDE.sub("", CODE.sub("X", text)))


def long_sentences(text):
    for sentence in sentences(text):
        if sum(any(map(str.isalpha, word)) for word in sentence.split()) > MOST_WORDS:
            yield sentence


def commented():
    return [p for folder in FOLDERS for p in files(folder)] + files("shaders", SHADERS) + scripts()


def strings(path):
    """(line number, text) of each string of C++."""
    for number, line in enumerate(without_comments(path.read_text()).splitlines(), 1):
        if not line.lstrip().startswith("#"):
            yield from ((number, match[1]) for match in STRING.finditer(line))


def paragraphs(page):
    """(line number, text) of each paragraph and list item; not of headings, tables, pictures and code."""
    first, lines, is_code = 0, [], False
    for number, line in enumerate([*page.read_text().splitlines(), ""], 1):
        is_code ^= line.startswith("```")
        item = re.match(r"\s*([-*]|\d+\.) ", line)
        is_prose = line.strip() and not is_code and not line.startswith(("    ", "|", "#", "![", "```"))
        if lines and (item or not is_prose):
            yield first, " ".join(lines)
            lines = []
        if is_prose:
            first = first if lines else number
            lines.append(line[item.end() if item else 0:].strip())


class Words(HouseTest):
    def test_comments_begin_with_their_subject(self):
        self.expect_none(
            f"{name_of(path)}:{number}: {text[:60]}"
            for path in commented()
            for number, alone, text in comments(path)
            if NO_BEGINNING.match(text[:1].upper() + text[1:] if alone else text))

    def test_sentences_name_their_subject(self):
        self.expect_none(
            f"{name_of(path)}:{number}: {sentence[:60]}"
            for path in commented()
            for number, _, text in comments(path)
            for sentence in sentences(text)
            if NO_SUBJECT.match(sentence))

    def test_sentences_of_comments_are_short(self):
        self.expect_none(
            f"{name_of(path)}:{number}: {sentence}"
            for path in commented()
            for number, _, text in comments(path)
            for sentence in long_sentences(text))

    def test_nothing_speaks_in_riddles(self):
        said = [(path, number, text) for path in commented() for number, _, text in comments(path)]
        said += [(path, *each) for path in [p for folder in PRODUCT for p in files(folder)] for each in strings(path)]
        said += [(page, *each) for page in pages() for each in paragraphs(page)]
        self.expect_none(
            f"{name_of(path)}:{number}: {riddle[0]}: {text[:80]}"
            for path, number, text in said
            if (riddle := RIDDLE.search(CODE.sub("X", text))))

    def test_sentences_of_pages_are_short(self):
        self.expect_none(
            f"{name_of(page)}:{number}: {sentence}"
            for page in pages()
            for number, text in paragraphs(page)
            for sentence in long_sentences(text))

    def test_words_are_those_of_the_field(self):
        for path in [p for folder in PRODUCT for p in files(folder)] + pages():
            text, name = path.read_text(), name_of(path)
            with self.subTest(name):
                self.expect_none(
                    f"{name}:{number}: {line.strip()}"
                    for number, line in enumerate(text.splitlines(), 1)
                    if any(map(NO_WORD.fullmatch, words_of(line))))
                self.expect_none(f"{name}:{line_of(text, m.start())}: {m[0]}" for m in NO_PHRASE.finditer(text))

    def test_macros_of_the_library_say_whose_they_are(self):
        self.expect_none(
            f"{name_of(path)}:{number}: {match[1]}"
            for folder in LIBRARY
            for path in files(folder)
            for number, line in enumerate(path.read_text().splitlines(), 1)
            if (match := re.match(r"\s*#\s*define\s+(\w+)", line))
            and not match[1].startswith("SCANLENS_")
            and not FOREIGN_MACRO.match(match[1]))

    def test_every_launch_is_checked(self):
        """<<<>>> returns no status, and what it leaves as the last error may be a caller's own."""
        for path in [p for folder in PRODUCT for p in files(folder)]:
            text, name = without_comments(path.read_text()), name_of(path)
            self.assertNotIn("<<<", text, f"{name}: use launch_kernel()")
            text = re.sub(r"(?<=SCANLENS_CUDA_CHECK\()\s*(\w+::)*", "", text)
            self.expect_none(
                f"{name}:{line_of(text, m.start())}: {m[0]}…) stands outside SCANLENS_CUDA_CHECK"
                for m in re.finditer(r"(?<!SCANLENS_CUDA_CHECK\()(?<!cudaError_t )(?<!return )\b(cudaLaunch\w+|launch_kernel)\(", text))

    def test_shaders_are_files_and_only_shaders(self):
        for path in filter(Path.is_file, (ROOT / "shaders").rglob("*")):
            self.assertIn(path.suffix, SHADERS, path.name)
        for folder in PRODUCT:
            for path in files(folder):
                self.assertNotRegex(path.read_text(), r"#version \d", f"{path.name}: GLSL belongs in shaders/")

    def test_shared_formulas_are_stated_once(self):
        """Constants that mark the transfer function and the box of equal area stand in one file."""
        for mark in (r"0\.04045", r"1\.055", r"12\.92", r"3\.14159265f"):
            everywhere = [p for folder in (*PRODUCT, "shaders") for p in files(folder, SOURCES | SHADERS)]
            holders = [name_of(p) for p in everywhere if re.search(mark, p.read_text())]
            self.assertEqual(len(holders), 1, f"{mark} stands in {holders}")


if __name__ == "__main__":
    unittest.main()
