#!/usr/bin/python3
"""Makes the files beside it by tools that know nothing of scanlens: numpy, and heif-enc of libheif. The tests hold
what the values are. Usage: make.py, in a folder where the files go; needs python3-numpy and libheif-examples."""
import struct
import subprocess
import zipfile
import zlib
from unittest import mock

import numpy as np

MAP = np.arange(12, dtype=np.float64).reshape(3, 4) / 4 + 1  # 1 .. 3.75, four columns, three rows


def arrays():
    np.save("f16_big.npy", MAP.astype(">f2"))
    np.save("f32_batch.npy", MAP.astype("<f4")[None, None])
    np.save("f64_fortran.npy", np.asfortranarray(MAP))
    np.save("u16_last.npy", (MAP * 1000).astype("<u2")[:, :, None])
    np.save("i32_big_fortran.npy", np.asfortranarray((MAP * 100).astype(">i4")))
    np.savez("stored.npz", rgb=np.zeros((3, 4, 3), "u1"), depth=MAP.astype("f4"))
    np.savez_compressed("deflated.npz", np.zeros((3, 4, 3), "u1"), np.asfortranarray(MAP))
    np.savez("two_maps.npz", near=MAP, far=MAP, label="text")
    # Python's ZIP64 begins at 2 GiB; here at once.
    with mock.patch.multiple(zipfile, ZIP64_LIMIT=0, ZIP_FILECOUNT_LIMIT=0):
        np.savez_compressed("zip64.npz", rgb=np.zeros((3, 4, 3), "u1"), depth=MAP)


def png(path, pixels):
    height, width = pixels.shape[:2]
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    kind = 2 if pixels.ndim == 3 else 0
    rows = b"".join(b"\0" + row.tobytes() for row in pixels.astype("u1"))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)) +
                   chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def box(kind, content):
    return struct.pack(">I", 8 + len(content)) + kind + content


def boxes(data):
    at = 0
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        yield kind, data[at + 8 : at + size]
        at += size


class Bits:
    def __init__(self):
        self.text = ""

    def put(self, value, count):
        self.text += f"{value:0{count}b}"

    def exp_golomb(self, value):
        digits = f"{value + 1:b}"
        self.text += "0" * (len(digits) - 1) + digits

    def number(self, value):
        """A number of the depth representation information (H.265, G.14.2.6)."""
        mantissa, exponent = np.frexp(value)  # mantissa 0.5 .. 1
        self.put(0, 1)
        self.put(int(exponent) - 1 + 31, 7)
        self.put(31, 5)
        self.put(int((mantissa * 2 - 1) * 2**32), 32)

    def data(self):
        text = self.text + "0" * (-len(self.text) % 8)
        return int(text, 2).to_bytes(len(text) // 8, "big")


def representation(kind, **numbers):
    """The supplemental enhancement information 177 in its NAL unit, with lengths."""
    bits = Bits()
    for name in ("z_near", "z_far", "d_min", "d_max"):
        bits.put(name in numbers, 1)
    bits.exp_golomb(kind)
    if "d_min" in numbers or "d_max" in numbers:
        bits.exp_golomb(0)
    for name in ("z_near", "z_far", "d_min", "d_max"):
        if name in numbers:
            bits.number(numbers[name])
    content = bits.data()
    unit = bytes([39 << 1, 1, 177, len(content)]) + content + b"\x80"
    framed = struct.pack(">I", len(unit)) + unit
    return struct.pack(">I", len(framed)) + framed


def with_depth(source, target, sei):
    """Makes the second image of a file the depth image of the first. Smaller than 64 x 64, heif-enc would make it a grid."""
    data = open(source, "rb").read()
    top = list(boxes(data))
    kinds = [kind for kind, _ in top]
    assert kinds == [b"ftyp", b"meta", b"mdat"], kinds
    meta = dict(top)[b"meta"]
    children = dict(boxes(meta[4:]))
    (first,) = struct.unpack(">H", children[b"pitm"][4:6])
    second = first + 1
    properties = list(boxes(children[b"iprp"]))
    assert [kind for kind, _ in properties] == [b"ipco", b"ipma"]
    ipco, ipma = properties[0][1], properties[1][1]
    auxc = box(b"auxC", bytes(4) + b"urn:mpeg:hevc:2015:auxid:2\0" + sei)
    index = len(list(boxes(ipco))) + 1
    # Items of the association table: id, count, one byte each.
    assert ipma[:4] == bytes(4)
    (count,) = struct.unpack_from(">I", ipma, 4)
    at, entries = 8, b""
    for _ in range(count):
        item, associated = struct.unpack_from(">HB", ipma, at)
        entry = ipma[at + 3 : at + 3 + associated]
        at += 3 + associated
        if item == second:
            entry += bytes([index])
        entries += struct.pack(">HB", item, len(entry)) + entry
    children[b"iprp"] = box(b"ipco", ipco + auxc) + box(b"ipma", ipma[:8] + entries)
    children[b"iref"] = bytes(4) + box(b"auxl", struct.pack(">HHH", second, 1, first))
    # The data has moved by as much as the metadata has grown.
    grown = sum(8 + len(content) for content in children.values()) + 4 - len(meta)
    iloc = bytearray(children[b"iloc"])
    version, sizes, more = iloc[0], iloc[4], iloc[5]
    assert version in (0, 1) and sizes == 0x44 and more >> 4 in (0, 4), (version, sizes, more)
    (items,) = struct.unpack_from(">H", iloc, 6)
    at = 8
    for _ in range(items):
        at += 2 + (2 if version else 0) + 2 + (more >> 4)
        (extents,) = struct.unpack_from(">H", iloc, at)
        at += 2
        for _ in range(extents):
            (offset,) = struct.unpack_from(">I", iloc, at)
            struct.pack_into(">I", iloc, at, offset + grown)
            at += 8
    children[b"iloc"] = bytes(iloc)
    meta = meta[:4] + b"".join(box(kind, content) for kind, content in children.items())
    with open(target, "wb") as file:
        for kind, content in top:
            file.write(box(kind, meta if kind == b"meta" else content))


def photos():
    x, y = np.meshgrid(np.arange(128), np.arange(128))
    png("photo.png", np.stack([x * 2, y * 2, 255 - x * 2], -1))
    x, y = np.meshgrid(np.arange(64), np.arange(64))
    png("map.png", x // 16 * 60 + 40)  # 40, 100, 160, 220 from left to right
    subprocess.run(["heif-enc", "-L", "photo.png", "map.png", "-o", "no_depth.heic"], check=True)
    with_depth("no_depth.heic", "disparity.heic", representation(1, d_min=0.25, d_max=2.8))
    with_depth("no_depth.heic", "inverse_z.heic", representation(0, z_near=0.5, z_far=8))
    with_depth("no_depth.heic", "z.heic", representation(2, z_near=0.5, z_far=8.5))
    with_depth("no_depth.heic", "no_range.heic", representation(1, d_min=0.25))


def grey_in_colour():
    """A grey ramp of 128 columns, stored in colour; needs Pillow and pillow-heif."""
    from PIL import Image
    import pillow_heif
    pillow_heif.register_heif_opener()
    ramp = np.tile(np.linspace(0, 255, 128).astype("u1"), (96, 1))
    picture = Image.fromarray(np.dstack([ramp] * 3))
    picture.save("grey_in_colour.heic", quality=20)
    picture.save("grey_in_colour.avif", quality=50)


if __name__ == "__main__":
    arrays()
    photos()
    grey_in_colour()
