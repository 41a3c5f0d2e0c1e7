#!/usr/bin/env python3
"""Prints what `scanlens bench --json` measured as the tables of RESULTS.md: first the headline rows, then a table per
primitive, and with an older file the rows that took longer than there.
    results.py bench.json [older.json]"""
import json
import sys

# (primitive, variant, type, size) of the rows that the page begins with.
HEADLINES = [
    ("scan", "inclusive sum", "u32", "2^20"), ("scan", "inclusive sum", "u32", "2^28"),
    ("sat", "RGB", "u8 -> u32", "1920x1080"), ("sat", "RGB, looked up", "u8 -> u32", "8192x8192"),
    ("sat", "mono", "u8 -> u32", "16384x16384"), ("compact", "if, 50 % kept", "u32", "2^28"),
    ("sort", "keys", "u32", "2^28"), ("reduce", "sum", "f32", "2^28"),
    ("transpose", "4 bytes", "u32", "16384x16384"), ("box", "RGB, radius 44", "u8", "3840x2160"),
    ("dof", "RGB, radius 40", "u8", "3840x2160"),
]
HEAD = ("| work | type | size | ms (least .. most) | GB/s | of the bound | peer | its ms | ours is |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
MOST_SLOWER = 1.03


def ms(value):
    return f"{value:.4f}" if value < 10 else f"{value:.2f}"


def key(row):
    return row["primitive"], row["variant"], row["type"], row["size"]


def line(row, primitive=False):
    work = row["variant"] + (f" [{row['plan']}]" if row.get("plan") else "")
    peer = ["", "", ""]
    if row["peer"]:
        peer = [row["peer"], *([ms(row["peer_ms"]), f"{row['speedup']:.2f}x"] if row["peer_ms"] else ["failed", ""])]
    cells = [(row["primitive"] + ": " if primitive else "") + work, row["type"], row["size"],
             f"{ms(row['ms'])} ({ms(row['ms_min'])} .. {ms(row['ms_max'])})", f"{row['gb_per_s']:.1f}",
             f"{row['fraction_of_bound']:.3f}" + (" *" if row["in_cache"] else ""), *peer]
    return "| " + " | ".join(cells) + " |"


def main():
    rows = json.load(open(sys.argv[1]))["results"]
    first = {}
    for row in rows:
        first.setdefault(key(row), row)
    print("### Headline rows\n\n" + HEAD)
    for name in HEADLINES:
        if name in first:
            print(line(first[name], True))
    for primitive in dict.fromkeys(row["primitive"] for row in rows):
        print(f"\n### {primitive}\n\n" + HEAD)
        for row in rows:
            if row["primitive"] == primitive:
                print(line(row))
    if len(sys.argv) > 2:
        older = {key(row): row for row in json.load(open(sys.argv[2]))["results"]}
        for name, row in first.items():
            if name in older and row["ms"] > MOST_SLOWER * older[name]["ms"]:
                print(f"slower: {' '.join(name)}: {ms(older[name]['ms'])} -> {ms(row['ms'])}, "
                      f"{row['ms'] / older[name]['ms']:.3f}", file=sys.stderr)


if __name__ == "__main__":
    main()
