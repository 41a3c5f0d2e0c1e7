#!/usr/bin/python3
"""Writes a DNG of 64 x 48 pixels of a sensor (RGGB, 12 bits, without compression) to the file that is named."""
import struct
import sys

WIDTH, HEIGHT, BLACK, WHITE = 64, 48, 256, 4095
# A patch of each colour, as the sensor sees it: green twice as bright as red and blue, which AsShotNeutral tells.
LIGHT = {"white": (1, 1, 1), "red": (0.8, 0.1, 0.1), "green": (0.1, 0.7, 0.1), "grey": (0.2, 0.2, 0.2)}
NEUTRAL = (0.5, 1, 0.6)


def sample(x, y):
    light = LIGHT[("white", "red", "green", "grey")[(x >= WIDTH // 2) + 2 * (y >= HEIGHT // 2)]]
    colour = (0, 1, 1, 2)[x % 2 + 2 * (y % 2)]
    return round(BLACK + 0.9 * light[colour] * NEUTRAL[colour] * (WHITE - BLACK))


def dng(orientation=1):
    """The bytes of the file."""
    pixels = struct.pack(f"<{WIDTH * HEIGHT}H", *(sample(x, y) for y in range(HEIGHT) for x in range(WIDTH)))
    rational = lambda values: b"".join(struct.pack("<ii", round(value * 10000), 10000) for value in values)
    ascii_text = lambda text: text.encode() + b"\0"
    # Into the sensor's colours from XYZ: the inverse of sRGB's matrix, so that they are sRGB's.
    matrix = (3.2406, -1.5372, -0.4986, -0.9689, 1.8758, 0.0415, 0.0557, -0.2040, 1.0570)
    tags = [(254, 4, struct.pack("<I", 0)), (256, 4, struct.pack("<I", WIDTH)), (257, 4, struct.pack("<I", HEIGHT)),
            (258, 3, struct.pack("<H", 16)), (259, 3, struct.pack("<H", 1)), (262, 3, struct.pack("<H", 32803)),
            (271, 2, ascii_text("Maker")), (272, 2, ascii_text("Camera")), (273, 4, None), (274, 3, struct.pack("<H", orientation)),
            (277, 3, struct.pack("<H", 1)), (278, 4, struct.pack("<I", HEIGHT)), (279, 4, struct.pack("<I", len(pixels))),
            (33421, 3, struct.pack("<2H", 2, 2)), (33422, 1, bytes((0, 1, 1, 2))),
            (50706, 1, bytes((1, 4, 0, 0))), (50708, 2, ascii_text("Maker Camera")), (50714, 4, struct.pack("<I", BLACK)),
            (50717, 4, struct.pack("<I", WHITE)), (50721, 10, rational(matrix)), (50728, 5, rational(NEUTRAL)),
            (50778, 3, struct.pack("<H", 21))]
    sizes = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 10: 8}
    begin = 8 + 2 + 12 * len(tags) + 4
    behind = begin + sum(len(data) + len(data) % 2 for _, _, data in tags if data and len(data) > 4)
    directory, rest = b"", b""
    for tag, kind, data in tags:
        data = struct.pack("<I", behind) if data is None else data
        count = len(data) // sizes[kind]
        if len(data) > 4:
            value, rest = struct.pack("<I", begin + len(rest)), rest + data + b"\0" * (len(data) % 2)
        else:
            value = data.ljust(4, b"\0")
        directory += struct.pack("<HHI", tag, kind, count) + value
    return b"II*\0" + struct.pack("<IH", 8, len(tags)) + directory + struct.pack("<I", 0) + rest + pixels


if __name__ == "__main__":
    with open(sys.argv[1], "wb") as file:
        file.write(dng())
