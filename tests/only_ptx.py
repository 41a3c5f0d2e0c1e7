#!/usr/bin/env python3
"""Copies a program such that its GPU code is the PTX of one compute capability: only_ptx.py 75|80 PROGRAM COPY

The other images are labelled as of compute capability 20.0, which no GPU here can load, so the driver compiles what is left.
A fat binary is a header and its images one after the other, each with a header that names the compute capability.
"""
import re
import shutil
import struct
import sys

UNKNOWN = 200
FAT_HEADER = re.compile(re.escape(struct.pack("<IHH", 0xBA55ED50, 1, 16)))  # magic, version, bytes of the header


def only_ptx(wanted, program):
    """The bytes with the other images labelled anew, and how many there are of both kinds."""
    kept = hidden = 0
    for fat in FAT_HEADER.finditer(bytes(program)):
        (size,) = struct.unpack_from("<Q", program, fat.end())
        image = fat.end() + 8
        end = image + size
        while image < end:
            kind, _, header, payload = struct.unpack_from("<HHIQ", program, image)
            (capability,) = struct.unpack_from("<I", program, image + 28)
            if kind == 1 and capability == wanted:
                kept += 1
            else:
                hidden += 1
                struct.pack_into("<I", program, image + 28, UNKNOWN)
            image += header + payload
    return kept, hidden


def main():
    wanted, source, copy = int(sys.argv[1]), *sys.argv[2:]
    with open(source, "rb") as file:
        program = bytearray(file.read())
    kept, hidden = only_ptx(wanted, program)
    if kept == 0 or hidden == 0:
        sys.exit(f"{source} holds {kept} images of PTX {wanted / 10} and {hidden} others; both were expected")
    with open(copy, "wb") as file:
        file.write(program)
    shutil.copymode(source, copy)
    print(f"{copy}: {kept} images of PTX {wanted / 10} kept, {hidden} others hidden")


if __name__ == "__main__":
    main()
