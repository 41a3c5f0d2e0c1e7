#!/usr/bin/env python3
"""Counts the cases inside ctest's tests from its log, and lists why some were skipped:  cases.py LastTest.log"""
import re
import sys
from collections import Counter
from pathlib import Path

GTEST_END = re.compile(r"\[ +(OK|FAILED|SKIPPED) +\] .* \(\d+ ms\)$")
GTEST_REASON = re.compile(r": Skipped\n(.*)")
PYTHON_END = re.compile(r" \.\.\. (ok|FAIL|ERROR|skipped '(.*)'|skipped \"(.*)\")$")
KINDS = {"OK": "passed", "ok": "passed", "FAILED": "failed", "FAIL": "failed", "ERROR": "failed", "SKIPPED": "skipped"}


def count(log):
    """({"passed": n, ...}, {reason: n})"""
    kinds, reasons = Counter(), Counter(GTEST_REASON.findall(log))
    for line in log.splitlines():
        if at := GTEST_END.match(line):
            kinds[KINDS[at[1]]] += 1
        elif at := PYTHON_END.search(line):
            kinds[KINDS.get(at[1], "skipped")] += 1
            if at[1].startswith("skipped"):
                reasons[at[2] or at[3]] += 1
    return kinds, reasons


def main():
    kinds, reasons = count(Path(sys.argv[1]).read_text(errors="replace"))
    for reason, times in reasons.most_common():
        print(f"{times:5} skipped: {reason}")
    print(f"{sum(kinds.values())} cases: " + ", ".join(f"{kinds[kind]} {kind}" for kind in ("passed", "failed", "skipped")))


if __name__ == "__main__":
    main()
