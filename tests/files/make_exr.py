"""Writes small OpenEXR files byte by byte, after "OpenEXR File Layout": python3 make_exr.py FOLDER."""
import struct
import sys
import zlib

from make_reference import HEIGHT, WIDTH, alpha, light

HALF, FLOAT = 1, 2


def attribute(name, kind, data):
    return name.encode() + b"\0" + kind.encode() + b"\0" + struct.pack("<I", len(data)) + data


def zips(raw):
    """Even and odd bytes apart, differences, deflate; as it is when that is no shorter."""
    apart = raw[0::2] + raw[1::2]
    differences = bytes([apart[0]] + [(apart[i] - apart[i - 1] + 128) & 255 for i in range(1, len(apart))])
    packed = zlib.compress(differences)
    return packed if len(packed) < len(raw) else raw


def write(path, channels, value, data=(0, 0, WIDTH - 1, HEIGHT - 1), display=(0, 0, WIDTH - 1, HEIGHT - 1), compressed=True,
          more=b""):
    """`channels` is {name: (type, sampling)}; value(name, x, y) gives a sample."""
    names = sorted(channels)
    listed = b"".join(name.encode() + b"\0" + struct.pack("<IBxxxII", channels[name][0], 0, channels[name][1], channels[name][1])
                      for name in names) + b"\0"
    header = struct.pack("<II", 20000630, 2) + b"".join([
        attribute("channels", "chlist", listed), attribute("compression", "compression", bytes([2 if compressed else 0])),
        attribute("dataWindow", "box2i", struct.pack("<4i", *data)),
        attribute("displayWindow", "box2i", struct.pack("<4i", *display)), attribute("lineOrder", "lineOrder", b"\0"),
        attribute("pixelAspectRatio", "float", struct.pack("<f", 1)),
        attribute("screenWindowCenter", "v2f", struct.pack("<2f", 0, 0)),
        attribute("screenWindowWidth", "float", struct.pack("<f", 1)), more]) + b"\0"
    lines = []
    for y in range(data[1], data[3] + 1):
        raw = b""
        for name in names:
            kind, step = channels[name]
            if y % step == 0:
                row = [value(name, x, y) for x in range(data[0], data[2] + 1) if x % step == 0]
                raw += struct.pack(f"<{len(row)}{'e' if kind == HALF else 'f'}", *row)
        lines.append((y, zips(raw) if compressed else raw))
    at = len(header) + 8 * len(lines)
    table, body = b"", b""
    for y, packed in lines:
        table += struct.pack("<Q", at + len(body))
        body += struct.pack("<iI", y, len(packed)) + packed
    with open(path, "wb") as file:
        file.write(header + table + body)


def colors(name, x, y):
    """The light of the reference, up to 8; premultiplied where there is alpha."""
    return 8 * light(x, y, "RGB".index(name[-1]))


def premultiplied(name, x, y):
    return alpha(x, y) if name == "A" else alpha(x, y) * colors(name, x, y)


def luminance(name, x, y):
    """Grey: no colour differences."""
    return colors("G", x, y) if name == "Y" else 0.0


def main(folder):
    rgb = {c: (HALF, 1) for c in "RGB"}
    wide = {c: (FLOAT, 1) for c in "RGB"}
    chromaticities = attribute("chromaticities", "chromaticities",
                               struct.pack("<8f", 0.68, 0.32, 0.265, 0.69, 0.15, 0.06, 0.3127, 0.329))
    write(f"{folder}/half_zips.exr", rgb, colors)
    write(f"{folder}/float_none.exr", wide, colors, data=(0, 0, 19, 9), display=(0, 0, 19, 9), compressed=False,
          more=chromaticities)
    write(f"{folder}/alpha.exr", {**rgb, "A": (HALF, 1)}, premultiplied)
    write(f"{folder}/inside.exr", rgb, colors, data=(5, 4, 20, 15))
    write(f"{folder}/outside.exr", rgb, lambda name, x, y: colors(name, x, y) if x >= 0 and y >= 0 else -7.0,
          data=(-3, -2, WIDTH + 1, HEIGHT + 3))
    write(f"{folder}/shifted.exr", rgb, lambda name, x, y: colors(name, x - 100, y + 50),
          data=(100, -50, 119, -41), display=(100, -50, 119, -41))
    write(f"{folder}/layers.exr",
          {f"{layer}.{c}": (HALF, 1) for layer in ("ViewLayer.Combined", "ViewLayer.DiffCol") for c in "RGB"} |
          {"ViewLayer.Depth.Z": (FLOAT, 1)},
          lambda name, x, y: 10.0 if name.endswith("Z") else colors(name, x, y) if "Combined" in name else 0.25)
    write(f"{folder}/luminance.exr", {"Y": (HALF, 1)}, luminance)
    write(f"{folder}/luminance_chroma.exr", {"Y": (HALF, 1), "RY": (HALF, 2), "BY": (HALF, 2)}, luminance,
          data=(0, 0, 39, 27), display=(0, 0, 39, 27))
    write(f"{folder}/depth.exr", {"Z": (FLOAT, 1)}, lambda name, x, y: 1.0 + x)
    special = {(0, 0): float("nan"), (1, 0): float("inf"), (2, 0): -1.0}
    write(f"{folder}/not_numbers.exr", wide, lambda name, x, y: special.get((x, y), 0.5), data=(0, 0, 4, 3),
          display=(0, 0, 4, 3))


if __name__ == "__main__":
    main(sys.argv[1])
