"""What picture files carry beside pixels, written and read without any of the program's code."""
import struct
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from support import jpeg_bytes, png_bytes, png_chunk

XMP = b"http://ns.adobe.com/xap/1.0/\0"
MORE = b"http://ns.adobe.com/xmp/extension/\0"
SPACES = {"GPano": "http://ns.google.com/photos/1.0/panorama/", "GCamera": "http://ns.google.com/photos/1.0/camera/",
          "xmpNote": "http://ns.adobe.com/xmp/note/", "xmp": "http://ns.adobe.com/xap/1.0/",
          "photoshop": "http://ns.adobe.com/photoshop/1.0/", "HDRGainMap": "http://ns.apple.com/HDRGainMap/1.0/",
          "apdi": "http://ns.apple.com/pixeldatainfo/1.0/"}


def segment(marker, content):
    return bytes([0xFF, marker]) + struct.pack(">H", len(content) + 2) + content


def packet(**values):
    """An XMP packet of properties, named as xmp_Rating."""
    names = {name.split("_")[0] for name in values}
    spaces = " ".join(f'xmlns:{name}="{SPACES[name]}"' for name in sorted(names))
    return ('<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
            f'<rdf:Description rdf:about="" {spaces} ' +
            " ".join(f'{name.replace("_", ":", 1)}="{value}"' for name, value in values.items()) +
            "/></rdf:RDF></x:xmpmeta>").encode()


def with_segments(*segments):
    jpeg = jpeg_bytes(16, 8, 99)
    return jpeg[:2] + b"".join(segments) + jpeg[2:]


def segments_of(jpeg):
    at = 2
    while jpeg[at + 1] != 0xDA:
        marker, length = struct.unpack_from(">xBH", jpeg, at)
        yield marker, jpeg[at + 4:at + 2 + length]
        at += 2 + length


def exif(*tags, begin=8):
    """A TIFF structure of one directory, and tags of (number, kind, count, value)."""
    head = b"II*\0" + struct.pack("<IH", begin, len(tags))
    at, entries, values = begin + 2 + 12 * len(tags) + 4, b"", b""
    for number, kind, count, value in sorted(tags):
        if len(value) > 4:
            entries += struct.pack("<HHII", number, kind, count, at + len(values))
            values += value + b"\0" * (len(value) % 2)
        else:
            entries += struct.pack("<HHI", number, kind, count) + value.ljust(4, b"\0")
    return head + entries + b"\0\0\0\0" + values


def png_with(*chunks):
    plain = png_bytes(4, 2, 3, 8, range(24))
    at = plain.index(b"IDAT") - 4
    return plain[:at] + b"".join(png_chunk(kind, data) for kind, data in chunks) + plain[at:]


def read_pfm(path):
    data = Path(path).read_bytes()
    head, size, _, rest = data.split(b"\n", 3)
    width, height = map(int, size.split())
    return np.frombuffer(rest, "<f4").reshape(height, width, -1 if head == b"PF" else 1)[::-1]


def box(kind, content):
    return struct.pack(">I", 8 + len(content)) + kind + content


def full(kind, content, version=0, flags=0):
    return box(kind, struct.pack(">I", version << 24 | flags) + content)


def coded(samples, codec):
    """The configuration box and the data of a picture without losses, by ffmpeg."""
    height, width = samples.shape[:2]
    given, kept = ("gray", "gray") if samples.ndim == 2 else ("rgb24", "gbrp")
    how = {"hvc1": ["-c:v", "libx265", "-x265-params", "lossless=1:log-level=none", "-tag:v", "hvc1"],
           "av01": ["-c:v", "libaom-av1", "-still-picture", "1", "-aom-params", "lossless=1"]}[codec]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "one.mp4"
        subprocess.run(["ffmpeg", "-v", "error", "-f", "rawvideo", "-pix_fmt", given, "-s", f"{width}x{height}", "-i", "-", "-frames:v", "1",
                        *how, "-pix_fmt", kept, "-color_range", "pc", path], input=samples.tobytes(), check=True, timeout=60)
        data = path.read_bytes()
    def found(kind):
        at = data.index(kind) - 4
        return data[at:at + struct.unpack_from(">I", data, at)[0]]
    return found({"hvc1": b"hvcC", "av01": b"av1C"}[codec]), found(b"mdat")[8:]


def heif(items, references, brand=b"heic"):
    """A file of items (kind, data, properties, hidden), numbered from 1, the first one primary."""
    properties, links, entries = [], b"", b""
    for number, (kind, data, own, hidden) in enumerate(items, 1):
        entries += full(b"infe", struct.pack(">HH", number, 0) + kind + b"\0" + (b"application/rdf+xml\0" if kind == b"mime" else b""), 2, hidden)
        links += struct.pack(">HB", number, len(own)) + bytes(len(properties) + 1 + i for i in range(len(own)))
        properties += own
    links = full(b"ipma", struct.pack(">I", len(items)) + links)
    refs = b"".join(box(kind, struct.pack(f">HH{len(to)}H", of, len(to), *to)) for kind, of, to in references)
    ftyp = box(b"ftyp", brand + bytes(4) + b"mif1" + brand + b"tmap")
    def meta(begin):
        places, at = b"", begin
        for number, (kind, data, own, hidden) in enumerate(items, 1):
            places += struct.pack(">HHHII", number, 0, 1, at, len(data))
            at += len(data)
        return full(b"meta", full(b"hdlr", bytes(4) + b"pict" + bytes(13)) + full(b"pitm", struct.pack(">H", 1)) +
                    full(b"iloc", b"\x44\0" + struct.pack(">H", len(items)) + places) + full(b"iinf", struct.pack(">H", len(items)) + entries) +
                    full(b"iref", refs) + box(b"iprp", box(b"ipco", b"".join(properties)) + links))
    head = ftyp + meta(0)
    return ftyp + meta(len(head) + 8) + box(b"mdat", b"".join(data for _, data, _, _ in items))


def picture(samples, codec, *more, hidden=False):
    height, width = samples.shape[:2]
    config, data = coded(samples, codec)
    colours = box(b"colr", b"nclx" + struct.pack(">HHHB", 1, 13, 0 if samples.ndim == 3 else 2, 0x80))
    channels = 3 if samples.ndim == 3 else 1
    return (codec.encode(), data, [config, full(b"ispe", struct.pack(">II", width, height)), colours,
                                   full(b"pixi", bytes([channels] + [8] * channels)), *more], hidden)


def iso_words(least, most, gamma=1, offset=1 / 64, base_headroom=0):
    """ISO 21496-1's numbers of a gain map of one channel."""
    numbers = (base_headroom, most, least, most, gamma, offset, offset)
    return bytes(4) + b"\x40" + b"".join(struct.pack(">iI", round(number * (1 << 20)), 1 << 20) for number in numbers)


def jxl_with(codestream, *boxes):
    return (box(b"JXL ", b"\r\n\x87\n") + box(b"ftyp", b"jxl \0\0\0\0jxl ") + b"".join(boxes) + box(b"jxlc", codestream))


def apple_note(headroom, gain):
    """A maker note as in Apple's EXIF: tags 33 and 48."""
    entries = b"".join(struct.pack(">HHII", number, 10, 1, 14 + 2 + 24 + 4 + 8 * i) for i, number in enumerate((0x21, 0x30)))
    values = b"".join(struct.pack(">ii", round(value * 10000), 10000) for value in (headroom, gain))
    return b"Apple iOS\0\0\1MM" + struct.pack(">H", 2) + entries + bytes(4) + values
