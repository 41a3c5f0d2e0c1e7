"""What the command-line tests share: running the program, and pictures written and read without any of its code."""
import array
import contextlib
import functools
import json
import os
import resource
import shutil
import stat
import struct
import subprocess
import tempfile
import unittest
import zlib
from pathlib import Path
from typing import NamedTuple

ROOT = Path(os.environ.get("SCANLENS_ROOT", Path(__file__).resolve().parents[2]))
SCANLENS = os.environ.get("SCANLENS", str(ROOT / "build/release/scanlens"))
NOBODY = 65534
OUTPUT_OPTIONS = {"-o", "--preview", "--sharp-out", "--depth-out", "--heatmap", "--screenshot", "--plot", "--strokes-out", "--save-preset"}


# Whatever runs longer hangs. On a machine that does much else at once, a second's work takes half a minute.
HANGS = 300


def run(*args, launcher=(), **options):
    """The program's completed process. Output is captured as text unless `options` send it elsewhere."""
    settings = dict(stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=HANGS,
                    encoding="utf-8", errors="replace")
    return subprocess.run([*launcher, SCANLENS, *args], **{**settings, **options})


def limited(what, most):
    """A preexec_fn that allows the program so many bytes of RLIMIT_DATA or RLIMIT_AS. One that a sanitizer watches needs
    more than any limit, so that the test is skipped."""
    if "SCANLENS_SANITIZED" in os.environ:
        raise unittest.SkipTest("sanitizers take memory beyond any limit")
    return lambda: resource.setrlimit(what, (most, most))


@functools.cache
def facts():
    """What `info` says about this machine."""
    return json.loads(run("info", "--json").stdout)


def has_cuda():
    return any(device["id"].startswith("cuda") for device in facts()["devices"])


def require_opengl():
    """Skips the test, or the whole class from setUpClass, where there is none."""
    if not facts()["opengl"]["available"]:
        raise unittest.SkipTest("OpenGL is not available: " + facts()["opengl"]["cause"])


class Picture(NamedTuple):
    width: int
    height: int
    channels: int
    bits: int
    samples: array.array  # rows from the top, channels interleaved

    def pixel(self, x, y):
        at = (y * self.width + x) * self.channels
        return tuple(self.samples[at : at + self.channels])

    def channel(self, c, x0, y0, x1, y1):
        """The samples of one channel in the columns x0 .. x1 - 1 and the rows y0 .. y1 - 1."""
        return [self.pixel(x, y)[c] for y in range(y0, y1) for x in range(x0, x1)]

    @property
    def shape(self):
        return self.width, self.height, self.channels, self.bits


def differences(a, b):
    assert a.shape == b.shape, f"{a.shape} against {b.shape}"
    return [abs(p - q) for p, q in zip(a.samples, b.samples)]


COLOR_TYPES = {1: 0, 2: 4, 3: 2, 4: 6}
CHANNELS = {0: 1, 2: 3, 4: 2, 6: 4}
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def png_chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png_header(width, height, bits, color_type):
    return PNG_SIGNATURE + png_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, color_type, 0, 0, 0))


def png_bytes(width, height, channels, bits, pixels):
    """A PNG file of samples 0 .. 2^bits - 1, rows from the top, channels interleaved."""
    data = bytes(pixels) if bits == 8 else struct.pack(f">{len(pixels)}H", *pixels)
    row = width * channels * bits // 8
    assert len(data) == row * height, "as many samples as the picture has"
    filtered = b"".join(b"\0" + data[at : at + row] for at in range(0, len(data), row))
    return (png_header(width, height, bits, COLOR_TYPES[channels]) + png_chunk(b"IDAT", zlib.compress(filtered, 1)) +
            png_chunk(b"IEND", b""))


def write_png(path, width, height, channels, bits, pixels):
    Path(os.fsdecode(path)).write_bytes(png_bytes(width, height, channels, bits, pixels))
    return Picture(width, height, channels, bits, array.array("B" if bits == 8 else "H", pixels))


def png_chunks(data):
    """(kind, content) of each chunk; checks the signature, the checksums and that IEND is the last."""
    assert data.startswith(PNG_SIGNATURE), "PNG signature"
    at, kind = len(PNG_SIGNATURE), None
    while at < len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        content = data[at + 8 : at + 8 + length]
        assert data[at : at + 12 + length] == png_chunk(kind, content), f"length and checksum of {kind}"
        yield kind, content
        at += 12 + length
    assert kind == b"IEND", "an end mark at the end"


def icc_profile(gamma, primaries=()):
    """A profile of one gamma (ICC.1, version 2): of grey, or of RGB with these primaries, X, Y and Z under D50 of each."""
    def xyz(values):
        return struct.pack(">iii", *(round(value * 65536) for value in values))

    white, curve = (0.9642, 1, 0.8249), b"curv\0\0\0\0" + struct.pack(">IH", 1, int(gamma * 256)) + b"\0\0"
    tags = [(b"desc", b"desc\0\0\0\0" + struct.pack(">I", 5) + b"test\0" + b"\0" * 78), (b"cprt", b"text\0\0\0\0CC0\0"),
            (b"wtpt", b"XYZ \0\0\0\0" + xyz(white))]
    for colour, values in zip(b"rgb", primaries):
        tags += [(bytes([colour]) + b"XYZ", b"XYZ \0\0\0\0" + xyz(values)), (bytes([colour]) + b"TRC", curve)]
    if not primaries:
        tags.append((b"kTRC", curve))
    at, table, body = 128 + 4 + 12 * len(tags), b"", b""
    for sign, data in tags:
        data += b"\0" * (-len(data) % 4)
        table += sign + struct.pack(">II", at + len(body), len(data))
        body += data
    head = (struct.pack(">I4sI4s4s4s", at + len(body), b"none", 0x02100000, b"mntr", b"RGB " if primaries else b"GRAY", b"XYZ ") +
            struct.pack(">6H", 2020, 1, 1, 0, 0, 0) + b"acsp" + b"\0" * 28 + xyz(white))
    return head.ljust(128, b"\0") + struct.pack(">I", len(tags)) + table + body


def unfilter_row(method, row, above, step):
    """Undoes one of PNG's five row filters in place (PNG specification, section 9)."""
    for i, value in enumerate(row):
        left, up, corner = (row[i - step], above[i], above[i - step]) if i >= step else (0, above[i], 0)
        if method == 1:
            value += left
        elif method == 2:
            value += up
        elif method == 3:
            value += (left + up) // 2
        elif method == 4:
            estimate = left + up - corner
            value += min((left, up, corner), key=lambda candidate: abs(estimate - candidate))
        else:
            assert method == 0, f"row filter {method}"
        row[i] = value & 255


def read_png(path):
    """Any 8- or 16-bit grey, RGB or RGBA picture that is not interlaced."""
    packed = b""
    for kind, content in png_chunks(Path(os.fsdecode(path)).read_bytes()):
        if kind == b"IHDR":
            width, height, bits, color_type, _, _, interlace = struct.unpack(">IIBBBBB", content)
            assert bits in (8, 16) and color_type in CHANNELS and interlace == 0
        elif kind == b"IDAT":
            packed += content
    channels = CHANNELS[color_type]
    step = channels * bits // 8
    size = width * step
    raw = zlib.decompress(packed)
    assert len(raw) == (size + 1) * height, "as many bytes as the header announces"
    data, above = bytearray(), bytearray(size)
    for start in range(0, len(raw), size + 1):
        row = bytearray(raw[start + 1 : start + 1 + size])
        unfilter_row(raw[start], row, above, step)
        data += row
        above = row
    samples = array.array("B", data) if bits == 8 else array.array("H", struct.unpack(f">{len(data) // 2}H", data))
    return Picture(width, height, channels, bits, samples)


def png_size(path):
    return struct.unpack_from(">II", Path(os.fsdecode(path)).read_bytes(), 16)


def pfm_bytes(width, height, values):
    """A PFM of one channel. `values` has its rows from the top, the file from the bottom."""
    rows = [values[y * width : (y + 1) * width] for y in reversed(range(height))]
    return f"Pf\n{width} {height}\n-1.0\n".encode() + b"".join(struct.pack(f"<{width}f", *row) for row in rows)


def write_pfm(path, width, height, values):
    Path(path).write_bytes(pfm_bytes(width, height, values))


def exr_bytes(**channels):
    """An OpenEXR of arrays of floats by name, without compression, rows from the top."""
    names = sorted(channels)
    height, width = channels[names[0]].shape

    def attribute(key, kind, value):
        return key.encode() + b"\0" + kind.encode() + b"\0" + struct.pack("<i", len(value)) + value

    window = struct.pack("<4i", 0, 0, width - 1, height - 1)
    kinds = b"".join(name.encode() + b"\0" + struct.pack("<iB3xii", 2, 0, 1, 1) for name in names)
    header = (b"\x76\x2f\x31\x01\x02\0\0\0" + attribute("channels", "chlist", kinds + b"\0") +
              attribute("compression", "compression", b"\0") + attribute("dataWindow", "box2i", window) +
              attribute("displayWindow", "box2i", window) + attribute("lineOrder", "lineOrder", b"\0") +
              attribute("pixelAspectRatio", "float", struct.pack("<f", 1)) +
              attribute("screenWindowCenter", "v2f", struct.pack("<2f", 0, 0)) +
              attribute("screenWindowWidth", "float", struct.pack("<f", 1)) + b"\0")
    rows = [struct.pack("<2i", y, 4 * width * len(names)) +
            b"".join(channels[name][y].astype("<f4").tobytes() for name in names) for y in range(height)]
    first = len(header) + 8 * height
    return header + b"".join(struct.pack("<Q", first + y * len(rows[0])) for y in range(height)) + b"".join(rows)


def write_exr(path, channels):
    """An OpenEXR file of exr_bytes. `channels` are arrays by their names."""
    Path(path).write_bytes(exr_bytes(**channels))


def tiff_page(samples, **tags):
    """A page of tiff_bytes: an array of height x width (x channels) of unsigned integers or floats in one strip.
    `tags` are further ones, or others, by number as t254=1, of shorts."""
    channels = samples.shape[2] if samples.ndim == 3 else 1
    floats = samples.dtype.kind == "f"
    told = {256: samples.shape[1], 257: samples.shape[0], 258: 8 * samples.dtype.itemsize, 259: 1,
            262: 2 if channels >= 3 else 1, 277: channels, 278: samples.shape[0], 339: 3 if floats else 1}
    told.update({int(key[1:]): value for key, value in tags.items()})
    return told, samples.astype(samples.dtype.newbyteorder("<")).tobytes()


def tiff_bytes(*pages):
    """A little-endian TIFF. A tag's value is a number or a list of numbers, which fit 16 bits, or bytes, more than four."""
    file, link = b"II*\0\0\0\0\0", 4
    for told, strip in pages:
        place = len(file)
        file += strip + b"\0" * (len(strip) % 2)
        told = {**told, 273: place, 279: len(strip)}
        entries, values, at = b"", b"", len(file) + 2 + 12 * len(told) + 4
        for tag, value in sorted(told.items()):
            if tag in (273, 279):
                entries += struct.pack("<HHII", tag, 4, 1, value)
            elif isinstance(value, bytes):
                entries += struct.pack("<HHII", tag, 7, len(value), at + len(values))
                values += value + b"\0" * (len(value) % 2)
            elif isinstance(value, list) and len(value) > 2:
                entries += struct.pack("<HHII", tag, 3, len(value), at + len(values))
                values += struct.pack(f"<{len(value)}H", *value)
            else:
                numbers = value if isinstance(value, list) else [value]
                entries += struct.pack("<HHI", tag, 3, len(numbers)) + struct.pack("<2H", *(numbers + [0])[:2])
        file = file[:link] + struct.pack("<I", len(file)) + file[link + 4:]
        link = len(file) + 2 + len(entries)
        file += struct.pack("<H", len(told)) + entries + b"\0\0\0\0" + values
    return file


def jpeg_bytes(width, height, *tones):
    """A baseline JPEG of one tone in each of its components: every block holds its constant term alone. Sides are
    multiples of 8."""
    def segment(mark, content):
        return bytes([0xFF, mark]) + struct.pack(">H", len(content) + 2) + content

    constant_codes = bytes([0, 0, 0, 9] + [0] * 12) + bytes(range(9))  # nine codes of 4 bits: 0 .. 8 bits follow
    block_ends = bytes([1] + [0] * 15) + b"\0"  # one code of one bit: the block has no more terms
    bits = ""
    for tone in tones:
        value = tone - 128  # the constant term / 8, which is its quantisation step
        size = abs(value).bit_length()
        bits += f"{size:04b}" + (f"{value if value > 0 else value + (1 << size) - 1:0{size}b}" if size else "") + "0"
    bits += "00000" * len(tones) * (width * height // 64 - 1)  # other values differ by nothing
    bits += "1" * (-len(bits) % 8)
    coded = bytes(int(bits[i : i + 8], 2) for i in range(0, len(bits), 8)).replace(b"\xff", b"\xff\0")
    return (b"\xff\xd8" + segment(0xDB, b"\0" + bytes([8] * 64)) +
            segment(0xC0, struct.pack(">BHHB", 8, height, width, len(tones)) +
                    b"".join(bytes([1 + i, 0x11, 0]) for i in range(len(tones)))) +
            segment(0xC4, b"\0" + constant_codes) + segment(0xC4, b"\x10" + block_ends) +
            segment(0xDA, bytes([len(tones)]) + b"".join(bytes([1 + i, 0]) for i in range(len(tones))) + b"\0\x3f\0") +
            coded + b"\xff\xd9")


def jpeg_shape(path):
    """(width, height, channels) from the frame header."""
    data = Path(path).read_bytes()
    assert data.startswith(b"\xff\xd8") and data.endswith(b"\xff\xd9"), "start and end marks"
    at = 2
    while True:
        mark, length = struct.unpack_from(">xBH", data, at)
        if mark in (0xC0, 0xC1, 0xC2):
            _, height, width, channels = struct.unpack_from(">BHHB", data, at + 4)
            return width, height, channels
        at += 2 + length


def contents(folder):
    """Every name below a folder with what it holds, temporary files included."""
    found = {}
    for path in sorted(Path(folder).rglob("*")):
        mode = path.lstat().st_mode
        what = os.readlink(path) if stat.S_ISLNK(mode) else path.read_bytes() if stat.S_ISREG(mode) else None
        found[str(path.relative_to(folder))] = (mode, what)
    return found


class CommandCase(unittest.TestCase):
    """A test in a folder of its own, which is also the working directory of what it runs."""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="scanlens-test-"))
        self.folder.chmod(0o755)  # for tests that run as somebody else
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def run_here(self, *args, **options):
        return run(*args, **{"cwd": self.folder, **options})

    def succeed(self, *args, **options):
        """Runs what must work, and writes no file but those that the command line names."""
        here = options.get("cwd", self.folder)
        root = os.path.realpath(self.folder)
        named = {os.path.relpath(os.path.realpath(os.path.join(here, value)), root)
                 for option, value in zip(args, args[1:]) if option in OUTPUT_OPTIONS}
        before = contents(self.folder)
        done = self.run_here(*args, **options)
        self.assertEqual(done.returncode, 0, f"{args}: {done.stderr}")
        after = contents(self.folder)
        changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
        self.assertLessEqual(changed, named, f"{args}: files that came, went or changed")
        return done

    @contextlib.contextmanager
    def unchanged(self, *new):
        """The folder is afterwards what it was before, but for the names in `new`, which must have come or changed."""
        before = contents(self.folder)
        yield
        after = contents(self.folder)
        changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
        self.assertEqual(changed, set(new), "files that came, went or changed")

    def refuse(self, *args, code=1, says=(), **options):
        """Runs what must fail with this exit code, a message that contains `says`, and no other trace."""
        with self.unchanged():
            done = self.run_here(*args, **options)
        self.assertEqual(done.returncode, code, f"{args}: {done.stderr}")
        self.assertFalse(done.stdout, f"{args}: standard output is for results")
        for part in says:
            self.assertIn(part, done.stderr, f"{args}")
        self.assertTrue(done.stderr.splitlines()[-1].startswith("scanlens: "), done.stderr)
        return done

    def refuse_twice(self, *args, output, **expected):
        """`refuse` where `output` does not exist, and where it does and has to stay what it is."""
        self.refuse(*args, **expected)
        path = self.folder / output
        path.write_bytes(b"an older result")
        self.refuse(*args, **expected)
        path.unlink()


def without_root(case):
    """Options for `run` that drop root's power to ignore permissions."""
    if os.geteuid() != 0:
        return {}
    options = dict(user=NOBODY, group=NOBODY, extra_groups=[])
    try:
        run("--version", **options)
    except PermissionError:
        case.skipTest("nobody may not execute the program where it lies, and root ignores permissions")
    return options
