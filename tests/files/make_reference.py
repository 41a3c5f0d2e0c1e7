"""Writes the pictures that make.sh converts: the same 41 x 29 in several kinds."""
import math
import struct
import zlib

WIDTH, HEIGHT = 41, 29


def light(x, y, c):
    """Smooth in 0..1, with an edge."""
    value = 0.5 + 0.4 * math.sin(0.11 * x + c) * math.cos(0.09 * y + 0.5 * c)
    return 1 - value if x > 30 and y > 20 else value


def alpha(x, y):
    return min(1.0, (x + y) / 40)


def samples(most, channels):
    for y in range(HEIGHT):
        for x in range(WIDTH):
            for c in range(channels):
                yield round(most * (light(x, y, c) if c < 3 else alpha(x, y)))


def png(path, bits, color_type, channels):
    """Rows without a filter."""
    values = list(samples((1 << bits) - 1, channels))
    row = WIDTH * channels
    code = "B" if bits == 8 else "H"
    rows = b"".join(b"\0" + struct.pack(f">{row}{code}", *values[y * row:(y + 1) * row]) for y in range(HEIGHT))
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, bits, color_type, 0, 0, 0)),
              (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        for name, data in chunks:
            file.write(struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)))


def binary(path, header, code, values):
    values = list(values)
    with open(path, "wb") as file:
        file.write(header.encode() + struct.pack(f"{code[:-1]}{len(values)}{code[-1]}", *values))


if __name__ == "__main__":
    size = f"{WIDTH} {HEIGHT}"
    binary("rgb.ppm", f"P6\n{size}\n255\n", ">B", samples(255, 3))
    binary("rgb16.ppm", f"P6\n{size}\n65535\n", ">H", samples(65535, 3))
    binary("grey.pgm", f"P5\n{size}\n255\n", ">B", samples(255, 1))
    binary("rgba.pam", f"P7\nWIDTH {WIDTH}\nHEIGHT {HEIGHT}\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n", ">B",
           samples(255, 4))
    png("rgb.png", 8, 2, 3)
    png("rgb16.png", 16, 2, 3)
    png("rgba.png", 8, 6, 4)
    png("grey.png", 8, 0, 1)
