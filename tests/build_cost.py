#!/usr/bin/env python3
"""Prints what a cold build cost, from ninja's log: build_cost.py BUILD-FOLDER-OR-LOG [ROWS]

Seconds of each object by folder and language, and the slowest objects (ROWS of them, 25 otherwise). Ninja notes wall time,
which is CPU time as long as no more commands run at once than there are cores.
"""
import re
import sys
from collections import Counter
from pathlib import Path

OBJECT = re.compile(r"\.(cu|cpp|cc|c|gch)\.o$|\.gch$")


def entries(log):
    """{output: seconds} of the last run of each command."""
    found = {}
    for line in log.read_text().splitlines()[1:]:
        start, end, _, output, _ = line.split("\t")
        found[output] = (int(end) - int(start)) / 1000
    return found


def folder_of(output):
    """core/sat/cuda of core/CMakeFiles/scanlens_core.dir/sat/cuda/u8.cu.o"""
    path = re.sub(r"CMakeFiles/[^/]+\.dir/", "", output)
    return "/".join(Path(path).parts[:2]) if not path.startswith("tests") else "/".join(Path(path).parts[:3][:-1] or ["tests"])


def language_of(output):
    return "CUDA" if ".cu.o" in output else "C++" if OBJECT.search(output) else "link and others"


def main():
    log = Path(sys.argv[1])
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 25
    if log.is_dir():
        log /= ".ninja_log"
    seconds = entries(log)
    by_folder, by_language = Counter(), Counter()
    for output, spent in seconds.items():
        by_folder[folder_of(output), language_of(output)] += spent
        by_language[language_of(output)] += spent
    for (folder, language), spent in by_folder.most_common():
        print(f"{spent:8.1f} s  {folder} ({language})")
    print()
    for output, spent in sorted(seconds.items(), key=lambda entry: -entry[1])[:rows]:
        print(f"{spent:8.1f} s  {output}")
    print()
    for language, spent in by_language.most_common():
        print(f"{spent:8.1f} s  {language}")
    print(f"{sum(seconds.values()):8.1f} s  {len(seconds)} commands")


if __name__ == "__main__":
    main()
